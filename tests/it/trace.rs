//! What `trace` shows of the color split is what the solvers count.

use nqueens::board::Size;
use nqueens::solver::registry;
use nqueens::trace::colorings;

/// Board by board: a white placement and a black one on the columns that it leaves make a solution, and so all are made.
#[test]
fn the_products_are_the_boards_of_the_reference() {
    for n in 1..=7 {
        let size = Size::new(n).unwrap();
        let mut made: Vec<Vec<u8>> = Vec::new();
        for coloring in colorings(size).unwrap() {
            let (white, black) = (&coloring.white().rows, &coloring.black().rows);
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
        let reference = registry::reference().solutions(size).unwrap();
        assert_eq!(made, reference.map(|solution| solution.columns().to_vec()).collect::<Vec<_>>(), "n = {n}");
    }
}
