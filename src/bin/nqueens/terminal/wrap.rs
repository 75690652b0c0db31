//! Fits text into the columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a line, on any terminal: output is mailed and pasted too.
pub(crate) const WIDTH: usize = 80;

/// The columns of a text: letters of some scripts take two.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// A text of at most `room` columns. A longer one is cut in its middle, because names differ at both ends.
pub(crate) fn short(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    // The mark of the cut takes one column.
    let head = taken(text.chars(), room / 2);
    let tail = taken(text.chars().rev(), room.saturating_sub(1 + width(&head)));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// The first letters that fit into `room` columns.
fn taken(letters: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    letters
        .take_while(|letter| {
            // The width of a text counts a control as one column.
            used += letter.width().unwrap_or(1);
            used <= room
        })
        .collect()
}

/// Wraps a paragraph. The first line follows `used` columns, the others begin with `indent` spaces. A word that is
/// wider than a line is cut.
pub(crate) fn wrapped(words: &str, mut used: usize, indent: usize) -> String {
    let mut text = String::new();
    let mut is_first = true;
    let new_line = |text: &mut String| {
        text.push('\n');
        text.push_str(&" ".repeat(indent));
        indent
    };
    for word in words.split(' ') {
        if !is_first && used > indent && used + 1 + width(word) > WIDTH {
            used = new_line(&mut text);
        } else if !is_first {
            text.push(' ');
            used += 1;
        }
        is_first = false;
        for letter in word.chars() {
            let room = letter.width().unwrap_or(0);
            if used + room > WIDTH {
                used = new_line(&mut text);
            }
            text.push(letter);
            used += room;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_their_middle_to_the_columns_there_are() {
        assert_eq!(short("a short name", 22), "a short name");
        assert_eq!(short("Machine 7 of the second rack at the left", 22), "Machine 7 o…t the left");
        // Each of these letters takes two columns.
        let wide = short(&"很长的名字".repeat(9), 22);
        assert!(wide.contains('…') && (20..=22).contains(&width(&wide)), "{wide}");
        assert_eq!(short(&"\u{1b}".repeat(300), 9), format!("{0}…{0}", "\u{1b}".repeat(4)));
        assert_eq!(short("abcdef", 1), "…");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let sentence = "eleven more words of several lengths, ".repeat(9);
        for words in [sentence.as_str(), &"x".repeat(300), &"很长的名字".repeat(60), "", "a", &" ".repeat(200)] {
            for indent in [0, 4] {
                let text = format!("{}{}", "-".repeat(indent), wrapped(words, indent, indent));
                let text = text.trim_start_matches('-');
                assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
                let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                assert_eq!(letters(text), letters(words), "nothing is lost");
            }
        }
        assert_eq!(wrapped("few words", 0, 4), "few words");
        let two = wrapped(&format!("{} end", "x".repeat(78)), 0, 4);
        assert_eq!(wrapped(&format!("{} end", "x".repeat(7)), 70, 70), format!("xxxxxxx\n{}end", " ".repeat(70)));
        assert_eq!(two.lines().last(), Some("    end"));
    }
}
