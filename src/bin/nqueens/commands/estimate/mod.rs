//! `nqueens estimate`: how long a count would take, from a sample of it.

mod knobs;
mod predict;

use std::time::{Duration, Instant};

use crate::runs::{Draw, Measured, RandomSample, RunPlan};
use crate::terminal::units;
use nqueens::board::{Size, known};
use nqueens::solver::color::{ColorPlan, Tuning};
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::{Counter, Error, engine};
use serde::Serialize;

use super::options::{InstructionSet, Printed, Sizes, ThreadsOption, length_of_time, memory, solver_names};
use super::run::plan::solver_for;
use crate::exit::Exit;
use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;
use knobs::Knobs;

/// A sample that would take so many times longer than asked for is not begun.
const PATIENCE: f64 = 2.0;

/// Estimates how long a count would take, and how large it is
///
/// It counts a random sample, with parts of every class of work. The time, its standard error, the memory and the number of
/// shards it would be cut into go to standard output; so does the count as the sample has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24                      from about ten seconds of counting
  nqueens estimate 26 --budget 5m          a better one
  nqueens estimate 24..=28 --predict       at once, without counting any of it
  nqueens estimate 28 --threads 64         where the sample would take too long: what is predicted
  nqueens estimate 22 --share 0.05 --seed 7  the same sample everywhere: its sum tells builds apart")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 24 or 24..=28
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
    /// Counts nothing of them: tells the solver, the time and the memory that are predicted
    #[arg(long, conflicts_with_all = ["budget", "share", "each", "seed", "threads", "oversubscribe", "isa", "solver", "json", "format"])]
    predict: bool,
    /// About how long to count
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = length_of_time, conflicts_with = "share")]
    budget: Duration,
    /// Counts such a share of the predicted work instead, however long it takes
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    share: Option<f64>,
    /// Which random sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
    #[command(flatten)]
    printed: Printed,
    /// Prints a line for each part of the sample and each class
    #[arg(long)]
    each: bool,
    #[command(flatten)]
    tuning: Knobs,
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| format!("'{text}' is not a share: give a number above 0 and up to 1, such as 0.05"))
}

/// Everything that is printed.
#[derive(Serialize)]
struct EstimateReport<'a> {
    schema: u32,
    size: usize,
    solver: &'a str,
    isa: &'a str,
    threads: usize,
    predicted_core_seconds: f64,
    predicted_bytes: u64,
    shards: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sampled>,
}

impl EstimateReport<'_> {
    /// The threads whose time is estimated; each is taken to have a core.
    fn threads_in_words(&self) -> String {
        if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) }
    }
}

/// What the sample says.
#[derive(Serialize)]
struct Sampled {
    elapsed_seconds: f64,
    /// The threads that counted it: no more than cores, and than fit the memory.
    threads: usize,
    /// The share of a core that each of them got.
    core_share: f64,
    share: f64,
    parts: usize,
    /// The sum of its units, with their weights: the same for the same sample.
    sum: String,
    core_seconds: f64,
    core_seconds_error: f64,
    solutions: f64,
    solutions_error: f64,
    /// Whether the errors come from few parts of some class, so that they may be twice as large.
    rough: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
}

impl Sampled {
    /// What its threads had: `98 % of 2 cores`.
    fn cores_in_words(&self) -> String {
        let cores = if self.threads == 1 { "core" } else { "cores" };
        format!("{:.0} % of {} {cores}", 100.0 * self.core_share, self.threads)
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let sizes = args.sizes.iter().flat_map(|sizes| sizes.0.iter().copied());
    if args.predict {
        return predict::run(sizes, streams);
    }
    let interrupts = Interrupts::catch()?;
    for size in sizes {
        let watch = Watch { interrupts: &interrupts, quiet: streams.is_quiet() };
        estimate(args, size, &watch, streams)?;
    }
    Ok(Exit::Fine)
}

fn estimate(args: &Args, size: Size, watch: &Watch<'_>, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let solver = solver_for(size, &args.solver)?;
    let asked = args.isa.checked()?.unwrap_or_else(registry::machine_isa);
    let isa = registry::best_isa(solver, asked);
    let threads = args.threads.asked()?.map_or_else(engine::default_threads, |asked| asked.threads);
    let mut report = EstimateReport {
        schema: 1,
        size: size.get(),
        solver: solver.name(),
        isa: isa.name(),
        threads,
        predicted_core_seconds: pace::core_seconds(solver, size, isa, threads),
        predicted_bytes: solver.predicted_bytes(size, isa, threads),
        shards: RunPlan::new(size, solver, None)?.shards(),
        sample: None,
    };
    streams.note(format_args!(
        "n = {} with {} ({}): about {} of memory predicted for {}",
        size,
        solver.name(),
        isa.name(),
        units::bytes(report.predicted_bytes),
        report.threads_in_words(),
    ));
    // However many threads are asked for, only so many count at a time here.
    let cores = args.threads.number()?;
    let counter = Counter::for_size(size).solver(solver.name())?.isa(isa)?.threads(cores)?;
    let mut refusal = None;
    match memory::fit(counter, None) {
        Ok((counter, _)) => {
            let sampler = Sampler {
                args,
                size,
                plan: &*plan(args, size, solver, isa)?,
                threads: counter.threads_used(),
                predicted_core_seconds: report.predicted_core_seconds,
                core_share: pace::core_share(solver, isa),
                watch,
            };
            match sampler.sampled(streams)? {
                Ok(sampled) => report.sample = Some(sampled),
                Err(seconds) => {
                    refusal = Some(format!(
                        "the smallest sample is predicted to take about {}; 'nqueens estimate {} --budget {}s' counts it",
                        in_words(seconds),
                        size,
                        (seconds * 1.2).ceil()
                    ));
                }
            }
        }
        Err(problem) => refusal = Some(format!("{problem:#}")),
    }
    if args.printed.is_json() {
        streams.json(&report)?;
    } else {
        show(&report, streams)?;
    }
    if let Some(refusal) = refusal {
        streams.note(format_args!("nothing was sampled: {refusal}"));
    }
    Ok(())
}

/// The units to be sampled, cut as the knobs have it.
fn plan(args: &Args, size: Size, solver: &dyn Solver, isa: Isa) -> anyhow::Result<Box<dyn Plan>> {
    let tuning = args.tuning.tuning();
    if tuning == Tuning::default() {
        return Ok(solver.plan(size, isa));
    }
    if solver.name() != "color" {
        return Err(Exit::Usage.error(format!("solver '{}' has nothing to tune: give --solver color", solver.name())));
    }
    Ok(Box::new(ColorPlan::new(size, isa, tuning)))
}

/// Counts a sample.
struct Sampler<'a> {
    args: &'a Args,
    size: Size,
    plan: &'a dyn Plan,
    threads: usize,
    /// What the whole count is predicted to take.
    predicted_core_seconds: f64,
    /// The share of a core that each thread is believed to get.
    core_share: f64,
    watch: &'a Watch<'a>,
}

impl<'a> Sampler<'a> {
    /// What a sample says; the seconds it would take where that is too long.
    fn sampled(&self, streams: &mut Streams<'_>) -> anyhow::Result<Result<Sampled, f64>> {
        let (args, start) = (self.args, Instant::now());
        let (mut sample, pace) = self.to_be_drawn()?;
        let smallest = pace * sample.smallest_cost() / (self.threads as f64 * self.core_share);
        if args.share.is_none() && smallest > PATIENCE * args.budget.as_secs_f64() {
            return Ok(Err(smallest));
        }
        sample.draw_share(args.share.unwrap_or(0.0));
        self.count(&mut sample, pace)?;
        let seconds_left = args.budget.as_secs_f64() - start.elapsed().as_secs_f64();
        if args.share.is_none() && seconds_left > 0.0 {
            sample.draw_seconds(seconds_left * self.threads as f64 * sample.core_share());
            self.count(&mut sample, pace)?;
        }
        if args.each {
            show_each(&sample, pace, streams)?;
        }
        self.check(&sample)?;
        let (seconds, solutions) = (sample.core_seconds(), sample.solutions());
        let counted = sample.counted();
        Ok(Ok(Sampled {
            elapsed_seconds: start.elapsed().as_secs_f64(),
            threads: self.threads,
            core_share: sample.core_share(),
            share: counted.iter().map(|&draw| sample.cost(draw)).sum::<f64>() / sample.whole_cost(),
            parts: counted.len(),
            sum: sample.total().count.to_string(),
            core_seconds: seconds.value,
            core_seconds_error: seconds.error,
            solutions: solutions.value,
            solutions_error: solutions.error,
            rough: sample.is_rough(),
            peak_bytes: peak_bytes(),
        }))
    }

    /// A sample of which nothing is drawn yet, and the core seconds predicted for a unit of cost. It is of whole families,
    /// unless some of every class would take longer than half the time.
    fn to_be_drawn(&self) -> anyhow::Result<(RandomSample<'a>, f64)> {
        let args = self.args;
        let mut sample = RandomSample::new(self.plan, f64::INFINITY, args.seed);
        let whole = sample.whole_cost();
        let pace = self.predicted_core_seconds / whole.max(f64::MIN_POSITIVE);
        let budget = args.budget.as_secs_f64() * self.threads as f64 * self.core_share;
        let mut limit = whole;
        while args.share.is_none() && limit * pace > 1e-6 && pace * sample.smallest_cost() > budget / 2.0 {
            limit /= 4.0;
            sample = RandomSample::new(self.plan, limit, args.seed);
        }
        if let Some(white) = args.tuning.white {
            sample.keep_only(&format!(" {white}"));
            if sample.strata().is_empty() {
                return Err(Exit::Usage.error(format!("there is no class of work with {white} white even rows")));
            }
        }
        Ok((sample, pace))
    }

    /// Counts what was drawn.
    fn count(&self, sample: &mut RandomSample<'_>, pace: f64) -> anyhow::Result<()> {
        let core_seconds: f64 = sample.uncounted().into_iter().map(|draw| pace * sample.cost_alone(draw)).sum();
        let forecast = Forecast::new(core_seconds / self.core_share, self.threads);
        let label = format!("sample of n = {}", self.size);
        self.watch.run(&label, forecast, |cancel, monitor| sample.count(self.threads, cancel, monitor))
    }

    /// An error where everything was counted and the sum is known to be wrong.
    fn check(&self, sample: &RandomSample<'_>) -> Result<(), Error> {
        let (size, divisor) = (self.size, u128::from(self.plan.divisor()));
        match (sample.exact(), known::solutions(size)) {
            (Some(sum), Some(published)) if self.args.tuning.white.is_none() && sum != published * divisor => {
                Err(Error::Published { n: size.get(), counted: sum / divisor, published })
            }
            _ => Ok(()),
        }
    }
}

/// Below this share of a core, the time that a count would take beside the other programs is told too.
const NEARLY_FREE: f64 = 0.95;

fn show(report: &EstimateReport<'_>, streams: &mut Streams<'_>) -> std::io::Result<()> {
    let (threads, of_threads) = (report.threads as f64, report.threads_in_words());
    let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
    let memory = format!("about {} predicted for {of_threads}", units::bytes(report.predicted_bytes));
    match &report.sample {
        Some(sampled) => {
            line(
                "time",
                format!(
                    "about {} on {of_threads}, each with a core to itself; standard error {}",
                    in_words(sampled.core_seconds / threads),
                    in_words(sampled.core_seconds_error / threads)
                ),
            )?;
            if sampled.core_share < NEARLY_FREE || sampled.threads < report.threads {
                let here = sampled.core_seconds / (sampled.threads as f64 * sampled.core_share.max(1e-6));
                line("here now", format!("about {} on {}", in_words(here), sampled.cores_in_words()))?;
            }
            line("core time", format!("about {}", in_words(sampled.core_seconds)))?;
            let peak = sampled
                .peak_bytes
                .map_or_else(String::new, |bytes| format!("; the sample took {}", units::bytes(bytes)));
            line("memory", memory + &peak)?;
            let percent = 100.0 * sampled.solutions_error / sampled.solutions.max(1.0);
            line("solutions", format!("about {:.4e}, standard error {percent:.2} %", sampled.solutions))?;
            line(
                "sample",
                format!(
                    "{} parts{}, {:.2} % of the predicted work, in {} on {}; sum {}",
                    sampled.parts,
                    if sampled.rough { " (few: errors may be twice as large)" } else { "" },
                    100.0 * sampled.share,
                    in_words(sampled.elapsed_seconds),
                    sampled.cores_in_words(),
                    sampled.sum
                ),
            )?;
        }
        None => {
            let seconds = in_words(report.predicted_core_seconds / threads);
            line("time", format!("about {seconds} on {of_threads}, each with a core to itself, as predicted"))?;
            line("core time", format!("about {}", in_words(report.predicted_core_seconds)))?;
            line("memory", memory)?;
        }
    }
    line("shards", format!("{}, by 'nqueens run plan {} --dir RUN'", report.shards, report.size))
}

/// What each part of the sample and each class took.
fn show_each(sample: &RandomSample<'_>, pace: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
    for draw in sample.counted() {
        let Draw { stratum, cluster, .. } = draw;
        let Measured { core_seconds, count, .. } = sample.measured(draw).unwrap_or_default();
        let (predicted, stratum) = (pace * sample.cost_alone(draw), &sample.strata()[stratum]);
        writeln!(
            streams.out,
            "{}, units {:?}: {core_seconds:.3} s of a core, {:.2} x the prediction, sum {count}",
            stratum.name,
            stratum.clusters[cluster],
            core_seconds / predicted.max(1e-12),
        )?;
    }
    for (at, stratum) in sample.strata().iter().enumerate() {
        let seconds = sample.of_stratum(at, |measured| measured.fair_seconds);
        writeln!(
            streams.out,
            "{}: {} parts, about {:.2} s of a core, standard error {:.2} s",
            stratum.name,
            stratum.clusters.len(),
            seconds.value,
            seconds.error
        )?;
    }
    Ok(())
}

/// The most memory this process ever had, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
