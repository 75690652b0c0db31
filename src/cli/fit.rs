//! Text that fits into the columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// As wide as a terminal is, whatever it says of itself: what is printed is mailed and pasted too.
pub(super) const WIDTH: usize = 80;

/// The columns that a text takes: letters of some scripts take two.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// A text cut in its middle where it takes more columns than `room`: beginnings and ends tell names apart.
pub(super) fn short(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    // One column is for the mark of the cut.
    let head = taken(text.chars(), room / 2);
    let tail = taken(text.chars().rev(), room - 1 - width(&head));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// As many letters as have room.
fn taken(letters: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    letters
        .take_while(|letter| {
            used += letter.width().unwrap_or(0);
            used <= room
        })
        .collect()
}

/// A paragraph in lines that fit, all but the first of which begin with `indent` spaces. A word that is wider than a line
/// goes over several.
pub(super) fn wrapped(words: &str, indent: usize) -> String {
    let (mut text, mut used) = (String::new(), 0);
    for word in words.split(' ') {
        if used > indent && used + 1 + width(word) > WIDTH {
            text += "\n";
            text += &" ".repeat(indent);
            used = indent;
        } else if !text.is_empty() {
            text.push(' ');
            used += 1;
        }
        for letter in word.chars() {
            let room = letter.width().unwrap_or(0);
            if used + room > WIDTH {
                text += "\n";
                text += &" ".repeat(indent);
                used = indent;
            }
            text.push(letter);
            used += room;
        }
    }
    text + "\n"
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
        assert_eq!(short("abcdef", 1), "…");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let sentence = "eleven more words of several lengths, ".repeat(9);
        for words in [sentence.as_str(), &"x".repeat(300), &"很长的名字".repeat(60), "", "a", &" ".repeat(200)] {
            for indent in [0, 4] {
                let text = wrapped(words, indent);
                assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
                let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                assert_eq!(letters(&text), letters(words), "nothing is lost");
            }
        }
        assert_eq!(wrapped("few words", 4), "few words\n");
        let two = wrapped(&format!("{} end", "x".repeat(78)), 4);
        assert_eq!(two.lines().last(), Some("    end"));
    }
}
