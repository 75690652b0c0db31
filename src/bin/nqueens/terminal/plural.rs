//! Numbers with a noun.

use std::fmt::Display;

/// A number with its noun, such as `1 thread` or `2 threads`.
pub(crate) fn plural<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A part of a number of things, and what it does, such as `1 of 2 threads counts` or `0 of 1 shard are there`.
pub(crate) fn part_of(part: usize, all: usize, noun: &str, [one, more]: [&str; 2]) -> String {
    format!("{part} of {} {}", plural(all, noun), if part == 1 { one } else { more })
}

#[cfg(test)]
mod tests {
    use super::{part_of, plural};

    #[test]
    fn only_one_has_no_ending() {
        let words = [0usize, 1, 2].map(|number| plural(number, "shard"));
        assert_eq!(words, ["0 shards", "1 shard", "2 shards"]);
        let parts = [(0, 1), (1, 1), (1, 2), (2, 2)].map(|(part, all)| part_of(part, all, "unit", ["agrees", "agree"]));
        assert_eq!(parts, ["0 of 1 unit agree", "1 of 1 unit agrees", "1 of 2 units agrees", "2 of 2 units agree"]);
    }
}
