//! What `trace` shows is what the solvers do: the same nodes, the same colorings with the same counts.

use nqueens::board::Size;
use nqueens::solver::{Isa, registry};
use nqueens::trace::{Search, colorings};
use nqueens::{CancelToken, Counter};

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

#[test]
fn the_steps_place_the_queens_that_mask_and_arrays_place() {
    for n in 1..=8 {
        let steps: Vec<_> = Search::new(size(n)).collect();
        let last = steps.last().unwrap();
        for solver in ["mask", "arrays"] {
            let outcome = Counter::new(n).unwrap().solver(solver).threads(1).run().unwrap();
            assert_eq!(
                (u128::from(last.solutions), last.nodes),
                (outcome.solutions, outcome.work.nodes),
                "{solver} {n}"
            );
        }
    }
}

/// Unit by unit: a unit of `color-plain` is a coloring of the odd rows, counted over all colorings of the even ones.
#[test]
fn the_colorings_shown_are_those_that_color_plain_counts() {
    let solver = registry::find("color-plain").unwrap();
    for n in 0..=9 {
        let plan = solver.plan(size(n), Isa::Portable);
        let mut shown = vec![0u128; plan.units()];
        for coloring in colorings(size(n)) {
            let odd = (0..n / 2).map(|row| (coloring.white_rows >> (2 * row + 1) & 1) << row).sum::<u64>();
            shown[odd as usize] += coloring.boards() as u128;
        }
        let cancel = CancelToken::new();
        let counted: Vec<u128> =
            (0..plan.units()).map(|unit| plan.worker().count(unit, &cancel).unwrap().solutions).collect();
        assert_eq!(shown, counted, "n = {n}");
    }
}

/// Board by board: a white placement and a black one on the columns that it leaves make a solution, and so all are made.
#[test]
fn the_products_are_the_boards_of_the_reference() {
    for n in 1..=7 {
        let mut made: Vec<Vec<u8>> = Vec::new();
        for coloring in colorings(size(n)) {
            let (white, black) = (&coloring.white.rows, &coloring.black.rows);
            for (_, whites, blacks) in coloring.products() {
                for (one, other) in whites.iter().flat_map(|one| blacks.iter().map(move |other| (one, other))) {
                    let mut columns = vec![0; n];
                    for (&row, &column) in white.iter().zip(*one).chain(black.iter().zip(*other)) {
                        columns[row] = column as u8;
                    }
                    made.push(columns);
                }
            }
        }
        made.sort_unstable();
        let reference = registry::reference().solutions(size(n)).unwrap();
        assert_eq!(made, reference.map(|solution| solution.columns().to_vec()).collect::<Vec<_>>(), "n = {n}");
    }
}
