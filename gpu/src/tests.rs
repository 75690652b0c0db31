//! Compares the counts of a card with those of the processor, on a software adapter. `scripts/slow.sh gpu` runs these
//! tests.

use std::thread;
use std::time::Duration;

use nqueens::board::Size;
use nqueens::internal::{ColorPlan, OnPacks};
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Cancelled, Error};
use wgpu::Limits;
use wgpu::naga::proc::Layouter;
use wgpu::naga::{AddressSpace, front::wgsl};

use crate::adapter::{self, STORAGE_BUFFERS, WORKGROUP_BYTES, lacks};
use crate::card::{Card, Kernel, Trouble};
use crate::shape::BLOCK;
use crate::unit::{SUM_NUMBERS, sums_of_lanes};
use crate::{Cards, Choice, KernelSeconds};

fn card() -> Card {
    let mut cards = adapter::open(&Choice::Software, Ok).unwrap();
    cards.pop().expect("`open` fails if there is none")
}

/// The numbers of a sum carry into each other. No count of a unit tests this, because the sums of units are smaller.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn sums_are_exact_past_64_bits() {
    let (mut card, lists, slices, times) = (card(), 5, 400, 3);
    let upload = |numbers: Vec<u32>| card.upload(numbers.into_iter()).unwrap();
    // Two rows with four free columns, in which every square fits all keys.
    let endings = upload([0b1111, 0].repeat(lists));
    let ends = upload(vec![0, 2, 0, 1]);
    let tails = upload(vec![0, 0, 1, 1]);
    let fittings = upload(vec![u32::MAX; slices * 2 * 4 * BLOCK]);
    let spans = upload([0, slices as u32].repeat(lists));
    let row_of = upload(vec![0; 16]);
    let entries: Vec<u32> = (0..BLOCK as u32).map(|lane| 65_535 - lane).collect();
    let table = upload(entries.clone());
    let sums = upload([0, u32::MAX, 0].repeat(BLOCK));
    let buffers = [&endings, &ends, &tails, &fittings, &spans, &row_of, &table, &sums];
    let task = [0, BLOCK as u32, 0b1111, 1, 0, BLOCK as u32];
    for _ in 0..times {
        card.run(Kernel::Dot(4), &task, &buffers, false, [lists, 1, 1]).unwrap();
    }
    // Three of the pairs of columns are not neighbors, and each key of a slice counts in both orders.
    let counts = (times * lists * slices * 3 * 2 * 32) as u128;
    let begin = (1u128 << 64) - (1 << 32);
    let expected: Vec<u128> = entries.iter().map(|&entry| begin + counts * u128::from(entry)).collect();
    let sums = card.read(&sums, SUM_NUMBERS * BLOCK).unwrap();
    assert_eq!(sums_of_lanes(&sums).collect::<Vec<_>>(), expected);
}

/// No count of a unit tests this, because the entries of units are smaller.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn an_entry_of_more_than_two_bytes_is_reported() {
    let (mut card, rows, lanes) = (card(), 5, 70);
    // Each entry is multiplied by 2 for its row and by 2 for its lane.
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
    ColorPlan::new(size, OnPacks::new(size, Isa::Portable), &CancelToken::new()).unwrap()
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

/// Lists are divided by walks and by lanes, and tables by terms. The smallest card gives units back.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_card_with_little_memory_counts_right() {
    for room in [1 << 20, 1 << 15] {
        assert_eq!(compare(14, 5, room).work()[0].given_back, 0, "{room} bytes");
    }
    let work = &compare(14, 5, 1 << 11).work()[0];
    assert!(work.given_back > 0 && work.reason.as_deref() == Some("its memory is too small"), "{work:?}");
}

/// A card counts correctly after it was stopped at any point.
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

/// Each fault is found by a different check.
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_wrong_kernel_ends_the_count() {
    // The processor always recounts unit 0, so this must be a size whose unit 0 has a count above 0.
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

/// The memory of a workgroup may begin with any values, because a driver need not set it to 0.
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

#[test]
fn kernels_take_what_every_card_has() {
    let mut most = [0, 0];
    let counting = (2..=15).flat_map(|columns| [Kernel::Fill(columns), Kernel::Dot(columns)]);
    for kernel in [Kernel::Merge, Kernel::Fit, Kernel::Turn].into_iter().chain(counting) {
        let module = wgsl::parse_str(&kernel.source()).unwrap();
        let mut layouts = Layouter::default();
        layouts.update(module.to_ctx()).unwrap();
        let (mut buffers, mut bytes) = (0, 0);
        for (_, variable) in module.global_variables.iter() {
            match variable.space {
                AddressSpace::Storage { .. } => buffers += 1,
                // Tint pads each variable to 16 bytes.
                AddressSpace::WorkGroup => bytes += layouts[variable.ty].size.next_multiple_of(16),
                _ => {}
            }
        }
        assert!(buffers <= STORAGE_BUFFERS && bytes <= WORKGROUP_BYTES, "{kernel:?}: {buffers} buffers, {bytes} bytes");
        most = [most[0].max(buffers), most[1].max(bytes)];
    }
    assert_eq!(most, [STORAGE_BUFFERS, WORKGROUP_BYTES], "cards may have lower limits than `lacks` asks for");
    // The lowest limits that a browser offers.
    assert_eq!(lacks(&Limits::default()), None);
}

#[test]
fn a_card_that_cannot_count_is_told_its_limit() {
    let few = Limits { max_storage_buffers_per_shader_stage: 4, ..Limits::default() };
    assert_eq!(lacks(&few).unwrap(), "it allows 4 of the 8 storage buffers that a shader needs");
    let small = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    assert_eq!(lacks(&small).unwrap(), "it allows 16383 bytes of workgroup memory, and 16384 are needed");
}
