//! A gate: gives each pair a turn until the budget is used up, and collects their verdicts.

use std::time::Duration;

use crate::commands::Commands;
use crate::judge::judge;
use crate::measurement::{FEWEST_ROUNDS, Rules};
use crate::options::Args;
use crate::pair::Pair;
use crate::processes::adopt;
use crate::signals;
use crate::verdict::Verdict;
use crate::watch::Watch;

/// A gate and its result.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pairs: Vec<Pair>,
}

impl<'a> Gate<'a> {
    /// Compares the commands of each pair. No round starts once the budget is used up.
    pub(crate) fn run(args: &'a Args, commands: Vec<Commands>) -> Self {
        adopt();
        let mut pairs: Vec<Pair> = commands.into_iter().map(Pair::new).collect();
        let rules = Rules { threshold: args.threshold, clock: args.clock, pairs: pairs.len() };
        let watch = Watch::start();
        // All open pairs get the same time, so that none waits for one that is slow or hard to judge.
        while let Some(pair) = pairs.iter_mut().filter(|pair| pair.outcome.is_none()).min_by_key(|pair| pair.spent) {
            let start = watch.elapsed();
            let done = pair.take_turn(args, rules, &watch);
            pair.spent += watch.elapsed() - start;
            // A run that a signal ended is no failure.
            if signals::caught().is_some() {
                break;
            }
            if let Err(outcome) = done {
                pair.outcome = Some(outcome);
            }
            if watch.elapsed() >= args.budget {
                break;
            }
        }
        let mut gate = Self { args, pairs };
        gate.end(rules);
        gate
    }

    /// Returns the worst verdict of all pairs.
    pub(crate) fn verdict(&self) -> Verdict {
        self.pairs.iter().map(Pair::verdict).max().unwrap_or(Verdict::NotCompared)
    }

    /// Returns the exit status of the worst verdict that counts.
    pub(crate) fn status(&self) -> u8 {
        let verdicts = self.pairs.iter().map(Pair::verdict);
        let counts = verdicts.filter(|&verdict| !(self.args.allow_inconclusive && verdict == Verdict::Inconclusive));
        counts.max().map_or(0, Verdict::status)
    }

    /// Judges the pairs that are still open.
    fn end(&mut self, rules: Rules) {
        let is_stopped = signals::caught().is_some();
        let short = self.short();
        for pair in self.pairs.iter_mut().filter(|pair| pair.outcome.is_none()) {
            match judge(&pair.rounds, rules) {
                _ if is_stopped => pair.give_up("the gate was interrupted", rules),
                Some(judgement) => pair.conclude(judgement, rules),
                None => pair.give_up(&short, rules),
            }
        }
    }

    /// Returns why a pair has too few rounds, with a budget that is enough for all pairs.
    fn short(&self) -> String {
        let needed: Vec<Duration> = self.pairs.iter().map(Pair::time_needed).collect();
        let longest = needed.iter().max().copied().unwrap_or_default();
        // A pair that has not begun may take as long as any other, and the machine may be busier the next time.
        let all: Duration = needed.iter().map(|time| if time.is_zero() { longest } else { *time }).sum();
        let enough = (2 * all).as_secs() + 1;
        format!("a pass takes at least {FEWEST_ROUNDS} rounds: give --budget {enough}s or more, or shorter commands")
    }
}
