//! Two commands: runs them in turn and says what was found.

use std::time::{Duration, Instant};

use crate::command::{Finished, How};
use crate::escape::shortened;
use crate::input::Input;
use crate::judge::{Clock, FEWEST_ROUNDS, Finding, Judgement, Round, judge};
use crate::left::Leftovers;
use crate::notes::Notes;
use crate::rounds::{Side, WARM_UP, enough, too_few, too_little, until_judged};
use crate::signals;
use crate::statistics::Estimate;
use crate::units::{change, percent, plural, seconds};
use crate::verdict::Verdict;
use crate::{Args, Ending};

/// The start of a program may be a large part of a command that ends sooner, in seconds.
const SHORT: f64 = 0.005;

/// No gate passes sooner, unless its budget is over. On a busy machine the system may keep the threads of the base on one
/// core for seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The result of a gate.
pub(crate) struct Outcome<'a> {
    pub(crate) args: &'a Args,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// If there were enough rounds.
    pub(crate) judgement: Option<Judgement>,
    /// What the user should know beside the reason.
    pub(crate) remarks: Vec<String>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) seconds: f64,
}

/// A verdict without more rounds, and its reason.
type Trouble = (Verdict, String);

impl<'a> Outcome<'a> {
    /// Compares the commands of `args`. No round starts after the budget.
    pub(crate) fn measure(args: &'a Args, input: Result<Input, String>, notes: &Notes<'_>) -> Self {
        let start = Instant::now();
        let mut outcome = Self {
            args,
            verdict: Verdict::NotMeasured,
            reason: String::new(),
            judgement: None,
            remarks: Vec::new(),
            rounds: Vec::new(),
            seconds: 0.0,
        };
        match outcome.run_rounds(start, input, notes) {
            Err(_) if signals::caught().is_some() => outcome.leave_out("the gate was interrupted"),
            Err(trouble) => (outcome.verdict, outcome.reason) = trouble,
            Ok(()) => {}
        }
        outcome.seconds = start.elapsed().as_secs_f64();
        outcome
    }

    /// Runs both commands until there is a verdict.
    fn run_rounds(&mut self, start: Instant, input: Result<Input, String>, notes: &Notes<'_>) -> Result<(), Trouble> {
        let input = input.map_err(not_compared)?;
        let (args, budget) = (self.args, self.args.budget.as_secs_f64());
        let mut remark = |remark: String| {
            notes.note(&remark);
            self.remarks.push(remark);
        };
        if input.is_some() {
            remark("each run reads all of standard input".to_owned());
        }
        let how = How {
            input: &input,
            leftovers: &Leftovers::adopt(),
            timeout: args.timeout,
            keeps_output: !args.any_output,
            ignores_failure: args.ignore_failure,
        };
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
            self.leave_out(&too_little(shortest));
            return Ok(());
        }
        let mut runs = 0;
        let (rounds, judgement) = until_judged(
            |rounds| {
                let judgement = judge(rounds, args.threshold, args.clock)?;
                let is_early = judgement.verdict == Verdict::Pass && start.elapsed() < PATIENCE;
                Some(Judgement { is_final: judgement.is_final && !is_early, ..judgement })
            },
            || start.elapsed() >= args.budget,
            |side| {
                // A short run ends before anybody looks at the signal.
                if signals::caught().is_some() {
                    return Err(not_compared("it was interrupted".to_owned()));
                }
                let found = once(args, how, side, first.as_ref())?;
                runs += 1;
                notes.progress(runs / 4);
                Ok(found.run)
            },
        )?;
        match judgement {
            Some(judgement) => {
                self.verdict = judgement.verdict;
                self.reason = reason(&judgement, rounds.len(), args.threshold, args.clock);
            }
            None => self.leave_out(&too_few(rounds.len(), start.elapsed().as_secs_f64())),
        }
        (self.rounds, self.judgement) = (rounds, judgement);
        Ok(())
    }

    pub(crate) fn ending(&self) -> Ending {
        match self.verdict {
            Verdict::Pass => Ending::NotSlower,
            Verdict::Noise if self.args.allow_inconclusive => Ending::NotSlower,
            Verdict::Regression => Ending::Slower,
            Verdict::Failed => Ending::HeadFailed,
            Verdict::NotCompared => Ending::NothingCompared,
            _ => Ending::Inconclusive,
        }
    }

    /// Says why there is no verdict.
    fn leave_out(&mut self, why: &str) {
        self.reason = format!("not measured: {why}");
    }
}

/// Prepares a command, runs it once, and compares what it did with the expected run.
fn once(args: &Args, how: How<'_>, side: Side, expected: Option<&Finished>) -> Result<Finished, Trouble> {
    if let Some(prepare) = &args.prepare {
        let fails = |why| not_compared(format!("--prepare ({prepare}): {why}"));
        let how = How { input: &Input::default(), keeps_output: false, ignores_failure: false, ..how };
        let prepared = prepare.run(how).map_err(fails)?;
        if !prepared.left.is_empty() {
            return Err(fails(still_running(&prepared.left)));
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
    if !found.left.is_empty() {
        let what = still_running(&found.left);
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

/// The verdict if nothing can be compared.
fn not_compared(why: String) -> Trouble {
    (Verdict::NotCompared, why)
}

fn still_running(left: &[String]) -> String {
    format!("when it ended, '{}' was still running and was stopped", left.join("', '"))
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

/// The measurement and its verdict in words.
fn reason(judgement: &Judgement, rounds: usize, threshold: f64, decides: Option<Clock>) -> String {
    let Judgement { verdict, readings, .. } = judgement;
    let [processor, elapsed] = readings.map(|reading| {
        let Estimate { value, low, high } = reading.ratio;
        format!("{} {} time ({} to {})", change(value), reading.clock.name(), change(low), change(high))
    });
    // The clock that the verdict is by: the one with the worse finding, of those that decide.
    let [processor_time, elapsed_time] = &readings;
    let (reading, other) = match decides {
        Some(Clock::Elapsed) => (elapsed_time, processor_time),
        None if elapsed_time.finding > processor_time.finding => (elapsed_time, processor_time),
        _ => (processor_time, elapsed_time),
    };
    let (clock, noise, threshold) = (reading.clock.name(), percent(reading.noise), percent(threshold));
    let alone = |clock: &str| format!("--clock {clock} decides by {clock} time alone");
    let is_other_decided = decides.is_none() && other.finding == Finding::NotSlower;
    let way_out = if is_other_decided { format!("; {}", alone(other.clock.name())) } else { String::new() };
    let judged = match verdict {
        Verdict::Regression => {
            format!("beyond the threshold of {threshold} and the noise of {noise} by {clock} time")
        }
        Verdict::ProbablySlower => format!(
            "beyond the threshold of {threshold} by {clock} time, but not beyond the noise of {noise}; raise --budget or \
             use a quieter machine"
        ),
        Verdict::OneClock => {
            let other = other.clock.name();
            let ways = format!("{}, and {}", alone(clock), alone(other));
            format!("{clock} time is beyond the threshold of {threshold}, {other} time is not; {ways}")
        }
        Verdict::Uneven => {
            let (what, by, why) = if reading.mean >= reading.fastest {
                ("mean", reading.mean, "some runs are much slower, by themselves or because of other programs")
            } else {
                (
                    "fastest run",
                    reading.fastest,
                    "other programs may hide that head is slower, or one run of base was lucky",
                )
            };
            format!(
                "but by {clock} time its {what} is {}, beyond the threshold of {threshold} and the noise of {noise}: {why}; \
                 raise --budget or use a quieter machine{way_out}",
                change(by)
            )
        }
        Verdict::Noise => {
            let hindered =
                if reading.is_base_hindered { ", and other programs hinder base more than head" } else { "" };
            format!(
                "a threshold of {threshold} stays open by {clock} time with a noise of {noise}{hindered}; raise --budget or \
                 --threshold, or use a quieter machine{way_out}"
            )
        }
        _ => format!("within the threshold of {threshold}"),
    };
    format!("head takes {processor} and {elapsed} in {}: {judged}", plural(rounds, "round"))
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::judge::Run;

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

    /// Trap: by elapsed time, the mean of equal commands differs if other programs stop a few runs.
    #[test]
    fn the_sentence_names_what_is_beyond_the_threshold_and_the_clock_that_decides() {
        let said = |slow: [f64; 2], fast: [f64; 2], decides| {
            let times = |round: usize, side| match (round, side) {
                (5, Side::Head) => slow,
                (5, Side::Base) => fast,
                _ => [1.0; 2],
            };
            let run = |times| Run { times, ..Run::default() };
            let round = |round| Round {
                base: [run(times(round, Side::Base)), run([1.0; 2])],
                head: [run(times(round, Side::Head)), run([1.0; 2])],
            };
            let rounds: Vec<Round> = (0..10).map(round).collect();
            reason(&judge(&rounds, 0.03, decides).unwrap(), 10, 0.03, decides)
        };
        let (stopped, lucky, same) = ([1.0, 10.0], [0.5, 1.0], [1.0; 2]);
        for (slow, fast, decides, expected) in [
            (
                stopped,
                same,
                None,
                ": but by elapsed time its mean is +45.0 %, beyond the threshold of 3.0 % and the noise of 0.0 %: some runs",
            ),
            (stopped, same, None, "a quieter machine; --clock processor decides by processor time alone"),
            (stopped, same, Some(Clock::Elapsed), "raise --budget or use a quieter machine"),
            (stopped, same, Some(Clock::Processor), ": within the threshold of 3.0 %"),
            (same, lucky, None, ": but by processor time its fastest run is +100.0 %, beyond"),
            (same, same, None, ": within the threshold of 3.0 %"),
        ] {
            let reason = said(slow, fast, decides);
            assert!(reason.contains(expected), "{reason}");
        }
    }
}
