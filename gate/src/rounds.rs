//! Runs rounds until there is a verdict, and knows how much time they take.
//!
//! The tests below measure how often the gate errs by one clock. They use the noise of a real machine (`noise.txt`), a
//! threshold of 3 % and at most 32 rounds, with 500 gates in each row. docs/measuring.md has real gates.
//!
//! | other programs | head | passes | inconclusive | regressions |
//! |---|---|---|---|---|
//! | no | identical | 500 | 0 | 0 |
//! | no | 3 % slower | 0 | 483 | 17 |
//! | no | 5 % slower | 0 | 0 | 500 |
//! | yes | identical | 368 | 132 | 0 |
//! | yes | 3 % slower | 0 | 496 | 4 |
//! | yes | 5 % slower | 0 | 248 | 252 |

use crate::judge::{FEWEST_ROUNDS, Judgement, Round, Run};
use n_queens_terminal::units::{plural, seconds};

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
    mut is_late: impl FnMut(usize) -> bool,
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

    /// The verdicts of 500 gates on a head that is slower by `slowdown`: pass, inconclusive, regression. Each gate reads
    /// the times of one program on a real machine, alone (`quiet`) or beside other programs (`busy`), in order, from a
    /// random place on. A gate ends after 32 rounds, or with this share of the budget that it would name. Both clocks say
    /// the same.
    fn gates(kind: &str, slowdown: f64, share: f64) -> [usize; 3] {
        let lines = include_str!("noise.txt").lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
        let noise: Vec<Vec<f64>> =
            lines.map(|line| line.split(' ').skip(1).map(|time| time.parse().unwrap()).collect()).collect();
        let mut generator = fastrand::Rng::with_seed(1);
        let mut verdicts = [0; 3];
        for trial in 0..500 {
            let times = &noise[trial % noise.len()];
            let (at, now) = (Cell::new(generator.usize(..times.len())), Cell::new(0.0));
            let run = |side| {
                at.set((at.get() + 1) % times.len());
                let time = times[at.get()] * if side == Side::Head { 1.0 + slowdown } else { 1.0 };
                now.set(now.get() + time);
                time
            };
            let shortest = WARM_UP.map(run).into_iter().fold(f64::INFINITY, f64::min);
            let is_late = |rounds| rounds == 32 || now.get() >= share * enough(shortest);
            let judge = |rounds: &[Round]| judge(rounds, 0.03, None);
            let run = |side| Ok::<_, Infallible>(Run { times: [run(side); 2], ..Run::default() });
            let Ok((_, judgement)) = until_judged(judge, is_late, run);
            verdicts[match judgement.map(|found| found.verdict) {
                Some(Verdict::Pass) => 0,
                Some(Verdict::Regression) => 2,
                _ => 1,
            }] += 1;
        }
        println!("{kind}, {slowdown}: pass {}, inconclusive {}, regression {}", verdicts[0], verdicts[1], verdicts[2]);
        verdicts
    }

    #[test]
    fn equal_heads_raise_fewer_than_1_false_alarm_in_100_and_5_percent_are_found() {
        let [pass, _, regression] = gates("quiet", 0.0, f64::INFINITY);
        assert!(regression < 5 && pass > 450, "{pass} {regression}");
        let [pass, _, regression] = gates("busy", 0.0, f64::INFINITY);
        assert!(regression == 0 && pass > 300, "{pass} {regression}");
        let [pass, _, regression] = gates("quiet", 0.05, f64::INFINITY);
        assert!(regression > 475 && pass == 0, "{pass} {regression}");
        // Beside other programs the gate may miss the slowdown, but must not pass it.
        assert_eq!(gates("busy", 0.05, f64::INFINITY)[0], 0);
        // A slowdown as large as the threshold may pass once in a hundred gates.
        for kind in ["quiet", "busy"] {
            assert!(gates(kind, 0.03, f64::INFINITY)[0] <= 5);
        }
    }

    #[test]
    fn the_budget_that_is_named_is_enough_for_a_pass_and_a_shorter_one_is_not() {
        let [enough, tenth_less, half] = [1.0, 0.9, 0.5].map(|share| gates("quiet", 0.0, share)[0]);
        assert!(enough > 400 && tenth_less < 50 && half == 0, "{enough} {tenth_less} {half}");
        let said = "only 7 rounds in the time: a run takes 2.000 s, and a pass takes 43 runs: raise --budget to 86s or use \
                    shorter commands";
        assert_eq!(too_few(7, 62.0), said);
    }

    #[test]
    fn what_fits_the_time_is_judged_and_the_order_turns() {
        let gate = |most_rounds: usize| {
            let mut order = Vec::new();
            let judge = |rounds: &[Round]| judge(rounds, 0.03, None);
            let run = |side| {
                order.push(side);
                Ok::<_, Infallible>(Run { times: [1.0; 2], ..Run::default() })
            };
            let Ok((rounds, judgement)) = until_judged(judge, |rounds| rounds >= most_rounds, run);
            let (a, b) = (Side::Base, Side::Head);
            assert!(order.chunks(8).all(|runs| [a, b, b, a, b, a, a, b].starts_with(runs)));
            (rounds.len(), judgement.map(|found| found.verdict))
        };
        assert_eq!([0, 9, 1000].map(gate), [(1, None), (9, None), (10, Some(Verdict::Pass))]);
    }
}
