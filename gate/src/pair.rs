//! A pair of commands, base and head: runs them in rounds until there is an outcome.

use std::time::Duration;

use crate::commands::Commands;
use crate::judge::{Judgment, final_judgment, judge};
use crate::measurement::{FEWEST_ROUNDS, Measurement, Rules, measure};
use crate::reason::not_measured;
use crate::rounds::{Round, WARM_UP, ascending};
use crate::run::Runner;
use crate::signals;
use crate::statistics::quantile;
use crate::verdict::Outcome;

/// The time since the start of the gate before which no pair passes, unless the budget is used up first. A busy machine
/// may keep the threads of the base on one core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The minimum number of runs for a pass.
const RUNS_OF_A_PASS: usize = WARM_UP.len() + 4 * FEWEST_ROUNDS;

/// A base and a head while the gate runs them.
pub(crate) struct Pair {
    commands: Commands,
    rounds: Vec<Round>,
    /// The time that the turns of this pair took.
    pub(crate) spent: Duration,
    /// Present once the pair needs no more turns: the final judgment, or the outcome of a run that does not count.
    decision: Option<Result<Judgment, Outcome>>,
}

/// A base and a head with their rounds and their outcome.
pub(crate) struct EndedPair {
    pub(crate) commands: Commands,
    pub(crate) rounds: Vec<Round>,
    /// What the rounds show by each clock. `None` if there are no rounds, or if a run did not count.
    pub(crate) measurements: Option<[Measurement; 2]>,
    pub(crate) outcome: Outcome,
}

impl Pair {
    pub(crate) fn new(commands: Commands) -> Self {
        Self { commands, rounds: Vec::new(), spent: Duration::ZERO, decision: None }
    }

    /// Returns whether the pair needs another turn.
    pub(crate) fn is_open(&self) -> bool {
        self.decision.is_none()
    }

    /// Estimates how long this pair takes until a pass, if it still needs one.
    pub(crate) fn time_needed(&self) -> Duration {
        let runs = WARM_UP.len() + 4 * self.rounds.len();
        if self.is_open() { self.spent.mul_f64(RUNS_OF_A_PASS as f64 / runs as f64) } else { self.spent }
    }

    /// Warms up or runs the next round, and ends the pair if that decides it.
    pub(crate) fn take_turn(&mut self, rules: Rules, runner: &Runner<'_>) {
        let start = runner.watch.elapsed();
        let turn = self.run_next(runner);
        let end = runner.watch.elapsed();
        self.spent += end - start;
        self.decision = match turn {
            Ok(()) => final_judgment(&self.rounds, rules, end < PATIENCE).map(Ok),
            // A run that a signal ended is no failure.
            Err(_) if signals::caught().is_some() => None,
            Err(outcome) => Some(Err(outcome)),
        };
    }

    /// Warms up or runs the next round.
    ///
    /// # Errors
    /// A run that does not count ends the pair with this outcome.
    fn run_next(&mut self, runner: &Runner<'_>) -> Result<(), Outcome> {
        if !self.commands.is_warm() {
            return self.commands.warm_up(runner);
        }
        let round = Round::run(self.rounds.len(), |side| self.commands.run(side, runner))?;
        self.rounds.push(round);
        Ok(())
    }

    /// Judges the rounds of a pair that is still open, and ends the pair. `why` says why it gets no more rounds. If it
    /// was interrupted, its rounds do not count.
    pub(crate) fn end(self, rules: Rules, why: &str, is_interrupted: bool) -> EndedPair {
        let Self { commands, rounds, decision, .. } = self;
        let judged = || judge(&rounds, rules).filter(|_| !is_interrupted).map(Ok);
        let (measurements, outcome) = match decision.or_else(judged) {
            Some(Ok(judgment)) => (Some(judgment.measurements), judgment.outcome()),
            // A command that does not do what it should has no times, even if it did so in earlier rounds.
            Some(Err(outcome)) => (None, outcome),
            None => {
                let measurements = (!rounds.is_empty()).then(|| measure(&rounds, rules));
                (measurements, not_measured(measurements.as_ref(), rounds.len(), why))
            }
        };
        EndedPair { commands, rounds, measurements, outcome }
    }
}

impl EndedPair {
    /// Returns the median peak memory of the base and of the head in bytes, if there were rounds.
    pub(crate) fn memory(&self) -> Option<[u64; 2]> {
        let median = |sizes: Vec<f64>| quantile(&sizes, 0.5) as u64;
        (!self.rounds.is_empty()).then(|| ascending(&self.rounds, |run| run.memory as f64).map(median))
    }
}
