//! Counts a random share of the color split's families and scales the time to the whole: how long a large board would
//! take. Of each class two families are counted at least, so that their spread is seen.
//!
//! ```text
//! cargo bench --bench color_sample -- 24 --share 0.01 --threads 2
//! ```
//!
//! Options: `--share` of the predicted work (default 0.05), `--seed`, `--threads`, `--isa`, and for tuning
//! `--fill-depth`, `--dot-depth`, `--family`, `--leaves`, `--together`, `--packs`, `--range`, `--white` (only colorings
//! with so many white even rows); `--each 1` prints a line for each family and each class. Without a size it samples
//! n = 18. A sample of everything must count what was published; of less, the sum tells whether two builds agree.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use nqueens::board::{Size, known};
use nqueens::solver::color::{ColorPlan, Tuning};
use nqueens::solver::{Isa, Plan, registry};
use nqueens::{CancelToken, Monitor, engine};

const OPTIONS: [&str; 14] = [
    "share",
    "seed",
    "threads",
    "isa",
    "fill-depth",
    "dot-depth",
    "family",
    "leaves",
    "together",
    "packs",
    "fill-packs",
    "range",
    "white",
    "each",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut size = Size::new(18)?;
    let mut options: HashMap<String, String> = HashMap::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--") {
            Some(name) => {
                if !OPTIONS.contains(&name) {
                    return Err(format!("there is no option --{name}").into());
                }
                options.insert(name.to_owned(), arguments.next().ok_or(format!("--{name} needs a value"))?);
            }
            None => size = argument.parse()?,
        }
    }
    let number = |name: &str| options.get(name).map(|value| value.parse::<usize>()).transpose();
    let share: f64 = options.get("share").map_or(Ok(0.05), |value| value.parse())?;
    let isa = options.get("isa").map_or(Ok(registry::machine_isa()), |name| name.parse::<Isa>()?.checked())?;
    let threads = number("threads")?.unwrap_or(1);
    let tuning = Tuning {
        fill_depth: number("fill-depth")?,
        dot_depth: number("dot-depth")?,
        family: number("family")?,
        terms_together: number("together")?,
        pack_bytes: number("packs")?,
        filling_pack_bytes: number("fill-packs")?,
        range_bytes: number("range")?,
        program_leaves: number("leaves")?.map(|leaves| leaves as u64),
        ..Tuning::default()
    };
    let white = number("white")?;
    let each = number("each")?.is_some();

    let plan = ColorPlan::new(size, isa, tuning);
    let mut families: Vec<_> = plan
        .families()
        .into_iter()
        .filter(|units| white.is_none_or(|white| plan.rows(units.start).white_evens == white))
        .collect();
    let cost = |units: &std::ops::Range<usize>| units.clone().map(|unit| plan.cost(unit)).sum::<f64>();

    // A random order (SplitMix64) that knows only what the families are: depths and costs do not change it. Then as
    // many families as make the share.
    let seed = number("seed")?.unwrap_or(1);
    families.sort_by_cached_key(|units| {
        let rows = plan.rows(units.start);
        [seed, rows.white_evens, rows.odds as usize, rows.evens.start].into_iter().fold(0u64, |state, part| {
            let x = (state ^ part as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ x >> 31
        })
    });
    // The share is taken of each class, the families with equally many white even rows: predictions for one may be
    // wrong by another factor than for the next.
    let class = |units: &std::ops::Range<usize>| plan.rows(units.start).white_evens;
    let mut classes: BTreeMap<usize, Class> = BTreeMap::new();
    let mut solutions = 0;
    for units in &families {
        let class = classes.entry(class(units)).or_default();
        class.whole += cost(units);
        class.families += 1;
    }
    for units in &families {
        let class = classes.get_mut(&class(units)).ok_or("every family has a class")?;
        let counted = class.counted.iter().map(|(_, cost)| cost).sum::<f64>();
        if class.counted.len() >= 2 && counted >= share * class.whole {
            continue;
        }
        let start = Instant::now();
        let total =
            engine::run(&plan, &units.clone().collect::<Vec<_>>(), threads, &CancelToken::new(), &Monitor::new())?;
        let elapsed = start.elapsed().as_secs_f64();
        solutions += total.solutions;
        if each {
            let predicted = cost(units) * 1e-9;
            println!(
                "white {} units {} predicted {predicted:.3} s took {elapsed:.3} s ratio {:.2} {:?}",
                plan.rows(units.start).white_evens,
                units.len(),
                elapsed / predicted,
                total.work
            );
        }
        class.counted.push((elapsed, cost(units)));
    }
    for (white, class) in classes.iter().filter(|_| each) {
        let [seconds, whole, error] = class.estimate();
        let (counted, families) = (class.counted.len(), class.families);
        println!(
            "white {white}: {seconds:.2} s for {counted} of {families} families; all about {whole:.1} s +- {error:.1} s"
        );
    }
    let estimates: Vec<[f64; 3]> = classes.values().map(Class::estimate).collect();
    let sum = |i: usize| estimates.iter().map(|estimate| estimate[i]).sum::<f64>();
    let error = estimates.iter().map(|[.., error]| error.powi(2)).sum::<f64>().sqrt();
    let longest = families.iter().cloned().flatten().map(|unit| plan.cost(unit)).fold(0.0, f64::max) * 1e-9;
    let counted: usize = classes.values().map(|class| class.counted.len()).sum();
    println!(
        "n = {size}, {}, {threads} thread(s): {:.2} s for {counted} of {} families ({} units, of at most {longest:.1} s as \
         predicted), {solutions} solutions by weight; the whole about {:.1} s, standard error {error:.1} s",
        isa.name(),
        sum(0),
        families.len(),
        families.iter().map(ExactSizeIterator::len).sum::<usize>(),
        sum(1),
    );
    if counted == plan.families().len()
        && let Some(expected) = known::solutions(size)
        && solutions != expected
    {
        return Err(format!("{solutions} solutions, where {expected} were published").into());
    }
    Ok(())
}

/// What was counted of the families of a class.
#[derive(Default)]
struct Class {
    families: usize,
    /// Predicted cost of all of them.
    whole: f64,
    /// Seconds and predicted cost of those counted.
    counted: Vec<(f64, f64)>,
}

impl Class {
    /// Seconds counted, those of the whole by the ratio estimator, and its standard error.
    fn estimate(&self) -> [f64; 3] {
        let seconds: f64 = self.counted.iter().map(|(seconds, _)| seconds).sum();
        let predicted: f64 = self.counted.iter().map(|(_, cost)| cost).sum();
        let rate = seconds / predicted;
        let count = self.counted.len() as f64;
        let squares: f64 = self.counted.iter().map(|(seconds, cost)| (seconds - rate * cost).powi(2)).sum();
        let left = (1.0 - predicted / self.whole).max(0.0);
        let error = self.whole * (squares * count / (count - 1.0).max(1.0) * left).sqrt() / predicted;
        [seconds, rate * self.whole, error]
    }
}
