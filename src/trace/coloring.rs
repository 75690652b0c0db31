//! The color split for readers: each coloring of the rows, with every placement of its white queens and of its black
//! queens. The solvers `color-plain` and `color` count these placements and do not list them.

use crate::board::Size;

/// The placements of one color: one queen in each of its rows, on squares of this color.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Side {
    /// The rows of this color, ascending.
    pub rows: Vec<usize>,
    /// For each placement, the column of each row's queen. Placements are in lexicographic order.
    pub placements: Vec<Vec<usize>>,
}

/// One coloring of the rows. A row is white if its queen is on a white square (row + column even).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coloring {
    /// Bit r is set if row r is white.
    pub white_rows: u64,
    /// Placements of the white queens.
    pub white: Side,
    /// Placements of the black queens.
    pub black: Side,
}

impl Side {
    fn new(n: usize, rows: u64, color: usize) -> Self {
        let rows: Vec<usize> = (0..n).filter(|row| rows >> row & 1 == 1).collect();
        let mut side = Self { rows, placements: Vec::new() };
        side.extend(n, color, &mut Vec::new());
        side
    }

    /// Adds the placements that begin with `columns`. It uses only the definition of an attack.
    fn extend(&mut self, n: usize, color: usize, columns: &mut Vec<usize>) {
        let Some(&row) = self.rows.get(columns.len()) else {
            self.placements.push(columns.clone());
            return;
        };
        for column in (0..n).filter(|column| (row + column) % 2 == color) {
            let is_free = self
                .rows
                .iter()
                .zip(&*columns)
                .all(|(&above, &queen)| queen != column && column.abs_diff(queen) != row - above);
            if is_free {
                columns.push(column);
                self.extend(n, color, columns);
                columns.pop();
            }
        }
    }

    /// The columns of a placement, bit c for column c.
    #[must_use]
    pub fn columns(placement: &[usize]) -> u64 {
        placement.iter().map(|column| 1 << column).sum()
    }
}

/// A set of white columns, the white placements on it, and the black placements on the other columns.
pub type Product<'a> = (u64, Vec<&'a [usize]>, Vec<&'a [usize]>);

impl Coloring {
    /// Makes the coloring of an n x n board with these white rows.
    #[must_use]
    pub fn new(size: Size, white_rows: u64) -> Self {
        let n = size.get();
        let all = (1u64 << n) - 1;
        let white_rows = white_rows & all;
        Self { white_rows, white: Side::new(n, white_rows, 0), black: Side::new(n, all & !white_rows, 1) }
    }

    /// Returns a product for each set of white columns that has placements of both colors, in ascending order. Each
    /// white placement of a product fits each of its black placements.
    #[must_use]
    pub fn products(&self) -> Vec<Product<'_>> {
        let n = self.white.rows.len() + self.black.rows.len();
        let all = (1u64 << n) - 1;
        let mut sets: Vec<u64> = self.white.placements.iter().map(|white| Side::columns(white)).collect();
        sets.sort_unstable();
        sets.dedup();
        let on = |side: &'_ Side, set: u64| -> Vec<usize> {
            (0..side.placements.len()).filter(|&index| Side::columns(&side.placements[index]) == set).collect()
        };
        sets.into_iter()
            .map(|set| (set, on(&self.white, set), on(&self.black, all & !set)))
            .filter(|(_, white, black)| !white.is_empty() && !black.is_empty())
            .map(|(set, white, black)| {
                let white = white.into_iter().map(|index| &self.white.placements[index][..]).collect();
                let black = black.into_iter().map(|index| &self.black.placements[index][..]).collect();
                (set, white, black)
            })
            .collect()
    }

    /// The number of boards with this coloring: the sum of the products.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.products().iter().map(|(_, white, black)| white.len() * black.len()).sum()
    }
}

/// Iterates over the colorings that can have a board, in ascending order of `white_rows`. For even n they have as many
/// white even rows as white odd rows, for odd n one more white even row.
pub fn colorings(size: Size) -> impl Iterator<Item = Coloring> {
    const EVENS: u64 = 0x5555_5555_5555_5555;
    let n = size.get();
    (0..1u64 << n)
        .filter(move |white| (white & EVENS).count_ones() as usize == (white & !EVENS).count_ones() as usize + n % 2)
        .map(move |white| Coloring::new(size, white))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_of_all_colorings_add_up_to_the_count() {
        for n in 0..=8 {
            let size = Size::new(n).unwrap();
            let sum: usize = colorings(size).map(|coloring| coloring.boards()).sum();
            assert_eq!(Some(sum as u128), crate::board::known::solutions(size), "n = {n}");
            // No other coloring has a board.
            let others: usize = (0..1u64 << n).map(|white| Coloring::new(size, white).boards()).sum();
            assert_eq!(others, sum, "n = {n}");
        }
    }
}
