//! Numbers with a noun.

use std::fmt::Display;

/// A number with its noun, such as `1 thread` or `2 threads`.
pub(crate) fn plural<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn only_one_has_no_ending() {
        let words = [0usize, 1, 2].map(|number| plural(number, "shard"));
        assert_eq!(words, ["0 shards", "1 shard", "2 shards"]);
    }
}
