//! Tests of programs.

use crate::CancelToken;
use crate::color::plan::{WalkRows, row_order};
use crate::color::program::{Draft, Program, ProgramRequest};
use crate::color::split::{Geometry, SubBoard, Subset, full};

/// Trap: a subtree with more states than 16 bits can number, as on the largest boards. It is divided.
#[test]
fn a_subtree_too_large_for_its_format_is_divided_behind_the_program_before() {
    // The even rows and columns of a board of 26 are a board of 13, which has 73712 solutions.
    let geometry = Geometry::new(26);
    let order = row_order(geometry.evens);
    let row_of = vec![0; 1 << geometry.evens];
    let mut draft = Draft::default();
    let add = |draft: &mut Draft, rows: Subset| {
        let rows = WalkRows::new(rows, 0, &order);
        let request = ProgramRequest { geometry, board: SubBoard::EvenEven, rows: &rows, row_of: &row_of };
        draft.add(&request, &CancelToken::new()).unwrap()
    };
    let (small, large) = (add(&mut draft, 0b11), add(&mut draft, full(geometry.evens)));
    let memory = draft.take().unwrap();
    let [small, large] = [small, large].map(|starts| Program::new(&memory, starts));
    let leaves = |program: &Program<'_>| program.subtrees(0).map(|subtree| subtree.leaves()).sum::<u64>();
    assert_eq!(leaves(&large), 73712);
    assert!(large.subtrees(0).count() > 1);
    // Two queens in neighboring rows: all pairs of columns except equal and neighboring columns.
    let columns = geometry.evens as u64;
    assert_eq!(leaves(&small), columns * (columns - 1) - 2 * (columns - 1));
    assert_eq!(small.subtrees(0).count(), 1);
}
