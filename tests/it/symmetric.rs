//! Compares the searches for symmetric solutions with the boards of the reference, unit by unit, with each other, and
//! with the published counts.

use std::collections::{BTreeMap, HashSet};

use nqueens::board::{Board, Size, fundamental, known};
use nqueens::symmetric::{self, Classes, Turn};
use nqueens::{CancelToken, verify};

const TURNS: [Turn; 2] = [Turn::Half, Turn::Quarter];

fn reference(n: usize) -> Vec<Board> {
    verify::reference_boards(size(n)).collect()
}

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

fn count(turn: Turn, n: usize) -> u128 {
    turn.plan(size(n)).count().threads(2).run().unwrap().solutions
}

#[test]
fn every_unit_counts_the_boards_that_the_reference_lists_for_it() {
    for n in 0..=12 {
        let solutions = reference(n);
        for turn in TURNS {
            let plan = turn.plan(size(n));
            let names: HashSet<String> = (0..plan.units()).map(|unit| plan.name(unit)).collect();
            assert_eq!(names.len(), plan.units(), "{turn:?}, n = {n}");
            let mut expected = vec![0u128; plan.units()];
            for (unit, weight) in solutions.iter().filter_map(|solution| plan.locate(solution)) {
                expected[unit] += u128::from(weight);
            }
            let counted =
                (0..plan.units()).map(|unit| plan.worker().count(unit, &CancelToken::new()).unwrap().solutions);
            assert_eq!(counted.collect::<Vec<_>>(), expected, "{turn:?} n = {n}");
            let symmetric = solutions.iter().filter(|solution| turn.fixes(solution)).cloned();
            let streamed: Vec<Board> = symmetric::solutions(turn, size(n)).collect();
            assert_eq!(streamed, symmetric.collect::<Vec<_>>(), "{turn:?} n = {n}");
        }
    }
}

#[test]
fn counts_are_the_published_ones() {
    for n in 1..=32 {
        if n <= 22 {
            assert_eq!(Some(count(Turn::Half, n)), known::half_turn(size(n)), "A032522, n = {n}");
        }
        assert_eq!(Some(count(Turn::Quarter, n)), known::quarter_turn(size(n)), "A033148, n = {n}");
    }
}

/// The masks of lines take 63 bits for the largest boards.
#[test]
fn lists_of_large_boards_are_in_order() {
    let whole = usize::MAX;
    for (turn, n, most) in [
        (Turn::Half, 20, whole),
        (Turn::Half, 31, 3),
        (Turn::Half, 32, 3),
        (Turn::Quarter, 29, whole),
        (Turn::Quarter, 31, whole),
        (Turn::Quarter, 32, 3),
    ] {
        let listed: Vec<Board> = symmetric::solutions(turn, size(n)).take(most).collect();
        let there_are = if most == whole { count(turn, n) } else { most as u128 };
        assert_eq!(listed.len() as u128, there_are, "{turn:?} n = {n}");
        assert!(listed.iter().all(|solution| solution.is_solution() && turn.fixes(solution)), "{turn:?} n = {n}");
        assert!(listed.is_sorted_by(|a, b| a < b), "{turn:?} n = {n}");
    }
}

/// Compares Burnside's lemma with the canonical forms of all boards.
#[test]
fn classes_agree_with_canonical_forms() {
    for n in 0..=12 {
        let solutions = reference(n);
        // The number of solutions for each canonical form.
        let mut orbits: BTreeMap<Board, u128> = BTreeMap::new();
        for solution in &solutions {
            let canonical = solution.canonical();
            assert_eq!(canonical == *solution, solution.is_canonical());
            *orbits.entry(canonical).or_default() += 1;
        }
        for (canonical, length) in &orbits {
            let images: HashSet<Board> = canonical.images().collect();
            assert_eq!(images.len() as u128, *length, "{canonical:?}");
        }
        let fixed_by = |turn: Turn| solutions.iter().filter(|solution| turn.fixes(solution)).count() as u128;
        let found =
            Classes::new(size(n), solutions.len() as u128, count(Turn::Half, n), count(Turn::Quarter, n)).unwrap();
        assert_eq!(found.fundamental, orbits.len() as u128, "n = {n}");
        assert_eq!([found.half_turn, found.quarter_turn], TURNS.map(fixed_by));
        let orbits_of = |lengths: &[u128]| orbits.values().filter(|length| lengths.contains(length)).count() as u128;
        let by_size = [&[8][..], &[4], &[2, 1]].map(orbits_of);
        assert_eq!([found.asymmetric_orbits, found.half_turn_orbits, found.quarter_turn_orbits], by_size, "n = {n}");
        // The fundamental solutions are the canonical forms, in order.
        let expected: Vec<Board> = orbits.into_keys().collect();
        assert_eq!(fundamental(solutions.into_iter()).collect::<Vec<_>>(), expected, "n = {n}");
    }
}
