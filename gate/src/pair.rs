//! A base and a head: runs them in rounds, and stops at a verdict or at the first run that does not count.

use std::time::Duration;

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::command::{CommandLine, Finished, Problem, ProblemKind};
use crate::judge::Judgement;
use crate::measurement::{Measurement, Round, Rules, measure};
use crate::options::Args;
use crate::reason::{figures, reason};
use crate::rounds::{Side, WARM_UP, decided, run_round};
use crate::signals;
use crate::units::shortened;
use crate::verdict::Verdict;
use crate::watch::Watch;

/// The time before which no pair passes, unless the budget is used up first. A busy machine may keep the threads of the
/// base on one core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The arguments and rules of a gate, and the time for which it has run.
pub(crate) struct Terms<'a> {
    pub(crate) args: &'a Args,
    pub(crate) rules: Rules,
    pub(crate) watch: Watch,
}

/// A base and a head with their rounds and their verdict.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The COMMAND, or an empty text if there is none.
    pub(crate) name: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
    pub(crate) rounds: Vec<Round>,
    /// The time that the runs of this pair took.
    pub(crate) spent: Duration,
    /// The results by each clock that decides, empty until the measurement ends.
    pub(crate) measurements: Vec<Measurement>,
    /// The verdict and its reason, once the pair needs no more rounds.
    outcome: Option<Outcome>,
}

/// A verdict and its reason.
type Outcome = (Verdict, String);

impl Pair {
    /// Returns the pairs that a gate judges: one for each COMMAND, or one without a name.
    ///
    /// # Errors
    /// Names a command that cannot be split, or a `{}` that is missing or that nothing replaces.
    pub(crate) fn all(args: &Args) -> Result<Vec<Self>, clap::Error> {
        let names: Vec<Option<&str>> = if args.commands.is_empty() {
            vec![None]
        } else {
            args.commands.iter().map(|name| Some(name.as_str())).collect()
        };
        let pairs = names.into_iter().map(|name| Self::of(args, name)).collect::<Result<_, String>>();
        pairs.map_err(|why| Args::command().error(ErrorKind::ValueValidation, why))
    }

    fn of(args: &Args, name: Option<&str>) -> Result<Self, String> {
        let command = |option: &str, line: &String| {
            let is_filled = line.contains("{}");
            let line = name.map_or_else(|| line.clone(), |name| line.replace("{}", name));
            line.parse::<CommandLine>().map_err(|why| match name {
                None if is_filled => format!("{option}: {why}; or give a COMMAND, which replaces {{}}"),
                _ => format!("{option}: {why}"),
            })
        };
        for (option, line) in [("--base", &args.base), ("--head", &args.head)] {
            if let Some(name) = name.filter(|_| !line.contains("{}")) {
                return Err(format!(
                    "{option}: '{line}' has no {{}} that COMMAND '{name}' could replace: write {{}} where it goes, \
                     such as 'old/{{}}', or quote the whole command"
                ));
            }
        }
        Ok(Self {
            name: name.unwrap_or_default().to_owned(),
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

    /// Returns whether the pair needs more rounds.
    pub(crate) fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.outcome.as_ref().map_or(Verdict::NotMeasured, |outcome| outcome.0)
    }

    pub(crate) fn reason(&self) -> &str {
        self.outcome.as_ref().map_or("", |outcome| &outcome.1)
    }

    /// Warms up or runs the next round. Notes how long that took and, unless a signal came, any failure.
    pub(crate) fn work(&mut self, terms: &Terms) {
        let start = terms.watch.elapsed();
        let done = if self.first.is_none() { self.warm_up(terms) } else { self.add_round(terms) };
        self.spent += terms.watch.elapsed() - start;
        if signals::caught().is_none() {
            self.outcome = self.outcome.take().or(done.err());
        }
    }

    /// Runs both commands before the first round, because these runs may be slower than later ones.
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

    /// Runs a round, and judges the pair if it is time to.
    fn add_round(&mut self, terms: &Terms) -> Result<(), Outcome> {
        let round = run_round(self.rounds.len(), |side| self.once(terms, side).map(|found| found.run))?;
        self.rounds.push(round);
        let is_early = terms.watch.elapsed() < PATIENCE;
        if let Some(judgement) = decided(&self.rounds, terms.rules, is_early) {
            self.conclude(judgement, terms.rules);
        }
        Ok(())
    }

    /// Prepares a command, runs it once, and compares the run with the first one. A run during which the gate was
    /// suspended is repeated, because nobody knows how long it took.
    fn once(&self, terms: &Terms, side: Side) -> Result<Finished, Outcome> {
        loop {
            let stops = terms.watch.stops();
            if let Some(prepare) = &self.prepare {
                self.run(terms, None, prepare)?;
            }
            let found = self.run(terms, Some(side), self.command(side))?;
            if terms.watch.stops() == stops {
                return self.expect_same(found, side);
            }
        }
    }

    /// Runs the command of a side, or the preparation, and returns the verdict if that run does not count.
    fn run(&self, terms: &Terms, side: Option<Side>, command: &CommandLine) -> Result<Finished, Outcome> {
        command.run(terms.args, &terms.watch).map_err(|Problem { kind, why }| {
            let blame = format!("{} ({}) {why}", side.map_or("--prepare", Side::name), command.text);
            let may_skip = terms.args.skip_new && self.first.is_none();
            match (kind, side) {
                (ProblemKind::Machine, _) => (Verdict::NotCompared, why),
                (_, Some(Side::Head)) => (Verdict::Failed, blame),
                (ProblemKind::TooLong, _) => (Verdict::NotMeasured, blame),
                (ProblemKind::MayBeNew, Some(Side::Base)) if may_skip => {
                    (Verdict::Skipped, format!("only head can run it: {blame}"))
                }
                _ => (Verdict::NotCompared, blame),
            }
        })
    }

    /// Returns the run if it did the same as the first one.
    fn expect_same(&self, found: Finished, side: Side) -> Result<Finished, Outcome> {
        let Some(first) = &self.first else { return Ok(found) };
        let (verdict, other) = match side {
            Side::Base => (Verdict::NotCompared, "its first run"),
            Side::Head => (Verdict::Failed, "base"),
        };
        let why = if first.status != found.status {
            format!("ended with {}, but {other} with {}", found.status, first.status)
        } else if first.output != found.output {
            let line = difference(&first.output, &found.output);
            format!("did not print the same as {other}: {line}; give --any-output if you intend that")
        } else {
            return Ok(found);
        };
        Err((verdict, format!("{} ({}) {why}", side.name(), self.command(side).text)))
    }

    fn command(&self, side: Side) -> &CommandLine {
        match side {
            Side::Base => &self.base,
            Side::Head => &self.head,
        }
    }

    /// Ends the measurement with the judgement on all rounds.
    pub(crate) fn conclude(&mut self, judgement: Judgement, rules: Rules) {
        self.outcome = Some((judgement.verdict, reason(&judgement, self.rounds.len(), rules)));
        self.measurements = judgement.measurements;
    }

    /// Ends the measurement before there are enough rounds.
    pub(crate) fn give_up(&mut self, why: &str, rules: Rules) {
        let mut said = why.to_owned();
        if !self.rounds.is_empty() {
            self.measurements = measure(&self.rounds, rules);
            said = format!("too few rounds, {}: {why}", figures(&self.measurements, self.rounds.len()));
        }
        self.outcome = Some((Verdict::NotMeasured, said));
    }
}

/// Describes the first line that differs between two outputs.
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
        format!("line {line} differs from byte {byte} on")
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
            (&[&long, "b\n"].concat(), &[&long, "c\n"].concat(), "line 1 differs from byte 101 on"),
            (&long, &[&long, "c"].concat(), "line 1 differs from byte 101 on"),
        ] {
            assert_eq!(difference(expected.as_bytes(), found.as_bytes()), said);
        }
        assert_eq!(difference(b"a\xff", b"a\xfe"), "line 1 differs from byte 2 on");
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
            (["--base", "a/{}", "--head", "b", "sort"].as_slice(), "--head: 'b' has no {} that COMMAND 'sort' could"),
            (&["--base", "a/{}", "--head", "b/{}"], "; or give a COMMAND, which replaces {}"),
            (&["--base", "a/{}", "--head", "b/{}", "sort >x"], "--base: 'a/sort >x' contains '>'"),
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
