//! Totals of the color split past the sizes that every solver is held to; `--ignored` runs the slow ones.

use nqueens::board::{Size, known};
use nqueens::internal::SplitMix64;
use nqueens::internal::{ColorPlan, SparseThreshold, Tuning};
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::{CancelToken, Counter, Outcome, Progress, verify};

fn count(n: usize, isa: Isa, threads: usize) -> Outcome {
    let counter = Counter::new(n).unwrap().solver("color").isa(isa).threads(threads);
    let outcome = counter.run().unwrap();
    let published = known::solutions(Size::new(n).unwrap()).unwrap();
    assert_eq!(outcome.solutions, published, "n = {n} with {} on {threads} threads", isa.name());
    outcome
}

fn plan(n: usize, isa: Isa, tuning: Tuning) -> ColorPlan {
    ColorPlan::new(Size::new(n).unwrap(), isa, tuning, &CancelToken::new()).unwrap()
}

/// The tallies of all units, counted by one worker: memory that a unit leaves in a wrong state changes a later count.
fn tallies(plan: &dyn Plan) -> Vec<u128> {
    let mut worker = plan.worker();
    (0..plan.units()).map(|unit| worker.count(unit, &CancelToken::new()).unwrap().solutions).collect()
}

/// Compares each unit with the reference's boards.
fn check_units(n: usize, plan: &dyn Plan, at: &str) {
    let cancel = CancelToken::new();
    let reference = verify::consult_reference(Size::new(n).unwrap(), &[plan], None, &cancel).unwrap();
    let wrong = reference.plans[0].check(plan, 1, &cancel, &Progress::new()).unwrap();
    assert!(wrong.is_empty(), "n = {n}, {at}: {wrong:?}");
}

/// `Work::words` depends on the instruction set: how many lanes share bytes, and how large tiles may be.
#[test]
fn totals_up_to_17_are_published_with_every_instruction_set_and_the_work_is_that_of_any_number_of_threads() {
    for n in 13..=17 {
        let mut of_all = Vec::new();
        for isa in Isa::available() {
            let works = [1, 2, 7].map(|threads| count(n, isa, threads).work);
            assert!(works.iter().all(|work| *work == works[0]), "n = {n}, {}: {works:?}", isa.name());
            assert!(works[0].nodes > 0 && works[0].words > 0);
            of_all.push(works[0].nodes);
        }
        assert!(of_all.iter().all(|work| *work == of_all[0]), "n = {n}: {of_all:?}");
    }
}

#[test]
#[ignore = "about two minutes: cargo test --release -- --ignored"]
fn totals_from_18_to_22_are_published() {
    let isa = *Isa::available().last().unwrap();
    for n in 18..=22 {
        count(n, isa, 2);
    }
}

/// The tunings combine five kinds of kept packs, three ways of the summing side and three lengths of parts. Each pair of
/// choices occurs, but not each triple.
#[test]
fn what_is_kept_and_what_is_summed_together_changes_no_units_count() {
    let packs = [(1, 0), (1, 1 << 30), (3, 2000), (64, 0), (64, 20_000)];
    // In lanes, sparse, sparse for long walks alone.
    let ways = [99, 0, 5];
    // If parts must be this short, walks are divided.
    let longest_parts = [u16::MAX, 16, 40];
    for n in [11, 14] {
        // Depths change the order of the units.
        let deep = |isa| Tuning { longest_prefixes: [1, 2], rows_left: 0, ..Tuning::new(n, isa) };
        let isa = registry::machine_isa();
        let expected = tallies(&plan(n, isa, deep(isa)));
        assert_eq!(Some(expected.iter().sum::<u128>()), known::solutions(Size::new(n).unwrap()));
        assert!(expected.len() > 5, "n = {n} is to have several units");
        for isa in Isa::available() {
            for (i, (terms_together, bytes)) in packs.into_iter().enumerate() {
                for (j, sparse_from) in ways.into_iter().enumerate() {
                    let tuning = Tuning {
                        terms_together,
                        summing_pack_bytes: bytes,
                        filling_pack_bytes: bytes,
                        sparse_from: Some(sparse_from),
                        longest_part: longest_parts[(i + j) % longest_parts.len()],
                        ..deep(isa)
                    };
                    assert_eq!(tallies(&plan(n, isa, tuning)), expected, "n = {n}, {}, {tuning:?}", isa.name());
                }
            }
        }
    }
}

/// Long runs are cut into units, and what is lost of an interrupted one is at most a unit for each thread.
#[test]
fn units_up_to_28_are_predicted_to_take_four_minutes_at_most() {
    let isa = registry::machine_isa();
    for n in [22, 25, 26, 27, 28] {
        let plan = plan(n, isa, Tuning::new(n, isa));
        let longest = (0..plan.units()).map(|unit| plan.cost(unit)).fold(0.0, f64::max);
        assert!(longest < 240.0, "n = {n}: the longest of {} units takes {longest:.0} s", plan.units());
    }
}

/// Tuning is public: whatever it says, every board is counted once.
#[test]
fn the_least_and_the_largest_of_every_constant_count_right() {
    for number in [0, 1, usize::MAX] {
        let longest_part = u16::try_from(number).unwrap_or(u16::MAX);
        let ways = [Some(99), Some(number), None];
        for (isa, sparse_from) in
            Isa::available().into_iter().flat_map(|isa| ways.map(|sparse_from| (isa, sparse_from)))
        {
            let tuning = Tuning {
                longest_prefixes: [number; 2],
                rows_left: number,
                min_sets_of_family: number,
                program_leaves: number as u64,
                terms_together: number,
                tables_together: number,
                summing_pack_bytes: number,
                filling_pack_bytes: number,
                longest_part,
                sparse_from,
                sparse_threshold: SparseThreshold { keeps_all: number, reduction: number, least: number },
                range_bytes: number,
                numbering: Some(number as u32),
                from_0: number == 1,
            };
            assert_eq!(tallies(&plan(10, isa, tuning)).iter().sum::<u128>(), 724, "{isa:?}, {tuning:?}");
        }
    }
}

/// Families of every size and ranges of E of every length: other units, each of which counts what its definition says.
#[test]
fn every_way_to_cut_a_count_has_units_that_count_what_they_say() {
    let isa = registry::machine_isa();
    for n in [9, 10] {
        let mut numbers = std::collections::BTreeSet::new();
        for (min_sets_of_family, program_leaves) in
            [1, 2, 5, 1000].into_iter().flat_map(|f| [1, 60, 400, 1_000_000].map(|l| (f, l)))
        {
            let tuning = Tuning { min_sets_of_family, program_leaves, ..Tuning::new(n, isa) };
            let plan = plan(n, isa, tuning);
            check_units(n, &plan, &format!("{tuning:?}"));
            numbers.insert((plan.families().len(), plan.units()));
        }
        assert!(numbers.len() > 4, "the cuts are to differ: {numbers:?}");
    }
}

/// An image has other placements, and the reference's boards say what it must count.
#[test]
fn the_image_of_every_unit_has_the_tally_of_the_unit_with_every_instruction_set() {
    let color = registry::find("color").unwrap();
    for n in 1..=14 {
        let size = Size::new(n).unwrap();
        let image = |isa| color.plan(size, isa, &CancelToken::new()).unwrap().image().unwrap();
        let unit_plan = color.plan(size, registry::machine_isa(), &CancelToken::new()).unwrap();
        let expected = tallies(&*unit_plan);
        for isa in Isa::available() {
            assert_eq!(image(isa).fingerprint(), unit_plan.fingerprint(), "n = {n}");
            assert_eq!(tallies(&*image(isa)), expected, "n = {n}, {}", isa.name());
        }
        for (unit, tally) in expected.iter().enumerate() {
            assert!(tally.is_multiple_of(u128::from(unit_plan.tally_divisor(unit))), "n = {n}, unit {unit}: {tally}");
        }
        if n <= 10 {
            let image = image(Isa::Portable);
            check_units(n, &*image, "image");
            let boards = registry::reference().solutions(size).unwrap();
            let counted: Vec<_> = boards.filter(|board| image.locate(board).is_some()).collect();
            let shared = counted.iter().filter(|board| unit_plan.locate(board).is_some()).count();
            // On an odd board, palindromes are their own images.
            let is_other = if n % 2 == 0 { shared == 0 } else { shared < counted.len() };
            assert!(n < 6 || is_other, "n = {n}: {shared} of {} boards are counted by a unit too", counted.len());
        }
    }
}

/// From n = 23 on the code that counts differs from that of smaller boards.
#[test]
#[ignore = "about a minute: cargo test --release -- --ignored"]
fn images_of_units_of_large_boards_have_their_tallies() {
    for n in [18, 19, 22, 23, 24, 25] {
        for isa in Isa::available().into_iter().rev().take(2) {
            let plan = || plan(n, isa, Tuning::new(n, isa));
            let (unit_plan, image) = (plan(), plan().image().unwrap());
            let (mut by_unit, mut by_image) = (unit_plan.worker(), image.worker());
            for unit in (0..5).map(|part| part * (unit_plan.units() - 1) / 4) {
                let [unit_tally, image_tally] =
                    [&mut by_unit, &mut by_image].map(|by| by.count(unit, &CancelToken::new()).unwrap().solutions);
                assert_eq!(image_tally, unit_tally, "n = {n}, unit {unit}, {}", isa.name());
            }
        }
    }
}

/// Counts sizes with orbits numbered at random: other units, other weights, other column sets that are dropped.
fn count_renumbered(sizes: std::ops::RangeInclusive<usize>) {
    for (n, seed) in sizes.flat_map(|n| [0, 1, 2, 3].map(|seed| (n, seed))) {
        let numbering = Some(SplitMix64::new(seed).next_u64() as u32);
        for isa in Isa::available().into_iter().rev().take(2) {
            let usual = plan(n, isa, Tuning::new(n, isa));
            let plan = plan(n, isa, Tuning { numbering, ..Tuning::new(n, isa) });
            let counts = tallies(&plan);
            let at = format!("n = {n}, seed {seed}, {}", isa.name());
            assert_eq!(Some(counts.iter().sum::<u128>()), known::solutions(Size::new(n).unwrap()), "{at}");
            assert!((&plan as &dyn Plan).fingerprint() != (&usual as &dyn Plan).fingerprint(), "{at}: equal units");
            let divides = |(unit, count): (usize, &u128)| count.is_multiple_of(u128::from(plan.tally_divisor(unit)));
            assert!(counts.iter().enumerate().all(divides), "{at}");
        }
    }
}

#[test]
fn totals_up_to_15_are_published_however_orbits_are_numbered() {
    count_renumbered(8..=15);
}

#[test]
#[ignore = "about a minute: cargo test --release -- --ignored"]
fn totals_up_to_18_are_published_however_orbits_are_numbered() {
    count_renumbered(16..=18);
}
