//! Counts a random sample of a count.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::engine::Pool;
use nqueens::solver::Plan;
use nqueens::verify;
use serde::Serialize;

use super::Args;
use crate::exit::Exit;
use crate::runs::RandomSample;
use crate::terminal::duration::in_words;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::seconds_in_json;
use crate::terminal::watch::Watch;

/// A sample is rejected if it would take this many times the time, or have this many times the share, that is wanted.
const PATIENCE: f64 = 2.0;

/// What the sample says.
#[derive(Serialize)]
pub(super) struct Sampled {
    #[serde(serialize_with = "seconds_in_json")]
    pub(super) elapsed_seconds: f64,
    /// The threads that counted it: no more than cores, and than fit the memory.
    pub(super) threads: usize,
    pub(super) share: f64,
    pub(super) parts: usize,
    /// The sum of its units, with their weights. Equal samples have equal sums.
    #[serde(with = "nqueens::decimal")]
    pub(super) sum: u128,
    #[serde(serialize_with = "seconds_in_json")]
    pub(super) core_seconds: f64,
    #[serde(serialize_with = "seconds_in_json")]
    pub(super) core_seconds_error: f64,
    pub(super) solutions: f64,
    pub(super) solutions_error: f64,
    /// The number of solutions, if the sample is the whole count.
    #[serde(skip)]
    pub(super) counted: Option<u128>,
}

/// Counts a sample on these threads. `predicted` are the core seconds of the whole count. Fails at once if the smallest
/// sample would take too long. After a stop it returns what was counted so far, with the error.
pub(super) fn sampled(
    args: &Args,
    size: Size,
    plan: &dyn Plan,
    pool: Pool,
    predicted: f64,
    watch: &Watch<'_>,
) -> anyhow::Result<(Sampled, anyhow::Result<()>)> {
    let threads = pool.threads()?;
    let (start, budget) = (Instant::now(), args.budget.as_secs_f64() * threads as f64);
    // Whole families, or parts of them if the smallest sample of families is too large. A share does not depend on the
    // speed, so that the same share is the same sample everywhere.
    let mut sample = RandomSample::new(plan, f64::INFINITY, args.seed);
    let whole = sample.whole_cost().max(f64::MIN_POSITIVE);
    let wanted = args.share.unwrap_or(budget / predicted);
    // Half of a time, because the prediction may be wrong.
    let most = if args.share.is_some() { wanted } else { wanted / 2.0 };
    let mut limit = whole;
    while limit > 1e-9 * whole && sample.smallest_cost() > most * whole {
        limit /= 4.0;
        sample = RandomSample::new(plan, limit, args.seed);
    }
    let smallest = sample.smallest_cost() / whole;
    if smallest > PATIENCE * wanted {
        let seconds = smallest * predicted / threads as f64;
        let larger = match args.share {
            Some(_) => format!("--share {:.1e}", smallest),
            None => format!("--budget {}m", (seconds * 1.2 / 60.0).ceil()),
        };
        return Err(Exit::Failure.error(format!(
            "the smallest sample is predicted to take about {}: give {larger} to count it",
            in_words(seconds),
        )));
    }
    sample.draw(wanted);
    let pace = predicted / whole;
    let forecast = Forecast::new(pace * sample.cost_to_count(), threads);
    let label = format!("sample of n = {size}");
    let ended = watch.run(&label, forecast, |cancel, monitor| sample.count(pool, cancel, monitor));
    let ended = match ended {
        Err(error) if !sample.keep_counted() => return Err(error),
        Err(error) => Err(Exit::of(&error).error(format!("{label}: stopped: the estimate is from a part of it"))),
        Ok(()) => Ok(()),
    };
    let counted = sample.is_full().then(|| sample.sum() / u128::from(plan.divisor()));
    if let Some(counted) = counted {
        verify::check_total(size, counted)?;
    }
    let (seconds, solutions) = (sample.core_seconds(), sample.solutions());
    let sampled = Sampled {
        elapsed_seconds: start.elapsed().as_secs_f64(),
        threads,
        share: sample.share(),
        parts: sample.parts(),
        sum: sample.sum(),
        core_seconds: seconds.value,
        core_seconds_error: seconds.error,
        solutions: solutions.value,
        solutions_error: solutions.error,
        counted,
    };
    Ok((sampled, ended))
}
