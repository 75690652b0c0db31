//! The color split for readers: each coloring of the rows, with every placement of its white queens and of its black
//! queens. The solver `color` counts these placements and does not list them.

use std::collections::BTreeMap;

use crate::board::Size;
use crate::{Error, Result};

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
    white: Side,
    black: Side,
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
}

/// The columns of a placement, bit c for column c.
fn columns(placement: &[usize]) -> u64 {
    placement.iter().fold(0, |set, column| set | 1 << column)
}

/// A set of white columns, the white placements on it, and the black placements on the other columns.
pub type Product<'a> = (u64, Vec<&'a [usize]>, Vec<&'a [usize]>);

impl Coloring {
    /// The largest size whose placements are listed. For n = 26 the placements of one coloring would take 4 GB.
    pub const MAX_SIZE: usize = 16;

    /// Makes the coloring of an n x n board with these white rows. Bits from n on have no effect.
    ///
    /// # Errors
    /// [`Error::Size`] for n above 16.
    pub fn new(size: Size, white_rows: u64) -> Result<Self> {
        check(size).map(|n| Self::with(n, white_rows))
    }

    fn with(n: usize, white_rows: u64) -> Self {
        let all = (1u64 << n) - 1;
        let white_rows = white_rows & all;
        Self { white_rows, white: Side::new(n, white_rows, 0), black: Side::new(n, all & !white_rows, 1) }
    }

    /// Placements of the white queens.
    #[must_use]
    pub fn white(&self) -> &Side {
        &self.white
    }

    /// Placements of the black queens.
    #[must_use]
    pub fn black(&self) -> &Side {
        &self.black
    }

    /// Returns a product for each set of white columns that has placements of both colors, in ascending order. Each
    /// white placement of a product fits each of its black placements.
    #[must_use]
    pub fn products(&self) -> Vec<Product<'_>> {
        let all = (1u64 << (self.white.rows.len() + self.black.rows.len())) - 1;
        let mut products: BTreeMap<u64, Product<'_>> = BTreeMap::new();
        for white in &self.white.placements {
            let set = columns(white);
            products.entry(set).or_insert_with(|| (set, Vec::new(), Vec::new())).1.push(white);
        }
        for black in &self.black.placements {
            if let Some(product) = products.get_mut(&(all & !columns(black))) {
                product.2.push(black);
            }
        }
        products.into_values().filter(|(_, _, black)| !black.is_empty()).collect()
    }

    /// The number of boards with this coloring: the sum of the products.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.products().iter().map(|(_, white, black)| white.len() * black.len()).sum()
    }
}

/// Iterates over the colorings that can have a board, in ascending order of `white_rows`. For even n they have as many
/// white even rows as white odd rows, for odd n one more white even row.
///
/// # Errors
/// [`Error::Size`] for n above 16.
pub fn colorings(size: Size) -> Result<impl Iterator<Item = Coloring>> {
    const EVENS: u64 = 0x5555_5555_5555_5555;
    let n = check(size)?;
    Ok((0..1u64 << n)
        .filter(move |white| (white & EVENS).count_ones() as usize == (white & !EVENS).count_ones() as usize + n % 2)
        .map(move |white| Coloring::with(n, white)))
}

fn check(size: Size) -> Result<usize> {
    match size.get() {
        n @ ..=Coloring::MAX_SIZE => Ok(n),
        n => Err(Error::Size { given: n.to_string(), largest: Coloring::MAX_SIZE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_products_of_all_colorings_add_up_to_the_count() {
        for n in 0..=8 {
            let size = Size::new(n).unwrap();
            let sum: usize = colorings(size).unwrap().map(|coloring| coloring.boards()).sum();
            assert_eq!(Some(sum as u128), crate::board::known::solutions(size), "n = {n}");
            // No other coloring has a board.
            let others: usize = (0..1u64 << n).map(|white| Coloring::new(size, white).unwrap().boards()).sum();
            assert_eq!(others, sum, "n = {n}");
        }
    }

    /// A set of columns has one product only: products used to look at all placements for each set.
    #[test]
    fn the_largest_board_is_listed_at_once_and_a_larger_one_is_an_error() {
        let largest = Size::new(Coloring::MAX_SIZE).unwrap();
        let coloring = Coloring::new(largest, 0x0f0f).unwrap();
        let sets: Vec<u64> = coloring.products().iter().map(|(set, ..)| *set).collect();
        assert!(sets.is_sorted_by(|a, b| a < b) && !sets.is_empty());
        assert_eq!(Coloring::new(largest, u64::MAX), Coloring::new(largest, 0xffff));
        for n in [17, 26, 32] {
            let (size, error) = (Size::new(n).unwrap(), Error::Size { given: n.to_string(), largest: 16 });
            assert_eq!(Coloring::new(size, 0).unwrap_err(), error);
            assert_eq!(colorings(size).err(), Some(error));
        }
    }
}
