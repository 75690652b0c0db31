//! The rows, columns, diagonals and antidiagonals that are taken: one `u64` for each kind, one bit for each line.

/// The rows, columns, diagonals and antidiagonals that hold a queen.
#[derive(Clone, Copy)]
pub(super) struct Occupancy {
    pub(super) n: u32,
    pub(super) rows: u64,
    pub(super) columns: u64,
    /// Bit `column - row + n - 1`.
    pub(super) diagonals: u64,
    /// Bit `column + row`.
    pub(super) antidiagonals: u64,
}

impl Occupancy {
    pub(super) fn empty(n: u32) -> Self {
        Self { n, rows: 0, columns: 0, diagonals: 0, antidiagonals: 0 }
    }

    /// A bit for each row, or for each column.
    #[inline(always)]
    pub(super) fn full(&self) -> u64 {
        (1 << self.n) - 1
    }

    /// The rows that have no queen yet.
    #[inline(always)]
    pub(super) fn open_rows(&self) -> u64 {
        self.full() & !self.rows
    }

    /// The shift to the right that aligns the diagonals with the columns of `row`.
    #[inline(always)]
    pub(super) fn diagonal_shift(&self, row: u32) -> u32 {
        self.n - 1 - row
    }

    /// The columns of the free squares in `row`. Whether `row` has a queen does not matter.
    #[inline(always)]
    pub(super) fn free(&self, row: u32) -> u64 {
        self.full() & !(self.columns | self.diagonals >> self.diagonal_shift(row) | self.antidiagonals >> row)
    }

    /// The occupancy after placing one queen.
    #[inline(always)]
    pub(super) fn with(&self, row: u32, column: u32) -> Self {
        let queen = 1u64 << column;
        Self {
            n: self.n,
            rows: self.rows | 1 << row,
            columns: self.columns | queen,
            diagonals: self.diagonals | queen << self.diagonal_shift(row),
            antidiagonals: self.antidiagonals | queen << row,
        }
    }

    /// The board with rows and columns exchanged. Antidiagonals stay, diagonals are reversed.
    #[inline(always)]
    pub(super) fn transposed(&self) -> Self {
        Self {
            n: self.n,
            rows: self.columns,
            columns: self.rows,
            diagonals: self.diagonals.reverse_bits() >> (65 - 2 * self.n),
            antidiagonals: self.antidiagonals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_squares_are_those_no_queen_attacks_on_either_board() {
        for n in [1, 2, 5, 8, 31, 32] {
            for (row, column) in [(0, 0), (n / 2, n / 3), (n - 1, 0), (0, n - 1), (n - 1, n - 1)] {
                let board = Occupancy::empty(n).with(row, column);
                for r in 0..n {
                    for c in 0..n {
                        let attacked = r == row || c == column || r.abs_diff(row) == c.abs_diff(column);
                        if r != row {
                            assert_eq!(
                                board.free(r) >> c & 1 == 0,
                                attacked,
                                "n = {n}: ({row}, {column}) on ({r}, {c})"
                            );
                        }
                        if c != column {
                            assert_eq!(board.transposed().free(c) >> r & 1 == 0, attacked, "n = {n} transposed");
                        }
                    }
                }
                assert_eq!(board.open_rows().count_ones(), n - 1);
            }
        }
    }
}
