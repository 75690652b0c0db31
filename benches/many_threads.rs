//! How well a count of the color split would spread over more threads than this machine has cores: a model, fed with the
//! seconds that every unit takes here on one thread.
//!
//! ```text
//! cargo bench --bench many_threads -- 20 8 32 128
//! ```
//!
//! What it measures: each unit twice where it is the first of its family (with its family's programs to be written, and
//! with them at hand), once elsewhere. What it plays: threads that take the units in order, as the engine hands them out;
//! in a unit, groups of terms in the order in which the solver takes them; a thread writes programs that nobody has
//! written, leaves out what another is at, and waits for that when nothing else of its group is left. What it leaves out:
//! that cores share caches and memory, and the locks that are held for microseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::ops::Range;
use std::time::Instant;

use nqueens::board::Size;
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
    /// Its terms: how many sets of even rows its units have.
    terms: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers = std::env::args().skip(1).filter(|argument| argument != "--bench").map(|argument| argument.parse());
    let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
    let (n, threads) = match numbers[..] {
        [] => (16, &[2, 8, 32, 128][..]),
        [n] => (n, &[2, 8, 32, 128][..]),
        [n, ref threads @ ..] => (n, threads),
    };
    let isa = Counter::new(n)?.solver("color")?.choice().isa;
    let plan = ColorPlan::new(Size::new(n)?, isa, Tuning::default());
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
    println!("{:>8} {:>11} {:>10} {:>12} {:>10}", "threads", "seconds", "of ideal", "lock waits", "idle tail");
    for &threads in threads {
        if threads == 0 {
            return Err("0 threads count nothing".into());
        }
        let Played { seconds: took, waits, tail } = play(&families, &seconds, threads);
        let all = took * threads as f64;
        println!(
            "{threads:>8} {took:>11.4} {:>9.1}% {:>11.2}% {:>9.1}%",
            100.0 * (counting + writing) / all,
            100.0 * waits / all,
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
        families.push(Family { terms: plan.rows(units.start).evens.len(), units, programs });
    }
    Ok((families, seconds))
}

/// What became of a count that was played.
struct Played {
    seconds: f64,
    /// Seconds of all threads that they waited for programs.
    waits: f64,
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
}

fn play(families: &[Family], seconds: &[f64], threads: usize) -> Played {
    let nanoseconds = |seconds: f64| (1e9 * seconds) as u64;
    // For each term of each family, when its programs are there.
    let mut written: Vec<Vec<Option<u64>>> = families.iter().map(|family| vec![None; family.terms]).collect();
    let mut units =
        families.iter().enumerate().flat_map(|(at, family)| family.units.clone().map(move |unit| (at, unit)));
    let mut states = vec![Thread::default(); threads];
    let mut events: BinaryHeap<Event> = (0..threads).map(|thread| Reverse((0, thread))).collect();
    let (mut waits, mut end, mut ends) = (0, 0, Vec::new());
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
        } else if let Some((at, unit)) = units.next() {
            let family = &families[at];
            // Threads on a family begin far apart, as in the solver.
            let place = ((unit - family.units.start) as u32).reverse_bits();
            let first = ((family.terms as u64 * u64::from(place)) >> 32) as usize;
            (state.family, state.term) = (at, seconds[unit] / family.terms as f64);
            state.terms = (0..family.terms).map(|term| (first + term) % family.terms).rev().collect();
            events.push(Reverse((now, thread)));
        } else {
            end = end.max(now);
            ends.push(now);
        }
    }
    let tail = ends.iter().map(|&thread_end| end - thread_end).sum::<u64>();
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    Played { seconds: seconds(end), waits: seconds(waits), tail: seconds(tail) }
}
