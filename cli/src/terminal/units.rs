//! Figures with units, and numbers of things, in words.

use std::fmt::Display;

/// Formats a time with about four digits: `5.913 µs`, `21.40 ms`, `3.250 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "µs"),
    };
    let decimals = 3 - value.log10().clamp(0.0, 3.0) as usize;
    format!("{value:.decimals$} {unit}")
}

/// Formats a number with its noun, such as `1 thread` or `2 threads`.
pub(crate) fn plural<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Formats points or a ratio with about three digits: `0.012`, `0.35`, `4.10`, `38.2`, `512`. A very small number, or
/// one of at least `end`, has an exponent: `2e5`.
pub(crate) fn three_digits(number: f64, end: f64) -> String {
    match number {
        _ if !(0.000_95..end).contains(&number) => format!("{number:.0e}"),
        _ if number >= 99.5 => format!("{number:.0}"),
        _ if number >= 9.95 => format!("{number:.1}"),
        _ if number >= 0.095 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

/// Formats an amount of memory: `32 KiB`, `1.5 MiB`, `389 MiB`, `23.5 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    // 1023.7 MiB becomes 1 GiB and not 1024 MiB.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let tenths = (10.0 * value).round();
    let decimals = usize::from(tenths % 10.0 > 0.0 && tenths < 1000.0);
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_a_unit_that_suits_them() {
        for (seconds, expected) in [
            (3.25, "3.250 s"),
            (1234.5, "1234 s"),
            (1000.0, "1000 s"),
            (0.0214, "21.40 ms"),
            (0.1, "100.0 ms"),
            (5.9131e-6, "5.913 µs"),
            (1e-9, "0.001 µs"),
        ] {
            assert_eq!(super::seconds(seconds), expected);
        }
        let sizes = [0, 3 << 19, (1 << 30) - 1, 25_276_514_304, 5 << 40].map(bytes);
        assert_eq!(sizes, ["0 bytes", "1.5 MiB", "1 GiB", "23.5 GiB", "5 TiB"]);
        let speeds = [0.000_94, 0.012, 0.0949, 38.21, 99.5, 10_000.0].map(|speed| super::three_digits(speed, 1e4));
        assert_eq!(speeds, ["9e-4", "0.012", "0.095", "38.2", "100", "1e4"]);
    }

    #[test]
    fn only_one_has_no_ending() {
        let words = [0usize, 1, 2].map(|number| plural(number, "shard"));
        assert_eq!(words, ["0 shards", "1 shard", "2 shards"]);
    }
}
