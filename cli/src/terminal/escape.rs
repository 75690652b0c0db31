//! Escapes text from files, programs and arguments. One function for each kind of output; no other module escapes.
//!
//! GitHub's runner reads what a program prints. It obeys a line that begins with `::`, also after spaces, and a line that
//! has `##[` anywhere. So no function here returns such a line.

use std::borrow::Cow;

/// Whether a character only shows itself: not a control, not one that changes the direction of text, not one without
/// width, not a line end.
pub(crate) fn is_harmless(c: char) -> bool {
    // Rust's debug format does not escape it, or it is a quote or a backslash. The letter before it keeps combining
    // accents.
    matches!(c, '\'' | '"' | '\\') || {
        let mut letter = [b'a'; 5];
        let end = 1 + c.encode_utf8(&mut letter[1..]).len();
        std::str::from_utf8(&letter[..end]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
    }
}

/// For a terminal or a log, on one line: a harmful character becomes its number, such as `\u{1b}`.
pub(crate) fn terminal(text: &str) -> String {
    escaped(text, |c| (!is_harmless(c)).then(|| c.escape_debug().to_string()))
}

/// Like [`terminal`], but line ends stay.
pub(crate) fn terminal_lines(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.contains("::") && !text.contains("##[") {
        return text.into();
    }
    text.split('\n').map(terminal).collect::<Vec<_>>().join("\n").into()
}

/// For JSON text. Characters outside ASCII are only in strings, where an escape means the same.
pub(crate) fn json(text: &str) -> String {
    escaped(text, |c| {
        let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
        (c != '\n' && !is_harmless(c)).then(|| units(c))
    })
}

/// The first `most` characters of a text, and `...` if it has more.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Whether the text is visible ASCII and line ends. Nearly all that `nqueens` prints is boards, and finding a board takes
/// less time than looking at its bytes one by one, so this looks at eight at once.
fn is_plain(text: &str) -> bool {
    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    // The high bit of each byte of the result says whether that byte is plain. A sum carries into the next byte only from
    // a byte that has its high bit set, and such a byte is not plain, whatever its neighbour is taken for.
    let plain = |bytes: u64| {
        let is_line_end = !(bytes ^ each(b'\n')).wrapping_add(each(0x7f));
        let is_below_delete = !bytes.wrapping_add(each(0x80 - 0x7f));
        let is_from_space = bytes.wrapping_add(each(0x80 - b' '));
        (is_line_end | is_from_space & is_below_delete) & !bytes
    };
    let (words, rest) = text.as_bytes().as_chunks();
    let mut last = [b'\n'; 8];
    last[..rest.len()].copy_from_slice(rest);
    let high = each(0x80);
    words.iter().chain([&last]).fold(high, |all, &word| all & plain(u64::from_ne_bytes(word))) == high
}

/// Replaces each character for which `escape` has something else. The first colon of a `::` at the beginning, and the
/// bracket of `##[`, become their numbers: see this file's head.
fn escaped(text: &str, escape: impl Fn(char) -> Option<String>) -> String {
    let command = text.trim_start().starts_with("::").then(|| text.find(':')).flatten();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match escape(c) {
            _ if Some(at) == command || c == '[' && text[..at].ends_with("##") => {
                out += &format!("\\u{:04x}", u32::from(c))
            }
            None => out.push(c),
            Some(shown) => out += &shown,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every kind of output makes of a text, and that JSON keeps it.
    fn outputs(text: &str) -> [String; 3] {
        let json = json(&serde_json::to_string(text).unwrap());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let lines = terminal_lines(&format!("a\n{text}\nb")).into_owned();
        [terminal(text), lines, json]
    }

    #[test]
    fn nothing_hidden_reaches_any_output() {
        // Controls, reversed text, letters without width, a line like ours.
        for hostile in
            "\u{1b}[2J|\u{9b}31m|a\u{202e}b|a\u{200b}b|a\nerror: none|\u{2028}x|\u{2066}y|\u{feff}z\u{7f}\u{0}\u{e0001}"
                .split('|')
        {
            for shown in outputs(hostile) {
                assert!(shown.chars().all(|c| c == '\n' || is_harmless(c)), "{shown:?}");
            }
            assert!(!terminal(hostile).contains('\n'));
        }
        // Ordinary text is not changed.
        for harmless in ["AMD EPYC 9B14 \"96-Core\" Processor", "Büro-Rechner", "機械", "e\u{301}tude", "C:\\x", ""]
        {
            assert_eq!(terminal(harmless), harmless);
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
        assert_eq!(terminal("::error::##[x]"), "\\u003a:error::##\\u005bx]");
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
