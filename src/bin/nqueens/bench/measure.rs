//! Runs a suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::{Duration, Instant};

use super::record::{INTERRUPTED, KIND, ProgramFacts, Record, SCHEMA, Sustained, SustainedPoint, Warning, Workload};
use super::sample::Runner;
use super::statistics::{median, median_with_interval};
use super::suite::Suite;
use super::warning::warnings;
use super::workload::Threads;
use super::{Error, Result, WorkloadId};
use crate::machine;
use nqueens::board::Size;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Error as CountError};

/// The samples that every workload gets, even if the time is over.
const FEWEST_SAMPLES: usize = 5;

/// A narrow interval ends a workload from this number of samples on. With fewer samples it may be luck.
const TELLING_SAMPLES: usize = 2 * FEWEST_SAMPLES;

/// The most samples of a workload.
const MOST_SAMPLES: usize = 101;

/// An interval of this relative width ends a workload. It is narrow enough to tell machines and builds apart.
const RELATIVE_WIDTH: f64 = 0.01;

/// About the number of points of a sustained measurement.
const SUSTAINED_POINTS: f64 = 600.0;

/// The task of a benchmark.
#[derive(Debug, Clone)]
pub(crate) struct BenchPlan {
    pub(crate) suite: Suite,
    pub(crate) isa: Option<Isa>,
    /// The machine's name. Default: its processor's model.
    pub(crate) name: Option<String>,
    /// How long to keep the machine busy after the suite.
    pub(crate) sustain: Option<Duration>,
    /// How many times to run the suite, each time with its warm-up.
    pub(crate) repeat: usize,
}

/// The progress of a benchmark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BenchProgress<'a> {
    pub(crate) workload: &'a WorkloadId,
    /// The samples of this workload so far; 0 after the warm-up.
    pub(crate) samples: usize,
    /// Share of the expected time that has passed, from 0 to 1.
    pub(crate) fraction: f64,
}

type Observe<'a> = &'a mut dyn FnMut(BenchProgress<'_>);

struct SampledWorkload {
    runner: Runner,
    runs: u64,
    seconds: Vec<f64>,
}

impl SampledWorkload {
    fn is_enough(&self, is_late: bool) -> bool {
        match self.seconds.len() {
            0..FEWEST_SAMPLES => false,
            _ if is_late => true,
            FEWEST_SAMPLES..TELLING_SAMPLES => false,
            MOST_SAMPLES.. => true,
            _ => median_with_interval(&self.seconds).relative_width() <= RELATIVE_WIDTH,
        }
    }
}

/// Runs the suite. `observe` is called after every sample. If `cancel` is set, the record has the finished workloads.
///
/// # Errors
/// [`Error::WrongCount`] and [`Error::Unsteady`]; [`nqueens::Error::Cancelled`] if nothing is finished.
pub(crate) fn run(plan: &BenchPlan, cancel: &CancelToken, observe: Observe<'_>) -> Result<Record> {
    let (start, before) = (Instant::now(), machine::conditions());
    let created = machine::now();
    let mut machine = machine::facts();
    let (mut clocks, mut workloads, mut interruption) = (Vec::new(), Vec::new(), None);
    for done in 0..plan.repeat {
        let of_all = |fraction: f64| (done as f64 + fraction) / plan.repeat as f64;
        let mut observe_one = |progress: BenchProgress<'_>| {
            observe(BenchProgress { fraction: of_all(progress.fraction), ..progress });
        };
        let (sampled, is_interrupted) = sample_all(plan, cancel, &mut observe_one, &mut clocks)?;
        // An incomplete repetition is kept only if it is the first.
        if !is_interrupted || done == 0 {
            add(&mut workloads, sampled);
        }
        if is_interrupted {
            interruption = Some(match done {
                0 => "it was interrupted: some workloads have no samples".to_owned(),
                _ => format!("it was interrupted: {done} of {} repetitions were made", plan.repeat),
            });
            break;
        }
    }
    if workloads.is_empty() {
        return Err(CountError::Cancelled { units_done: 0, units: plan.suite.workloads.len(), per_mille: 0 }.into());
    }
    let elapsed_seconds = start.elapsed().as_secs_f64();
    machine.clock.measured_mhz = (!clocks.is_empty()).then(|| median(&clocks));
    let mut warnings = warnings(&machine, &before, &machine::conditions(), elapsed_seconds);
    let sustained = plan.sustain.filter(|_| interruption.is_none());
    if let Some(message) = interruption {
        warnings.insert(0, Warning { kind: INTERRUPTED.to_owned(), message });
    }
    Ok(Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name: plan.name.clone().unwrap_or_else(|| machine.cpu_model.clone()),
        suite: plan.suite.to_string(),
        created: created.to_string(),
        elapsed_seconds,
        program: ProgramFacts::of_this_build(plan.isa),
        machine,
        warnings,
        workloads,
        sustained: sustained.map(|time| sustain(plan, time, cancel, observe)).transpose()?,
    })
}

/// Adds the samples of a repetition.
fn add(workloads: &mut Vec<Workload>, repetition: Vec<Workload>) {
    if workloads.is_empty() {
        *workloads = repetition;
        return;
    }
    for (workload, again) in workloads.iter_mut().zip(&repetition) {
        workload.add(again);
    }
}

/// Samples every workload until all have enough samples, or the budget is spent. `clocks` gets the clock after each
/// sample. The second value says whether the user interrupted it. Then only workloads with enough samples are returned.
fn sample_all(
    plan: &BenchPlan,
    cancel: &CancelToken,
    observe: Observe<'_>,
    clocks: &mut Vec<f64>,
) -> Result<(Vec<Workload>, bool)> {
    let start = Instant::now();
    let mut sampled = Vec::new();
    let mut sample = || -> Result<()> {
        for id in &plan.suite.workloads {
            let (runner, runs) = warm_up(id, plan.isa, cancel)?;
            sampled.push(SampledWorkload { runner, runs, seconds: Vec::new() });
            observe(BenchProgress { workload: id, samples: 0, fraction: 0.0 });
        }
        let (budget, fewest) = (plan.suite.budget.as_secs_f64(), FEWEST_SAMPLES * sampled.len());
        let (mut taken, mut is_done) = (0, false);
        while !is_done {
            is_done = true;
            for one in &mut sampled {
                if one.is_enough(start.elapsed().as_secs_f64() > budget) {
                    continue;
                }
                one.seconds.push(one.runner.sample(one.runs, cancel)?.seconds);
                clocks.extend(machine::clock::measured_mhz());
                taken += 1;
                is_done = false;
                // On a slow machine the first few samples of each workload take longer than the budget.
                let fraction = (start.elapsed().as_secs_f64() / budget).min(taken as f64 / fewest as f64).min(1.0);
                observe(BenchProgress { workload: one.runner.id(), samples: one.seconds.len(), fraction });
            }
        }
        Ok(())
    };
    let is_interrupted = match sample() {
        Err(Error::Count(CountError::Cancelled { .. })) => true,
        other => other.map(|()| false)?,
    };
    sampled.retain(|one| one.seconds.len() >= FEWEST_SAMPLES);
    let workloads = sampled.into_iter().map(|one| one.runner.into_workload(one.runs, one.seconds));
    Ok((workloads.collect::<Result<_>>()?, is_interrupted))
}

/// Runs a workload without timing it, so that caches fill and clocks rise. Returns it with the number of runs that make
/// a sample.
pub(crate) fn warm_up(id: &WorkloadId, isa: Option<Isa>, cancel: &CancelToken) -> Result<(Runner, u64)> {
    let mut runner = Runner::new(id, isa)?;
    let mut runs = Runner::runs_for(runner.sample(1, cancel)?.seconds);
    if runs > 1 {
        // The first run of a process is slower than the others.
        runs = Runner::runs_for(runner.sample(1, cancel)?.seconds);
    }
    Ok((runner, runs))
}

/// Runs one workload on all threads again and again: the last one of the suite, or `bitmask` for n = 17.
fn sustain(plan: &BenchPlan, time: Duration, cancel: &CancelToken, observe: Observe<'_>) -> Result<Sustained> {
    let chosen = plan.suite.workloads.iter().rev().find(|id| id.threads != Threads::Exactly(1));
    let workload = chosen.cloned().unwrap_or(WorkloadId::new("bitmask", Size::new(17)?, Threads::All));
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
