//! `naive` searches row by row and tests each new queen against all earlier ones. It stores only the column of each
//! queen. Programming courses begin with this search.

use super::plan::check_in_upper_rows;
use crate::cancel::{CancelToken, Cancelled};
use crate::tally::Tally;

pub(super) fn count_below(n: usize, first_rows: &[u32], cancel: &CancelToken) -> Result<Tally, Cancelled> {
    let mut found = Tally::default();
    place(n, &mut first_rows.to_vec(), &mut found, cancel)?;
    Ok(found)
}

/// Places a queen on each safe square of the next row in turn, and continues with the row below.
fn place(n: usize, queens: &mut Vec<u32>, found: &mut Tally, cancel: &CancelToken) -> Result<(), Cancelled> {
    if queens.len() == n {
        found.solutions += 1;
        return Ok(());
    }
    check_in_upper_rows(cancel, n - queens.len())?;
    for column in 0..n as u32 {
        if is_safe(queens, column) {
            found.work.nodes += 1;
            queens.push(column);
            place(n, queens, found, cancel)?;
            queens.pop();
        }
    }
    Ok(())
}

fn is_safe(queens: &[u32], column: u32) -> bool {
    let row = queens.len();
    (0..row).all(|above| queens[above] != column && queens[above].abs_diff(column) as usize != row - above)
}
