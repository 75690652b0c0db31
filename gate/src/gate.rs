//! A gate: gives each pair turns until the budget is used up, and collects their verdicts.

use std::time::Duration;

use crate::commands::Commands;
use crate::measurement::{FEWEST_ROUNDS, Rules};
use crate::options::Args;
use crate::pair::{EndedPair, Pair};
use crate::processes::adopt;
use crate::run::Runner;
use crate::signals;
use crate::verdict::Verdict;

/// The result of a gate.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pairs: Vec<EndedPair>,
}

impl<'a> Gate<'a> {
    /// Compares the commands of each pair. No turn starts once the budget is used up.
    pub(crate) fn run(args: &'a Args, commands: Vec<Commands>) -> Self {
        adopt();
        let rules = Rules { threshold: args.threshold, clock: args.clock, pairs: commands.len() };
        let mut pairs: Vec<Pair> = commands.into_iter().map(Pair::new).collect();
        let runner = Runner::new(args);
        let is_interrupted = || signals::caught().is_some();
        while !is_interrupted() && runner.watch.elapsed() < args.budget {
            // All open pairs get the same time, so that none waits for one that is slow or hard to judge.
            let open = pairs.iter_mut().filter(|pair| pair.is_open());
            let Some(pair) = open.min_by_key(|pair| pair.spent) else { break };
            pair.take_turn(rules, &runner);
        }
        let is_interrupted = is_interrupted();
        let why = if is_interrupted { "the gate was interrupted".to_owned() } else { too_short(&pairs) };
        let pairs = pairs.into_iter().map(|pair| pair.end(rules, &why, is_interrupted)).collect();
        Self { args, pairs }
    }

    /// Returns the verdicts of all pairs.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        self.pairs.iter().map(|pair| pair.outcome.verdict)
    }

    /// Returns the worst verdict of all pairs.
    pub(crate) fn worst(&self) -> Verdict {
        self.verdicts().max().unwrap_or(Verdict::NotCompared)
    }

    /// Returns the exit status of the worst verdict that counts.
    pub(crate) fn status(&self) -> u8 {
        let counts = |verdict: &Verdict| !(self.args.allow_inconclusive && *verdict == Verdict::Inconclusive);
        self.verdicts().filter(counts).max().map_or(0, Verdict::status)
    }
}

/// Returns the reason why a pair has too few rounds: the budget, with one that is enough for all pairs.
fn too_short(pairs: &[Pair]) -> String {
    let needed: Vec<Duration> = pairs.iter().map(Pair::time_needed).collect();
    let longest = needed.iter().max().copied().unwrap_or_default();
    // A pair that has not begun may take as long as any other, and the machine may be busier the next time.
    let all: Duration = needed.iter().map(|time| if time.is_zero() { longest } else { *time }).sum();
    let enough = (2 * all).as_secs() + 1;
    format!(
        "too few rounds, because a pass takes at least {FEWEST_ROUNDS} rounds: give --budget {enough}s or more, or \
         shorter commands"
    )
}
