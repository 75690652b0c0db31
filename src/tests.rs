//! Compares every plan of the library, unit by unit, with the boards of the reference.

use std::collections::HashSet;

use crate::board::{Size, known};
use crate::color::split::Sides;
use crate::color::tuning::PackTuning;
use crate::color::{ColorPlan, OnPacks, UnitTuning};
use crate::solver::{Isa, Plan, fingerprint};
use crate::verify::{Expected, consult_reference};
use crate::{CancelToken, Error, Progress, registry};

/// Plans with equal units, each with the name of the code that counts them.
type Alike = Vec<(String, Box<dyn Plan>)>;

fn color(n: usize, units: UnitTuning, method: OnPacks) -> (String, Box<dyn Plan>) {
    let plan = ColorPlan::with_tuning(Size::new(n).unwrap(), units, method, &CancelToken::new()).unwrap();
    (format!("color, {units:?}, {method:?}"), Box::new(plan))
}

/// Returns `color` with its usual packs, but with units that are cut in another way.
fn cut(n: usize, units: UnitTuning) -> Alike {
    vec![color(n, units, OnPacks::new(Size::new(n).unwrap(), registry::machine_isa()))]
}

/// Returns all combinations of limits and layouts of packs. Pieces are left out, because lists of these boards have one
/// block.
fn packings(n: usize) -> impl Iterator<Item = PackTuning> {
    // Terms together, and bytes of batches.
    let limits = [(1, 0), (1, 1 << 30), (3, 2000), (64, 0), (64, 20_000)];
    // All packs in lanes, all packs sparse, and sparse packs only for long walks.
    limits.into_iter().flat_map(move |(terms_together, bytes)| {
        [99, 0, 5].map(|sparse_from| PackTuning {
            terms_together,
            batch_bytes: Sides { filling: bytes, summing: bytes },
            sparse_from,
            ..PackTuning::new(n, Isa::Portable)
        })
    })
}

/// Returns the smallest and largest values of every constant. With any of them, each board must be counted once.
fn extremes() -> impl Iterator<Item = (UnitTuning, PackTuning)> {
    [0, 1, usize::MAX].into_iter().flat_map(|number| [(number, 99), (number, number)]).map(|(number, sparse_from)| {
        let units = UnitTuning {
            longest_prefix: number,
            rows_below: number,
            min_sets_of_family: number,
            program_leaves: number as u64,
        };
        let [terms_together, table_bytes] = [number; 2];
        // Lists of small boards have one block, so they are always one piece.
        let piece_bytes = usize::MAX;
        let batch_bytes = Sides { filling: number, summing: number };
        let lanes_per_look_up = number as u64;
        (units, PackTuning { terms_together, batch_bytes, piece_bytes, table_bytes, sparse_from, lanes_per_look_up })
    })
}

/// Returns every solver with each instruction set of this machine.
fn solvers(n: usize) -> Vec<Alike> {
    let plans = |&solver: &&'static dyn crate::solver::Solver| {
        let isas = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let plan = |isa| solver.plan(Size::new(n).unwrap(), isa, &CancelToken::new()).unwrap();
        isas.map(|isa| (format!("{} ({isa})", solver.name()), plan(isa))).collect()
    };
    registry::SOLVERS.iter().map(plans).collect()
}

/// Returns all plans for a size, in groups with equal units:
/// - a group for each solver, with each instruction set. The last one, of `color`, also has its definition and the
///   images of its plans, whose units have the same names and tallies;
/// - one image of `color` alone, which is compared with the boards that it counts itself;
/// - for n = 9 and 10, `color` with units that are cut in other ways, and with all constants at their limits;
/// - for n = 11 and more, `color` with prefixes on both sides and all ways to pack.
fn plans(n: usize) -> Vec<Alike> {
    let mut all = solvers(n);
    let by_color = all.last_mut().expect("`color` is the last");
    by_color.push(("color by definition".to_owned(), by_color[0].1.audit().by_definition().unwrap()));
    let image = |(name, plan): &(String, Box<dyn Plan>)| (format!("the image, {name}"), plan.audit().image().unwrap());
    let images: Alike = by_color.iter().map(image).collect();
    let usual = UnitTuning::new(n);
    // An image counts different boards from its unit, but the same number.
    let by_its_own_boards = vec![image(&by_color[0])];
    // The image of an image is the plan itself.
    let twice = image(&images[0]);
    by_color.extend(images);
    by_color.push(twice);
    all.push(by_its_own_boards);
    let isas = || Isa::available().into_iter();
    if (9..=10).contains(&n) {
        // Families of all sizes, and ranges of E of all lengths.
        let cuts = [1, 2, 5, 1000].into_iter().flat_map(|family| [1, 60, 400, 1 << 20].map(|leaves| (family, leaves)));
        all.extend(cuts.map(|(min_sets_of_family, program_leaves)| {
            cut(n, UnitTuning { min_sets_of_family, program_leaves, ..usual })
        }));
        all.extend(
            extremes().map(|(units, tuning)| isas().map(|isa| color(n, units, OnPacks { isa, tuning })).collect()),
        );
    }
    if n >= 11 {
        // With the usual constants, the filling side has no prefixes below n = 20. On odd boards, it has fewer queens.
        let units = UnitTuning { rows_below: 2 - n % 2, longest_prefix: 3, ..usual };
        all.push(
            isas().flat_map(|isa| packings(n).map(move |tuning| color(n, units, OnPacks { isa, tuning }))).collect(),
        );
    }
    all
}

/// Compares every unit of each plan, because a total could hide two errors that cancel out.
fn check(n: usize, alike: &Alike, expected: &Expected) {
    let threads = if cfg!(target_family = "wasm") { &[1][..] } else { &[1, 3] };
    let first = &*alike[0].1;
    let names: HashSet<String> = (0..first.units()).map(|unit| first.name(unit)).collect();
    assert_eq!(names.len(), first.units(), "n = {n}, {}", alike[0].0);
    assert!((0..first.units()).all(|unit| first.cost(unit) > 0.0), "n = {n}, {}", alike[0].0);
    for (name, plan) in alike {
        assert_eq!(fingerprint(&**plan), fingerprint(first), "n = {n}, {name}");
        for &threads in threads {
            let wrong = expected.check(plan.count().threads(threads)).unwrap();
            assert_eq!(wrong, [], "n = {n}, {name}, {threads} threads");
        }
    }
}

#[test]
fn every_unit_of_every_plan_counts_the_boards_that_the_reference_lists_for_it() {
    // Emulators of other processors take minutes for n = 11 and 12.
    let largest = if cfg!(target_arch = "x86_64") { 12 } else { 10 };
    for n in 0..=largest {
        let all = plans(n);
        let firsts: Vec<&dyn Plan> = all.iter().map(|alike| &*alike[0].1).collect();
        let expected = consult_reference(&firsts, &CancelToken::new(), &Progress::new()).unwrap();
        all.iter().zip(&expected).for_each(|(alike, expected)| check(n, alike, expected));
    }
}

#[test]
fn every_unit_of_color_is_the_same_by_all_code_above_the_sizes_that_the_reference_lists() {
    for n in [13, 14] {
        // An image alone could only be compared with itself.
        for alike in plans(n)[registry::SOLVERS.len() - 1..].iter().filter(|alike| alike.len() > 1) {
            let expected = Expected::by_count(alike[0].1.count().threads(1)).unwrap();
            assert_eq!(Some(expected.total()), known::solutions(Size::new(n).unwrap()), "n = {n}, {}", alike[0].0);
            check(n, alike, &expected);
        }
    }
}

/// Stops workers at many of the places where they check their token. Afterwards, a worker must count as a new worker
/// does.
#[test]
fn a_worker_that_was_stopped_counts_correctly_afterwards() {
    let by_color = |n, units, bytes: Option<usize>| {
        Isa::available().into_iter().flat_map(move |isa| {
            [99, 0].map(|sparse_from| {
                let mut tuning = PackTuning { sparse_from, lanes_per_look_up: 0, ..PackTuning::new(n, isa) };
                if let Some(bytes) = bytes {
                    tuning.batch_bytes = Sides { filling: bytes, summing: bytes };
                }
                color(n, units, OnPacks { isa, tuning })
            })
        })
    };
    let (n, usual) = (9, UnitTuning::new);
    let mut all: Alike = solvers(n).into_iter().flatten().chain(by_color(n, usual(n), None)).collect();
    all.push(("color by definition".to_owned(), all.last().unwrap().1.audit().by_definition().unwrap()));
    // Prefixes on both sides, and a batch for each pack: a worker stops while it filters keys, and between batches.
    all.extend(by_color(n, UnitTuning { rows_below: 1, longest_prefix: 2, ..usual(n) }, Some(0)));
    // Long walks: a worker stops in a half-written program.
    all.extend(by_color(13, UnitTuning { rows_below: 5, ..usual(13) }, None));
    for (name, plan) in all {
        let mut stopped = 0;
        for unit in (0..plan.units()).step_by((plan.units() / 9).max(1)) {
            let whole = plan.worker().count(unit, &CancelToken::new()).unwrap();
            let mut asks = 0;
            loop {
                let (mut worker, cancel) = (plan.worker(), CancelToken::after(asks));
                let first = worker.count(unit, &cancel);
                assert_eq!(worker.count(unit, &CancelToken::new()), Ok(whole), "{name}, unit {unit}, {asks} asks");
                if !cancel.is_cancelled() {
                    break;
                }
                let cancelled = Err(Error::Cancelled { units_done: 0, units: 0 });
                assert!(first == Ok(whole) || first == cancelled, "{name}, unit {unit}, {asks} asks: {first:?}");
                (stopped, asks) = (stopped + usize::from(first != Ok(whole)), asks + 1 + asks / 16);
            }
        }
        // The other solvers check their token only on larger boards, and their workers keep no data between units.
        assert!(stopped > 0 || !name.starts_with("color"), "{name} was never stopped");
    }
}
