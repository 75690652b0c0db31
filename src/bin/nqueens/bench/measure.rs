//! Runs a suite: all workloads by turns, so that what disturbs a while disturbs a sample of each and not all of one.

use std::time::{Duration, Instant};

use super::merge::merge;
use super::record::{INTERRUPTED, KIND, Record, SCHEMA, Sustained, SustainedPoint, Warning, Workload};
use super::sample::Runner;
use super::statistics::{median, median_with_interval};
use super::suite::Suite;
use super::warning::{SeenConditions, warnings};
use super::workload::Threads;
use super::{Error, Result, program};
use crate::machine;
use nqueens::board::Size;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Error as CountError};

/// Samples that every workload gets, whatever the time: fewer have no interval worth the name.
pub(crate) const FEWEST_SAMPLES: usize = 5;

/// Samples before which a narrow interval may be luck.
const TELLING_SAMPLES: usize = 2 * FEWEST_SAMPLES;

/// Samples after which more would tell nothing.
pub(crate) const MOST_SAMPLES: usize = 101;

/// What a benchmark is to do.
#[derive(Debug, Clone)]
pub(crate) struct BenchPlan {
    pub(crate) suite: Suite,
    pub(crate) isa: Option<Isa>,
    /// What to call the machine; its processor's model where nothing is given.
    pub(crate) name: Option<String>,
    /// How long to keep the machine under load afterwards, to see whether it keeps its speed.
    pub(crate) sustain: Option<Duration>,
    /// How often to run the suite, from its warm-up on: what differs from one start to the next is in the intervals then.
    pub(crate) repeat: usize,
}

/// How far a benchmark is, told after every sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BenchProgress<'a> {
    /// The workload that was sampled.
    pub(crate) workload: &'a super::WorkloadId,
    /// Its samples so far; 0 after the warm-up.
    pub(crate) samples: usize,
    /// Share of the expected time that has passed, from 0 to 1.
    pub(crate) fraction: f64,
}

struct SampledWorkload {
    runner: Runner,
    runs: u64,
    seconds: Vec<f64>,
}

impl SampledWorkload {
    fn relative_width(&self) -> f64 {
        median_with_interval(&self.seconds).relative_width()
    }

    fn is_enough(&self, relative_width: f64, is_late: bool) -> bool {
        match self.seconds.len() {
            0..FEWEST_SAMPLES => false,
            _ if is_late => true,
            FEWEST_SAMPLES..TELLING_SAMPLES => false,
            MOST_SAMPLES.. => true,
            _ => self.relative_width() <= relative_width,
        }
    }
}

/// Runs the plan. `observe` hears after every sample how far it is; `cancel` can stop it.
///
/// # Errors
/// [`super::Error::WrongCount`] and [`super::Error::Unsteady`], with no time; [`nqueens::Error::Cancelled`].
pub(crate) fn run(
    plan: &BenchPlan,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(BenchProgress<'_>),
) -> Result<Record> {
    let mut records: Vec<Record> = Vec::new();
    while records.len() < plan.repeat.max(1) {
        let (done, all) = (records.len(), plan.repeat.max(1));
        let once = BenchPlan { sustain: plan.sustain.filter(|_| done + 1 == all), ..plan.clone() };
        let found = run_once(&once, cancel, &mut |progress| {
            observe(BenchProgress { fraction: (done as f64 + progress.fraction) / all as f64, ..progress });
        });
        match found {
            Ok(record) => {
                let is_interrupted = record.warnings.iter().any(|warning| warning.kind == INTERRUPTED);
                records.push(record);
                if is_interrupted {
                    break;
                }
            }
            // The repetitions that are whole are worth keeping.
            Err(Error::Count(CountError::Cancelled { .. })) if done > 0 => {
                let message = format!("it was interrupted: {done} of {all} repetitions were made");
                records[0].warnings.insert(0, Warning { kind: INTERRUPTED.to_owned(), message });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(merge(&records.iter().collect::<Vec<_>>()))
}

/// One repetition.
fn run_once(plan: &BenchPlan, cancel: &CancelToken, observe: &mut dyn FnMut(BenchProgress<'_>)) -> Result<Record> {
    let start = Instant::now();
    let created =
        jiff::Timestamp::from_second(jiff::Timestamp::now().as_second()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let (mut machine, program) = (machine::facts(), program::facts(plan.isa));
    let before = machine::conditions();
    let mut clocks = Vec::new();
    let (workloads, is_interrupted) = sample_all(plan, cancel, observe, &mut clocks)?;
    let elapsed_seconds = start.elapsed().as_secs_f64();
    machine.clock.measured_mhz = (!clocks.is_empty()).then(|| median(&clocks));
    let mut warnings = warnings(&SeenConditions {
        machine: &machine,
        before: &before,
        after: &machine::conditions(),
        elapsed_seconds,
    });
    if is_interrupted {
        let message = "it was interrupted: only some workloads of the suite have their samples".to_owned();
        warnings.insert(0, Warning { kind: INTERRUPTED.to_owned(), message });
    }
    let sustained = plan.sustain.filter(|_| !is_interrupted);
    Ok(Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name: plan.name.clone().unwrap_or_else(|| machine.cpu_model.clone()),
        suite: plan.suite.to_string(),
        created: created.to_string(),
        elapsed_seconds,
        program,
        machine,
        warnings,
        workloads,
        sustained: sustained.map(|time| sustain(plan, time, cancel, observe)).transpose()?,
    })
}

/// Samples every workload until all have enough, or the budget is spent; `clocks` gets the clock after each sample. The
/// second value says whether it was interrupted: then only what has samples enough is there.
fn sample_all(
    plan: &BenchPlan,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(BenchProgress<'_>),
    clocks: &mut Vec<f64>,
) -> Result<(Vec<Workload>, bool)> {
    let start = Instant::now();
    let mut sampled = warm_up(plan, cancel, observe)?;
    let budget = plan.suite.budget.as_secs_f64();
    let (mut taken, fewest) = (0, FEWEST_SAMPLES * sampled.len());
    let (mut is_done, mut is_interrupted) = (false, false);
    while !is_done && !is_interrupted {
        is_done = true;
        for one in order(&sampled, taken >= fewest) {
            let one = &mut sampled[one];
            if one.is_enough(plan.suite.relative_width, start.elapsed().as_secs_f64() > budget) {
                continue;
            }
            match one.runner.sample(one.runs, cancel) {
                Ok(sample) => one.seconds.push(sample.seconds),
                Err(Error::Count(CountError::Cancelled { .. })) => {
                    is_interrupted = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            clocks.extend(machine::clock::measured_mhz());
            taken += 1;
            // On a slow machine the first few samples of each workload outlast the time there is.
            let fraction = (start.elapsed().as_secs_f64() / budget).min(taken as f64 / fewest as f64).min(1.0);
            observe(BenchProgress { workload: one.runner.id(), samples: one.seconds.len(), fraction });
            is_done = false;
        }
    }
    if is_interrupted {
        sampled.retain(|one| one.seconds.len() >= FEWEST_SAMPLES);
        if sampled.is_empty() {
            return Err(CountError::Cancelled { units_done: 0, units: fewest, per_mille: 0 }.into());
        }
    }
    let workloads = sampled.into_iter().map(|one| one.runner.into_workload(one.runs, one.seconds));
    Ok((workloads.collect::<Result<_>>()?, is_interrupted))
}

/// The order of a round: once each has its fewest samples the widest first, since the budget may end within a round.
fn order(sampled: &[SampledWorkload], is_by_width: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sampled.len()).collect();
    if is_by_width {
        let widths: Vec<f64> = sampled.iter().map(SampledWorkload::relative_width).collect();
        order.sort_by(|&a, &b| widths[b].total_cmp(&widths[a]));
    }
    order
}

/// Points that a measurement of lasting load leaves, about: more than anybody can see.
const SUSTAINED_POINTS: f64 = 600.0;

/// Runs one workload on all threads again and again. Of the plan's workloads it is the last on all threads, the longest of
/// the newest code; else `bitmask` for n = 17.
fn sustain(
    plan: &BenchPlan,
    time: Duration,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(BenchProgress<'_>),
) -> Result<Sustained> {
    let chosen = plan.suite.workloads.iter().rev().find(|id| id.threads != Threads::Exactly(1));
    let workload = match chosen {
        Some(id) => id.clone(),
        None => super::WorkloadId::new("bitmask", Size::new(17)?, Threads::All),
    };
    let mut runner = Runner::new(&workload, plan.isa)?;
    let first = runner.sample(1, cancel)?.seconds;
    let (start, total) = (Instant::now(), time.as_secs_f64());
    let runs = Runner::runs_for(first).max((total / SUSTAINED_POINTS / first) as u64);
    let mut points = Vec::new();
    while points.is_empty() || start.elapsed() < time {
        let seconds = runner.sample(runs, cancel)?.seconds;
        let at_seconds = start.elapsed().as_secs_f64();
        points.push(SustainedPoint { at_seconds, seconds });
        observe(BenchProgress { workload: &workload, samples: points.len(), fraction: (at_seconds / total).min(1.0) });
    }
    let threads = runner.into_workload(runs, Vec::new())?.threads;
    Ok(Sustained { workload, threads, points })
}

/// Runs every workload once, untimed: caches fill, clocks rise, and the time says how many runs a sample needs.
fn warm_up(
    plan: &BenchPlan,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(BenchProgress<'_>),
) -> Result<Vec<SampledWorkload>> {
    let mut sampled = Vec::with_capacity(plan.suite.workloads.len());
    for id in &plan.suite.workloads {
        let mut runner = Runner::new(id, plan.isa)?;
        let seconds = runner.sample(1, cancel)?.seconds;
        // The first run of all is slower than the others: a second one tells a short workload's time.
        let runs =
            Runner::runs_for(if Runner::runs_for(seconds) > 1 { runner.sample(1, cancel)?.seconds } else { seconds });
        observe(BenchProgress { workload: id, samples: 0, fraction: 0.0 });
        sampled.push(SampledWorkload { runner, runs, seconds: Vec::new() });
    }
    Ok(sampled)
}
