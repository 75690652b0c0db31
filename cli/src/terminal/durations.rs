//! Durations, and ranges of durations, in words.

/// Formats a duration in one or two units: `0.4 s`, `12 s`, `3 min 20 s`, `25 h 2 min`, `12 days 5 h`, `340
/// years`.
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

/// The units of ranges, longest first, each with its seconds.
const UNITS: [(f64, &str); 5] =
    [(365.25 * 86400.0, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];

/// Formats a range of seconds in round numbers: `2 to 5 days`, `up to 5 days`, `less than 0.1 s`.
///
/// The unit is the longest in which the lower end is at least 2 or the upper end is at least 40.
pub(crate) fn between([low, high]: [f64; 2]) -> String {
    let least = low.max(high / 20.0);
    let (seconds, name) = UNITS.into_iter().find(|(seconds, _)| least >= 2.0 * seconds).unwrap_or(UNITS[4]);
    if high < 0.1 {
        return format!("less than 0.1 {name}");
    }
    match [low, high].map(|end| rounded(end / seconds)) {
        [low, high] if low == high => format!("{high} {name}"),
        [low, high] if low == "0" => format!("up to {high} {name}"),
        [low, high] => format!("{low} to {high} {name}"),
    }
}

/// Rounds to one digit, or to two if the first is a 1, and to at most two decimals.
fn rounded(value: f64) -> String {
    let power = 10f64.powf((value.max(1e-3) / 2.0).log10().floor());
    let value = (value / power).round() * power;
    if value >= 1e6 { format!("{value:.0e}") } else { ((100.0 * value).round() / 100.0).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86400.0;

    #[test]
    fn a_duration_has_the_units_that_suit_it() {
        let times = [0.44, 9.96, 59.7, 3599.4, 18123.0, 1.25 * DAY, 12.2 * DAY, 365.25 * 340.0 * DAY].map(in_words);
        assert_eq!(
            times,
            ["0.4 s", "10 s", "1 min 0 s", "59 min 59 s", "5 h 2 min", "30 h 0 min", "12 days 4 h", "340 years"]
        );
    }

    #[test]
    fn a_range_has_round_ends_and_never_says_zero() {
        for (range, words) in [
            ([0.0, 0.0], "less than 0.1 s"),
            ([0.01, 0.04], "less than 0.1 s"),
            ([0.03, 0.14], "0.03 to 0.14 s"),
            ([0.0, 0.14], "up to 0.14 s"),
            ([0.2, 0.8], "0.2 to 0.8 s"),
            ([1.5, 6.0], "1.5 to 6 s"),
            ([30.0, 120.0], "30 to 120 s"),
            ([130.0, 520.0], "2 to 9 min"),
            ([0.5 * DAY, 2.0 * DAY], "12 to 50 h"),
            ([41.5 * DAY, 166.0 * DAY], "40 to 170 days"),
            // A sample may leave the lower end open.
            ([0.0, 1e7], "up to 120 days"),
            ([1.0, 1e7], "up to 120 days"),
            ([0.0, 50.0], "up to 50 s"),
            ([170.0 * 365.25 * DAY, 680.0 * 365.25 * DAY], "170 to 700 years"),
            ([5e19, 2e20], "2e12 to 6e12 years"),
        ] {
            assert_eq!(between(range), words, "{range:?}");
        }
    }
}
