//! Two commands: runs them in turn and says what was found.

use std::time::Instant;

use anyhow::{Result, bail};
use nqueens::CancelToken;
use nqueens::solver::Isa;
use serde::Serialize;

use super::Args;
use super::command::{CommandLine, Finished};
use super::verdict::{FEWEST_ROUNDS, Judgement, Round, Side, Verdict, until_judged};
use crate::exit::Fault;
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;
use crate::terminal::units::{change, percent};

/// Commands that use the processor for a smaller share of their time mostly wait.
const WAITING_SHARE: f64 = 0.05;

/// Two commands and the verdict.
#[derive(Debug, Serialize)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) base: CommandLine,
    pub(super) head: CommandLine,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// If there were enough rounds.
    #[serde(flatten)]
    pub(super) judgement: Option<Judgement>,
    /// The times of each round, in seconds.
    pub(super) rounds: Vec<Round>,
}

impl Pair {
    /// The commands to compare. Two bare programs of this project get a default set of counts.
    pub(super) fn all(base: &CommandLine, head: &CommandLine) -> Vec<Self> {
        let pair = |name: String, base: CommandLine, head: CommandLine| Self {
            name,
            base,
            head,
            verdict: Verdict::NotMeasured,
            reason: String::new(),
            judgement: None,
            rounds: Vec::new(),
        };
        if base.is_bare_nqueens() && head.is_bare_nqueens() {
            return counts().map(|count| pair(count.to_owned(), base.with(count), head.with(count))).collect();
        }
        vec![pair(head.to_string(), base.clone(), head.clone())]
    }

    /// Compares two commands, in at least one round. No round starts after `until`. `observe` gets the finished rounds.
    pub(super) fn compare(
        &mut self,
        args: &Args,
        until: Instant,
        all: usize,
        cancel: &CancelToken,
        observe: impl Fn(usize),
    ) -> Result<()> {
        let start = Instant::now();
        let mut processes = 0;
        // The largest share of a run's time that is processor time. On a busy machine, most runs have a smaller one.
        let mut shares = [0.0f64; 2];
        let run = |side, expected: Option<&[u8]>| self.run(args, side, expected, cancel).map_err(|error| (side, error));
        // A warm-up. The second run of the base shows whether it prints the same each time.
        let measured = run(Side::Base, None).and_then(|first| {
            let expected = Some(&first.output[..]);
            run(Side::Base, expected)?;
            run(Side::Head, expected)?;
            until_judged(
                args.threshold,
                || Instant::now() >= until,
                |side| {
                    let Finished { elapsed_seconds, processor_seconds, .. } = run(side, expected)?;
                    processes += 1;
                    observe(processes / 4);
                    let share = &mut shares[usize::from(side == Side::Head)];
                    *share = share.max(processor_seconds / elapsed_seconds);
                    Ok(if args.is_elapsed() { elapsed_seconds } else { processor_seconds })
                },
            )
        });
        match measured {
            Err(_) if cancel.is_cancelled() => self.leave_out("the gate was interrupted"),
            Err((Side::Base, why)) => {
                return Err(Fault::Usage.error(format!("nothing can be compared: base ({}): {why:#}", self.base)));
            }
            Err((Side::Head, why)) => {
                self.verdict = Verdict::Failed;
                self.reason = format!("head ({}): {why:#}", self.head);
            }
            Ok((rounds, None)) => {
                let a_round = start.elapsed().as_secs_f64() / rounds.len() as f64;
                let needed = a_round * (FEWEST_ROUNDS * all) as f64;
                self.leave_out(&format!(
                    "only {} in the time, and a verdict needs {FEWEST_ROUNDS}: raise --budget to {:.0}s or use shorter \
                     commands",
                    plural(rounds.len(), "round"),
                    (needed * 1.2).ceil()
                ));
            }
            Ok((rounds, Some(judgement))) => {
                let waits = !args.is_elapsed() && shares[0].min(shares[1]) < WAITING_SHARE;
                self.verdict = match judgement.verdict {
                    Verdict::Pass | Verdict::Noise if waits => Verdict::MostlyWaits,
                    verdict => verdict,
                };
                self.reason = reason(self.verdict, &judgement, rounds.len(), args.threshold);
                (self.rounds, self.judgement) = (rounds, Some(judgement));
            }
        }
        Ok(())
    }

    /// Runs a command once and compares its output with the expected one.
    fn run(&self, args: &Args, side: Side, expected: Option<&[u8]>, cancel: &CancelToken) -> Result<Finished> {
        let command = if side == Side::Base { &self.base } else { &self.head };
        let found = command.run(!args.any_output, args.timeout, cancel)?;
        if let Some(expected) = expected.filter(|expected| *expected != found.output) {
            let otherwise = if side == Side::Base { "each time" } else { "than base" };
            let line = difference(expected, &found.output);
            bail!("it prints something else {otherwise}: {line}; give --any-output if you intend that");
        }
        Ok(found)
    }

    /// Says why there is no verdict.
    pub(super) fn leave_out(&mut self, why: &str) {
        self.reason = format!("not measured: {why}");
    }
}

/// The default set: counts that take about 0.05 to 0.2 s of processor time, so that a busy machine runs each often
/// enough. AVX2 is left out where it is missing or the best.
fn counts() -> impl Iterator<Item = &'static str> {
    let has_better_than_avx2 = Isa::available().iter().any(|isa| matches!(isa, Isa::Avx512 | Isa::Avx512Bitalg));
    let counts = [
        "count 12 --solver arrays --threads 1 --quiet",
        "count 14 --solver bitmask --threads 1 --quiet",
        "count 17 --solver color --isa avx2 --threads 1 --quiet",
        "count 17 --solver color --threads 1 --quiet",
        "count 17 --solver color --quiet",
    ];
    counts.into_iter().filter(move |count| has_better_than_avx2 || !count.contains("--isa avx2"))
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
fn reason(verdict: Verdict, Judgement { ratio, noise, .. }: &Judgement, rounds: usize, threshold: f64) -> String {
    let (threshold, noise) = (percent(threshold), percent(*noise));
    let judged = match verdict {
        Verdict::Regression => format!("beyond the threshold of {threshold} and the noise of {noise}"),
        Verdict::ProbablySlower => format!(
            "beyond the threshold of {threshold}, but not beyond the noise of {noise}; raise --budget or use a quieter \
             machine"
        ),
        Verdict::MostlyWaits => {
            "in processor time; but the commands mostly wait, which only --elapsed judges".to_owned()
        }
        Verdict::Noise => format!(
            "a threshold of {threshold} stays open with a noise of {noise}; raise --budget or --threshold, or use a \
             quieter machine"
        ),
        _ if ratio.high < 1.0 => format!("no regression; the noise is {noise}"),
        _ => format!("within the threshold of {threshold}; the noise is {noise}"),
    };
    format!(
        "head is {} {} than base (95 % interval {} to {}, {}): {judged}",
        percent((ratio.value - 1.0).abs()),
        if ratio.value < 1.0 { "faster" } else { "slower" },
        change(ratio.low),
        change(ratio.high),
        plural(rounds, "round")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_bare_programs_get_the_default_set() {
        let pairs = |base: &str, head: &str| Pair::all(&base.parse().unwrap(), &head.parse().unwrap());
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
