//! Predicts how busy many threads are during a count of the color split, for more threads than this machine has cores.
//! The model uses the seconds of every unit on one thread of this machine.
//!
//! ```text
//! cargo run --release --no-default-features --example many_threads -- 20 8 32 128
//! ```
//!
//! It measures each unit once, and the first unit of each family twice: while its programs are written, and when they
//! are ready. For one unit of each family it also measures the extra time on a thread that must list the odd rows
//! first.
//!
//! It simulates threads that take units as the engine hands them out. In a unit they take groups of terms in the
//! solver's order. A thread writes programs that no thread has written. It postpones programs that another thread
//! writes, and waits for them when its group has no other work.
//!
//! It ignores shared caches, shared memory and short locks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::ops::Range;
use std::time::Instant;

use nqueens::board::Size;
use nqueens::engine::{HandOut, Handed};
use nqueens::solver::Plan;
use nqueens::solver::color::{ColorPlan, Tuning};
use nqueens::{CancelToken, Counter};

/// Terms that are summed together, at most (`terms_together` in the solver's tuning, below n = 24).
const TOGETHER: usize = 16;

/// A family, with what was measured of it.
struct Family {
    units: Range<usize>,
    /// Seconds that writing all its programs takes.
    programs: f64,
    /// Seconds that a unit takes longer where its odd rows are not those that the thread counted last.
    listing: f64,
    /// How many sets of even rows it has.
    terms: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers = std::env::args().skip(1).map(|argument| argument.parse());
    let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
    let (n, threads) = match numbers[..] {
        [] => (16, &[2, 8, 32, 128][..]),
        [n] => (n, &[2, 8, 32, 128][..]),
        [n, ref threads @ ..] => (n, threads),
    };
    let isa = Counter::new(n)?.solver("color").choice()?.isa;
    let tuning = Tuning { fine_units: std::env::var("FINE").ok().and_then(|f| f.parse().ok()), ..Tuning::default() };
    let plan = ColorPlan::new(Size::new(n)?, isa, tuning, &CancelToken::new())?;
    let start = Instant::now();
    let (families, seconds) = measure(&plan)?;
    let (counting, writing): (f64, f64) = (seconds.iter().sum(), families.iter().map(|family| family.programs).sum());
    println!(
        "n = {n}, {}: {} units in {} families, measured in {:.1} s",
        isa.name(),
        seconds.len(),
        families.len(),
        start.elapsed().as_secs_f64()
    );
    println!("one thread: {counting:.3} s of counting, {writing:.3} s of writing programs");
    println!(
        "{:>8} {:>11} {:>10} {:>12} {:>10} {:>10}",
        "threads", "seconds", "of ideal", "lock waits", "listing", "idle tail"
    );
    for &threads in threads {
        if threads == 0 {
            return Err("0 threads count nothing".into());
        }
        let Played { seconds: took, waits, listed, tail } = play(&plan, &families, &seconds, threads);
        let all = took * threads as f64;
        println!(
            "{threads:>8} {took:>11.4} {:>9.1}% {:>11.2}% {:>9.1}% {:>9.1}%",
            100.0 * (counting + writing) / all,
            100.0 * waits / all,
            100.0 * listed / all,
            100.0 * tail / all
        );
    }
    Ok(())
}

/// The families, and for each unit its seconds on one thread with all programs at hand.
fn measure(plan: &ColorPlan) -> Result<(Vec<Family>, Vec<f64>), Box<dyn Error>> {
    let cancel = CancelToken::new();
    let mut seconds = Vec::with_capacity(plan.units());
    let mut families = Vec::new();
    // The second one only finds what the first has written.
    let mut workers = plan.workers(2);
    for units in plan.families() {
        let mut programs = 0.0;
        for unit in units.clone() {
            let mut time = |worker: usize| {
                let start = Instant::now();
                workers[worker].count(unit, &cancel).map(|_| start.elapsed().as_secs_f64())
            };
            let first = time(0)?;
            let at_hand = if unit == units.start && units.len() > 1 { time(1)? } else { first };
            programs += (first - at_hand).max(0.0);
            seconds.push(first.min(at_hand));
        }
        let last = plan.rows(units.end - 1).evens.end;
        let terms = last - plan.rows(units.start).evens.start;
        families.push(Family { terms, listing: listing(plan, &units)?, units, programs });
    }
    Ok((families, seconds))
}

/// How much longer a unit that continues another takes on a thread that did not count that one.
fn listing(plan: &ColorPlan, units: &Range<usize>) -> Result<f64, Box<dyn Error>> {
    let Some(unit) = units.clone().rev().find(|&unit| plan.continues(unit)) else { return Ok(0.0) };
    let cancel = CancelToken::new();
    let mut workers = plan.workers(2);
    let mut time = |worker: usize| {
        let start = Instant::now();
        workers[worker].count(unit, &cancel).map(|_| start.elapsed().as_secs_f64())
    };
    // The first worker writes the programs, the second one lists, then it has listed.
    let (_, listing, listed) = (time(0)?, time(1)?, time(1)?);
    Ok((listing - listed).max(0.0))
}

/// What became of a count that was played.
struct Played {
    seconds: f64,
    /// Seconds of all threads that they waited for programs.
    waits: f64,
    /// Seconds of all threads in which they listed odd rows that another thread had listed.
    listed: f64,
    /// Seconds of all threads for which they found no unit left.
    tail: f64,
}

/// A time in nanoseconds, and the thread that goes on then.
type Event = Reverse<(u64, usize)>;

/// What a thread is at.
#[derive(Clone, Default)]
struct Thread {
    family: usize,
    /// Seconds that a term of its unit takes.
    term: f64,
    /// Terms of the unit that are yet to come, the next one last.
    terms: Vec<usize>,
    /// Terms of the group at hand whose programs are wanted, the next one last.
    wanted: Vec<usize>,
    /// Those of them that another thread was writing.
    skipped: Vec<usize>,
    /// How many terms the group at hand has: 0 between two groups.
    group: usize,
    /// The unit that it was given last.
    last: Option<Handed>,
}

fn play(plan: &ColorPlan, families: &[Family], seconds: &[f64], threads: usize) -> Played {
    let nanoseconds = |seconds: f64| (1e9 * seconds) as u64;
    // For each term of each family, when its programs are there.
    let mut written: Vec<Vec<Option<u64>>> = families.iter().map(|family| vec![None; family.terms]).collect();
    let units: Vec<usize> = (0..seconds.len()).collect();
    let hand_out = HandOut::new(plan, &units).expect("there is memory for a list of units");
    let family_of = |unit: usize| families.partition_point(|family| family.units.end <= unit);
    let mut states = vec![Thread::default(); threads];
    let mut events: BinaryHeap<Event> = (0..threads).map(|thread| Reverse((0, thread))).collect();
    let (mut waits, mut end, mut ends, mut listed) = (0, 0, Vec::new(), 0.0);
    while let Some(Reverse((now, thread))) = events.pop() {
        let state = &mut states[thread];
        // The group at hand: its programs first, those that others write last, then its terms.
        let is_second_look = state.wanted.is_empty();
        if let Some(term) = state.wanted.pop().or_else(|| state.skipped.pop()) {
            let slot = &mut written[state.family][term];
            let then = match *slot {
                None => {
                    let family = &families[state.family];
                    let then = now + nanoseconds(family.programs / family.terms as f64);
                    *slot = Some(then);
                    then
                }
                Some(there) if there > now && is_second_look => {
                    waits += there - now;
                    there
                }
                Some(there) => {
                    if there > now {
                        state.skipped.push(term);
                    }
                    now
                }
            };
            events.push(Reverse((then, thread)));
        } else if state.group > 0 {
            let took = nanoseconds(state.term * state.group as f64);
            state.group = 0;
            events.push(Reverse((now + took, thread)));
        } else if !state.terms.is_empty() {
            state.group = state.terms.len().min(TOGETHER);
            state.wanted = state.terms.split_off(state.terms.len() - state.group);
            events.push(Reverse((now, thread)));
        } else if let Some(handed) = hand_out.next(state.last) {
            let (unit, at) = (handed.unit, family_of(handed.unit));
            let family = &families[at];
            let is_listed = state.last.is_some_and(|last| last.unit + 1 == unit) || !plan.continues(unit);
            let listing = if is_listed { 0.0 } else { family.listing };
            // Threads on a family begin far apart, as in the solver.
            let place = ((unit - family.units.start) as u32).reverse_bits();
            let evens = plan.rows(unit).evens;
            let before = evens.start - plan.rows(family.units.start).evens.start;
            let first = (evens.len().div_ceil(TOGETHER) as u64 * u64::from(place)) >> 32;
            let first = first as usize * TOGETHER;
            (state.last, state.family, state.term) = (Some(handed), at, seconds[unit] / evens.len() as f64);
            state.terms = (0..evens.len()).map(|term| before + (first + term) % evens.len()).rev().collect();
            listed += listing;
            events.push(Reverse((now + nanoseconds(listing), thread)));
        } else {
            end = end.max(now);
            ends.push(now);
        }
    }
    let tail = ends.iter().map(|&thread_end| end - thread_end).sum::<u64>();
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    Played { seconds: seconds(end), waits: seconds(waits), listed, tail: seconds(tail) }
}
