//! Lines that fit where people read them.

/// As wide as a terminal is, whatever it says of itself: what is printed is mailed and pasted too.
pub(super) const WIDTH: usize = 80;

/// A paragraph in lines that fit beside `indent` columns, which are empty from the second line on. What has no space in it
/// is not broken.
pub(super) fn wrapped(words: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut used = indent;
    for word in words.split(' ') {
        let length = word.chars().count();
        if used > indent && used + 1 + length > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            used = indent;
        } else if used > indent {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_fit_and_keep_their_words() {
        let words = "the quick brown fox ".repeat(20);
        for indent in [0, 13, 40] {
            let text = format!("{}{}", "-".repeat(indent), wrapped(words.trim(), indent));
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert!(text.lines().skip(1).all(|line| line.starts_with(&" ".repeat(indent))), "{text}");
            assert_eq!(
                text.trim_matches('-').split_whitespace().collect::<Vec<_>>(),
                words.split_whitespace().collect::<Vec<_>>()
            );
        }
        let long = "x".repeat(100);
        assert_eq!(wrapped(&format!("a {long} b"), 2), format!("a\n  {long}\n  b"));
    }
}
