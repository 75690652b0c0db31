//! The commands of a pair: fills them from the options, runs one of them, and compares its runs.

use clap::CommandFactory;
use clap::error::ErrorKind;

use crate::command_line::CommandLine;
use crate::measurement::Run;
use crate::options::Args;
use crate::output::difference;
use crate::rounds::{Side, WARM_UP};
use crate::run::{Finished, Problem, ProblemKind, run_once};
use crate::verdict::{Outcome, Verdict};
use crate::watch::Watch;

/// The most times that a run is repeated because the gate was suspended meanwhile. The budget does not limit this,
/// because it leaves out suspensions.
const TRIES: usize = 3;

/// A base and a head, and what prepares each of their runs.
#[derive(Debug)]
pub(crate) struct Commands {
    /// The COMMAND that replaced `{}`, or an empty text if there is none.
    pub(crate) name: String,
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    prepare: Option<CommandLine>,
    /// The first run, which every other run must equal.
    first: Option<Finished>,
}

impl Commands {
    /// Returns the commands of each COMMAND, or of the only pair if there is none.
    ///
    /// # Errors
    /// Names a command that cannot be split, or a `{}` that is missing or that nothing replaces.
    pub(crate) fn all(args: &Args) -> Result<Vec<Self>, clap::Error> {
        let all: Result<_, String> = match &args.names[..] {
            [] => Self::of(args, None).map(|only| vec![only]),
            names => names.iter().map(|name| Self::of(args, Some(name))).collect(),
        };
        all.map_err(|why| Args::command().error(ErrorKind::ValueValidation, why))
    }

    fn of(args: &Args, name: Option<&str>) -> Result<Self, String> {
        let fill = |option: &str, line: &str| CommandLine::new(line, name).map_err(|why| format!("{option}: {why}"));
        let side = |option: &str, line: &str| match name {
            Some(name) if !line.contains("{}") => Err(format!(
                "{option}: '{line}' has no {{}} that COMMAND '{name}' could replace: write {{}} where it goes, such as \
                 'old/{{}}', or quote the whole command"
            )),
            _ => fill(option, line),
        };
        Ok(Self {
            name: name.unwrap_or_default().to_owned(),
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
    pub(crate) fn warm_up(&mut self, args: &Args, watch: &Watch) -> Result<(), Outcome> {
        for side in WARM_UP {
            if let Err(outcome) = self.run(side, args, watch) {
                // What only head can run is skipped, so head has to.
                if outcome.verdict == Verdict::Skipped {
                    self.run(Side::Head, args, watch)?;
                }
                return Err(outcome);
            }
        }
        Ok(())
    }

    /// Prepares a command, runs it once, and compares the run with the first one. A run during which the gate was
    /// suspended is repeated, because nobody knows how long it took.
    pub(crate) fn run(&mut self, side: Side, args: &Args, watch: &Watch) -> Result<Run, Outcome> {
        for _ in 0..TRIES {
            let stops = watch.stops();
            if let Some(prepare) = &self.prepare {
                run_once(prepare, args, watch).map_err(|problem| self.blame(problem, None, prepare, args))?;
            }
            let command = self.command(side);
            let found =
                run_once(command, args, watch).map_err(|problem| self.blame(problem, Some(side), command, args))?;
            if watch.stops() > stops {
                continue;
            }
            let run = found.run;
            match &self.first {
                Some(first) => self.expect_same(first, &found, side)?,
                None => self.first = Some(found),
            }
            return Ok(run);
        }
        let why = format!("was suspended together with the gate in {TRIES} runs: keep the machine awake");
        Err(self.outcome(Verdict::NotMeasured, side, &why))
    }

    /// Returns the outcome that ends the pair because of a run of this side.
    fn outcome(&self, verdict: Verdict, side: Side, why: &str) -> Outcome {
        Outcome { verdict, reason: format!("{} ({}) {why}", side.name(), self.command(side).text) }
    }

    /// Returns the outcome that ends the pair because a run of a side, or of the preparation, has a problem.
    fn blame(&self, Problem { kind, why }: Problem, side: Option<Side>, command: &CommandLine, args: &Args) -> Outcome {
        let blame = format!("{} ({}) {why}", side.map_or("--prepare", Side::name), command.text);
        let may_skip = args.skip_new && self.first.is_none();
        let (verdict, reason) = match (kind, side) {
            (ProblemKind::Machine, _) => (Verdict::NotCompared, why),
            (_, Some(Side::Head)) => (Verdict::Failed, blame),
            (ProblemKind::TooLong, _) => (Verdict::NotMeasured, blame),
            (ProblemKind::MayBeNew, Some(Side::Base)) if may_skip => {
                (Verdict::Skipped, format!("only head can run it: {blame}"))
            }
            _ => (Verdict::NotCompared, blame),
        };
        Outcome { verdict, reason }
    }

    /// Checks that a run did the same as the first one.
    fn expect_same(&self, first: &Finished, found: &Finished, side: Side) -> Result<(), Outcome> {
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
            return Ok(());
        };
        Err(self.outcome(verdict, side, &why))
    }

    fn command(&self, side: Side) -> &CommandLine {
        match side {
            Side::Base => &self.base,
            Side::Head => &self.head,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn each_command_fills_the_places_of_a_pair() {
        let pairs = |words: &[&str]| {
            let args = Args::try_parse_from([&["abgate"], words].concat()).unwrap();
            let show = |pair: &Commands| format!("{}: {} | {}", pair.name, pair.base.text, pair.head.text);
            Commands::all(&args).map(|pairs| pairs.iter().map(show).collect::<Vec<_>>())
        };
        assert_eq!(pairs(&["--base", "a 'x y'", "--head", "b"]).unwrap(), [": a 'x y' | b"]);
        let many = pairs(&["--base", "sh -c 'cd a; ./{}'", "--head", "b/{}", "sort 1", "sort 2"]).unwrap();
        assert_eq!(many, ["sort 1: sh -c 'cd a; ./sort 1' | b/sort 1", "sort 2: sh -c 'cd a; ./sort 2' | b/sort 2"]);
        for (words, said) in [
            (["--base", "a/{}", "--head", "b", "sort"].as_slice(), "--head: 'b' has no {} that COMMAND 'sort' could"),
            (&["--base", "a/{}", "--head", "b/{}"], "--base: no COMMAND replaces {} in 'a/{}': give one"),
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
            assert_eq!(Commands::all(&args).unwrap().len(), 2, "{args:?}");
        }
    }
}
