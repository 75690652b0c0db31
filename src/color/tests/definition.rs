//! Placements of one color by definition, without sub-boards, lanes or packs. Tests compare `color` with them.

/// A bit for each even row or column.
const EVENS: u64 = 0x5555_5555_5555_5555;

/// Calls `visit` with the column set of every placement with one queen in each of `rows`, on squares of one color. Color 0
/// is white (row + column is even), 1 is black.
pub(super) fn placements(n: usize, rows: u64, color: u32, visit: &mut impl FnMut(u64)) {
    extend(n, rows, color, 0, [0, 0], visit);
}

/// [`placements`] below `columns`. `lines` are the attacked diagonals and antidiagonals, as columns of the first of
/// `rows`.
fn extend(n: usize, rows: u64, color: u32, columns: u64, lines: [u64; 2], visit: &mut impl FnMut(u64)) {
    if rows == 0 {
        return visit(columns);
    }
    let (row, below) = (rows.trailing_zeros(), rows & (rows - 1));
    let gap = if below == 0 { 0 } else { below.trailing_zeros() - row };
    let squares = if (row + color).is_multiple_of(2) { EVENS } else { !EVENS };
    let mut free = ((1 << n) - 1) & squares & !(columns | lines[0] | lines[1]);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        extend(n, below, color, columns | queen, [(lines[0] | queen) << gap, (lines[1] | queen) >> gap], visit);
    }
}
