//! Fits text to the width and the character set of a terminal.

use std::borrow::Cow;
use std::sync::LazyLock;

use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// The width of a line on every terminal, because output is also mailed and pasted.
pub(crate) const WIDTH: usize = 80;

/// Cuts text to `room` columns. The middle is left out, because names differ at both ends.
pub(crate) fn without_middle(text: &str, room: usize) -> String {
    // In some scripts, a letter takes two columns.
    if text.width() <= room {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let head = &characters[..kept.div_ceil(2)];
        let tail = &characters[characters.len() - kept / 2..];
        format!("{}…{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
    };
    (0..room.min(characters.len())).rev().map(cut).find(|cut| cut.width() <= room).unwrap_or_default()
}

/// Wraps a paragraph. Its first line follows `used` columns of other text, and the other lines begin with `indent`
/// spaces. A word that is wider than a line is broken.
pub(crate) fn wrapped(words: &str, used: usize, indent: usize) -> String {
    let first = " ".repeat(used);
    let others = " ".repeat(indent);
    let options = Options::new(WIDTH).initial_indent(&first).subsequent_indent(&others);
    let text = textwrap::fill(&in_locale(words), options.word_splitter(WordSplitter::NoHyphenation));
    text.strip_prefix(&first).unwrap_or(&text).to_owned()
}

/// Returns the text in letters of the user's locale. Without UTF-8, the locale may lack the three characters beyond
/// ASCII that this program prints.
pub(super) fn in_locale(text: &str) -> Cow<'_, str> {
    static IS_UTF_8: LazyLock<bool> = LazyLock::new(|| {
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os);
        // A container often sets no variable, but its terminal shows UTF-8.
        variables.into_iter().find(|value| !value.is_empty()).is_none_or(|locale| {
            let locale = locale.to_string_lossy().to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
    });
    if *IS_UTF_8 || text.is_ascii() {
        return text.into();
    }
    text.replace('±', "+-").replace('µ', "u").replace('…', "...").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_wider_than_its_room() {
        assert_eq!(without_middle("Machine 7 of the second rack at the left", 22), "Machine 7 o…t the left");
        // Each of these letters takes two columns.
        let wide = without_middle(&"很长的名字".repeat(9), 22);
        assert!(wide.contains('…') && (20..=22).contains(&wide.width()), "{wide}");
        for words in ["eleven more words of several lengths, ".repeat(9), "x".repeat(300), "很长的名字".repeat(60)]
        {
            let text = wrapped(&words, 4, 4);
            assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(letters(&text), letters(&words), "nothing is lost");
        }
        assert_eq!(wrapped(&format!("{} end", "x".repeat(7)), 70, 70), format!("xxxxxxx\n{}end", " ".repeat(70)));
    }
}
