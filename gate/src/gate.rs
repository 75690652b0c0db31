//! Runs two commands in turn and compares what they do.

use std::time::{Duration, Instant};

use crate::command::{Finished, How};
use crate::input::Input;
use crate::judge::{Clock, FEWEST_ROUNDS, Judgement, Measurement, Round, judge};
use crate::notes::Notes;
use crate::options::Args;
use crate::processes::adopt;
use crate::reason::reason;
use crate::rounds::{Side, WARM_UP, enough, too_few, too_little, until_judged};
use crate::verdict::Verdict;
use n_queens_terminal::escape::shortened;
use n_queens_terminal::signals;
use n_queens_terminal::units::{plural, seconds};

/// The start of a program may be a large part of a command that ends sooner, in seconds.
const SHORT: f64 = 0.005;

/// No gate passes sooner, unless its budget is over. On a busy machine the system may keep the threads of the base on one
/// core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// A gate and its result.
pub(crate) struct Gate<'a> {
    pub(crate) args: &'a Args,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// By each clock, if there were enough rounds.
    pub(crate) measurements: Vec<Measurement>,
    /// What the user should know beside the reason.
    pub(crate) remarks: Vec<String>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) seconds: f64,
}

/// A verdict and its reason.
type Decided = (Verdict, String);

impl<'a> Gate<'a> {
    /// Compares the commands of `args`. No round starts after the budget.
    pub(crate) fn run(args: &'a Args, input: Result<Input, String>, notes: &Notes<'_>) -> Self {
        let start = Instant::now();
        let (verdict, reason) = not_measured("");
        let mut gate = Self {
            args,
            verdict,
            reason,
            measurements: Vec::new(),
            remarks: Vec::new(),
            rounds: Vec::new(),
            seconds: 0.0,
        };
        let decided = input.map_err(not_compared).and_then(|input| gate.run_rounds(start, &input, notes));
        (gate.verdict, gate.reason) = match decided {
            Err(_) if signals::caught().is_some() => not_measured("the gate was interrupted"),
            Ok(decided) | Err(decided) => decided,
        };
        gate.seconds = start.elapsed().as_secs_f64();
        gate
    }

    /// Runs both commands until there is a verdict. A verdict without all rounds is an error.
    fn run_rounds(&mut self, start: Instant, input: &Input, notes: &Notes<'_>) -> Result<Decided, Decided> {
        let (args, budget) = (self.args, self.args.budget.as_secs_f64());
        let mut remark = |remark: String| {
            notes.note(&remark);
            self.remarks.push(remark);
        };
        if input.is_file() {
            remark("each run reads the file on standard input".to_owned());
        }
        let how =
            How { input, timeout: args.timeout, keeps_output: !args.any_output, ignores_failure: args.ignore_failure };
        adopt();
        // The shortest run, of all that belongs to it and of the command alone.
        let (mut first, mut shortest, mut of_command) = (None, f64::INFINITY, f64::INFINITY);
        for side in WARM_UP {
            let began = Instant::now();
            let found = once(args, how, side, first.as_ref())?;
            shortest = shortest.min(began.elapsed().as_secs_f64());
            of_command = of_command.min(found.run.times[Clock::Elapsed as usize]);
            if first.is_none() && enough(shortest) > budget {
                remark(format!("{}; this gate may end without a verdict", too_little(shortest)));
            }
            first.get_or_insert(found);
        }
        if of_command < SHORT {
            remark(format!(
                "a run takes {}, and the start of the program is part of it: changes show better in a command of 10 ms or more",
                seconds(of_command)
            ));
        }
        if start.elapsed().as_secs_f64() + shortest * (4 * (FEWEST_ROUNDS - 1)) as f64 > budget {
            return Err(not_measured(&too_little(shortest)));
        }
        let mut next_note = Duration::from_secs(10);
        let (rounds, judgement) = until_judged(
            |rounds| {
                let judgement = judge(rounds, args.threshold, args.clock)?;
                let is_early = judgement.verdict == Verdict::Pass && start.elapsed() < PATIENCE;
                Some(Judgement { is_final: judgement.is_final && !is_early, ..judgement })
            },
            |rounds| {
                if start.elapsed() >= next_note {
                    next_note += Duration::from_secs(60);
                    notes.note(&format!("measuring: {} so far", plural(rounds, "round")));
                }
                start.elapsed() >= args.budget
            },
            |side| Ok(once(args, how, side, first.as_ref())?.run),
        )?;
        self.rounds = rounds;
        let rounds = self.rounds.len();
        let judgement = judgement.ok_or_else(|| not_measured(&too_few(rounds, start.elapsed().as_secs_f64())))?;
        self.measurements = judgement.measurements.into();
        Ok((judgement.verdict, reason(&judgement, rounds, args.threshold, args.clock)))
    }
}

/// The verdict if nothing can be compared.
fn not_compared(why: String) -> Decided {
    (Verdict::NotCompared, why)
}

/// The verdict if there are too few rounds.
fn not_measured(why: &str) -> Decided {
    (Verdict::NotMeasured, format!("not measured: {why}"))
}

/// Prepares a command, runs it once, and compares what it did with the expected run.
fn once(args: &Args, how: How<'_>, side: Side, expected: Option<&Finished>) -> Result<Finished, Decided> {
    // A short run ends before anybody looks at the signal.
    if signals::caught().is_some() {
        return Err(not_measured("the gate was interrupted"));
    }
    if let Some(prepare) = &args.prepare {
        let fails = |why| not_compared(format!("--prepare ({prepare}): {why}"));
        let how = How { input: &Input::default(), keeps_output: false, ignores_failure: false, ..how };
        let prepared = prepare.run(how).map_err(fails)?;
        if prepared.has_left {
            return Err(fails(STILL_RUNNING.to_owned()));
        }
    }
    let (name, command, otherwise) = match side {
        Side::Base => ("base", &args.base, "each time"),
        Side::Head => ("head", &args.head, "than base"),
    };
    let named = |why| format!("{name} ({command}): {why}");
    let fails = |why| match side {
        Side::Base => not_compared(named(why)),
        Side::Head => (Verdict::Failed, named(why)),
    };
    let found = command.run(how).map_err(fails)?;
    if found.has_left {
        let what = STILL_RUNNING;
        let why = format!("{what}, and nobody can measure that: let the command wait for all that it starts");
        return Err((Verdict::LeftRunning, named(why)));
    }
    match expected {
        Some(expected) if expected.status != found.status => {
            let (status, before) = (found.status, expected.status);
            Err(fails(format!("it ends otherwise {otherwise}: with {status} instead of {before}")))
        }
        Some(expected) if expected.output != found.output => {
            let line = difference(&expected.output, &found.output);
            Err(fails(format!("it prints something else {otherwise}: {line}; give --any-output if you intend that")))
        }
        _ => Ok(found),
    }
}

const STILL_RUNNING: &str = "when it ended, a process of its group was still running and was stopped";

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
