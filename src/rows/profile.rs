//! The number of nodes of the search in each row.

use crate::board::Size;
use crate::cancel::Cancelled;
use crate::{CancelToken, Result};

/// Returns the profile of the search: entry k is the number of ways to place k queens in the first k rows. Entry 0 is
/// the empty board, entry n the solutions. The sum is A319283. The rows of A319284 are profiles.
///
/// ```
/// use nqueens::{CancelToken, trace};
///
/// let profile = trace::profile(nqueens::board::Size::new(8)?, &CancelToken::new())?;
/// assert_eq!(profile, [1, 8, 42, 140, 344, 568, 550, 312, 92]);
/// # Ok::<(), nqueens::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) if `cancel` stopped it.
pub fn profile(size: Size, cancel: &CancelToken) -> Result<Vec<u64>> {
    let n = size.get();
    let mut search = ProfileSearch { full: (1 << n) - 1, profile: vec![0; n + 1], cancel };
    search.enter(0, 0, 0, 0)?;
    Ok(search.profile)
}

struct ProfileSearch<'a> {
    full: u64,
    profile: Vec<u64>,
    cancel: &'a CancelToken,
}

/// With fewer rows left, the search does not ask whether it was cancelled. They take only milliseconds.
const UNCHECKED_ROWS: usize = 10;

impl ProfileSearch<'_> {
    fn enter(&mut self, row: usize, columns: u64, diagonals: u64, antidiagonals: u64) -> Result<(), Cancelled> {
        self.profile[row] += 1;
        if self.profile.len() - row > UNCHECKED_ROWS {
            self.cancel.check()?;
        }
        let mut free = self.full & !(columns | diagonals | antidiagonals);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.enter(row + 1, columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::trace::{Event, Search};

    #[test]
    fn profiles_are_the_published_ones_and_those_of_the_steps() {
        // A319284, n = 0..=12.
        let published: [&[u64]; 13] = [
            &[1],
            &[1, 1],
            &[1, 2, 0],
            &[1, 3, 2, 0],
            &[1, 4, 6, 4, 2],
            &[1, 5, 12, 14, 12, 10],
            &[1, 6, 20, 36, 46, 40, 4],
            &[1, 7, 30, 76, 140, 164, 94, 40],
            &[1, 8, 42, 140, 344, 568, 550, 312, 92],
            &[1, 9, 56, 234, 732, 1614, 2292, 2038, 1066, 352],
            &[1, 10, 72, 364, 1400, 3916, 7552, 9632, 7828, 4040, 724],
            &[1, 11, 90, 536, 2468, 8492, 21362, 37248, 44148, 34774, 15116, 2680],
            &[1, 12, 110, 756, 4080, 16852, 52856, 120_104, 195_270, 222_720, 160_964, 68264, 14200],
        ];
        for (n, expected) in published.into_iter().enumerate() {
            let size = Size::new(n).unwrap();
            assert_eq!(profile(size, &CancelToken::new()).unwrap(), expected, "n = {n}");
            if n <= 8 {
                let mut by_steps = vec![0; n + 1];
                by_steps[0] = 1;
                for step in Search::new(size) {
                    if let Event::Placed(row, _) = step.event {
                        by_steps[row + 1] += 1;
                    }
                }
                assert_eq!(by_steps, expected, "n = {n}");
            }
        }
    }
}
