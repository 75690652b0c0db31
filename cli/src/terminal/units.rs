//! Figures with units, lengths of time and numbers of things, for people. Those that the gate prints, too, are in
//! `n-queens-terminal`.

pub(crate) use n_queens_terminal::units::{nine_digits, plural, seconds};

/// A length of time in one or two units: `0.4 s`, `12 s`, `3 min 20 s`, `25 h 2 min`, `12 days 5 h`, `340 years`.
pub(crate) fn in_words(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        172_800..63_115_200 => format!("{} days {} h", whole / 86_400, whole % 86_400 / 3600),
        _ => format!("{} years", whole / 31_557_600),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_a_unit_that_suits_them() {
        let sizes = [0, 3 << 19, (1 << 30) - 1, 25_276_514_304, 5 << 40].map(bytes);
        assert_eq!(sizes, ["0 bytes", "1.5 MiB", "1 GiB", "23.5 GiB", "5 TiB"]);
        let speeds = [0.000_94, 0.012, 0.0949, 38.21, 99.5, 10_000.0].map(|speed| super::speed(speed, 1e4));
        assert_eq!(speeds, ["9e-4", "0.012", "0.095", "38.2", "100", "1e4"]);
        let day = 86400.0;
        let times = [0.44, 9.96, 59.7, 3599.4, 18123.0, 1.25 * day, 12.2 * day, 365.25 * 340.0 * day].map(in_words);
        assert_eq!(
            times,
            ["0.4 s", "10 s", "1 min 0 s", "59 min 59 s", "5 h 2 min", "30 h 0 min", "12 days 4 h", "340 years"]
        );
    }
}
