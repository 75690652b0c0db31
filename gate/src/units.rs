//! Formats figures, numbers with nouns, and long strings for people.

/// Formats a time with about four digits, such as `5.913 µs`, `21.40 ms` or `3.250 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "µs"),
    };
    let decimals = 3 - value.log10().clamp(0.0, 3.0) as usize;
    format!("{value:.decimals$} {unit}")
}

/// Formats a share in percent, such as `1.5 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats a ratio as a change, such as `+5.1 %`.
pub(crate) fn change(ratio: f64) -> String {
    // Adding zero turns a negative zero into a positive one.
    format!("{:+.1} %", (1000.0 * (ratio - 1.0)).round() / 10.0 + 0.0)
}

/// Formats a number with its noun, such as `1 round` or `2 rounds`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Returns the first `most` characters of a string, followed by `...` if it is longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_suits_them() {
        for (seconds, expected) in [
            (3.25, "3.250 s"),
            (1234.5, "1234 s"),
            (1000.0, "1000 s"),
            (0.0214, "21.40 ms"),
            (0.1, "100.0 ms"),
            (5.9131e-6, "5.913 µs"),
            (1e-9, "0.001 µs"),
            (0.0, "0.000 µs"),
        ] {
            assert_eq!(super::seconds(seconds), expected);
        }
        assert_eq!([change(1.051), change(0.9998), percent(0.0149)], ["+5.1 %", "+0.0 %", "1.5 %"]);
    }

    #[test]
    fn only_one_has_no_ending() {
        let words = [0, 1, 2].map(|number| plural(number, "round"));
        assert_eq!(words, ["0 rounds", "1 round", "2 rounds"]);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!([shortened("äöüx", 3), shortened("äöü", 3)], ["äöü...", "äöü"]);
    }
}
