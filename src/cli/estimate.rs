//! `nqueens estimate`: how long a count would take, from a sample of it.

use std::time::Instant;

use nqueens::board::{Size, known};
use nqueens::engine;
use nqueens::measure::units;
use nqueens::run::{Draw, Measured, RunPlan, Sample};
use nqueens::solver::color::{ColorPlan, Tuning};
use nqueens::solver::{Isa, Plan, Solver, registry};
use serde::Serialize;

use super::Streams;
use super::args::{IsaChoice, isa_choice, solver_names, threads};
use super::duration::in_words;
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::pace;
use super::plan::solver_for;
use super::time_left::Forecast;
use super::watch::Watch;

/// A sample that would take so many times longer than asked for is not begun.
const PATIENCE: f64 = 2.0;

/// Estimates how long a count would take, and how large it is, by counting a random sample of it
///
/// The sample has parts of every class of work. The time, its standard error, the memory and the number of
/// shards it would be cut into go to standard output; so does the count as the sample has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24                      from about ten seconds of counting
  nqueens estimate 26 --seconds 300        a better one
  nqueens estimate 28 --threads 64         where the sample would take too long: what is predicted
  nqueens estimate 22 --share 0.05 --seed 7  the same sample everywhere: its sum tells builds apart")]
pub(super) struct Args {
    /// The size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,
    /// About how long to count
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = positive, conflicts_with = "share", allow_negative_numbers = true)]
    seconds: f64,
    /// Counts such a share of the predicted work instead, however long it takes
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    share: Option<f64>,
    /// Which random sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    solver: String,
    /// The threads to count on; every core this process may use by default
    #[arg(long, short, value_name = "T", env = "NQUEENS_THREADS", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// The instruction set to use; the machine's best by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    isa: IsaChoice,
    /// Prints a line of JSON
    #[arg(long)]
    json: bool,
    /// Prints a line for each part of the sample and each class
    #[arg(long)]
    each: bool,
    #[command(flatten)]
    tuning: Knobs,
}

/// For whoever works on the color split.
#[derive(Debug, clap::Args)]
struct Knobs {
    /// Only colorings with so many white even rows
    #[arg(long, hide = true)]
    white: Option<usize>,
    #[arg(long, hide = true)]
    fill_depth: Option<usize>,
    #[arg(long, hide = true)]
    dot_depth: Option<usize>,
    #[arg(long, hide = true)]
    family: Option<usize>,
    #[arg(long, hide = true)]
    leaves: Option<u64>,
    #[arg(long, hide = true)]
    together: Option<usize>,
    #[arg(long, hide = true)]
    packs: Option<usize>,
    #[arg(long, hide = true)]
    fill_packs: Option<usize>,
    #[arg(long, hide = true)]
    range: Option<usize>,
    #[arg(long, hide = true)]
    segment: Option<usize>,
    #[arg(long, hide = true)]
    sparse_from: Option<usize>,
    #[arg(long, hide = true)]
    grouped_from: Option<usize>,
}

impl Knobs {
    fn tuning(&self) -> Tuning {
        Tuning {
            fill_depth: self.fill_depth,
            dot_depth: self.dot_depth,
            family: self.family,
            terms_together: self.together,
            pack_bytes: self.packs,
            filling_pack_bytes: self.fill_packs,
            range_bytes: self.range,
            segment_keys: self.segment,
            sparse_from: self.sparse_from,
            grouped_from: self.grouped_from,
            program_leaves: self.leaves,
            ..Tuning::default()
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|seconds| (1e-3..=1e7).contains(seconds)).ok_or_else(|| {
        format!("'{text}' is not a number of seconds to count for: give one such as 10, of at least 0.001")
    })
}

fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|share: &f64| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| format!("'{text}' is not a share: give a number above 0 and up to 1, such as 0.05"))
}

/// Everything that is printed.
#[derive(Serialize)]
struct Report<'a> {
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

/// What the sample says.
#[derive(Serialize)]
struct Sampled {
    elapsed_seconds: f64,
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

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let solver = solver_for(args.size, &args.solver)?;
    let asked = args.isa.checked()?.unwrap_or_else(registry::machine_isa);
    let isa = registry::best_isa(solver, asked);
    let threads = match args.threads {
        _ if !solver.is_parallel() => 1,
        given => given.unwrap_or_else(engine::default_threads),
    };
    let interrupts = Interrupts::catch()?;
    let mut report = Report {
        schema: 1,
        size: args.size.get(),
        solver: solver.name(),
        isa: isa.name(),
        threads,
        predicted_core_seconds: pace::core_seconds(solver, args.size, isa, threads),
        predicted_bytes: solver.predicted_bytes(args.size, isa, threads),
        shards: RunPlan::new(args.size, solver, None)?.shards(),
        sample: None,
    };
    streams.note(format_args!(
        "n = {} with {} ({}): about {} of memory predicted for {threads} {}",
        args.size,
        solver.name(),
        isa.name(),
        units::bytes(report.predicted_bytes),
        if threads == 1 { "thread" } else { "threads" },
    ));
    let plan = plan(args, solver, isa)?;
    let watch = Watch { interrupts: &interrupts, quiet: streams.is_quiet() };
    let mut refusal = None;
    match sample(args, &*plan, &report, &watch, streams)? {
        Ok(sampled) => report.sample = Some(sampled),
        Err(seconds) => {
            refusal = Some(format!(
                "nothing was sampled: the smallest sample is predicted to take about {}; 'nqueens estimate {} --seconds \
                 {}' counts it",
                in_words(seconds),
                args.size,
                (seconds * 1.2).ceil()
            ));
        }
    }
    if args.json {
        streams.json(&report)?;
    } else {
        show(&report, streams)?;
    }
    if let Some(refusal) = refusal {
        streams.note(refusal);
    }
    Ok(Exit::Fine)
}

/// The units to be sampled, cut as the knobs have it.
fn plan(args: &Args, solver: &dyn Solver, isa: Isa) -> anyhow::Result<Box<dyn Plan>> {
    let tuning = args.tuning.tuning();
    if tuning == Tuning::default() {
        return Ok(solver.plan(args.size, isa));
    }
    if solver.name() != "color" {
        return Err(Exit::Usage.error(format!("solver '{}' has nothing to tune: give --solver color", solver.name())));
    }
    Ok(Box::new(ColorPlan::new(args.size, isa, tuning)))
}

/// Counts a sample; the seconds it would take where that is too long.
fn sample(
    args: &Args,
    plan: &dyn Plan,
    report: &Report<'_>,
    watch: &Watch<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Result<Sampled, f64>> {
    let threads = report.threads;
    let start = Instant::now();
    // Whole families, unless some of every class would take longer than half the time.
    let mut sample = Sample::new(plan, f64::INFINITY, args.seed);
    let whole = sample.whole_cost();
    // However many threads are asked for, only so many count at a time here.
    let cores = threads.min(engine::default_threads()) as f64;
    let pace = report.predicted_core_seconds / whole.max(f64::MIN_POSITIVE);
    let budget = args.seconds * cores;
    let mut limit = whole;
    while args.share.is_none() && limit * pace > 1e-6 && pace * sample.smallest_cost() > budget / 2.0 {
        limit /= 4.0;
        sample = Sample::new(plan, limit, args.seed);
    }
    if let Some(white) = args.tuning.white {
        sample.keep_only(&format!(" {white}"));
        if sample.strata().is_empty() {
            return Err(Exit::Usage.error(format!("there is no class of work with {white} white even rows")));
        }
    }
    let smallest = pace * sample.smallest_cost() / cores;
    if args.share.is_none() && smallest > PATIENCE * args.seconds {
        return Ok(Err(smallest));
    }
    let label = format!("sample of n = {}", args.size);
    let count = |sample: &mut Sample<'_>| {
        let predicted: f64 = sample.uncounted().into_iter().map(|draw| pace * sample.cost_alone(draw)).sum();
        watch.run(&label, Forecast::new(predicted, threads), |cancel, monitor| sample.count(threads, cancel, monitor))
    };
    match args.share {
        Some(share) => sample.draw_share(share),
        None => sample.draw_share(0.0),
    }
    count(&mut sample)?;
    if args.share.is_none() {
        let left = budget - sample.total().core_seconds;
        if left > 0.0 {
            sample.draw_seconds(left);
            count(&mut sample)?;
        }
    }
    if args.each {
        show_each(&sample, pace, streams)?;
    }
    let (seconds, solutions) = (sample.core_seconds(), sample.solutions());
    if let Some(sum) = sample.exact()
        && args.tuning.white.is_none()
        && let Some(published) = known::solutions(args.size)
        && sum != published * u128::from(plan.divisor())
    {
        let counted = sum / u128::from(plan.divisor());
        return Err(nqueens::Error::Published { n: args.size.get(), counted, published }.into());
    }
    let counted = sample.counted();
    Ok(Ok(Sampled {
        elapsed_seconds: start.elapsed().as_secs_f64(),
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

fn show(report: &Report<'_>, streams: &mut Streams<'_>) -> std::io::Result<()> {
    let threads = report.threads as f64;
    let of_threads = if report.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", report.threads) };
    let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
    match &report.sample {
        Some(sampled) => {
            line(
                "time",
                format!(
                    "about {} on {of_threads}, standard error {}",
                    in_words(sampled.core_seconds / threads),
                    in_words(sampled.core_seconds_error / threads)
                ),
            )?;
            line("core time", format!("about {}", in_words(sampled.core_seconds)))?;
            let peak = sampled
                .peak_bytes
                .map_or_else(String::new, |bytes| format!("; the sample took {}", units::bytes(bytes)));
            line("memory", format!("about {} predicted for {of_threads}{peak}", units::bytes(report.predicted_bytes)))?;
            let percent = 100.0 * sampled.solutions_error / sampled.solutions.max(1.0);
            line("solutions", format!("about {:.4e}, standard error {percent:.2} %", sampled.solutions))?;
            line(
                "sample",
                format!(
                    "{} parts{}, {:.2} % of the predicted work, in {}; sum {}",
                    sampled.parts,
                    if sampled.rough { " (few: errors may be twice as large)" } else { "" },
                    100.0 * sampled.share,
                    in_words(sampled.elapsed_seconds),
                    sampled.sum
                ),
            )?;
        }
        None => {
            line(
                "time",
                format!("about {} on {of_threads}, as predicted", in_words(report.predicted_core_seconds / threads)),
            )?;
            line("core time", format!("about {}", in_words(report.predicted_core_seconds)))?;
            line("memory", format!("about {} predicted for {of_threads}", units::bytes(report.predicted_bytes)))?;
        }
    }
    line("shards", format!("{}, by 'nqueens plan {} --dir RUN'", report.shards, report.size))
}

/// What each part of the sample and each class took.
fn show_each(sample: &Sample<'_>, pace: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
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
