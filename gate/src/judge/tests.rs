use std::collections::BTreeMap;

use super::*;
use crate::rounds::{Run, WARM_UP};

fn runs(times: [f64; 2], waits: u64) -> [Run; 2] {
    times.map(|time| Run { times: [time; 2], waits, ..Run::default() })
}

fn rules(clock: Option<Clock>) -> Rules {
    Rules { threshold: 0.03, clock, pairs: 1 }
}

/// Returns the verdict by all clocks on rounds with these times of the base and the head.
fn verdict_on(rounds: usize, times: impl Fn(usize) -> [[f64; 2]; 2]) -> Verdict {
    let round = |[base, head]: [[f64; 2]; 2]| Round { base: runs(base, 1), head: runs(head, 1) };
    let rounds: Vec<Round> = (0..rounds).map(|number| round(times(number))).collect();
    judge(&rounds, rules(None)).unwrap().verdict
}

#[test]
fn a_speedup_passes_and_a_steady_slowdown_does_not() {
    // The base, and a head that is slower by this ratio.
    let slower = |base: [f64; 2], ratio: f64| [base, base.map(|time| time * ratio)];
    let steady = [0.5, 1.02, 1.04].map(|ratio| verdict_on(15, |_| slower([1.0; 2], ratio)));
    assert_eq!(steady, [Verdict::Pass, Verdict::Pass, Verdict::Regression]);
    assert_eq!(judge(&[Round { base: runs([1.0; 2], 1), head: runs([1.02; 2], 1) }; 14], rules(None)), None);
    // The base differs from itself by 10 %: a slowdown of 4 % stays open.
    let noisy = [1.04, 1.24].map(|ratio| verdict_on(15, |number| slower([1.0, [1.1, 0.9][number % 2]], ratio)));
    assert_eq!(noisy, [Verdict::Inconclusive, Verdict::Regression]);
    // The second run of the base takes 5 % more, so a change of 2 % may come from the place in the round.
    let biased = [0.9, 0.99, 1.02].map(|ratio| verdict_on(15, |_| slower([1.0, 1.05], ratio)));
    assert_eq!(biased, [Verdict::Pass, Verdict::Inconclusive, Verdict::Inconclusive]);
}

#[test]
fn a_clear_regression_takes_few_rounds_and_more_of_them_with_more_pairs() {
    let found = |head: [f64; 2], rounds: usize, pairs: usize| {
        let rounds = vec![Round { base: runs([1.0, 1.2], 1), head: runs(head, 1) }; rounds];
        judge(&rounds, Rules { pairs, ..rules(None) }).map(|judgment| judgment.verdict)
    };
    let clear = Some(Verdict::Regression);
    assert_eq!([4, 5, 14].map(|rounds| found([1.3, 1.4], rounds, 1)), [None, clear, clear]);
    assert_eq!(
        [(5, 3), (5, 4), (6, 4), (6, 23), (6, 24)].map(|(rounds, pairs)| found([1.3, 1.4], rounds, pairs)),
        [clear, None, clear, clear, None]
    );
    // The slower run of the base is within the threshold of the faster run of the head.
    assert_eq!(found([1.23, 2.0], 14, 1), None);
}

#[test]
fn slower_by_one_clock_is_a_regression_by_it_unless_the_other_decides() {
    use Verdict::{Pass, Regression};
    for (ratios, all, processor, elapsed) in [
        ([1.0, 1.0], Pass, Pass, Pass),
        ([1.0, 2.0], Regression, Pass, Regression),
        ([2.0, 0.5], Regression, Regression, Pass),
    ] {
        let head = [Run { times: ratios, waits: 1, ..Run::default() }; 2];
        let rounds = [Round { base: runs([1.0; 2], 1), head }; 15];
        let found =
            [None, Some(Clock::Processor), Some(Clock::Elapsed)].map(|clock| judge(&rounds, rules(clock)).unwrap());
        assert_eq!(found.each_ref().map(|found| found.verdict), [all, processor, elapsed], "{ratios:?}");
        assert_eq!(found[1].measurements.map(|one| one.decides), [true, false]);
    }
}

#[test]
fn a_head_that_is_slow_in_a_quarter_of_its_runs_is_slower_and_no_single_run_decides() {
    let every = |number: usize, every: usize, slow: f64| {
        [2 * number, 2 * number + 1].map(|run| if run % every == 1 { slow } else { 1.0 })
    };
    assert_eq!(verdict_on(33, |number| [[1.0; 2], every(number, 4, 10.0)]), Verdict::Regression);
    assert_eq!(verdict_on(15, |number| [[1.0; 2], every(number, 10, 10.0)]), Verdict::Inconclusive);
    // The machine stood still during one run, or one run was fast by luck.
    for single in [1000.0, 0.5] {
        assert_eq!(verdict_on(16, |number| [[1.0; 2], every(number, 32, single)]), Verdict::Pass, "{single}");
        assert_eq!(verdict_on(16, |number| [every(number, 32, single), [1.0; 2]]), Verdict::Pass, "{single}");
    }
    // In most runs, other programs hide that the head takes twice the time.
    let hidden = |fast: f64, is_seen| if is_seen { [fast; 2] } else { [3.0; 2] };
    let found = verdict_on(15, |number| [hidden(1.0, number == 7), hidden(2.0, number == 5)]);
    assert_eq!(found, Verdict::Inconclusive);
}

/// Other programs delay a share of the runs by up to three times their time, and the waits of the head may take
/// longer.
#[test]
fn a_head_whose_waits_take_longer_does_not_pass_because_it_waits_as_often() {
    let mut generator = fastrand::Rng::with_seed(1);
    let mut passes = |delayed: f64, longer: f64| {
        let mut side = |time: f64| {
            [0, 1].map(|_| {
                let delay = if generator.f64() < delayed { 3.0 * generator.f64() } else { 0.01 * generator.f64() };
                Run { times: [1.0, time * (1.0 + delay)], waits: 1, ..Run::default() }
            })
        };
        let mut gate = || (0..22).map(|_| Round { base: side(1.0), head: side(longer) }).collect::<Vec<_>>();
        (0..400).filter(|_| judge(&gate(), rules(None)).unwrap().verdict == Verdict::Pass).count()
    };
    let [equal, slower] = [1.0, 1.05].map(|longer| [0.5, 0.7, 0.9].map(|delayed| passes(delayed, longer)));
    assert!(equal[0] >= 360, "{equal:?}");
    assert_eq!(slower, [0; 3], "{equal:?}");
}

/// Only elapsed time differs from run to run, by 10 % or not at all.
#[test]
fn elapsed_time_counts_if_both_wait_equally_often_or_the_machine_is_quiet() {
    for (noise, waits, expected) in [
        (0.1, [3, 3], Verdict::Pass),
        (0.1, [3, 4], Verdict::Inconclusive),
        (0.1, [2, 1], Verdict::Inconclusive),
        (0.0, [3, 4], Verdict::Pass),
        (0.0, [2, 1], Verdict::Pass),
    ] {
        let side = |elapsed: f64, waits| [Run { times: [1.0, elapsed], waits, ..Run::default() }; 2];
        let round = |number: usize| {
            let [base, head] = if number.is_multiple_of(2) { [noise, -noise] } else { [-noise, noise] };
            Round { base: side(1.0 + base, waits[0]), head: side(0.95 + head, waits[1]) }
        };
        let rounds: Vec<Round> = (0..20).map(round).collect();
        assert_eq!(judge(&rounds, rules(None)).unwrap().verdict, expected, "{noise} {waits:?}");
        assert_eq!(judge(&rounds, rules(Some(Clock::Processor))).unwrap().verdict, Verdict::Pass);
    }
}

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
                rounds.push(Round { base: [runs[0], runs[1]], head: [runs[2], runs[3]] });
                final_judgment(&rounds, rules, false)
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
    let [few, four, most, more] = [3, 4, 23, 24].map(|pairs| runs(rules(pairs).clear_rounds()));
    assert!(four == most && most < more);
    assert!(help.contains(&format!("at least {} runs for each case", runs(FEWEST_ROUNDS))), "{help}");
    assert!(help.contains(&format!("at least {few} ({four} with four to 23 cases, and more beyond)")), "{help}");
}

#[test]
fn a_pass_that_comes_early_waits() {
    let rounds = [Round { base: runs([1.0; 2], 1), head: runs([1.0; 2], 1) }; 22];
    let judged = |number: usize, is_early| {
        let judgment = final_judgment(&rounds[..number], rules(None), is_early)?;
        Some((number, judgment.verdict))
    };
    let all = |is_early| (1..=22).filter_map(|number| judged(number, is_early)).collect::<Vec<_>>();
    assert_eq!(all(false), [(15, Verdict::Pass), (22, Verdict::Pass)]);
    assert_eq!(all(true), []);
    // An early round does not keep a later one from deciding.
    let decided = (1..=22).filter_map(|number| judged(number, number < 22)).collect::<Vec<_>>();
    assert_eq!(decided, [(22, Verdict::Pass)]);
}
