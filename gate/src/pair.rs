//! A pair of commands, base and head: runs them in rounds until there is a verdict.

use std::time::Duration;

use crate::commands::Commands;
use crate::judge::Judgement;
use crate::measurement::{Measurement, Round, Rules, ascending, measure};
use crate::options::Args;
use crate::reason::{figures, reason};
use crate::rounds::{RUNS_OF_A_PASS, WARM_UP, decided, run_round};
use crate::statistics::quantile;
use crate::verdict::{Outcome, Verdict};
use crate::watch::Watch;

/// The time before which no pair passes, unless the budget is used up first. A busy machine may keep the threads of the
/// base on one core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A base and a head with their rounds and their outcome.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) commands: Commands,
    pub(crate) rounds: Vec<Round>,
    /// The time that the runs of this pair took.
    pub(crate) spent: Duration,
    /// The results by each clock, empty until the measurement ends.
    pub(crate) measurements: Vec<Measurement>,
    /// Present once the pair needs no more rounds.
    pub(crate) outcome: Option<Outcome>,
}

impl Pair {
    pub(crate) fn new(commands: Commands) -> Self {
        Self { commands, rounds: Vec::new(), spent: Duration::ZERO, measurements: Vec::new(), outcome: None }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::NotMeasured, |outcome| outcome.verdict)
    }

    pub(crate) fn reason(&self) -> &str {
        self.outcome.as_ref().map_or("", |outcome| &outcome.reason)
    }

    /// Estimates how long this pair takes until a pass, if it still needs one.
    pub(crate) fn time_needed(&self) -> Duration {
        let share = match self.outcome {
            Some(_) => 1.0,
            None => RUNS_OF_A_PASS as f64 / (WARM_UP.len() + 4 * self.rounds.len()) as f64,
        };
        self.spent.mul_f64(share)
    }

    /// Returns the median peak memory of the base and of the head in bytes, if there were rounds.
    pub(crate) fn memory(&self) -> Option<[u64; 2]> {
        let is_measured = !self.rounds.is_empty();
        is_measured.then(|| ascending(&self.rounds, |run| run.memory as f64).map(|sizes| quantile(&sizes, 0.5) as u64))
    }

    /// Warms up, or runs the next round and judges the rounds if it is time to.
    ///
    /// # Errors
    /// Fails with the outcome of this pair if a run does not count.
    pub(crate) fn take_turn(&mut self, args: &Args, rules: Rules, watch: &Watch) -> Result<(), Outcome> {
        if !self.commands.is_warm() {
            return self.commands.warm_up(args, watch);
        }
        let round = run_round(self.rounds.len(), |side| self.commands.run(side, args, watch))?;
        self.rounds.push(round);
        let is_early = watch.elapsed() < PATIENCE;
        if let Some(judgement) = decided(&self.rounds, rules, is_early) {
            self.conclude(judgement, rules);
        }
        Ok(())
    }

    /// Ends the measurement with the judgement on all rounds.
    pub(crate) fn conclude(&mut self, judgement: Judgement, rules: Rules) {
        let reason = reason(&judgement, self.rounds.len(), rules);
        self.outcome = Some(Outcome { verdict: judgement.verdict, reason });
        self.measurements = judgement.measurements.into();
    }

    /// Ends the measurement before there are enough rounds.
    pub(crate) fn give_up(&mut self, why: &str, rules: Rules) {
        let mut reason = why.to_owned();
        if !self.rounds.is_empty() {
            self.measurements = measure(&self.rounds, rules).into();
            reason = format!("too few rounds, {}: {why}", figures(&self.measurements, self.rounds.len()));
        }
        self.outcome = Some(Outcome { verdict: Verdict::NotMeasured, reason });
    }
}
