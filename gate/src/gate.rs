//! Runs each pair of commands in turn and compares what they do.

use std::fmt;
use std::time::{Duration, Instant};

use crate::command::{CommandLine, Finished, How, Problem};
use crate::judge::{Clock, FEWEST_ROUNDS, Judgement, Rules, judge};
use crate::notes::Notes;
use crate::options::Args;
use crate::processes::adopt;
use crate::reason::reason;
use crate::rounds::{RUNS_OF_A_PASS, Rounds, Side, WARM_UP};
use crate::verdict::Verdict;
use n_queens_terminal::escape::shortened;
use n_queens_terminal::signals;
use n_queens_terminal::units::{plural, seconds};

/// The start of a program may be a large part of a command that ends sooner, in seconds.
const SHORT: f64 = 0.005;

/// No gate passes sooner, unless its budget is over. On a busy machine the system may keep the threads of the base on one
/// core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A base and a head, and what is known of them.
pub struct Pair {
    /// Empty for a pair that needs no name.
    pub(crate) name: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
    /// The seconds of the shortest run, with all that belongs to it.
    shortest: f64,
    pub(crate) rounds: Rounds,
    pub(crate) judgement: Option<Judgement>,
    /// The verdict and its reason, once the pair needs no more rounds.
    outcome: Option<(Verdict, String)>,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} | {}", self.name, self.base, self.head)
    }
}

/// A verdict without all rounds, and its reason.
type Decided = (Verdict, String);

impl Pair {
    pub(crate) fn new(name: String, base: CommandLine, head: CommandLine, prepare: Option<CommandLine>) -> Self {
        let (first, shortest, rounds) = (None, f64::INFINITY, Rounds::default());
        Self { name, base, head, prepare, first, shortest, rounds, judgement: None, outcome: None }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::Inconclusive, |outcome| outcome.0)
    }

    pub(crate) fn reason(&self) -> &str {
        self.outcome.as_ref().map_or("", |outcome| &outcome.1)
    }

    /// The exit status. A budget that is too short to measure anything is no noise.
    pub(crate) fn status(&self, allows_inconclusive: bool) -> u8 {
        let is_allowed = allows_inconclusive && self.verdict() == Verdict::Inconclusive && self.judgement.is_some();
        if is_allowed { 0 } else { self.verdict().status() }
    }

    /// Runs both commands before the first round. Returns the seconds of the shortest command alone.
    fn warm_up(&mut self, args: &Args) -> Result<f64, Decided> {
        let mut of_command = f64::INFINITY;
        for side in WARM_UP {
            let began = Instant::now();
            let found = match self.once(args, side) {
                Ok(found) => found,
                Err((true, (_, why))) if args.skip_new && self.first.is_none() => {
                    self.once(args, Side::Head).map_err(|(_, decided)| decided)?;
                    return Err((Verdict::Skipped, format!("head can run it: {why}")));
                }
                Err((_, decided)) => return Err(decided),
            };
            self.shortest = self.shortest.min(began.elapsed().as_secs_f64());
            of_command = of_command.min(found.run.times[Clock::Wall as usize]);
            self.first.get_or_insert(found);
        }
        Ok(of_command)
    }

    /// Prepares a command, runs it once, and compares what it did with the first run. An error also says whether the command
    /// may be new.
    fn once(&self, args: &Args, side: Side) -> Result<Finished, (bool, Decided)> {
        let how = How {
            input: args.input.as_deref(),
            timeout: args.timeout,
            keeps_output: !args.any_output,
            ignores_failure: args.ignore_failure,
        };
        if let Some(prepare) = &self.prepare {
            let how = How { input: None, keeps_output: false, ignores_failure: false, ..how };
            prepare.run(how).map_err(|problem| {
                (false, (Verdict::NotCompared, format!("--prepare ({prepare}): {}", problem.why)))
            })?;
        }
        let (name, command, verdict, otherwise) = match side {
            Side::Base => ("base", &self.base, Verdict::NotCompared, "each time"),
            Side::Head => ("head", &self.head, Verdict::Failed, "than base"),
        };
        let fails = |Problem { why, may_be_new }| (may_be_new, (verdict, format!("{name} ({command}): {why}")));
        let found = command.run(how).map_err(fails)?;
        match &self.first {
            Some(first) if first.status != found.status => {
                let (status, before) = (found.status, first.status);
                Err(fails(format!("it ends otherwise {otherwise}: with {status} instead of {before}").into()))
            }
            Some(first) if first.output != found.output => {
                let line = difference(&first.output, &found.output);
                let why = format!("it prints something else {otherwise}: {line}; give --any-output if you intend that");
                Err(fails(why.into()))
            }
            _ => Ok(found),
        }
    }

    /// Ends the measurement with this outcome, unless a signal is why.
    fn ends(&mut self, decided: Decided) {
        if signals::caught().is_none() {
            self.outcome = Some(decided);
        }
    }

    /// Ends the measurement with what the rounds say.
    fn judged(&mut self, judgement: Judgement, rules: Rules) {
        self.outcome = Some((judgement.verdict, reason(&judgement, self.rounds.all.len(), rules)));
        self.judgement = Some(judgement);
    }
}

/// A gate and its result.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pairs: Vec<Pair>,
    /// What the user should know beside the verdicts.
    pub(crate) remarks: Vec<String>,
    pub(crate) seconds: f64,
}

impl<'a> Gate<'a> {
    /// Compares the commands of each pair. No round starts after the budget.
    pub(crate) fn run(args: &'a Args, pairs: Vec<Pair>, notes: &Notes) -> Self {
        let start = Instant::now();
        let mut gate = Self { args, pairs, remarks: Vec::new(), seconds: 0.0 };
        adopt();
        gate.warm_up(notes);
        if signals::caught().is_none() {
            gate.run_rounds(start);
        }
        gate.end(start.elapsed().as_secs_f64());
        gate
    }

    /// The worst verdict of all pairs.
    pub(crate) fn verdict(&self) -> Verdict {
        self.pairs.iter().map(Pair::verdict).max().unwrap_or(Verdict::NotCompared)
    }

    /// The exit status of the worst verdict that counts.
    pub(crate) fn status(&self) -> u8 {
        let status = |pair: &Pair| pair.status(self.args.allow_inconclusive);
        let counts = self.pairs.iter().filter(|pair| status(pair) > 0);
        counts.max_by_key(|pair| pair.verdict()).map_or(0, status)
    }

    fn open(&mut self) -> impl Iterator<Item = &mut Pair> {
        self.pairs.iter_mut().filter(|pair| pair.outcome.is_none())
    }

    fn warm_up(&mut self, notes: &Notes) {
        let args = self.args;
        let mut shortest = f64::INFINITY;
        for pair in self.open().take_while(|_| signals::caught().is_none()) {
            match pair.warm_up(args) {
                Ok(of_command) => shortest = shortest.min(of_command),
                Err(decided) => pair.ends(decided),
            }
        }
        if shortest < SHORT {
            let remark = format!(
                "a run takes {}, and the start of the program is part of it: changes show better in a command of 10 ms or more",
                seconds(shortest)
            );
            notes.note(&remark);
            self.remarks.push(remark);
        }
    }

    /// Runs a round of each open pair in turn, until none is open or the time is over.
    fn run_rounds(&mut self, start: Instant) {
        let (args, rules) = (self.args, self.args.rules(self.pairs.len()));
        let a_run: f64 = self.open().map(|pair| pair.shortest).sum();
        if start.elapsed().as_secs_f64() + a_run * (4 * (FEWEST_ROUNDS - 1)) as f64 > args.budget.as_secs_f64() {
            let why = format!("not measured: {}", too_little(a_run));
            return self.open().for_each(|pair| pair.outcome = Some((Verdict::Inconclusive, why.clone())));
        }
        while self.open().next().is_some() {
            for pair in self.open() {
                let mut rounds = std::mem::take(&mut pair.rounds);
                let added = rounds.add(|side| pair.once(args, side).map(|found| found.run));
                pair.rounds = rounds;
                if let Err((_, decided)) = added {
                    pair.ends(decided);
                } else if let Some(judgement) = pair.rounds.decided(rules, start.elapsed() < PATIENCE) {
                    pair.judged(judgement, rules);
                }
                if start.elapsed() >= args.budget || signals::caught().is_some() {
                    return;
                }
            }
        }
    }

    /// Judges the pairs that are still open after `spent` seconds.
    fn end(&mut self, spent: f64) {
        self.seconds = spent;
        let rules = self.args.rules(self.pairs.len());
        let runs: usize = self.pairs.iter().map(|pair| WARM_UP.len() + 4 * pair.rounds.all.len()).sum();
        // On a busy machine, or with a slow head, most runs take longer than the shortest.
        let a_run = spent / runs as f64 * self.pairs.len() as f64;
        for pair in self.open() {
            let judgement = judge(&pair.rounds.all, rules).filter(|_| signals::caught().is_none());
            match judgement {
                Some(judgement) => pair.judged(judgement, rules),
                None => {
                    let why = match signals::caught() {
                        Some(_) => "the gate was interrupted".to_owned(),
                        None => {
                            format!(
                                "only {} in the time: {}",
                                plural(pair.rounds.all.len(), "round"),
                                too_little(a_run)
                            )
                        }
                    };
                    pair.outcome = Some((Verdict::Inconclusive, format!("not measured: {why}")));
                }
            }
        }
    }
}

/// Says that the budget is too short, and names one that is enough for a pass in four of five gates on a quiet machine.
/// The last round may begin just before its end, so there is time to spare for one round.
fn too_little(a_run: f64) -> String {
    let enough = (a_run * RUNS_OF_A_PASS as f64).ceil();
    format!(
        "a run takes {}, and a pass takes {RUNS_OF_A_PASS} runs: raise --budget to {enough:.0}s or use shorter commands",
        seconds(a_run)
    )
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
