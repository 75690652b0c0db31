//! The rounds of a pair of commands: the order of their runs, and the moments at which they are judged.

use crate::judge::{Judgement, judge};
use crate::measurement::{FEWEST_ROUNDS, Round, Rules, Run};
use crate::verdict::Verdict;

/// The runs before the first round. The second run of the base shows whether it prints the same each time.
pub(crate) const WARM_UP: [Side; 3] = [Side::Base, Side::Base, Side::Head];

/// The minimum number of runs for a pass.
pub(crate) const RUNS_OF_A_PASS: usize = WARM_UP.len() + 4 * FEWEST_ROUNDS;

/// One of the two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Head,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

/// Runs a round, whose number decides the order of its runs. `run` returns the measurements of a run.
pub(crate) fn run_round<E>(number: usize, mut run: impl FnMut(Side) -> Result<Run, E>) -> Result<Round, E> {
    use Side::{Base, Head};
    let order = if number.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] };
    let mut round = Round::default();
    for (at, side) in order.into_iter().enumerate() {
        let runs = if side == Base { &mut round.base } else { &mut round.head };
        runs[at / 2] = run(side)?;
    }
    Ok(round)
}

/// Returns the judgement if it is time to judge the rounds and more of them would not change it. A pass that comes too
/// early waits for the next time.
pub(crate) fn decided(rounds: &[Round], rules: Rules, is_early: bool) -> Option<Judgement> {
    // Each judgement can go wrong by chance, so the number of rounds grows by half from one to the next. Clear rounds
    // are judged once, before the others, because more rounds are not all clear either if the first are not.
    let mut looks = std::iter::successors(Some(FEWEST_ROUNDS), |look| Some(look + look / 2));
    let is_look = looks.find(|look| *look >= rounds.len()) == Some(rounds.len());
    if !is_look && rounds.len() != rules.clear_rounds() {
        return None;
    }
    judge(rounds, rules).filter(|judgement| match judgement.verdict {
        Verdict::Pass => !is_early,
        verdict => verdict == Verdict::Regression,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    use super::*;

    /// Returns the verdicts of gates on recorded runs, for each line of `text`: passes, inconclusive gates,
    /// regressions, and regressions that clear rounds decided. Each gate reads all rounds of a line in order, beginning
    /// with a random one.
    fn gates(text: &str, equal: usize, slower: usize, pairs: usize) -> BTreeMap<String, [usize; 4]> {
        let rules = Rules { threshold: 0.03, clock: None, pairs };
        let mut generator = fastrand::Rng::with_seed(1);
        let run = |text: &str| {
            let numbers: Vec<f64> = text.split(',').map(|number| number.parse().unwrap()).collect();
            Run { times: [numbers[0], numbers[1]], waits: numbers[2] as u64, ..Run::default() }
        };
        let mut table = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.splitn(3, ' ');
            let name = format!("{} {}", words.next().unwrap(), words.next().unwrap());
            let runs: Vec<Run> = words.next().unwrap().split(' ').map(run).collect();
            let all: Vec<&[Run]> = runs.chunks(4).collect();
            let verdicts: &mut [usize; 4] = table.entry(name.clone()).or_default();
            for _ in 0..if name.ends_with("equal") { equal } else { slower } {
                let (mut rounds, first) = (Vec::new(), generator.usize(..all.len()));
                let mut next = (0..all.len()).map(|at| all[(first + at) % all.len()]);
                let found = next.find_map(|runs| {
                    let [mut base, mut head] = [runs[..2].iter(), runs[2..].iter()];
                    let run = |side| {
                        Ok::<_, Infallible>(*if side == Side::Base { &mut base } else { &mut head }.next().unwrap())
                    };
                    let Ok(round) = run_round(rounds.len(), run);
                    rounds.push(round);
                    decided(&rounds, rules, false)
                });
                verdicts[match found.or_else(|| judge(&rounds, rules)).unwrap().verdict {
                    Verdict::Pass => 0,
                    Verdict::Inconclusive => 1,
                    _ if rounds.len() < FEWEST_ROUNDS => 3,
                    _ => 2,
                }] += 1;
            }
        }
        table
    }

    /// The name of a line begins with the number of busy processes on the two cores of the machine.
    #[test]
    fn on_a_busy_machine_equal_heads_raise_no_alarm_and_slower_heads_do_not_pass() {
        let (mut alarms, mut equal) = (0, 0);
        for (name, [passes, open, regressions, clear]) in gates(include_str!("noise.txt"), 1500, 300, 1) {
            println!("{name}: {passes} pass, {open} inconclusive, {regressions} regressions, {clear} clear");
            if name.ends_with("equal") {
                assert!(passes >= 1350, "{name}: {passes}");
                (alarms, equal) = (alarms + regressions + clear, equal + 1500);
            } else {
                assert!(passes == 0, "{name}: {passes} pass");
                assert!(regressions + clear >= 270 || name.ends_with("longer"), "{name}: {regressions}");
            }
        }
        assert!(equal >= 4000 && 200 * alarms < equal, "{alarms} false alarms in {equal} gates");
        for (name, [passes, _, regressions, clear]) in gates(include_str!("noise.txt"), 200, 200, 5) {
            let wrong = if name.ends_with("equal") { regressions + clear } else { passes };
            assert!(wrong == 0, "{name}: {wrong}");
        }
    }

    #[test]
    fn the_help_says_how_few_runs_decide() {
        use clap::CommandFactory;
        let help = crate::Args::command().render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let runs = |rounds: usize| WARM_UP.len() + 4 * rounds;
        let rules = |pairs: usize| Rules { threshold: 0.03, clock: None, pairs };
        let [few, many] = [3, 4].map(|pairs| runs(rules(pairs).clear_rounds()));
        assert!(help.contains(&format!("at least {} runs for each COMMAND", runs(FEWEST_ROUNDS))), "{help}");
        assert!(help.contains(&format!("at least {few}, or {many} if you give four COMMANDs or more")), "{help}");
    }

    #[test]
    fn the_order_turns_and_a_pass_that_comes_early_waits() {
        let (mut rounds, mut order) = (Vec::new(), Vec::new());
        let rules = Rules { threshold: 0.03, clock: None, pairs: 1 };
        let mut all = Vec::new();
        for number in 1..=22 {
            let run = |side| {
                order.push(side);
                Ok::<_, Infallible>(Run { times: [1.0; 2], ..Run::default() })
            };
            let Ok(round) = run_round(rounds.len(), run);
            rounds.push(round);
            all.extend(decided(&rounds, rules, number == 15).map(|found| (number, found.verdict)));
        }
        let (a, b) = (Side::Base, Side::Head);
        assert!(order.chunks(8).all(|runs| [a, b, b, a, b, a, a, b].starts_with(runs)));
        assert_eq!(all, [(22, Verdict::Pass)]);
    }
}
