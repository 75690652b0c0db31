//! Compares the leaves of programs with known numbers of placements.

use crate::CancelToken;
use crate::color::plan::{WalkRows, row_order};
use crate::color::program::{Draft, Program};
use crate::color::split::{Geometry, SubBoard, Subset, full};

/// Tests a small program, followed by one of all even rows of n = 26, whose subtrees are among the longest.
#[test]
fn programs_have_all_placements_of_their_rows_below_their_prefixes() {
    // The even rows and columns of a board of 26 form a board of 13, which has 73712 solutions.
    let geometry = Geometry::new(26);
    let order = row_order(geometry.even_rows);
    let table_row_of = vec![0; 1 << geometry.even_rows];
    let mut draft = Draft::default();
    let add = |draft: &mut Draft, rows: Subset, prefix: usize| {
        let rows = WalkRows::new(geometry, SubBoard::EvenEven, rows, prefix, &order);
        let starts = draft.add(rows, &table_row_of, &CancelToken::new()).unwrap();
        (starts.len() / 2, starts)
    };
    let (small, large) = (add(&mut draft, 0b11, 0), add(&mut draft, full(geometry.even_rows), 4));
    let memory = draft.finish().unwrap();
    let leaves = |(prefixes, starts)| {
        let program = Program::new(&memory, starts);
        (0..prefixes).map(|prefix| program.subtree(prefix).leaves()).sum::<u64>()
    };
    // Two queens in neighboring rows take any two columns except equal and neighboring columns.
    let columns = geometry.even_rows as u64;
    assert_eq!((small.0, leaves(small)), (1, columns * (columns - 1) - 2 * (columns - 1)));
    assert_eq!(leaves(large), 73712);
}
