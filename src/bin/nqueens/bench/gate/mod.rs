//! The regression gate: runs two commands in turn, the base and the head, and judges whether the head is slower.
//!
//! A head that fails, hangs or prints something else is a verdict. A base that does so is an error: nothing can be
//! compared with it. If the gate is interrupted or its time is over, the outcome says what was not measured.

mod command;
mod outcome;
mod page;
mod verdict;

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::exit::Fault;
use crate::terminal::escape::shortened;
pub(crate) use command::{Clock, CommandLine};
use command::{Finished, NoTime};
use nqueens::CancelToken;
use nqueens::solver::Isa;
pub(crate) use outcome::{Compared, GateOutcome, Measured};
pub(crate) use verdict::{Doubt, Verdict};
use verdict::{FEWEST_ROUNDS, Side, until_judged};

/// What to compare, and for how long.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) pairs: Vec<Pair>,
    /// The smallest slowdown that fails, such as 0.03.
    pub(crate) threshold: f64,
    pub(crate) clock: Clock,
    /// Whether the head may print something else than the base.
    pub(crate) allows_any_output: bool,
    /// When to stop a process.
    pub(crate) timeout: Duration,
    /// When to start no more rounds.
    pub(crate) budget: Duration,
}

/// Two commands to compare.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// The name in the outcome.
    name: String,
    base: CommandLine,
    head: CommandLine,
}

/// The commands to compare. Two bare programs of this project get a default set of counts.
pub(crate) fn pairs(base: &CommandLine, head: &CommandLine) -> Vec<Pair> {
    let pair = |name: &str, base: CommandLine, head: CommandLine| Pair { name: name.to_owned(), base, head };
    if base.is_bare_nqueens() && head.is_bare_nqueens() {
        return counts().into_iter().map(|count| pair(count, base.with(count), head.with(count))).collect();
    }
    vec![pair(&head.to_string(), base.clone(), head.clone())]
}

/// The default set: counts that take about 0.05 to 0.2 s of processor time, so that a busy machine runs each often
/// enough. AVX2 is left out where it is missing or the best.
fn counts() -> Vec<&'static str> {
    let has_better_than_avx2 = Isa::available().iter().any(|isa| matches!(isa, Isa::Avx512 | Isa::Avx512Bitalg));
    let counts = [
        "count 12 --solver arrays --threads 1 --quiet",
        "count 14 --solver bitmask --threads 1 --quiet",
        "count 17 --solver color --isa avx2 --threads 1 --quiet",
        "count 17 --solver color --threads 1 --quiet",
        "count 17 --solver color --quiet",
    ];
    counts.into_iter().filter(|count| has_better_than_avx2 || !count.contains("--isa avx2")).collect()
}

/// Compares the commands. `observe` is called after each process with the share of the work that is done, the name, and
/// the finished rounds.
///
/// # Errors
/// If the base fails, with [`Fault::Usage`].
pub(crate) fn run(
    settings: &Settings,
    cancel: &CancelToken,
    observe: &mut dyn FnMut(f64, &str, usize),
) -> Result<GateOutcome> {
    let start = Instant::now();
    let deadline = start + settings.budget;
    let gate = Gate { settings, cancel };
    let (mut commands, all) = (Vec::<Compared>::new(), settings.pairs.len());
    for (index, pair) in settings.pairs.iter().enumerate() {
        let now = Instant::now();
        // An equal share of the time that is left. Time that a command does not need goes to the others.
        let left = deadline.saturating_duration_since(now);
        let until = now + left / u32::try_from(all - index).unwrap_or(u32::MAX);
        let why_not = if cancel.is_cancelled() {
            Some("the gate was interrupted")
        } else if commands.iter().any(|compared| compared.verdict == Verdict::Failed) {
            // A head that cannot run one command seldom runs the next, and may hang again.
            Some("a command before it failed")
        } else {
            (index > 0 && left.is_zero()).then_some("the time was over, so raise --budget")
        };
        commands.push(match why_not {
            Some(why) => Compared::not_measured(pair, why),
            None => gate.compare(pair, until, &mut |rounds| {
                let within = (rounds as f64 / FEWEST_ROUNDS as f64).min(1.0);
                observe((index as f64 + within) / all as f64, &pair.name, rounds);
            })?,
        });
    }
    Ok(GateOutcome::new(settings, commands, start.elapsed()))
}

struct Gate<'a> {
    settings: &'a Settings,
    cancel: &'a CancelToken,
}

impl Gate<'_> {
    /// Compares two commands, in at least one round. No round starts after `until`.
    fn compare(&self, pair: &Pair, until: Instant, observe: &mut dyn FnMut(usize)) -> Result<Compared> {
        let start = Instant::now();
        let mut processes = 0;
        // The largest share of a run's time that is processor time. On a busy machine, most runs have a smaller one.
        let mut shares = [0.0f64; 2];
        // A warm-up. The second run of the base shows whether it prints the same each time.
        let measured = self.run(pair, Side::Base, None).and_then(|first| {
            let expected = &first.output;
            self.run(pair, Side::Base, Some(expected))?;
            self.run(pair, Side::Head, Some(expected))?;
            until_judged(
                self.settings.threshold,
                || Instant::now() >= until,
                |side| {
                    let found = self.run(pair, side, Some(expected))?;
                    processes += 1;
                    observe(processes / 4);
                    let of_processor = found.processor_seconds.unwrap_or(found.elapsed_seconds);
                    let share = &mut shares[usize::from(side == Side::Head)];
                    *share = share.max(of_processor / found.elapsed_seconds);
                    Ok(match self.settings.clock {
                        Clock::Processor => of_processor,
                        Clock::Elapsed => found.elapsed_seconds,
                    })
                },
            )
        });
        match measured {
            Err((_, NoTime::Interrupted)) => Ok(Compared::not_measured(pair, "the gate was interrupted")),
            Err((Side::Base, NoTime::Failed(why))) => {
                Err(Fault::Usage.error(format!("nothing can be compared: base ({}): {why}", pair.base)))
            }
            Err((Side::Head, NoTime::Failed(why))) => Ok(Compared::failed(pair, why)),
            Ok((rounds, None)) => {
                let needed = start.elapsed().as_secs_f64() * FEWEST_ROUNDS as f64 / rounds.len() as f64;
                Ok(Compared::too_few_rounds(pair, rounds.len(), needed * self.settings.pairs.len() as f64))
            }
            Ok((rounds, Some(judgement))) => {
                let measured = Measured { judgement, rounds, processor_share: shares[0].min(shares[1]) };
                Ok(Compared::judged(pair, measured, self.settings))
            }
        }
    }

    /// Runs a command once and compares its output with the expected one.
    fn run(&self, pair: &Pair, side: Side, expected: Option<&Vec<u8>>) -> Result<Finished, (Side, NoTime)> {
        let Settings { timeout, allows_any_output, .. } = *self.settings;
        let command = if side == Side::Base { &pair.base } else { &pair.head };
        let found = command.run(!allows_any_output, timeout, self.cancel).map_err(|error| (side, error))?;
        match expected {
            Some(expected) if *expected != found.output => {
                let why = match side {
                    Side::Base => "it prints something else each time",
                    Side::Head => "it prints something else than base",
                };
                let said =
                    format!("{why}: {}; give --any-output if you intend that", difference(expected, &found.output));
                Err((side, NoTime::Failed(said)))
            }
            _ => Ok(found),
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
    fn only_two_bare_programs_get_the_default_set() {
        let pairs = |base: &str, head: &str| pairs(&base.parse().unwrap(), &head.parse().unwrap());
        let set = pairs("old/nqueens", "new/nqueens");
        assert!(set.len() >= 4 && set.iter().all(|pair| pair.head.to_string() == format!("new/nqueens {}", pair.name)));
        for (base, head) in [("old/nqueens", "new/nqueens count 8"), ("old/sort", "new/sort")] {
            assert_eq!(pairs(base, head).len(), 1, "{base}");
        }
    }

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
