//! Two commands: runs them in turn and says what was found.

use std::time::Instant;

use crate::Args;
use crate::command::{CommandLine, Finished};
use crate::escape::shortened;
use crate::signals;
use crate::tell::Teller;
use crate::units::{change, percent, plural};
use crate::verdict::{FEWEST_ROUNDS, Judgement, Round, Side, Verdict, until_judged};

/// Commands that use the processor for a smaller share of their time mostly wait.
const WAITING_SHARE: f64 = 0.05;

/// Two commands and the verdict.
pub(crate) struct Pair {
    pub(crate) base: CommandLine,
    pub(crate) head: CommandLine,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    /// If there were enough rounds.
    pub(crate) judgement: Option<Judgement>,
    /// The times of each round, in seconds.
    pub(crate) rounds: Vec<Round>,
}

impl Pair {
    /// Compares the commands of `args`, in at least one round. No round starts after the budget. The error is of the base.
    pub(crate) fn compare(args: &Args, start: Instant, teller: &Teller) -> Result<Self, String> {
        let mut pair = Self {
            base: args.base.clone(),
            head: args.head.clone(),
            verdict: Verdict::NotMeasured,
            reason: String::new(),
            judgement: None,
            rounds: Vec::new(),
        };
        let mut processes = 0;
        // The largest share of a run's time that is processor time. On a busy machine, most runs have a smaller one.
        let mut shares = [0.0f64; 2];
        let run = |side, expected: Option<&[u8]>| once(args, side, expected).map_err(|error| (side, error));
        // A warm-up. The second run of the base shows whether it prints the same each time.
        let measured = run(Side::Base, None).and_then(|first| {
            let expected = Some(&first.output[..]);
            run(Side::Base, expected)?;
            run(Side::Head, expected)?;
            until_judged(
                args.threshold,
                || start.elapsed() >= args.budget,
                |side| {
                    let Finished { elapsed_seconds, processor_seconds, .. } = run(side, expected)?;
                    processes += 1;
                    teller.progress(processes / 4);
                    let share = &mut shares[usize::from(side == Side::Head)];
                    *share = share.max(processor_seconds / elapsed_seconds);
                    Ok(if args.is_elapsed() { elapsed_seconds } else { processor_seconds })
                },
            )
        });
        match measured {
            Err(_) if signals::caught().is_some() => pair.leave_out("the gate was interrupted"),
            Err((Side::Base, why)) => return Err(format!("base ({}): {why}", args.base)),
            Err((Side::Head, why)) => {
                pair.verdict = Verdict::Failed;
                pair.reason = format!("head ({}): {why}", args.head);
            }
            Ok((rounds, None)) => {
                let needed = start.elapsed().as_secs_f64() / rounds.len() as f64 * FEWEST_ROUNDS as f64;
                pair.leave_out(&format!(
                    "only {} in the time, and a verdict needs {FEWEST_ROUNDS}: raise --budget to {:.0}s or use shorter \
                     commands",
                    plural(rounds.len(), "round"),
                    (needed * 1.2).ceil()
                ));
            }
            Ok((rounds, Some(judgement))) => {
                let waits = !args.is_elapsed() && shares[0].min(shares[1]) < WAITING_SHARE;
                pair.verdict = match judgement.verdict {
                    Verdict::Pass | Verdict::Noise if waits => Verdict::MostlyWaits,
                    verdict => verdict,
                };
                pair.reason = reason(pair.verdict, &judgement, rounds.len(), args.threshold);
                (pair.rounds, pair.judgement) = (rounds, Some(judgement));
            }
        }
        Ok(pair)
    }

    /// Says why there is no verdict.
    fn leave_out(&mut self, why: &str) {
        self.reason = format!("not measured: {why}");
    }
}

/// Runs a command once and compares its output with the expected one.
fn once(args: &Args, side: Side, expected: Option<&[u8]>) -> Result<Finished, String> {
    let command = if side == Side::Base { &args.base } else { &args.head };
    let found = command.run(!args.any_output, args.timeout)?;
    if let Some(expected) = expected.filter(|expected| *expected != found.output) {
        let otherwise = if side == Side::Base { "each time" } else { "than base" };
        let line = difference(expected, &found.output);
        return Err(format!("it prints something else {otherwise}: {line}; give --any-output if you intend that"));
    }
    Ok(found)
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
