//! Counts a random sample of a count.

use std::time::Instant;

use nqueens::Error;
use nqueens::board::{Size, known};
use nqueens::solver::Plan;
use serde::Serialize;

use super::Args;
use crate::runs::RandomSample;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;

/// A sample is rejected if it would take this many times the time asked for.
const PATIENCE: f64 = 2.0;

/// What the sample says.
#[derive(Serialize)]
pub(crate) struct Sampled {
    pub(crate) elapsed_seconds: f64,
    /// The threads that counted it: no more than cores, and than fit the memory.
    pub(crate) threads: usize,
    pub(crate) share: f64,
    pub(crate) parts: usize,
    /// The sum of its units, with their weights. Equal samples have equal sums.
    pub(crate) sum: String,
    pub(crate) core_seconds: f64,
    pub(crate) core_seconds_error: f64,
    pub(crate) solutions: f64,
    pub(crate) solutions_error: f64,
    /// Whether the errors come from few parts, so that they may be twice as large.
    pub(crate) rough: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) peak_bytes: Option<u64>,
}

/// Counts a sample.
pub(crate) struct Sampler<'a> {
    pub(crate) args: &'a Args,
    pub(crate) size: Size,
    pub(crate) plan: &'a dyn Plan,
    pub(crate) threads: usize,
    /// What the whole count is predicted to take.
    pub(crate) predicted_core_seconds: f64,
    pub(crate) watch: &'a Watch<'a>,
}

impl<'a> Sampler<'a> {
    /// What a sample says; the seconds it would take where that is too long.
    pub(crate) fn sampled(&self) -> anyhow::Result<Result<Sampled, f64>> {
        let (args, start) = (self.args, Instant::now());
        let (mut sample, pace) = self.to_be_drawn();
        let smallest = pace * sample.smallest_cost() / self.threads as f64;
        if args.share.is_none() && smallest > PATIENCE * args.budget.as_secs_f64() {
            return Ok(Err(smallest));
        }
        sample.draw_share(args.share.unwrap_or(0.0));
        self.count(&mut sample, pace)?;
        let seconds_left = args.budget.as_secs_f64() - start.elapsed().as_secs_f64();
        if args.share.is_none() && seconds_left > 0.0 {
            sample.draw_seconds(seconds_left * self.threads as f64);
            self.count(&mut sample, pace)?;
        }
        self.check(&sample)?;
        let (seconds, solutions) = (sample.core_seconds(), sample.solutions());
        Ok(Ok(Sampled {
            elapsed_seconds: start.elapsed().as_secs_f64(),
            threads: self.threads,
            share: sample.share(),
            parts: sample.parts(),
            sum: sample.total().count.to_string(),
            core_seconds: seconds.value,
            core_seconds_error: seconds.error,
            solutions: solutions.value,
            solutions_error: solutions.error,
            rough: sample.is_rough(),
            peak_bytes: peak_bytes(),
        }))
    }

    /// A sample of which nothing is drawn yet, and the core seconds predicted for a unit of cost. It is of whole
    /// families, unless the smallest sample of them would take longer than half the time.
    fn to_be_drawn(&self) -> (RandomSample<'a>, f64) {
        let args = self.args;
        let mut sample = RandomSample::new(self.plan, f64::INFINITY, args.seed);
        let whole = sample.whole_cost();
        let pace = self.predicted_core_seconds / whole.max(f64::MIN_POSITIVE);
        let budget = args.budget.as_secs_f64() * self.threads as f64;
        let mut limit = whole;
        while args.share.is_none() && limit * pace > 1e-6 && pace * sample.smallest_cost() > budget / 2.0 {
            limit /= 4.0;
            sample = RandomSample::new(self.plan, limit, args.seed);
        }
        (sample, pace)
    }

    /// Counts what was drawn.
    fn count(&self, sample: &mut RandomSample<'_>, pace: f64) -> anyhow::Result<()> {
        let forecast = Forecast::new(pace * sample.cost_to_count(), self.threads);
        let label = format!("sample of n = {}", self.size);
        self.watch.run(&label, forecast, |cancel, monitor| sample.count(self.threads, cancel, monitor))
    }

    /// An error where everything was counted and the sum is known to be wrong.
    fn check(&self, sample: &RandomSample<'_>) -> Result<(), Error> {
        let (size, divisor) = (self.size, u128::from(self.plan.divisor()));
        match (sample.exact(), known::solutions(size)) {
            (Some(sum), Some(published)) if sum != published * divisor => {
                Err(Error::Published { n: size.get(), counted: sum / divisor, published })
            }
            _ => Ok(()),
        }
    }
}

/// The most memory this process ever had, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
