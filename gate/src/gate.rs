//! Runs each pair of commands in turn and compares what they do.

use std::time::Duration;

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::command::{CommandLine, Finished, Problem, ProblemKind};
use crate::judge::{FEWEST_ROUNDS, Judgement, Measurement, Round, Rules, judge, measure};
use crate::options::Args;
use crate::processes::adopt;
use crate::reason::{figures, reason};
use crate::rounds::{RUNS_OF_A_PASS, Side, WARM_UP, decided, run_round};
use crate::signals;
use crate::units::shortened;
use crate::verdict::Verdict;
use crate::watch::Watch;

/// No gate passes sooner, unless its budget is over, because on a busy machine the system may keep the threads of the
/// base on one core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the pairs of a gate are run and judged, and for how long they have been.
struct Terms<'a> {
    args: &'a Args,
    rules: Rules,
    watch: Watch,
}

/// A base and a head, and what is known about them.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The COMMAND; empty if there is none.
    pub(crate) name: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
    pub(crate) rounds: Vec<Round>,
    spent: Duration,
    /// Set at the end, by each clock that decides.
    pub(crate) measurements: Vec<Measurement>,
    /// Set once the pair needs no more rounds.
    outcome: Option<Outcome>,
}

/// A verdict and its reason.
type Outcome = (Verdict, String);

impl Pair {
    /// The pairs that a gate judges: one for each COMMAND, or one without a name.
    ///
    /// The error names a command that cannot be split, or a `{}` that is missing or that nothing replaces.
    pub(crate) fn all(args: &Args) -> Result<Vec<Self>, clap::Error> {
        let error = |why: String| Args::command().error(ErrorKind::ValueValidation, why);
        if args.commands.is_empty() {
            return Ok(vec![Self::of(args, None).map_err(error)?]);
        }
        if let Some(line) = [&args.base, &args.head].into_iter().find(|line| !line.contains("{}")) {
            return Err(error(format!("'{line}' has no {{}}: write {{}} where each COMMAND goes, such as 'old/{{}}'")));
        }
        args.commands.iter().map(|name| Self::of(args, Some(name)).map_err(error)).collect()
    }

    fn of(args: &Args, name: Option<&String>) -> Result<Self, String> {
        let command = |option: &str, line: &String| {
            let line = name.map_or_else(|| line.clone(), |name| line.replace("{}", name));
            line.parse::<CommandLine>().map_err(|why| {
                let hint = if line.contains("{}") { ". Or give a COMMAND, which takes the place of {}" } else { "" };
                format!("{option}: {why}{hint}")
            })
        };
        Ok(Self {
            name: name.cloned().unwrap_or_default(),
            base: command("--base", &args.base)?,
            head: command("--head", &args.head)?,
            prepare: args.prepare.as_ref().map(|line| command("--prepare", line)).transpose()?,
            first: None,
            rounds: Vec::new(),
            spent: Duration::ZERO,
            measurements: Vec::new(),
            outcome: None,
        })
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::NotMeasured, |outcome| outcome.0)
    }

    pub(crate) fn reason(&self) -> &str {
        self.outcome.as_ref().map_or("", |outcome| &outcome.1)
    }

    /// Warms up or runs the next round, and notes how long that took and, unless a signal came, how it failed.
    fn work(&mut self, terms: &Terms) {
        let start = terms.watch.elapsed();
        let done = if self.first.is_none() { self.warm_up(terms) } else { self.add_round(terms) };
        self.spent += terms.watch.elapsed() - start;
        if signals::caught().is_none() {
            self.outcome = self.outcome.take().or(done.err());
        }
    }

    /// Runs both commands before the first round, which need not be as fast as later runs.
    fn warm_up(&mut self, terms: &Terms) -> Result<(), Outcome> {
        for side in WARM_UP {
            match self.once(terms, side) {
                Ok(found) => _ = self.first.get_or_insert(found),
                Err(skipped @ (Verdict::Skipped, _)) => return self.once(terms, Side::Head).and(Err(skipped)),
                Err(outcome) => return Err(outcome),
            }
        }
        Ok(())
    }

    /// Runs a round, and judges the pair if this round calls for it.
    fn add_round(&mut self, terms: &Terms) -> Result<(), Outcome> {
        let round = run_round(self.rounds.len(), |side| self.once(terms, side).map(|found| found.run))?;
        self.rounds.push(round);
        let is_early = terms.watch.elapsed() < PATIENCE;
        if let Some(judgement) = decided(&self.rounds, terms.rules, is_early) {
            self.conclude(judgement, terms.rules);
        }
        Ok(())
    }

    /// Prepares a command, runs it once, and compares what it did with the first run. A run during which the gate was
    /// suspended is repeated, because nobody knows how long it took.
    fn once(&self, terms: &Terms, side: Side) -> Result<Finished, Outcome> {
        loop {
            let stops = terms.watch.stops();
            let found = self.prepare_and_run(terms, side)?;
            if terms.watch.stops() == stops {
                return self.expect_same(found, side);
            }
        }
    }

    /// Prepares a command and runs it once.
    fn prepare_and_run(&self, terms: &Terms, side: Side) -> Result<Finished, Outcome> {
        let run = |command: &CommandLine| command.run(terms.args, &terms.watch);
        if let Some(prepare) = &self.prepare {
            run(prepare).map_err(|problem| {
                let why = format!("--prepare ({}): {}", prepare.text, problem.why);
                (if problem.kind == ProblemKind::TooLong { Verdict::NotMeasured } else { Verdict::NotCompared }, why)
            })?;
        }
        run(self.command(side)).map_err(|Problem { kind, why }| {
            let why = self.blame(side, &why);
            match (side, kind) {
                (Side::Head, _) => (Verdict::Failed, why),
                (Side::Base, ProblemKind::TooLong) => (Verdict::NotMeasured, why),
                (Side::Base, ProblemKind::MayBeNew) if terms.args.skip_new && self.first.is_none() => {
                    (Verdict::Skipped, format!("head can run it; {why}"))
                }
                (Side::Base, _) => (Verdict::NotCompared, why),
            }
        })
    }

    /// Returns the run if it did the same as the first.
    fn expect_same(&self, found: Finished, side: Side) -> Result<Finished, Outcome> {
        let Some(first) = &self.first else { return Ok(found) };
        let (verdict, than) = match side {
            Side::Base => (Verdict::NotCompared, "each time"),
            Side::Head => (Verdict::Failed, "than base"),
        };
        let why = if first.status != found.status {
            format!("it ends differently {than}: with {} instead of {}", found.status, first.status)
        } else if first.output != found.output {
            let line = difference(&first.output, &found.output);
            format!("it prints different output {than}: {line}; give --any-output if you intend that")
        } else {
            return Ok(found);
        };
        Err((verdict, self.blame(side, &why)))
    }

    fn command(&self, side: Side) -> &CommandLine {
        if side == Side::Base { &self.base } else { &self.head }
    }

    fn blame(&self, side: Side, why: &str) -> String {
        let name = if side == Side::Base { "base" } else { "head" };
        format!("{name} ({}): {why}", self.command(side).text)
    }

    /// Ends the measurement with what the rounds say.
    fn conclude(&mut self, judgement: Judgement, rules: Rules) {
        self.outcome = Some((judgement.verdict, reason(&judgement, self.rounds.len(), rules)));
        self.measurements = judgement.measurements;
    }

    /// Ends the measurement before there are enough rounds.
    fn give_up(&mut self, why: &str, rules: Rules) {
        let mut said = why.to_owned();
        if !self.rounds.is_empty() {
            self.measurements = measure(&self.rounds, rules);
            said = format!("too few rounds, {}: {why}", figures(&self.measurements, self.rounds.len()));
        }
        self.outcome = Some((Verdict::NotMeasured, said));
    }
}

/// A gate and its result.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pairs: Vec<Pair>,
}

impl<'a> Gate<'a> {
    /// Compares the commands of each pair. No round starts after the budget.
    pub(crate) fn run(args: &'a Args, mut pairs: Vec<Pair>) -> Self {
        adopt();
        let rules = Rules { threshold: args.threshold, clock: args.clock, commands: pairs.len() };
        let terms = Terms { args, rules, watch: Watch::start() };
        // All open pairs get the same time, so that none has to wait for one that is slow or hard to judge.
        let is_open = |pair: &&mut Pair| pair.outcome.is_none();
        while let Some(pair) = pairs.iter_mut().filter(is_open).min_by_key(|pair| pair.spent) {
            pair.work(&terms);
            if signals::caught().is_some() || terms.watch.elapsed() >= args.budget {
                break;
            }
        }
        let mut gate = Self { args, pairs };
        gate.end(&terms);
        gate
    }

    /// The worst verdict of all pairs.
    pub(crate) fn verdict(&self) -> Verdict {
        self.pairs.iter().map(Pair::verdict).max().unwrap_or(Verdict::NotCompared)
    }

    /// The exit status of the worst verdict that counts.
    pub(crate) fn status(&self) -> u8 {
        let verdicts = self.pairs.iter().map(Pair::verdict);
        let counts = verdicts.filter(|&verdict| !(self.args.allow_inconclusive && verdict == Verdict::Inconclusive));
        counts.max().map_or(0, Verdict::status)
    }

    /// Judges the pairs that are still open.
    fn end(&mut self, terms: &Terms) {
        let runs: usize = self.pairs.iter().map(|pair| WARM_UP.len() + 4 * pair.rounds.len()).sum();
        let spent = terms.watch.elapsed().as_secs_f64();
        let enough = (spent / runs as f64 * (self.pairs.len() * RUNS_OF_A_PASS) as f64).ceil();
        let short = format!(
            "a verdict takes {FEWEST_ROUNDS} rounds, so raise --budget to {enough:.0}s or use shorter commands"
        );
        let is_stopped = signals::caught().is_some();
        for pair in self.pairs.iter_mut().filter(|pair| pair.outcome.is_none()) {
            match judge(&pair.rounds, terms.rules) {
                _ if is_stopped => pair.give_up("the gate was interrupted", terms.rules),
                Some(judgement) => pair.conclude(judgement, terms.rules),
                None => pair.give_up(&short, terms.rules),
            }
        }
    }
}

/// The first line that differs between two outputs, in words.
fn difference(expected: &[u8], found: &[u8]) -> String {
    let [mut before, mut after] = [expected, found].map(|output| output.split(|byte| *byte == b'\n'));
    let same = before.clone().zip(after.clone()).take_while(|(before, after)| before == after).count();
    let [before, after] = [&mut before, &mut after].map(|lines| lines.nth(same).unwrap_or_default());
    let [was, is] = [before, after].map(|line| match String::from_utf8_lossy(line) {
        text if text.is_empty() => "nothing".to_owned(),
        text => format!("\"{}\"", shortened(&text, 80)),
    });
    let line = same + 1;
    if before == after {
        "only the line end of the last line differs".to_owned()
    } else if was == is {
        let byte = before.iter().zip(after).take_while(|(before, after)| before == after).count() + 1;
        format!("line {line} differs from its byte {byte} on")
    } else {
        format!("line {line} is {is} instead of {was}")
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let long = "a".repeat(100);
        for (expected, found, said) in [
            ("92\n", "93\n", "line 1 is \"93\" instead of \"92\""),
            ("a\nb\n", "a\n", "line 2 is nothing instead of \"b\""),
            ("a", "a\nb", "line 2 is \"b\" instead of nothing"),
            ("a", "a\n", "only the line end of the last line differs"),
            ("a\r\nb", "a\nb", "line 1 is \"a\" instead of \"a\r\""),
            (&[&long, "b\n"].concat(), &[&long, "c\n"].concat(), "line 1 differs from its byte 101 on"),
            (&long, &[&long, "c"].concat(), "line 1 differs from its byte 101 on"),
        ] {
            assert_eq!(difference(expected.as_bytes(), found.as_bytes()), said);
        }
        assert_eq!(difference(b"a\xff", b"a\xfe"), "line 1 differs from its byte 2 on");
    }

    #[test]
    fn each_command_fills_the_places_of_a_pair() {
        let pairs = |words: &[&str]| {
            let args = Args::try_parse_from([&["abgate"], words].concat()).unwrap();
            Pair::all(&args).map(|pairs| {
                pairs
                    .iter()
                    .map(|pair| format!("{}: {} | {}", pair.name, pair.base.text, pair.head.text))
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(pairs(&["--base", "a 'x y'", "--head", "b"]).unwrap(), [": a 'x y' | b"]);
        let many = pairs(&["--base", "sh -c 'cd a; ./{}'", "--head", "b/{}", "sort 1", "sort 2"]).unwrap();
        assert_eq!(many, ["sort 1: sh -c 'cd a; ./sort 1' | b/sort 1", "sort 2: sh -c 'cd a; ./sort 2' | b/sort 2"]);
        for (words, said) in [
            (["--base", "a/{}", "--head", "b", "sort"].as_slice(), "'b' has no {}"),
            (&["--base", "a/{}", "--head", "b/{}"], "Or give a COMMAND, which takes the place of {}"),
            (&["--base", "a/{}", "--head", "b/{}", "sort >x"], "--base: 'a/sort >x' has '>'"),
        ] {
            let error = pairs(words).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn the_command_lines_of_the_page_are_right() {
        let page = include_str!("../README.md");
        let shown = |line: &'static str| line.trim_start_matches(['$', '-', ' ']).strip_prefix("abgate ");
        let mut lines: Vec<_> = page.lines().filter_map(shown).map(|line| shlex::split(line).unwrap()).collect();
        // The action takes an argument from each line.
        let action = page.lines().skip_while(|line| !line.ends_with("arguments: |")).skip(1);
        lines.push(action.take_while(|line| *line != "```").map(|line| line.trim().to_owned()).collect());
        assert_eq!(lines.len(), 3, "{lines:?}");
        for line in lines {
            let args = Args::try_parse_from(["abgate".to_owned()].into_iter().chain(line)).unwrap();
            assert_eq!(Pair::all(&args).unwrap().len(), 2, "{args:?}");
        }
    }
}
