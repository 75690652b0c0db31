//! Runs rounds until there is a verdict, and knows how much time they take.
//!
//! The tests below measure how often the gate errs by one clock. They use the noise of a real machine (`noise.txt`), a
//! threshold of 3 % and at most 32 rounds, with 500 gates in each row. docs/measuring.md has real gates.
//!
//! | other programs | head | passes | inconclusive | regressions |
//! |---|---|---|---|---|
//! | no | identical | 500 | 0 | 0 |
//! | no | 3 % slower | 0 | 479 | 21 |
//! | no | 5 % slower | 0 | 0 | 500 |
//! | yes | identical | 363 | 137 | 0 |
//! | yes | 3 % slower | 0 | 500 | 0 |
//! | yes | 5 % slower | 0 | 245 | 255 |

use crate::judge::{FEWEST_ROUNDS, Judgement, Round, Run};
use crate::units::{plural, seconds};

/// The runs before the first round. The second run of the base shows whether it prints the same each time.
pub(crate) const WARM_UP: [Side; 3] = [Side::Base, Side::Base, Side::Head];

/// Which command to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Head,
}

/// The order of a round.
fn order(round: usize) -> [Side; 4] {
    use Side::{Base, Head};
    if round.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] }
}

/// Runs one round or more, until more rounds cannot change the verdict, or until `is_late` after so many. `run`
/// returns what it measured.
pub(crate) fn until_judged<E>(
    judge: impl Fn(&[Round]) -> Option<Judgement>,
    is_late: impl Fn(usize) -> bool,
    mut run: impl FnMut(Side) -> Result<Run, E>,
) -> Result<(Vec<Round>, Option<Judgement>), E> {
    // The number of rounds after which to judge next. It grows by half: each look is a chance to err.
    let (mut rounds, mut look) = (Vec::new(), FEWEST_ROUNDS);
    loop {
        let mut round = Round::default();
        for (at, side) in order(rounds.len()).into_iter().enumerate() {
            let runs = if side == Side::Base { &mut round.base } else { &mut round.head };
            runs[at / 2] = run(side)?;
        }
        rounds.push(round);
        let is_over = is_late(rounds.len());
        if is_over || rounds.len() == look {
            let judgement = judge(&rounds);
            if is_over || judgement.is_some_and(|it| it.is_final) {
                return Ok((rounds, judgement));
            }
            look += look / 2;
        }
    }
}

/// The runs before a pass.
const RUNS_OF_A_PASS: usize = WARM_UP.len() + 4 * FEWEST_ROUNDS;

/// The budget in seconds that is enough for a pass in four of five gates on a quiet machine, if a run takes `a_run`
/// seconds. The last round may begin just before its end, so there is time to spare for one round.
pub(crate) fn enough(a_run: f64) -> f64 {
    a_run * RUNS_OF_A_PASS as f64
}

/// Says that the budget is too short, and which one is not.
pub(crate) fn too_little(a_run: f64) -> String {
    format!(
        "a run takes {}, and a pass takes {RUNS_OF_A_PASS} runs: raise --budget to {:.0}s or use shorter commands",
        seconds(a_run),
        enough(a_run).ceil()
    )
}

/// Says that there are too few rounds, after `spent` seconds. It goes by the mean run: on a busy machine, or with a slow head,
/// most runs take longer than the shortest.
pub(crate) fn too_few(rounds: usize, spent: f64) -> String {
    let a_run = spent / (WARM_UP.len() + 4 * rounds) as f64;
    format!("only {} in the time: {}", plural(rounds, "round"), too_little(a_run))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;
    use crate::judge::judge;
    use crate::verdict::Verdict;

    /// Times of one program on a real machine, alone (`quiet`) or beside other programs (`busy`).
    fn noise(kind: &str) -> Vec<Vec<f64>> {
        let lines = include_str!("noise.txt").lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
        lines.map(|line| line.split(' ').skip(1).map(|time| time.parse().unwrap()).collect()).collect()
    }

    /// The verdicts of `trials` gates of up to 32 rounds on a head that is slower by `slowdown`: pass, inconclusive,
    /// regression. Each gate reads the recorded times in order, from a random place on. Both clocks say the same.
    fn gates(kind: &str, slowdown: f64, trials: usize) -> [usize; 3] {
        let (noise, mut generator) = (noise(kind), fastrand::Rng::with_seed(1));
        let mut verdicts = [0; 3];
        for trial in 0..trials {
            let times = &noise[trial % noise.len()];
            let mut at = generator.usize(..times.len());
            let is_late = |rounds| rounds == 32;
            let judge = |rounds: &[Round]| judge(rounds, 0.03, None);
            let (_, judgement) = until_judged(judge, is_late, |side| {
                at = (at + 1) % times.len();
                let time = times[at] * if side == Side::Head { 1.0 + slowdown } else { 1.0 };
                Ok::<_, Infallible>(Run { times: [time; 2], interruptions: 0.0 })
            })
            .unwrap_or_else(|never| match never {});
            verdicts[match judgement.unwrap().verdict {
                Verdict::Pass => 0,
                Verdict::Regression => 2,
                _ => 1,
            }] += 1;
        }
        println!("{kind}, {slowdown}: pass {}, inconclusive {}, regression {}", verdicts[0], verdicts[1], verdicts[2]);
        verdicts
    }

    #[test]
    fn identical_builds_raise_fewer_than_1_false_alarm_in_100() {
        let [pass, _, regression] = gates("quiet", 0.0, 500);
        assert!(regression < 5 && pass > 450, "{pass} {regression}");
        let [pass, _, regression] = gates("busy", 0.0, 500);
        assert!(regression == 0 && pass > 300, "{pass} {regression}");
    }

    #[test]
    fn a_slowdown_of_5_percent_is_found_in_more_than_95_of_100() {
        let [pass, _, regression] = gates("quiet", 0.05, 500);
        assert!(regression > 475 && pass == 0, "{pass} {regression}");
        // Beside other programs the gate may miss the slowdown, but must not pass it.
        let [pass, _, _] = gates("busy", 0.05, 500);
        assert_eq!(pass, 0);
        // A slowdown as large as the threshold may pass once in a hundred gates.
        for kind in ["quiet", "busy"] {
            let [pass, _, _] = gates(kind, 0.03, 500);
            assert!(pass <= 5, "{pass}");
        }
    }

    #[test]
    fn what_fits_the_time_is_judged_and_too_few_rounds_tell_nothing() {
        let gate = |most_rounds: usize| {
            let is_late = |rounds| rounds >= most_rounds;
            let judge = |rounds: &[Round]| judge(rounds, 0.03, None);
            let (rounds, judgement) =
                until_judged(judge, is_late, |_| Ok::<_, Infallible>(Run { times: [1.0; 2], interruptions: 0.0 }))
                    .unwrap();
            (rounds.len(), judgement.map(|found| found.verdict))
        };
        assert_eq!(gate(0), (1, None));
        assert_eq!(gate(9), (9, None));
        assert_eq!(gate(1000), (10, Some(Verdict::Pass)));
    }

    #[test]
    fn every_round_runs_each_build_twice_and_the_order_turns() {
        for round in 0..4 {
            let order = order(round);
            assert_eq!(order.iter().filter(|side| **side == Side::Base).count(), 2);
            assert_eq!([order[0], order[1]], [order[3], order[2]]);
            assert_ne!(order, super::order(round + 1));
        }
    }

    #[test]
    fn the_budget_that_is_named_is_the_runs_of_a_pass_times_the_time_of_one() {
        assert_eq!(
            too_little(40.0),
            "a run takes 40.00 s, and a pass takes 43 runs: raise --budget to 1720s or use shorter commands"
        );
        assert_eq!(
            too_few(7, 62.0),
            "only 7 rounds in the time: a run takes 2.000 s, and a pass takes 43 runs: raise --budget to 86s or use \
             shorter commands"
        );
    }

    /// How many of 500 gates on equal commands of about 40 s pass, with a share of the budget that is named. Their times
    /// vary as those of a quiet machine did.
    fn passes(share: f64) -> usize {
        let (noise, mut generator) = (noise("quiet"), fastrand::Rng::with_seed(1));
        let mut passes = |trial: usize| {
            let times = &noise[trial % noise.len()];
            let (mut at, now) = (generator.usize(..times.len()), Cell::new(0.0));
            let mut time = || {
                at = (at + 1) % times.len();
                now.set(now.get() + 40.0 * times[at]);
                40.0 * times[at]
            };
            let shortest = WARM_UP.map(|_| time()).into_iter().fold(f64::INFINITY, f64::min);
            let is_late = |_| now.get() >= share * enough(shortest);
            let judge = |rounds: &[Round]| judge(rounds, 0.03, None);
            let run = |_| Ok::<_, Infallible>(Run { times: [time(); 2], ..Run::default() });
            let Ok((_, judgement)) = until_judged(judge, is_late, run);
            judgement.is_some_and(|found| found.verdict == Verdict::Pass)
        };
        (0..500).filter(|trial| passes(*trial)).count()
    }

    #[test]
    fn the_budget_that_is_named_is_enough_for_a_pass_and_a_shorter_one_is_not() {
        let [enough, tenth_less, half] = [1.0, 0.9, 0.5].map(passes);
        assert!(enough > 400 && tenth_less < 50 && half == 0, "{enough} {tenth_less} {half}");
    }
}
