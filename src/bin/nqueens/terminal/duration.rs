//! Lengths of time in words.

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

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn durations_read_as_people_say_them() {
        for (seconds, words) in [
            (0.0, "0.0 s"),
            (0.44, "0.4 s"),
            (9.96, "10 s"),
            (59.7, "1 min"),
            (61.0, "1 min 1 s"),
            (3599.9, "1 h"),
            (18123.0, "5 h 2 min"),
            (86400.0 * 1.25, "1 day 6 h"),
            (86400.0 * 3.5, "3 days 12 h"),
            (86400.0 * 12.2, "12 days"),
            (86400.0 * 365.25 * 340.0, "340 years"),
            (1e20, "3e12 years"),
        ] {
            assert_eq!(in_words(seconds), words, "{seconds}");
        }
    }
}
