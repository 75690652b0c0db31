//! Fits text into the columns of a terminal.

use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// The width of a line, on any terminal: output is mailed and pasted too.
pub(crate) const WIDTH: usize = 80;

/// A text of at most `room` columns. A longer one is cut in its middle, because names differ at both ends.
pub(crate) fn short(text: &str, room: usize) -> String {
    // Letters of some scripts take two columns.
    if text.width() <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let (head, tail) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
        format!("{}…{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
    };
    // The mark of the cut takes one column.
    (0..room.min(letters.len())).rev().map(cut).find(|cut| cut.width() <= room).unwrap_or_default()
}

/// Wraps a paragraph. The first line follows `used` columns, the others begin with `indent` spaces. A word that is
/// wider than a line is cut.
pub(crate) fn wrapped(words: &str, used: usize, indent: usize) -> String {
    let (first, others) = (" ".repeat(used), " ".repeat(indent));
    let options = Options::new(WIDTH).initial_indent(&first).subsequent_indent(&others);
    let text = textwrap::fill(words, options.word_splitter(WordSplitter::NoHyphenation));
    text.strip_prefix(&first).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_wider_than_its_room() {
        assert_eq!(short("Machine 7 of the second rack at the left", 22), "Machine 7 o…t the left");
        // Each of these letters takes two columns.
        let wide = short(&"很长的名字".repeat(9), 22);
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
