//! Runs each pair of commands in turn and compares what they do.

use std::time::{Duration, Instant};

use crate::command::{CommandLine, Finished, Problem};
use crate::escape::shortened;
use crate::judge::{FEWEST_ROUNDS, Judgement, Round, Rules, judge};
use crate::options::Args;
use crate::processes::adopt;
use crate::reason::reason;
use crate::rounds::{RUNS_OF_A_PASS, Side, WARM_UP, add_round, decided};
use crate::signals;
use crate::units::plural;
use crate::verdict::Verdict;

/// No gate passes sooner, unless its budget is over. On a busy machine the system may keep the threads of the base on one
/// core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A base and a head, and what is known of them.
#[derive(Debug)]
pub(crate) struct Pair {
    /// Empty for a pair that needs no name.
    pub(crate) name: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    pub(crate) prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) judgement: Option<Judgement>,
    /// Once the pair needs no more rounds.
    outcome: Option<Outcome>,
}

/// A verdict and its reason.
type Outcome = (Verdict, String);

impl Pair {
    pub(crate) fn new(name: String, base: CommandLine, head: CommandLine, prepare: Option<CommandLine>) -> Self {
        Self { name, base, head, prepare, first: None, rounds: Vec::new(), judgement: None, outcome: None }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::Inconclusive, |outcome| outcome.0)
    }

    pub(crate) fn reason(&self) -> &str {
        self.outcome.as_ref().map_or("", |outcome| &outcome.1)
    }

    /// Runs both commands before the first round.
    fn warm_up(&mut self, args: &Args) -> Result<(), Outcome> {
        for side in WARM_UP {
            match self.once(args, side) {
                Ok(found) => _ = self.first.get_or_insert(found),
                Err(skipped @ (Verdict::Skipped, _)) => return self.once(args, Side::Head).and(Err(skipped)),
                Err(outcome) => return Err(outcome),
            }
        }
        Ok(())
    }

    /// Runs a round, and judges if it is time for that. A pass that comes too `early` waits.
    fn add_round(&mut self, args: &Args, rules: Rules, is_early: bool) -> Result<(), Outcome> {
        let mut rounds = std::mem::take(&mut self.rounds);
        let added = add_round(&mut rounds, |side| self.once(args, side).map(|found| found.run));
        self.rounds = rounds;
        added?;
        if let Some(judgement) = decided(&self.rounds, rules, is_early) {
            self.judged(judgement, rules);
        }
        Ok(())
    }

    /// Prepares a command, runs it once, and compares what it did with the first run.
    fn once(&self, args: &Args, side: Side) -> Result<Finished, Outcome> {
        if let Some(prepare) = &self.prepare {
            let fails =
                |problem: Problem| (Verdict::NotCompared, format!("--prepare ({}): {}", prepare.text, problem.why));
            prepare.run(args).map_err(fails)?;
        }
        let (name, command, verdict, otherwise) = match side {
            Side::Base => ("base", &self.base, Verdict::NotCompared, "each time"),
            Side::Head => ("head", &self.head, Verdict::Failed, "than base"),
        };
        let fails = |why: String| (verdict, format!("{name} ({}): {why}", command.text));
        let found = command.run(args).map_err(|problem| match fails(problem.why) {
            (Verdict::NotCompared, why) if args.skip_new && problem.may_be_new && self.first.is_none() => {
                (Verdict::Skipped, format!("head can run it: {why}"))
            }
            outcome => outcome,
        })?;
        match &self.first {
            Some(first) if first.status != found.status => {
                let (status, before) = (found.status, first.status);
                Err(fails(format!("it ends otherwise {otherwise}: with {status} instead of {before}")))
            }
            Some(first) if first.output != found.output => {
                let line = difference(&first.output, &found.output);
                let why = format!("it prints something else {otherwise}: {line}; give --any-output if you intend that");
                Err(fails(why))
            }
            _ => Ok(found),
        }
    }

    /// Ends the measurement with what the rounds say.
    fn judged(&mut self, judgement: Judgement, rules: Rules) {
        self.outcome = Some((judgement.verdict, reason(&judgement, self.rounds.len(), rules)));
        self.judgement = Some(judgement);
    }
}

/// A gate and its result.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pairs: Vec<Pair>,
}

impl<'a> Gate<'a> {
    /// Compares the commands of each pair. No round starts after the budget.
    pub(crate) fn run(args: &'a Args, pairs: Vec<Pair>) -> Self {
        let start = Instant::now();
        let rules = args.rules(pairs.len());
        let mut gate = Self { args, pairs };
        adopt();
        gate.step(|pair| pair.warm_up(args));
        while start.elapsed() < args.budget && gate.step(|pair| pair.add_round(args, rules, start.elapsed() < PATIENCE))
        {
        }
        gate.end(start.elapsed().as_secs_f64(), rules);
        gate
    }

    /// The worst verdict of all pairs.
    pub(crate) fn verdict(&self) -> Verdict {
        self.pairs.iter().map(Pair::verdict).max().unwrap_or(Verdict::NotCompared)
    }

    /// The exit status of the worst verdict that counts. A budget that is too short to measure anything is no noise.
    pub(crate) fn status(&self) -> u8 {
        let is_allowed = |pair: &Pair| pair.verdict() == Verdict::Inconclusive && pair.judgement.is_some();
        let counts = self.pairs.iter().filter(|pair| !(self.args.allow_inconclusive && is_allowed(pair)));
        counts.map(Pair::verdict).max().map_or(0, Verdict::status)
    }

    fn open(&mut self) -> impl Iterator<Item = &mut Pair> {
        self.pairs.iter_mut().filter(|pair| pair.outcome.is_none())
    }

    /// Does something with each open pair in turn, and returns whether there was one and no signal came.
    fn step(&mut self, mut run: impl FnMut(&mut Pair) -> Result<(), Outcome>) -> bool {
        let mut was_open = false;
        for pair in self.open() {
            let ran = run(pair);
            if signals::caught().is_some() {
                return false;
            }
            if let Err(outcome) = ran {
                pair.outcome = Some(outcome);
            }
            was_open = true;
        }
        was_open
    }

    /// Judges the pairs that are still open after `spent` seconds.
    fn end(&mut self, spent: f64, rules: Rules) {
        let runs: usize = self.pairs.iter().map(|pair| WARM_UP.len() + 4 * pair.rounds.len()).sum();
        let enough = (spent / runs as f64 * (self.pairs.len() * RUNS_OF_A_PASS) as f64).ceil();
        let is_stopped = signals::caught().is_some();
        for pair in self.open() {
            let rounds = plural(pair.rounds.len(), "round");
            match judge(&pair.rounds, rules) {
                Some(judgement) if !is_stopped => pair.judged(judgement, rules),
                _ => {
                    let short = format!(
                        "only {rounds} in the time, and a verdict takes {FEWEST_ROUNDS}: raise --budget to {enough:.0}s or use \
                         shorter commands"
                    );
                    let why = if is_stopped { "the gate was interrupted" } else { &short };
                    pair.outcome = Some((Verdict::Inconclusive, format!("not measured: {why}")));
                }
            }
        }
    }
}

/// The first line that differs between two outputs, in words.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let texts = [expected, found].map(String::from_utf8_lossy);
    let same = texts[0].lines().zip(texts[1].lines()).take_while(|(before, after)| before == after).count();
    let [before, after] = texts.each_ref().map(|text| match text.lines().nth(same) {
        Some(line) => format!("\"{}\"", shortened(line, 80)),
        None => "nothing".to_owned(),
    });
    if before == after {
        return "only its line ends differ".to_owned();
    }
    format!("line {} is {after} instead of {before}", same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        for (expected, found, said) in [
            ("92\n", "93\n", "line 1 is \"93\" instead of \"92\""),
            ("a\nb\n", "a\n", "line 2 is nothing instead of \"b\""),
            ("a", "a\nb", "line 2 is \"b\" instead of nothing"),
            ("a", "a\n", "only its line ends differ"),
        ] {
            assert_eq!(difference(expected.as_bytes(), found.as_bytes()), said);
        }
    }
}
