//! Figures with units, lengths of time and numbers of things, for people. Those that the gate prints, too, are in
//! `n-queens-terminal`.

pub(crate) use n_queens_terminal::units::{nine_digits, plural, seconds};

/// A length of time in one or two units, rounded: `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`, `12 days`, `340 years`.
pub(crate) fn in_words(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    if seconds >= 2.0 * 365.25 * 86400.0 {
        let years = seconds / (365.25 * 86400.0);
        return if years < 1e6 { format!("{years:.0} years") } else { format!("{years:.0e} years") };
    }
    for pair in UNITS.windows(2) {
        let ((large, large_name), (small, small_name)) = (pair[0], pair[1]);
        // Rounded first: 59.9 s is a minute, and not 60 s.
        let smalls = (seconds / small).round();
        let per_large = large / small;
        if smalls >= per_large {
            let (whole, rest) = ((smalls / per_large).floor(), smalls % per_large);
            let large_name = if whole == 1.0 && large_name == "days" { "day" } else { large_name };
            return if rest == 0.0 || (large == 86400.0 && whole >= 10.0) {
                format!("{whole} {large_name}")
            } else {
                format!("{whole} {large_name} {rest} {small_name}")
            };
        }
    }
    format!("{seconds:.0} s")
}

/// A ratio of speeds with about three digits: `0.012`, `0.35`, `4.10`, `38.2`, `512`. If it is very small, or at least
/// `end`, it is a power of ten: `2e5`.
pub(crate) fn speed(speed: f64, end: f64) -> String {
    match speed {
        _ if !(0.000_95..end).contains(&speed) => format!("{speed:.0e}"),
        _ if speed >= 99.5 => format!("{speed:.0}"),
        _ if speed >= 9.95 => format!("{speed:.1}"),
        _ if speed >= 0.095 => format!("{speed:.2}"),
        _ => format!("{speed:.3}"),
    }
}

/// An amount of memory: `32 KiB`, `1.5 MiB`, `389 MiB`, `23.5 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    // 1023.7 MiB is 1 GiB, and not 1024 MiB.
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let tenths = (10.0 * value).round();
    let decimals = usize::from(tenths % 10.0 > 0.0 && tenths < 1000.0);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// A part of a number of things, and what it does, such as `1 of 2 threads counts` or `0 of 1 shard are there`.
pub(crate) fn part_of(part: usize, all: usize, noun: &str, [one, more]: [&str; 2]) -> String {
    format!("{part} of {} {}", plural(all, noun), if part == 1 { one } else { more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_a_unit_that_suits_them() {
        let sizes = [0, 3 << 19, (1 << 30) - 1, 25_276_514_304].map(bytes);
        assert_eq!(sizes, ["0 bytes", "1.5 MiB", "1 GiB", "23.5 GiB"]);
        let speeds = [0.000_94, 0.012, 0.0949, 38.21, 99.5, 10_000.0].map(|speed| super::speed(speed, 1e4));
        assert_eq!(speeds, ["9e-4", "0.012", "0.095", "38.2", "100", "1e4"]);
        let day = 86400.0;
        let times =
            [0.44, 9.96, 59.7, 3599.9, 18123.0, 1.25 * day, 12.2 * day, 365.25 * 340.0 * day, 1e20].map(in_words);
        assert_eq!(
            times,
            ["0.4 s", "10 s", "1 min", "1 h", "5 h 2 min", "1 day 6 h", "12 days", "340 years", "3e12 years"]
        );
        let parts = [(0, 1), (1, 2)].map(|(part, all)| part_of(part, all, "unit", ["agrees", "agree"]));
        assert_eq!(parts, ["0 of 1 unit agree", "1 of 2 units agrees"]);
    }
}
