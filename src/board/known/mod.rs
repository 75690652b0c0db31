//! Published counts, as data: they check results and never produce them. No solver reads this module.
//!
//! Each file holds lines of `n count`; its first line names the sequence of the On-Line Encyclopedia of Integer
//! Sequences it was taken from.

use super::Size;

fn look_up(text: &str, size: Size) -> Option<u128> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (n, count) = line.split_once(' ')?;
        (n.parse() == Ok(size.get())).then(|| count.parse().ok()).flatten()
    })
}

/// All solutions, A000170, n = 0..=27.
#[must_use]
pub fn solutions(size: Size) -> Option<u128> {
    look_up(include_str!("a000170.txt"), size)
}

/// Fundamental solutions (one of each orbit under the symmetries of the square), A002562, n = 1..=27.
#[must_use]
pub fn fundamental(size: Size) -> Option<u128> {
    look_up(include_str!("a002562.txt"), size)
}

/// Solutions that a half turn leaves as they are, A032522, n = 1..=32.
#[must_use]
pub fn half_turn(size: Size) -> Option<u128> {
    look_up(include_str!("a032522.txt"), size)
}

/// Solutions that a quarter turn leaves as they are, A033148, n = 1..=32.
#[must_use]
pub fn quarter_turn(size: Size) -> Option<u128> {
    look_up(include_str!("a033148.txt"), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Burnside: fundamental = (all + half turn + 2 * quarter turn) / 8 for n >= 2, so a slip in one file shows.
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
