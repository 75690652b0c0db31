//! Whether a sum of units can be right, by comparison with the published count or an extrapolation from smaller boards.

use nqueens::board::{Size, known};
use nqueens::verify;

use crate::exit;

/// A sum is refused if it exceeds the expected count by this factor, and a complete count also if it is below the
/// expected count by this factor. The extrapolation is within 1 % of the counts for n = 19 to 27.
const REFUSED_FACTOR: f64 = 10.0;

/// Checks the sum of all units or of some. Because no count is negative, no partial sum exceeds the complete one.
///
/// # Errors
/// A complete sum is not the published count or contradicts the symmetries of the board, or a sum is too far from the
/// expected count.
pub(super) fn check(size: Size, sum: u128, is_complete: bool) -> anyhow::Result<()> {
    if is_complete {
        verify::check_total(size, sum).map_err(|error| {
            // The library blames its solver, but any machine may have counted these units.
            let problem = match error {
                nqueens::Error::Bug { problem, .. } => problem,
                other => other.to_string(),
            };
            exit::Kind::Wrong.error(format!("the units add up to a wrong count: {problem}"))
        })?;
    }
    let units = if is_complete { "all units" } else { "the counted units" };
    let problem = match known::solutions(size) {
        Some(published) if sum > published => format!("more than the published {published}"),
        Some(_) => return Ok(()),
        None => {
            let (expected, found) = (known::expected(size), sum as f64);
            if found > REFUSED_FACTOR * expected {
                format!("more than {REFUSED_FACTOR} times the expected {expected:.2e}")
            } else if is_complete && REFUSED_FACTOR * found < expected {
                format!("less than 1/{REFUSED_FACTOR} of the expected {expected:.2e}")
            } else {
                return Ok(());
            }
        }
    };
    Err(exit::Kind::Wrong.error(format!(
        "{units} of n = {size} add up to {sum} solutions, {problem}: at least one of them has a wrong count"
    )))
}

/// Returns the expected count for a size as a clause, if nobody has published the count.
pub(crate) fn unpublished(size: Size) -> Option<String> {
    let expected = known::expected(size);
    known::solutions(size).is_none().then(|| {
        format!("nobody has published this count; extrapolation from smaller boards gives about {expected:.2e}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_cannot_be_right_are_refused() {
        let says = |n: usize, sum: u128, is_complete: bool| {
            let size = Size::new(n).unwrap();
            check(size, sum, is_complete).err().map_or(String::new(), |error| error.to_string())
        };
        assert!(says(12, 14_201, false).contains("solutions, more than the published 14200"));
        assert!(says(12, 14_201, true).contains("the units add up to a wrong count"));
        for is_complete in [false, true] {
            assert!(says(28, 26 * 10u128.pow(18), is_complete).contains("more than 10 times the expected 2.56e18"));
            assert_eq!((says(12, 14_200, is_complete), says(28, 25 * 10u128.pow(18), is_complete)), Default::default());
        }
        assert!(says(28, 25 * 10u128.pow(16), true).contains("less than 1/10 of the expected 2.56e18"));
        assert_eq!(says(28, 0, false), "");
        assert_eq!(unpublished(Size::new(27).unwrap()), None);
        assert!(unpublished(Size::new(28).unwrap()).unwrap().contains("gives about 2.56e18"));
    }
}
