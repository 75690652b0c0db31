//! The symmetries of the square, on enumerated solutions: Burnside's count against the published sequences, and what each
//! plan says each image of a solution counts for.

use std::collections::HashSet;

use nqueens::board::{Size, Solution, Symmetry, known};
use nqueens::solver::{Isa, registry};

fn sizes(range: std::ops::RangeInclusive<usize>) -> impl Iterator<Item = Size> {
    range.map(|n| Size::new(n).unwrap())
}

fn reference(size: Size) -> Vec<Solution> {
    registry::reference().solutions(size).unwrap().collect()
}

fn images(solution: &Solution) -> [Solution; 8] {
    Symmetry::ALL.map(|symmetry| solution.image(symmetry))
}

#[test]
fn fundamental_and_symmetric_solutions_are_the_published_ones() {
    for size in sizes(1..=11) {
        let solutions = reference(size);
        let fundamental = solutions.iter().filter(|solution| images(solution).iter().all(|image| *solution <= image));
        assert_eq!(fundamental.count() as u128, known::fundamental(size).unwrap(), "A002562, n = {size}");
        let half = solutions.iter().filter(|solution| solution.image(Symmetry::HalfTurn) == **solution).count() as u128;
        assert_eq!(half, known::half_turn(size).unwrap(), "A032522, n = {size}");
        let quarter =
            solutions.iter().filter(|solution| solution.image(Symmetry::QuarterTurn) == **solution).count() as u128;
        assert_eq!(quarter, known::quarter_turn(size).unwrap(), "A033148, n = {size}");
        // Burnside: orbits are the mean number of solutions that a symmetry leaves as they are. No mirror leaves any.
        if size.get() > 1 {
            let fixed = solutions.len() as u128 + half + 2 * quarter;
            assert_eq!(fixed, 8 * known::fundamental(size).unwrap(), "Burnside, n = {size}");
        }
    }
}

#[test]
fn every_image_of_a_solution_is_a_solution() {
    for size in sizes(1..=9) {
        let solutions: HashSet<Solution> = reference(size).into_iter().collect();
        for solution in &solutions {
            for image in images(solution) {
                assert!(solutions.contains(&image), "n = {size}: {image:?} of {solution:?}");
            }
        }
    }
}

/// The rule of symmetry, orbit by orbit: the weights of a solution's distinct images must add up to their number.
#[test]
fn weights_of_every_orbit_add_up_to_its_size() {
    for &solver in registry::SOLVERS {
        for size in sizes(0..=11) {
            let plan = solver.plan(size, Isa::Portable);
            for solution in reference(size) {
                let orbit: HashSet<Solution> = images(&solution).into_iter().collect();
                let weights: u64 = orbit.iter().filter_map(|image| plan.locate(image)).map(|(_, weight)| weight).sum();
                let expected = plan.divisor() * orbit.len() as u64;
                assert_eq!(weights, expected, "{} n = {size}, {solution:?}", solver.name());
            }
        }
    }
}
