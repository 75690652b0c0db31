//! `permutation` keeps a permutation of the columns. In each row it swaps an unused column into place, and later undoes
//! the swap. Because it never tries a used column, unlike `naive`, it needs to test only diagonals.

use super::plan::check_in_upper_rows;
use crate::cancel::{CancelToken, Cancelled};
use crate::tally::Tally;

pub(super) fn count_below(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled> {
    let (mut x, mut found): (Vec<u32>, _) = ((0..n as u32).collect(), Tally::default());
    for (row, &column) in first_rows.iter().enumerate() {
        let from = (row..n).find(|&from| x[from] == column).unwrap_or(row);
        x.swap(row, from);
    }
    place(&mut x, first_rows.len(), &mut found, cancel)?;
    Ok(found)
}

/// Swaps each unused column into `x[row]` in turn, and continues with the row below if no earlier queen attacks the new
/// one.
fn place(x: &mut [u32], row: usize, found: &mut Tally, cancel: &CancelToken) -> Result<(), Cancelled> {
    if row == x.len() {
        found.solutions += 1;
        return Ok(());
    }
    check_in_upper_rows(cancel, x.len() - row)?;
    for from in row..x.len() {
        x.swap(row, from);
        if (0..row).all(|above| x[above].abs_diff(x[row]) as usize != row - above) {
            found.work.nodes += 1;
            place(x, row + 1, found, cancel)?;
        }
        x.swap(row, from);
    }
    Ok(())
}
