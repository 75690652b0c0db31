//! Runs a suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::WorkloadId;
use super::record::{INTERRUPTED, KIND, ProgramFacts, Record, SCHEMA, Sustained, SustainedPoint, Warning, Workload};
use super::sample::Runner;
use super::statistics::{median, median_with_interval};
use super::suite::Suite;
use super::warning::warnings;
use crate::exit::Exit;
use crate::machine;
use crate::terminal::units::nine_digits;
use nqueens::CancelToken;
use nqueens::solver::Isa;

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

/// Gets the share of the expected time that has passed, the workload, and the number of its samples so far. It is 0
/// after the warm-up.
type Observe<'a> = &'a mut dyn FnMut(f64, &WorkloadId, usize);

struct SampledWorkload {
    runner: Runner,
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

/// Runs the suite. `observe` is called after every sample. After an interruption, the record has what is finished.
pub(crate) fn run(plan: &BenchPlan, cancel: &CancelToken, observe: Observe<'_>) -> Result<Record> {
    let (start, before) = (Instant::now(), machine::conditions());
    let created = machine::now();
    let mut machine = machine::facts();
    let (mut clocks, mut workloads, mut interruption) = (Vec::new(), Vec::new(), None);
    for done in 0..plan.repeat {
        let mut sampled = Vec::new();
        let ended = sample_all(plan, cancel, &mut sampled, &mut clocks, &mut |fraction, id, samples| {
            observe((done as f64 + fraction) / plan.repeat as f64, id, samples);
        });
        // An incomplete repetition is kept only if it is the first.
        sampled.retain(|one| ended.is_ok() || done == 0 && one.seconds.len() >= FEWEST_SAMPLES);
        if !is_interrupted(&ended) || done == 0 && sampled.is_empty() {
            ended?;
        } else {
            interruption = Some(format!("it was interrupted: {done} of {} repetitions are complete", plan.repeat));
        }
        let repetition = sampled.into_iter().map(|one| one.runner.into_workload(one.seconds));
        add(&mut workloads, repetition.collect::<Result<_>>()?);
        if interruption.is_some() {
            break;
        }
    }
    let elapsed_seconds = nine_digits(start.elapsed().as_secs_f64());
    machine.clock.measured_mhz = (!clocks.is_empty()).then(|| median(&clocks));
    let mut warnings = warnings(&machine, &before, &machine::conditions(), elapsed_seconds);
    let mut sustained = None;
    if let (Some(time), None) = (plan.sustain, &interruption) {
        let measured = sustain(plan, time, cancel, observe);
        if is_interrupted(&measured) {
            interruption = Some("it was interrupted: there is no sustained speed".to_owned());
        } else {
            sustained = Some(measured?);
        }
    }
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
        warnings,
        machine,
        workloads,
        sustained,
    })
}

/// Whether the user interrupted it. What is finished is kept.
fn is_interrupted<T>(ended: &Result<T>) -> bool {
    ended.as_ref().is_err_and(|error| Exit::of(error) == Exit::Interrupted)
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
/// sample.
fn sample_all(
    plan: &BenchPlan,
    cancel: &CancelToken,
    sampled: &mut Vec<SampledWorkload>,
    clocks: &mut Vec<f64>,
    observe: Observe<'_>,
) -> Result<()> {
    let start = Instant::now();
    for id in &plan.suite.workloads {
        sampled.push(SampledWorkload { runner: Runner::warm(id, plan.isa, cancel)?, seconds: Vec::new() });
        observe(0.0, id, 0);
    }
    let (budget, fewest) = (plan.suite.budget.as_secs_f64(), FEWEST_SAMPLES * sampled.len());
    let (mut taken, mut is_done) = (0, false);
    while !is_done {
        is_done = true;
        for one in sampled.iter_mut() {
            if one.is_enough(start.elapsed().as_secs_f64() > budget) {
                continue;
            }
            one.seconds.push(one.runner.sample(cancel)?);
            clocks.extend(machine::clock::measured_mhz());
            taken += 1;
            is_done = false;
            // On a slow machine the first few samples of each workload take longer than the budget.
            let fraction = (start.elapsed().as_secs_f64() / budget).min(taken as f64 / fewest as f64).min(1.0);
            observe(fraction, &one.runner.id, one.seconds.len());
        }
    }
    Ok(())
}

/// Runs the last workload of the suite that uses the most threads, again and again.
fn sustain(plan: &BenchPlan, time: Duration, cancel: &CancelToken, observe: Observe<'_>) -> Result<Sustained> {
    let workload = plan.suite.workloads.iter().max_by_key(|id| id.threads).context("the suite is empty")?;
    let mut runner = Runner::warm(workload, plan.isa, cancel)?;
    let (start, total) = (Instant::now(), time.as_secs_f64());
    let run_seconds = runner.sample(cancel)?;
    runner.runs = runner.runs.max((total / SUSTAINED_POINTS / run_seconds) as u64);
    let mut points = Vec::new();
    while points.is_empty() || start.elapsed() < time {
        let seconds = runner.sample(cancel)?;
        let at_seconds = nine_digits(start.elapsed().as_secs_f64());
        points.push(SustainedPoint { at_seconds, seconds });
        observe((at_seconds / total).min(1.0), workload, points.len());
    }
    let threads = runner.into_workload(Vec::new())?.threads;
    Ok(Sustained { workload: workload.clone(), threads, points })
}
