//! A run as large as they get, without counting: n = 28 on 256 workers of unequal speed, some of which are lost.

use std::collections::BinaryHeap;
use std::time::Instant;

use crate::runs::{Figures, Origin, RunFolder, RunPlan, ShardRecord, Status, merge};
use nqueens::board::Size;
use nqueens::count::{Tally, Work};

/// A worker that will be free: when, its number. The heap has the soonest first.
type Free = std::cmp::Reverse<(u64, usize)>;

/// Workers that take shards in order, one after the other; some are lost in the middle, and what they were counting is
/// begun again when it is noticed. Returns the makespan, the ideal one, and how many shards were begun twice.
fn simulate(plan: &RunPlan, seed: u64) -> (f64, f64, usize) {
    const WORKERS: usize = 256;
    const NOTICED_AFTER: f64 = 60.0;
    let mut random = fastrand::Rng::with_seed(seed);
    // Cores from as fast as predicted to four times as fast; one in ten will be lost at some time.
    let speeds: Vec<f64> = (0..WORKERS).map(|_| 1.0 + 3.0 * random.f64()).collect();
    let whole: f64 = (0..plan.shards()).map(|shard| plan.predicted_seconds(shard)).sum();
    let about = whole / speeds.iter().sum::<f64>();
    let lost_at: Vec<f64> =
        (0..WORKERS).map(|_| if random.u8(..10) == 0 { random.f64() * about } else { f64::INFINITY }).collect();
    let micro = |seconds: f64| (seconds * 1e6) as u64;
    let mut free: BinaryHeap<Free> = (0..WORKERS).map(|worker| std::cmp::Reverse((0, worker))).collect();
    // Shards to be counted again, with the time from which that is known.
    let mut again: Vec<(f64, usize)> = Vec::new();
    let (mut next, mut twice, mut makespan, mut capacity) = (0, 0, 0.0f64, 0.0);
    while let Some(std::cmp::Reverse((at, worker))) = free.pop() {
        let now = at as f64 / 1e6;
        let known = again.iter().position(|(from, _)| *from <= now);
        let shard = match known {
            Some(place) => again.swap_remove(place).1,
            None if next < plan.shards() => {
                next += 1;
                next - 1
            }
            None => match again.iter().map(|(from, _)| *from).min_by(f64::total_cmp) {
                // Nothing else to do until it is noticed that somebody is lost.
                Some(from) => {
                    free.push(std::cmp::Reverse((micro(from) + 1, worker)));
                    continue;
                }
                None => continue,
            },
        };
        // Predictions are wrong by up to a third, one way or the other.
        let seconds = plan.predicted_seconds(shard) * (0.75 + 0.6 * random.f64()) / speeds[worker];
        if now + seconds > lost_at[worker] {
            twice += 1;
            again.push((lost_at[worker].max(now) + NOTICED_AFTER, shard));
            continue;
        }
        capacity += seconds * speeds[worker];
        makespan = makespan.max(now + seconds);
        free.push(std::cmp::Reverse((micro(now + seconds), worker)));
    }
    // The ideal has no ends to wait for: all work over all that is there, each worker until it is lost.
    let (mut low, mut high) = (0.0, 2.0 * capacity);
    for _ in 0..100 {
        let time = (low + high) / 2.0;
        let done: f64 = speeds.iter().zip(&lost_at).map(|(speed, lost)| speed * time.min(*lost)).sum();
        if done < capacity { low = time } else { high = time }
    }
    (makespan, high, twice)
}

#[test]
fn shards_are_small_enough_for_many_workers() {
    for (n, most) in [(26, 1.5), (28, 1.05)] {
        let size = Size::new(n).unwrap();
        let plan = RunPlan::new(size, RunPlan::default_solver(size), None).unwrap();
        let (makespan, ideal, twice) = simulate(&plan, 1);
        println!(
            "n = {n}: {} shards, makespan {:.2} h, ideal {:.2} h, {twice} shards begun twice",
            plan.shards(),
            makespan / 3600.0,
            ideal / 3600.0
        );
        assert!(makespan / ideal < most && twice <= 60, "n = {n}: {makespan} against {ideal}, {twice} twice");
    }
}

/// `cargo test --release -- --ignored --nocapture ledger` prints how long it takes.
#[test]
#[ignore = "writes some 60 000 files, with fsync: minutes"]
fn a_ledger_of_n_28_is_planned_looked_at_and_merged_within_seconds() {
    let here = tempfile::tempdir().unwrap();
    let size = Size::new(28).unwrap();
    let timed = |what: &str, start: Instant| println!("{what}: {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let plan = RunPlan::new(size, RunPlan::default_solver(size), None).unwrap();
    let (folder, _) = RunFolder::create(here.path(), plan).unwrap();
    timed("plan", start);
    let mut random = fastrand::Rng::with_seed(28);
    let (start, mut bytes) = (Instant::now(), 0);
    let plan = folder.plan();
    // The last count makes a whole number of orbits, so that the merge gets to its end.
    let mut sum = 0u128;
    for shard in 0..plan.shards() {
        let units = plan.shard(shard).unwrap();
        let mut figures = Figures::of_units(units.len());
        for place in 0..units.len() {
            let is_last = units.start + place + 1 == plan.cut.units;
            let solutions = if is_last { (8 - sum % 8) % 8 } else { random.u128(..1 << 40) };
            sum += solutions;
            figures.add(place, Tally::new(solutions, Work::default()), 100.0).unwrap();
        }
        let origin = Origin { isa: "avx2".to_owned(), cpu: format!("machine {}", shard % 256), ..Origin::default() };
        let record = ShardRecord::new(plan, shard, figures, origin).unwrap();
        bytes += record.to_text().len();
        folder.keep(&record).unwrap();
    }
    timed(&format!("writing {} records, {} MB", plan.shards(), bytes / 1_000_000), start);
    let start = Instant::now();
    let status = Status::of(std::slice::from_ref(&folder)).unwrap();
    timed("status", start);
    assert_eq!((status.fraction, status.rates.len()), (1.0, 256));
    let start = Instant::now();
    let merged = merge(std::slice::from_ref(&folder)).unwrap();
    let total = merged.total().unwrap();
    timed("merge", start);
    assert_eq!((total.0, merged.faults.len()), (sum / u128::from(plan.cut.divisor), 0));
    let _ = RunFolder::open(folder.path()).unwrap();
}
