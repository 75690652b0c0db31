//! The verdict of a gate in words.

use crate::judge::{Clock, Judgement};
use crate::statistics::Estimate;
use crate::verdict::Verdict;
use n_queens_terminal::units::{change, percent, plural};

/// The measurement and its verdict in words.
pub(crate) fn reason(judgement: &Judgement, rounds: usize, threshold: f64, decides: Option<Clock>) -> String {
    let [processor, elapsed] = judgement.measurements.map(|measured| {
        let Estimate { value, low, high } = measured.ratio;
        format!("{} {} time ({} to {})", change(value), measured.clock.name(), change(low), change(high))
    });
    // The clock that the verdict is by: the one with the worse verdict, of those that decide.
    let [processor_time, elapsed_time] = &judgement.measurements;
    let (by, other) = match decides {
        Some(Clock::Elapsed) => (elapsed_time, processor_time),
        None if elapsed_time.verdict > processor_time.verdict => (elapsed_time, processor_time),
        _ => (processor_time, elapsed_time),
    };
    let (clock, noise, threshold) = (by.clock.name(), percent(by.noise), percent(threshold));
    let alone = |clock: &str| format!("--clock {clock} decides by {clock} time alone");
    let is_other_decided = decides.is_none() && other.verdict == Verdict::Pass;
    let way_out = if is_other_decided { format!("; {}", alone(other.clock.name())) } else { String::new() };
    let judged = match judgement.verdict {
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
            let (what, ratio, why) = match by.clock {
                _ if by.mean < by.fastest => {
                    let why = "other programs may hide that head is slower, or one run of base was lucky";
                    ("fastest run", by.fastest, why)
                }
                Clock::Processor => ("mean", by.mean, "some runs are much slower"),
                Clock::Elapsed => {
                    ("mean", by.mean, "some runs are much slower, by themselves or because of other programs")
                }
            };
            format!(
                "but by {clock} time its {what} is {}, beyond the threshold of {threshold} and the noise of {noise}: {why}; \
                 raise --budget or use a quieter machine{way_out}",
                change(ratio)
            )
        }
        Verdict::Noise => {
            let hindered = if by.is_base_hindered { ", because other programs hinder base more than head" } else { "" };
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
    use crate::judge::{Round, Run, judge};

    /// Trap: by elapsed time, the mean of equal commands differs if other programs stop a few runs.
    #[test]
    fn the_sentence_names_what_is_beyond_the_threshold_and_the_clock_that_decides() {
        let [same, stopped, lucky] = [[1.0; 2], [1.0, 10.0], [0.5, 1.0]]
            .map(|times| [Run { times, ..Run::default() }, Run { times: [1.0; 2], ..Run::default() }]);
        let alone = "a quieter machine; --clock processor decides by processor time alone";
        for (base, head, decides, expected) in [
            (
                same,
                stopped,
                None,
                "but by elapsed time its mean is +45.0 %, beyond the threshold of 3.0 % and the noise",
            ),
            (same, stopped, None, alone),
            (same, stopped, Some(Clock::Elapsed), "raise --budget or use a quieter machine"),
            (same, stopped, Some(Clock::Processor), ": within the threshold of 3.0 %"),
            (lucky, same, None, ": but by processor time its fastest run is +100.0 %, beyond"),
            (same, same, None, ": within the threshold of 3.0 %"),
        ] {
            let mut rounds = [Round { base: same, head: same }; 10];
            rounds[5] = Round { base, head };
            let said = reason(&judge(&rounds, 0.03, decides).unwrap(), 10, 0.03, decides);
            assert!(said.contains(expected), "{said}");
        }
    }
}
