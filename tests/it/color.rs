//! Tests of the color split: its images, and its units, terms and totals above the sizes that all solvers are tested
//! with. `--ignored` runs the slow ones.

use nqueens::board::{Board, Size, known};
use nqueens::internal::{ColorPlan, OnPacks};
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::{CancelToken, Counter, verify};

fn plan(n: usize, isa: Isa) -> ColorPlan {
    let size = Size::new(n).unwrap();
    ColorPlan::new(size, OnPacks::new(size, isa), &CancelToken::new()).unwrap()
}

#[test]
#[ignore = "about two minutes: cargo test --release -- --ignored"]
fn totals_from_18_to_22_are_published() {
    for n in 18..=22 {
        let outcome = Counter::new(n).unwrap().solver("color").threads(2).run().unwrap();
        assert_eq!(Some(outcome.solutions), known::solutions(Size::new(n).unwrap()), "n = {n}");
    }
}

/// No run has counted these sizes. Each term is from the middle of the units of a class with large tables. Its image
/// has other lists, programs and tables.
#[test]
#[ignore = "seven minutes: cargo test --release -- --ignored"]
fn a_term_of_each_size_above_28_and_of_27_is_counted_like_its_image() {
    for (n, unit) in [(27, 110_585), (29, 382_601), (30, 1_385_244)] {
        let of_size = plan(n, registry::machine_isa());
        let image = of_size.audit().image().unwrap();
        let [term, of_image] = [&of_size as &dyn Plan, &*image]
            .map(|plan| plan.audit().part(unit, 0.0).unwrap().count().threads(1).run().unwrap().solutions);
        assert!(term > 0 && term % u128::from(of_size.audit().tally_divisor(unit)) == 0, "n = {n}: {term}");
        assert_eq!(of_image, term, "n = {n}, unit {unit}");
    }
}

/// An interrupted run loses at most one unit for each thread, so units must be short.
#[test]
fn units_up_to_28_are_predicted_to_take_two_minutes_at_most() {
    for n in [22, 25, 26, 27, 28] {
        let plan = plan(n, Isa::Avx512Bitalg);
        let costs = || (0..plan.units()).map(|unit| plan.cost(unit));
        let color = registry::find("color").unwrap();
        let whole = color.predicted_seconds(Size::new(n).unwrap(), Isa::Avx512Bitalg).unwrap();
        let longest = whole * costs().fold(0.0, f64::max) / costs().sum::<f64>();
        assert!(longest < 120.0, "n = {n}: the longest of {} units takes {longest:.0} s", plan.units());
    }
}

/// `src/tests.rs` compares the tallies of images and units.
#[test]
fn an_image_counts_other_boards_than_its_unit() {
    for n in 6..=10 {
        let unit_plan = plan(n, Isa::Portable);
        let image = unit_plan.audit().image().unwrap();
        let boards = verify::reference_boards(Size::new(n).unwrap());
        let counted: Vec<Board> = boards.filter(|board| image.locate(board).is_some()).collect();
        let shared = counted.iter().filter(|board| unit_plan.locate(board).is_some()).count();
        // On an odd board, palindromes are their own images.
        let is_other = if n % 2 == 0 { shared == 0 && !counted.is_empty() } else { shared < counted.len() };
        assert!(is_other, "n = {n}: {shared} of {} boards are counted by a unit too", counted.len());
    }
}
