//! The commands of a pair: fills them from the options, runs one of them, and compares its runs.

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::command_line::CommandLine;
use crate::options::Args;
use crate::output::difference;
use crate::rounds::{Run, Side, WARM_UP};
use crate::run::{Finished, Problem, ProblemKind, Runner};
use crate::verdict::{Outcome, Verdict};

/// How often a run is tried if the gate is suspended during it. The budget does not limit this, because it leaves out
/// suspensions.
const TRIES: usize = 3;

/// A base and a head, and what prepares each of their runs.
#[derive(Debug)]
pub(crate) struct Commands {
    /// What replaced `{}`, or an empty text.
    pub(crate) case: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
}

impl Commands {
    /// Returns the commands of each CASE, or of the only pair if none was given.
    ///
    /// # Errors
    /// Names a command that cannot be split, or a `{}` that is missing or that nothing replaces.
    pub(crate) fn of_cases(args: &Args) -> Result<Vec<Self>, clap::Error> {
        let all: Result<_, String> = match &args.cases[..] {
            [] => Self::of(args, None).map(|only| vec![only]),
            cases => cases.iter().map(|case| Self::of(args, Some(case))).collect(),
        };
        all.map_err(|why| Args::command().error(ErrorKind::ValueValidation, why))
    }

    fn of(args: &Args, case: Option<&str>) -> Result<Self, String> {
        let fill = |option: &str, line: &str| CommandLine::new(line, case).map_err(|why| format!("{option}: {why}"));
        let side = |option: &str, line: &str| match case {
            Some(case) if !line.contains("{}") => Err(format!(
                "{option}: '{line}' has no {{}} that CASE '{case}' could replace: write {{}} where it goes, such as \
                 'old/{{}}', or quote the whole command"
            )),
            _ => fill(option, line),
        };
        Ok(Self {
            case: case.unwrap_or_default().to_owned(),
            base: side("--base", &args.base)?,
            head: side("--head", &args.head)?,
            prepare: args.prepare.as_ref().map(|line| fill("--prepare", line)).transpose()?,
            first: None,
        })
    }

    /// Returns whether the commands have run before, so that a round can begin.
    pub(crate) fn is_warm(&self) -> bool {
        self.first.is_some()
    }

    /// Runs both commands before the first round, because these runs may be slower than later ones.
    pub(crate) fn warm_up(&mut self, runner: &Runner<'_>) -> Result<(), Outcome> {
        for side in WARM_UP {
            if let Err(outcome) = self.run(side, runner) {
                // A case is skipped only if head can run it.
                if outcome.verdict == Verdict::Skipped {
                    self.run(Side::Head, runner)?;
                }
                return Err(outcome);
            }
        }
        Ok(())
    }

    /// Prepares a command, runs it once, and compares the run with the first one. A run during which the gate was
    /// suspended is repeated, because nobody knows how long it took.
    ///
    /// # Errors
    /// A run that does not count ends the pair with this outcome.
    pub(crate) fn run(&mut self, side: Side, runner: &Runner<'_>) -> Result<Run, Outcome> {
        let command = if side == Side::Base { &self.base } else { &self.head };
        let may_skip = runner.args.skip_new && self.first.is_none();
        let blame = |problem| outcome_of(problem, Some(side), command, may_skip);
        for _ in 0..TRIES {
            let stops = runner.watch.stops();
            if let Some(prepare) = &self.prepare {
                runner.run(prepare, false).map_err(|problem| outcome_of(problem, None, prepare, may_skip))?;
            }
            let finished = runner.run(command, runner.args.ignore_failure).map_err(blame)?;
            if runner.watch.stops() > stops {
                continue;
            }
            let run = finished.run;
            match &self.first {
                Some(first) => expect_same(first, &finished, side).map_err(blame)?,
                None => self.first = Some(finished),
            }
            return Ok(run);
        }
        let why = format!("was suspended together with the gate in {TRIES} runs: keep the machine awake");
        Err(blame(ProblemKind::Suspended.because(why)))
    }
}

/// Returns the outcome that ends a pair because of a problem with a run of a side, or of `--prepare`.
fn outcome_of(Problem { kind, why }: Problem, side: Option<Side>, command: &CommandLine, may_skip: bool) -> Outcome {
    let whose = format!("{} ({}) {why}", side.map_or("--prepare", Side::name), command.text);
    let (verdict, reason) = match (kind, side) {
        (ProblemKind::Machine, _) => (Verdict::NotCompared, why),
        (ProblemKind::Suspended, _) => (Verdict::NotMeasured, whose),
        (_, Some(Side::Head)) => (Verdict::Failed, whose),
        (ProblemKind::TooLong, _) => (Verdict::NotMeasured, whose),
        (ProblemKind::MayBeNew, Some(Side::Base)) if may_skip => {
            (Verdict::Skipped, format!("only head can run it: {whose}"))
        }
        _ => (Verdict::NotCompared, whose),
    };
    Outcome { verdict, reason }
}

/// Fails if a run did not do the same as the first one.
fn expect_same(first: &Finished, found: &Finished, side: Side) -> Result<(), Problem> {
    let other = if side == Side::Base { "its first run" } else { "base" };
    let why = if first.status != found.status {
        format!("ended with {}, but {other} with {}", found.status, first.status)
    } else if first.output != found.output {
        let line = difference(&first.output, &found.output);
        format!("did not print the same as {other}: {line}; give --any-output if you intend that")
    } else {
        return Ok(());
    };
    Err(ProblemKind::Command.because(why))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn each_command_fills_the_places_of_a_pair() {
        let pairs = |words: &[&str]| {
            let args = Args::try_parse_from([&["abgate"], words].concat()).unwrap();
            let show = |pair: &Commands| format!("{}: {} | {}", pair.case, pair.base.text, pair.head.text);
            Commands::of_cases(&args).map(|pairs| pairs.iter().map(show).collect::<Vec<_>>())
        };
        assert_eq!(pairs(&["--base", "a 'x y'", "--head", "b"]).unwrap(), [": a 'x y' | b"]);
        let many = pairs(&["--base", "sh -c 'cd a; ./{}'", "--head", "b/{}", "sort 1", "sort 2"]).unwrap();
        assert_eq!(many, ["sort 1: sh -c 'cd a; ./sort 1' | b/sort 1", "sort 2: sh -c 'cd a; ./sort 2' | b/sort 2"]);
        for (words, said) in [
            (["--base", "a/{}", "--head", "b", "sort"].as_slice(), "--head: 'b' has no {} that CASE 'sort' could"),
            (&["--base", "a/{}", "--head", "b/{}"], "--base: no CASE replaces {} in 'a/{}': give one"),
            (&["--base", "a/{}", "--head", "b/{}", "sort >x"], "--base: 'a/sort >x' contains '>'"),
            (&["--base", "a/{}", "--head", "b/{}", "sort >x"], ": give \"sh -c 'a/{}'\", or quote"),
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
            assert_eq!(Commands::of_cases(&args).unwrap().len(), 2, "{args:?}");
        }
    }
}
