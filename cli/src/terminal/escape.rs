//! Escapes text from files, programs and arguments. Only `nqueens compare` has escapes of its own, for CSV and for web
//! addresses.
//!
//! GitHub's runner obeys a printed line that begins with `::`, even after spaces, or that contains `##[`. `escaped` and
//! `escaped_lines` return no such line.

use std::borrow::Cow;

/// Returns whether a terminal shows the text as it is: the text contains no control characters or line ends, no
/// characters that change the direction of text, and none without width unless they join letters.
pub(crate) fn is_harmless(text: &str) -> bool {
    characters(text).all(|(.., is_harmless)| is_harmless)
}

/// Returns the characters of the text, each with its place and whether it is harmless there.
fn characters(text: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let mut before = None;
    text.char_indices().map(move |(at, c)| {
        // Persian, Hindi and emoji need these joiners between two letters or symbols. Elsewhere they are invisible.
        let joins = matches!(c, '\u{200c}' | '\u{200d}') && {
            let after = text[at + c.len_utf8()..].chars().next();
            let is_joined = |c: char| c.is_alphanumeric() || !c.is_ascii() && is_visible(c);
            before.is_some_and(is_joined) && after.is_some_and(is_joined)
        };
        before = Some(c);
        (at, c, joins || is_visible(c))
    })
}

/// Returns whether a character is visible in any position.
fn is_visible(c: char) -> bool {
    // Rust's debug format leaves visible characters as they are, except quotes and backslashes. It escapes a combining
    // accent unless it follows a letter.
    matches!(c, '\'' | '"' | '\\') || {
        let mut letter = [b'a'; 5];
        let end = 1 + c.encode_utf8(&mut letter[1..]).len();
        std::str::from_utf8(&letter[..end]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
    }
}

/// Escapes text for one line of a terminal or a log, or for JSON, where strings have the same escapes. Each harmful
/// character becomes its number, such as `\u001b`, and so do the first colon of a leading `::` and the bracket of
/// `##[`.
pub(crate) fn escaped(text: &str) -> String {
    let command = text.trim_start().starts_with("::").then(|| text.find(':')).flatten();
    let mut out = String::with_capacity(text.len());
    for (at, c, is_harmless) in characters(text) {
        let is_obeyed = Some(at) == command || c == '[' && text[..at].ends_with("##");
        match c {
            '\n' => out += "\\n",
            c if is_harmless && !is_obeyed => out.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
        }
    }
    out
}

/// Escapes text like [`escaped`], but keeps line ends.
pub(crate) fn escaped_lines(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.contains("::") && !text.contains("##[") {
        return text.into();
    }
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n").into()
}

/// Escapes the characters that HTML and SVG would interpret.
pub(crate) fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Cuts text after `most` characters, and adds `...` if it was longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Returns whether the text consists of visible ASCII and line ends, like nearly all output of `nqueens`. No byte ends
/// the loop early, so that the compiler compares many bytes at once: comparing them one by one takes longer than
/// finding a board.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |are_plain, byte| are_plain & ((byte == b'\n') | (b' '..=b'~').contains(&byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text as each kind of output shows it, and checks that JSON preserves it.
    fn outputs(text: &str) -> [String; 3] {
        let json = escaped(&serde_json::to_string(text).unwrap());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let lines = escaped_lines(&format!("a\n{text}\nb")).into_owned();
        [escaped(text), lines, json]
    }

    #[test]
    fn nothing_hidden_reaches_any_output() {
        // Control characters, reversed text, letters without width, and a forged error line.
        for hostile in
            "\u{1b}[2J|\u{9b}31m|a\u{202e}b|a\u{200b}b|a\nerror: none|\u{2028}x|\u{2066}y|\u{feff}z\u{7f}\u{0}\u{e0001}"
                .split('|')
        {
            for shown in outputs(hostile) {
                assert!(shown.chars().all(|c| c == '\n' || is_visible(c)), "{shown:?}");
            }
            assert!(!is_harmless(hostile) && !escaped(hostile).contains('\n'));
        }
        // Ordinary text stays as it is.
        for harmless in ["AMD EPYC 9B14 \"96-Core\" Processor", "Büro-Rechner", "機械", "e\u{301}tude", "C:\\x", ""]
        {
            assert!(is_harmless(harmless) && outputs(harmless)[0] == harmless, "{harmless:?}");
        }
    }

    #[test]
    fn joiners_stay_between_letters_only() {
        for name in ["می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}💻", "a\u{200d}b"] {
            assert!(is_harmless(name) && outputs(name)[0] == name, "{name:?}");
        }
        for hidden in ["\u{200c}a", "a\u{200d}", "a \u{200c}b", "a\u{200d}-", "a\u{200d}\u{200d}b", "\u{200c}"] {
            for shown in outputs(hidden) {
                assert!(!is_harmless(hidden) && shown.chars().all(|c| c == '\n' || is_visible(c)), "{shown:?}");
            }
        }
    }

    #[test]
    fn no_output_is_a_command_to_githubs_runner() {
        for command in ["::error::x", "  ::error::x", "a ##[error]x", "###[group]x##[y", "##[add-mask]x"] {
            for shown in outputs(command) {
                let is_obeyed = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
                assert!(!shown.lines().any(is_obeyed), "{shown}");
            }
        }
        assert_eq!(escaped("::error::##[x]"), "\\u003a:error::##\\u005bx]");
    }

    #[test]
    fn every_byte_that_is_not_plain_is_found_wherever_it_stands() {
        for byte in 0..=0x7fu8 {
            for before in 0..17 {
                let text = "x".repeat(before) + &char::from(byte).to_string() + "\n #";
                assert_eq!(is_plain(&text), byte == b'\n' || (b' '..=b'~').contains(&byte), "{text:?}");
            }
        }
        for before in 0..17 {
            assert!(!is_plain(&("~".repeat(before) + "\u{ff}\u{7ff}\u{10ffff}~~~~~~~~")));
        }
    }

    #[test]
    fn only_a_long_text_is_cut() {
        assert_eq!([shortened("äöüx", 3), shortened("äöü", 3)], ["äöü...", "äöü"]);
    }
}
