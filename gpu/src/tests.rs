//! Compares the kernels with plain Rust, on a software adapter. `scripts/slow.sh gpu` runs these tests.

use std::thread;
use std::time::Duration;

use nqueens::board::Size;
use nqueens::internal::{ColorPlan, Packs, SplitMix64, Subset, UnitTuning, full};
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Cancelled, Error};
use wgpu::Buffer;

use crate::adapter;
use crate::card::{Card, Kernel, Trouble};
use crate::shape::{BLOCK, Tail, WalkEnd};
use crate::unit::{SUM_NUMBERS, sums_of_lanes};
use crate::{Cards, Choice, KernelSeconds};

mod compilers;
mod host;

use host::{Fitting, Lists};

/// Columns of the walked sub-board.
const SIZE: usize = 6;

fn card() -> Card {
    let mut cards = adapter::open(&Choice::Software, Ok).unwrap();
    cards.pop().expect("`open` fails if there is none")
}

/// Lists with random keys of a few lines. Lane 0 has most keys.
fn lists(random: &mut SplitMix64, lists: usize, lanes: usize) -> Lists {
    let mut all = Lists { lanes, ..Lists::default() };
    for _ in 0..lists {
        for lane in 0..lanes {
            let (start, count) = (all.keys.len(), random.below(if lane == 0 { 100 } else { 40 }));
            all.keys.extend((0..count).map(|_| (0..4).fold(0, |key, _| key | 1u64 << random.below(64))));
            all.ranges.push([start as u32, count as u32]);
        }
    }
    all
}

fn keys(card: &Card, lists: &Lists) -> [Buffer; 2] {
    let keys: Vec<u32> = lists.keys.iter().flat_map(|&key| [key as u32, (key >> 32) as u32]).collect();
    let ranges: Vec<u32> = lists.ranges.iter().flatten().copied().collect();
    [card.upload(keys.into_iter()).unwrap(), card.upload(ranges.into_iter()).unwrap()]
}

/// Lists whose last rows are counted, and what plain Rust makes of them.
struct Case {
    lists: Lists,
    end: WalkEnd,
    /// The columns of each list.
    sets: Vec<Subset>,
    row_of: Vec<u32>,
    terms: usize,
}

/// Number of table rows.
const ROWS: usize = 10;

impl Case {
    fn new(random: &mut SplitMix64, lanes: usize) -> Self {
        let sets = vec![0b000_011, 0b010_100, 0b100_001];
        let tail = |term, a: usize, b: usize| Tail { term, rows: [a, b], distance: 1 + (a + b) % 3 };
        let end =
            WalkEnd { rows: vec![[7, 33], [5, 35], [4, 41]], tails: vec![tail(0, 0, 1), tail(1, 2, 0), tail(2, 1, 2)] };
        let row_of = (0..1 << SIZE).map(|_| if random.below(3) == 0 { u32::MAX } else { random.below(ROWS) as u32 });
        let row_of = row_of.collect();
        Self { lists: lists(random, sets.len(), lanes), end, sets, row_of, terms: 3 }
    }

    fn columns(&self) -> u32 {
        SIZE as u32 - self.sets[0].count_ones()
    }

    fn blocks(&self) -> usize {
        self.lists.lanes.div_ceil(BLOCK)
    }

    /// The lists of one block of lanes.
    fn block(&self, block: usize) -> Lists {
        let lanes = self.lists.lanes.min((block + 1) * BLOCK) - block * BLOCK;
        let mut some = Lists { lanes, ..Lists::default() };
        for list in 0..self.sets.len() {
            some.ranges.extend_from_slice(&self.lists.ranges[list * self.lists.lanes + block * BLOCK..][..lanes]);
        }
        some.keys = self.lists.keys.clone();
        some
    }

    /// The fittings of a list in a block.
    fn fittings(&self, list: usize, block: usize) -> Vec<Fitting> {
        host::fittings(&self.block(block), list, &self.end, full(SIZE) ^ self.sets[list])
    }

    /// Calls `visit` with each term, table row, lane and count that is not 0.
    fn counts(&self, mut visit: impl FnMut(usize, usize, usize, u32)) {
        for (list, block) in (0..self.sets.len()).flat_map(|list| (0..self.blocks()).map(move |block| (list, block))) {
            let (fittings, free) = (self.fittings(list, block), full(SIZE) ^ self.sets[list]);
            for tail in &self.end.tails {
                host::pairs(&fittings, &self.end, free, tail, |pair, counts| {
                    let row = self.row_of[(self.sets[list] | pair) as usize];
                    for (lane, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0 && row != u32::MAX)
                    {
                        visit(tail.term, row as usize, block * BLOCK + lane, count);
                    }
                });
            }
        }
    }

    /// Makes the fittings on a card. Returns the buffers that count them: endings, ends, tails, fittings, spans, rows.
    fn on(&self, card: &mut Card) -> [Buffer; 6] {
        let [keys, ranges] = keys(card, &self.lists);
        let upload = |numbers: Vec<u32>| card.upload(numbers.into_iter()).unwrap();
        let endings = upload(self.sets.iter().flat_map(|&set| [full(SIZE) ^ set, 0]).collect());
        let ends = upload([0, self.end.rows.len(), 0, self.end.tails.len()].map(|number| number as u32).to_vec());
        let rows = upload(self.end.rows.iter().flatten().copied().collect());
        let tails = self.end.tails.iter().flat_map(|tail| [tail.term, tail.rows[0], tail.rows[1], tail.distance]);
        let tails = upload(tails.map(|number| number as u32).collect());
        let row_of = upload(self.row_of.clone());
        let lists = self.sets.len();
        let size =
            (0..lists).flat_map(|list| (0..self.blocks()).map(move |block| self.fittings(list, block).len() * BLOCK));
        let size = size.sum::<usize>();
        let (fittings, spans) = (card.buffer(size).unwrap(), card.buffer(2 * lists * self.blocks()).unwrap());
        let mut run = |capacity: usize| {
            let task = [0, self.lists.lanes as u32, self.columns(), capacity as u32];
            let buffers = [&endings, &ends, &rows, &keys, &ranges, &fittings, &spans];
            card.run(Kernel::Fit, &task, &buffers, true, [lists, self.blocks(), 1]).unwrap()
        };
        assert_eq!(run(size - 1)[2], 1, "there is no room for the last fitting");
        let report = run(size);
        assert_eq!(report[..3], [size as u32, 0, 0]);
        [endings, ends, tails, fittings, spans, row_of]
    }

    fn task(&self) -> [u32; 6] {
        [0, self.lists.lanes as u32, full(SIZE), ROWS as u32, 0, (self.blocks() * BLOCK) as u32]
    }

    fn at(&self, term: usize, row: usize, lane: usize) -> usize {
        (term * ROWS + row) * self.blocks() * BLOCK + lane
    }
}

/// All sums begin just below 2^64. Some pass it, and some pass 32 bits, because entries are as large as they can be.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn sums_are_those_of_plain_rust() {
    let (mut card, mut random) = (card(), SplitMix64::new(4));
    for lanes in [1, 64, 130] {
        let case = Case::new(&mut random, lanes);
        let buffers = case.on(&mut card);
        let entries: Vec<u32> = (0..case.at(case.terms, 0, 0)).map(|_| 65_535 - random.below(9) as u32).collect();
        let stride = case.blocks() * BLOCK;
        let (times, begin) = (2000, (1u128 << 64) - (1 << 32));
        let mut expected = vec![begin; case.terms * stride];
        case.counts(|term, row, lane, count| {
            expected[term * stride + lane] += times * u128::from(count) * u128::from(entries[case.at(term, row, lane)]);
        });
        let table = card.upload(entries.iter().copied()).unwrap();
        let numbers = |&sum: &u128| (0..SUM_NUMBERS).map(move |number| (sum >> (32 * number)) as u32);
        let sums = vec![begin; expected.len()].iter().flat_map(numbers).collect::<Vec<_>>();
        let sums = card.upload(sums.into_iter()).unwrap();
        let all: Vec<&Buffer> = buffers.iter().chain([&table, &sums]).collect();
        for _ in 0..times {
            card.run(Kernel::Dot(case.columns()), &case.task(), &all, false, [3, case.blocks(), 1]).unwrap();
        }
        let sums = card.read(&sums, SUM_NUMBERS * expected.len()).unwrap();
        assert_eq!(sums_of_lanes(&sums).collect::<Vec<_>>(), expected, "{lanes} lanes");
        assert!(expected.iter().any(|&sum| sum > u128::from(u64::MAX)), "no sum passes 64 bits");
    }
}

/// Entries of units are smaller, so no count shows it.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn an_entry_of_more_than_two_bytes_is_reported() {
    let (mut card, rows, lanes) = (card(), 5, 70);
    // Each is multiplied with a row's 2 and a lane's 2.
    for (entry, report) in [((1 << 14) - 1, 0), (1 << 14, 1)] {
        let upload = |numbers: Vec<u32>| card.upload(numbers.into_iter()).unwrap();
        let (filled, turned) = (upload(vec![entry; lanes * BLOCK]), upload(vec![0; 2 * rows * BLOCK]));
        let [row_sets, lane_sets, row_ranks] = [rows, lanes, 1].map(|sets| upload(vec![2; 2 * sets]));
        let buffers = [&filled, &turned, &row_sets, &lane_sets, &row_ranks];
        let task = [BLOCK, lanes, 1, 1].map(|number| number as u32);
        assert_eq!(card.run(Kernel::Turn, &task, &buffers, true, [2, rows, 1]).unwrap()[3], report, "{entry}");
    }
}

fn plan(n: usize) -> ColorPlan {
    let size = Size::new(n).unwrap();
    ColorPlan::new(size, UnitTuning::new(n), Packs::new(size, Isa::Portable), &CancelToken::new()).unwrap()
}

#[test]
fn plain_rust_counts_every_unit_as_the_processor_does() {
    for plan in (0..=13).map(plan) {
        for unit in 0..plan.units() {
            let (class, o, terms) = plan.units.terms(unit);
            let expected = plan.worker().count(unit, &CancelToken::new()).unwrap().solutions;
            assert_eq!(host::count(class, o, &terms), expected, "n = {}, unit {unit}", class.geometry.n);
        }
    }
}

/// Counts units on a software adapter with large buffers of `room` bytes, and compares them with the processor's.
fn compare(n: usize, every: usize, room: usize) -> Cards {
    let (cards, cancel) = (Cards::with_room(&Choice::Software, room).unwrap(), CancelToken::new());
    let (on_card, on_processor) = (cards.plan(Size::new(n).unwrap(), Isa::Portable, &cancel).unwrap(), plan(n));
    let (mut card, mut processor) = (on_card.worker(), on_processor.worker());
    let mut units = 0;
    for unit in (0..on_processor.units()).step_by(every) {
        let [found, expected] =
            [&mut card, &mut processor].map(|worker| worker.count(unit, &cancel).unwrap().solutions);
        assert_eq!(found, expected, "n = {n}, unit {unit}");
        units += 1;
    }
    drop(card);
    let work = &cards.work()[0];
    assert_eq!(work.units + work.given_back, units);
    cards
}

#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn units_on_a_card_are_those_of_the_processor() {
    for n in 0..8 {
        compare(n, 1, 1 << 20);
    }
    for n in 8..=16 {
        let work = compare(n, if n < 15 { 1 } else { 7 }, usize::MAX).work();
        assert_eq!(work[0].given_back, 0, "n = {n}: {work:?}");
        assert!(
            work[0].checked > 0 && work[0].leaf_slices > 0 && {
                let KernelSeconds { lists, fittings, turn, fill, dot } = work[0].seconds;
                [lists, fittings, turn, fill, dot].iter().all(|&seconds| seconds > 0.0)
            }
        );
    }
}

/// Lists are cut by walks and by lanes, tables by terms. The smallest card gives units back.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_card_with_little_memory_counts_right() {
    for room in [1 << 20, 1 << 15] {
        assert_eq!(compare(14, 5, room).work()[0].given_back, 0, "{room} bytes");
    }
    let work = &compare(14, 5, 1 << 11).work()[0];
    assert!(work.given_back > 0 && work.reason.as_deref() == Some("its memory is too small"), "{work:?}");
}

/// Stopped anywhere, a card counts right afterwards.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_stopped_unit_is_not_counted() {
    let (cards, n) = (Cards::open(&Choice::Software).unwrap(), 12);
    let plan = cards.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
    let mut worker = plan.worker();
    let whole = worker.count(1, &CancelToken::new()).unwrap();
    let (mut stopped, mut delay) = (0, Duration::from_micros(20));
    loop {
        let cancel = CancelToken::new();
        let first = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(delay);
                cancel.cancel();
            });
            worker.count(1, &cancel)
        });
        if first == Ok(whole) {
            break;
        }
        assert_eq!(first, Err(Cancelled.into()));
        assert_eq!(worker.count(1, &CancelToken::new()).unwrap(), whole, "stopped after {delay:?}");
        (stopped, delay) = (stopped + 1, delay * 3 / 2);
    }
    assert!(stopped > 2, "a unit was stopped only {stopped} times");
    let total = plan.count().threads(2).run().unwrap();
    assert_eq!(total.solutions, 14_200);
}

#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn the_processor_counts_on_if_the_card_is_lost() {
    let cards = Cards::open(&Choice::Software).unwrap();
    let size = Size::new(12).unwrap();
    let plan = cards.plan(size, Isa::Portable, &CancelToken::new()).unwrap();
    let mut worker = plan.worker();
    let mut sum = worker.count(0, &CancelToken::new()).unwrap().solutions;
    drop(worker);
    cards.destroy();
    let mut worker = plan.worker();
    for unit in 1..plan.units() {
        sum += worker.count(unit, &CancelToken::new()).unwrap().solutions;
    }
    assert_eq!(sum, 14_200);
    let work = &cards.work()[0];
    assert_eq!((work.units, work.given_back), (1, 1));
    assert!(work.reason.as_ref().unwrap().starts_with("it does not answer"), "{work:?}");
}

/// Each fault is found by another check.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_wrong_kernel_ends_the_count() {
    // Unit 0 is always counted again. A size in which it counts something:
    let counts = |&n: &usize| plan(n).worker().count(0, &CancelToken::new()).unwrap().solutions > 0;
    let n = (9..18).find(counts).unwrap();
    let count = |text, wrong| {
        let cards = Cards::open(&Choice::Software).unwrap();
        cards.break_kernels([text, wrong]);
        let plan = cards.plan(Size::new(n).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        plan.count().units([0]).run().unwrap_err()
    };
    let found = count("count * table", "(count + 1u) * table");
    assert!(matches!(&found, Error::Bug { unit: Some(0), problem } if problem.contains("(it counts ")), "{found:?}");
    for (text, wrong) in [
        ("end++;", "if at > range.x { end++; }"),
        ("bits += countOneBits(alive);", "bits += countOneBits(alive >> 1u);"),
    ] {
        let found = count(text, wrong);
        assert!(
            matches!(&found, Error::Bug { unit: Some(0), problem } if !problem.contains("(it counts ")),
            "{found:?}"
        );
    }
}

/// Memory of a workgroup begins with anything: a driver need not set it to 0.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn kernels_do_not_rely_on_memory_of_zeros() {
    let anything = "for (var i = 0u; i < 64u; i++) { lines[64u * i + local] = 0x9e3779b9u; } workgroupBarrier();";
    for (first, before) in [
        ("counts[local] = count;", "counts[local] = 77u; begin = 5u; has_room = true; workgroupBarrier();"),
        ("lines[local] = range.y;", anything),
    ] {
        let cards = Cards::open(&Choice::Software).unwrap();
        cards.break_kernels([first, format!("{before} {first}").leak()]);
        let plan = cards.plan(Size::new(12).unwrap(), Isa::Portable, &CancelToken::new()).unwrap();
        let total = plan.count().threads(1).run().unwrap();
        assert_eq!(total.solutions, 14_200, "{first}");
        assert_eq!(cards.work()[0].given_back, 0);
    }
}

#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn more_memory_than_a_card_has_is_an_error() {
    assert!(matches!(card().buffer(1 << 40), Err(Trouble::Memory)));
}
