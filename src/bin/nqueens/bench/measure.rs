//! Runs the suite. All workloads take turns, so a disturbance spoils one sample of each workload and not all of one.

use std::time::{Duration, Instant};

use anyhow::Result;
use nqueens::CancelToken;
use nqueens::solver::Isa;

use super::WorkloadId;
use super::record::{INTERRUPTED, KIND, ProgramFacts, Record, SCHEMA, Warning};
use super::sample::Runner;
use super::statistics::median_with_interval;
use super::warning::warnings;
use crate::exit::Fault;
use crate::machine::{self, Watched};
use crate::terminal::units::nine_digits;

/// The samples that every workload gets, even if the time is over.
const FEWEST_SAMPLES: usize = 5;

/// A narrow interval ends a workload from this number of samples on. With fewer samples it may be luck.
const TELLING_SAMPLES: usize = 2 * FEWEST_SAMPLES;

/// The most samples of a workload.
const MOST_SAMPLES: usize = 101;

/// An interval of this relative width ends a workload. It is narrow enough to tell machines and builds apart.
const RELATIVE_WIDTH: f64 = 0.01;

/// The time for a workload, unless the user gives another time for all of them.
const BUDGET_OF_A_WORKLOAD: Duration = Duration::from_secs(3);

/// The length of a sample. On any number of threads the start of a thread is less than a hundredth of it.
const LONGEST_SAMPLE: Duration = Duration::from_millis(100);

/// The task of a benchmark.
#[derive(Debug, Clone)]
pub(crate) struct BenchPlan {
    pub(crate) workloads: Vec<WorkloadId>,
    /// The time for all samples together.
    pub(crate) budget: Duration,
    pub(crate) isa: Option<Isa>,
    /// The machine's name.
    pub(crate) name: String,
}

impl BenchPlan {
    /// Plans to measure these workloads.
    pub(crate) fn new(workloads: Vec<WorkloadId>, budget: Option<Duration>, isa: Option<Isa>, name: String) -> Self {
        let budget = budget.unwrap_or(BUDGET_OF_A_WORKLOAD * workloads.len() as u32);
        Self { workloads, budget, isa, name }
    }

    /// A shorter budget has shorter samples.
    fn sample_length(&self) -> Duration {
        let samples = (4 * TELLING_SAMPLES * self.workloads.len()).max(1);
        (self.budget / samples as u32).min(LONGEST_SAMPLE)
    }
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
    let (start, watched) = (Instant::now(), Watched::start());
    let created = machine::now();
    let machine = machine::facts();
    let mut sampled = Vec::new();
    let ended = sample_all(plan, cancel, &mut sampled, observe);
    sampled.retain(|one| one.seconds.len() >= FEWEST_SAMPLES);
    let is_interrupted = ended.is_err() && cancel.is_cancelled();
    if is_interrupted && sampled.is_empty() {
        return Err(Fault::Failure.error("stopped before everything was measured: there is no result"));
    } else if !is_interrupted {
        ended?;
    }
    let elapsed_seconds = nine_digits(start.elapsed().as_secs_f64());
    let mut warnings = warnings(&watched.disturbance(), machine.logical_cpus);
    if is_interrupted {
        warnings.insert(0, Warning { kind: INTERRUPTED.to_owned(), message: "it was interrupted".to_owned() });
    }
    Ok(Record {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        name: plan.name.clone(),
        created,
        elapsed_seconds,
        program: ProgramFacts::of_this_build(plan.isa),
        warnings,
        machine,
        workloads: sampled.into_iter().map(|one| one.runner.into_workload(one.seconds)).collect::<Result<_>>()?,
    })
}

/// Samples every workload until all have enough samples, or the budget is spent.
fn sample_all(
    plan: &BenchPlan,
    cancel: &CancelToken,
    sampled: &mut Vec<SampledWorkload>,
    observe: Observe<'_>,
) -> Result<()> {
    let (start, length) = (Instant::now(), plan.sample_length());
    for id in &plan.workloads {
        let runner = Runner::new(id, plan.isa)?;
        // The first sample fills caches and raises clocks. It does not count.
        runner.sample(length, cancel)?;
        sampled.push(SampledWorkload { runner, seconds: Vec::new() });
        observe(0.0, id, 0);
    }
    let (budget, fewest) = (plan.budget.as_secs_f64(), FEWEST_SAMPLES * sampled.len());
    let (mut taken, mut is_done) = (0, false);
    while !is_done {
        is_done = true;
        for one in sampled.iter_mut() {
            if one.is_enough(start.elapsed().as_secs_f64() > budget) {
                continue;
            }
            one.seconds.push(one.runner.sample(length, cancel)?);
            taken += 1;
            is_done = false;
            // On a slow machine the first few samples of each workload take longer than the budget.
            let fraction = (start.elapsed().as_secs_f64() / budget).min(taken as f64 / fewest as f64).min(1.0);
            observe(fraction, &one.runner.id, one.seconds.len());
        }
    }
    Ok(())
}
