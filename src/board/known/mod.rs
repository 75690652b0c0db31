//! The published counts, which check results but never produce them: no solver reads this module. A function returns
//! `None` for a size without a published count.
//!
//! The counts are in text files with a line `n count` for each size. The first line of a file names the sequence of the
//! On-Line Encyclopedia of Integer Sequences from which the counts were taken.

use super::Size;

fn look_up(text: &str, size: Size) -> Option<u128> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (n, count) = line.split_once(' ')?;
        (n.parse() == Ok(size.get())).then(|| count.parse().ok()).flatten()
    })
}

/// Returns the number of all solutions (A000170), for n from 0 to 27.
#[must_use]
pub fn solutions(size: Size) -> Option<u128> {
    look_up(include_str!("a000170.txt"), size)
}

/// Returns the number of fundamental solutions, one for each orbit under the symmetries of the square (A002562), for n
/// from 1 to 27.
#[must_use]
pub fn fundamental(size: Size) -> Option<u128> {
    look_up(include_str!("a002562.txt"), size)
}

/// Returns the number of solutions that look the same after a half turn (A032522), for n from 1 to 32.
#[must_use]
pub fn half_turn(size: Size) -> Option<u128> {
    look_up(include_str!("a032522.txt"), size)
}

/// Returns the number of solutions that look the same after a quarter turn (A033148), for n from 1 to 32.
#[must_use]
pub fn quarter_turn(size: Size) -> Option<u128> {
    look_up(include_str!("a033148.txt"), size)
}

/// Returns the number of solutions to expect, 6.36 √n (n / e^1.944)^n, which shows whether a count that nobody has
/// published can be right.
///
/// The formula is within 3 % of [`solutions`] for n = 15 to 27, and within 1 % from n = 19 on. It does not hold for
/// small boards.
///
/// Simkin proved that the number of solutions is ((e^-α + o(1)) n)^n ("The number of n-queens configurations", Advances
/// in Mathematics 427, 2023). Nobel, Agrawal and Boyd computed α as 1.944 ("Computing tighter bounds on the n-queens
/// constant via Newton's method", Optimization Letters 17, 2023). The factor 6.36 √n is fitted to the published counts,
/// and not proved.
#[must_use]
pub fn expected(size: Size) -> f64 {
    let n = size.get() as f64;
    6.36 * n.sqrt() * (n / 1.944_f64.exp()).powf(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_counts_are_near_the_published_ones() {
        let size = |n| Size::new(n).unwrap();
        for n in 15..=27 {
            let error = solutions(size(n)).unwrap() as f64 / expected(size(n)) - 1.0;
            assert!(error.abs() < if n < 19 { 0.03 } else { 0.01 }, "n = {n}: {error}");
        }
        assert!((2.5e18..2.6e18).contains(&expected(size(28))), "{}", expected(size(28)));
    }

    /// By Burnside's lemma, fundamental = (all + half turn + 2 * quarter turn) / 8 for n >= 2, so a wrong number in one
    /// file is noticed.
    #[test]
    fn the_four_sequences_agree_with_each_other() {
        for n in 2..=27 {
            let size = Size::new(n).unwrap();
            let sum = solutions(size).unwrap() + half_turn(size).unwrap() + 2 * quarter_turn(size).unwrap();
            assert_eq!(sum % 8, 0, "n = {n}");
            assert_eq!(sum / 8, fundamental(size).unwrap(), "n = {n}");
        }
        assert_eq!(solutions(Size::new(28).unwrap()), None);
    }
}
