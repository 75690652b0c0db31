//! Words, labels, rulers, brackets: what stands around cells.

use winnow::combinator::{alt, opt};
use winnow::prelude::*;
use winnow::token::{one_of, take_till, take_while};

use super::forms::Parsed;

/// How deep in brackets and quotes a text is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nesting {
    pub(super) depth: usize,
    quote: Option<char>,
    is_in_word: bool,
}

impl Nesting {
    /// Goes on by a character. Quotes count in brackets only: outside, an apostrophe is one.
    pub(super) fn step(&mut self, sign: char) {
        match sign {
            _ if self.quote.is_some() => self.quote = self.quote.filter(|quote| *quote != sign),
            '[' | '(' | '{' => self.depth += 1,
            ']' | ')' | '}' => self.depth = self.depth.saturating_sub(1),
            '"' => self.quote = Some(sign).filter(|_| self.depth > 0),
            '\'' => self.quote = Some(sign).filter(|_| self.depth > 0 && !self.is_in_word),
            _ => {}
        }
        // Python has texts such as u'Q'.
        self.is_in_word = sign.is_alphanumeric() && sign != 'u';
    }

    /// Ends a quote with the line.
    pub(super) fn end_line(&mut self) {
        self.quote = None;
    }
}

/// The text before the first bracket that holds more than a label, the text in it, and the text after it.
pub(super) fn bracket(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find(['[', '(', '{'])?;
        let mut nesting = Nesting::default();
        let ends = |sign: char| {
            nesting.step(sign);
            nesting.depth == 0
        };
        let close = open + text[open..].find(ends)?;
        let (inside, after) = (&text[open + 1..close], &text[close + 1..]);
        if !after.contains(['[', '(', '{']) || inside.contains(['[', '(', '{']) || !is_words(inside) {
            return is_words(&text[..open]).then_some((&text[..open], inside, after));
        }
        from = close + 1;
    }
}

/// Parts of a text outside brackets: between semicolons, else bars, else commas, else line ends if there are keys or
/// brackets, else blanks.
pub(super) fn items(text: &str) -> Vec<&str> {
    let text = text.trim().strip_prefix('|').and_then(|text| text.strip_suffix('|')).unwrap_or(text);
    let split = |is_end: &dyn Fn(char) -> bool| -> Vec<&str> {
        // Quotes count.
        let mut nesting = Nesting { depth: 1, ..Nesting::default() };
        let ends = |sign: char| {
            let is_outside = nesting.depth == 1 && nesting.quote.is_none();
            nesting.step(sign);
            is_outside && is_end(sign)
        };
        text.split(ends).map(str::trim).collect()
    };
    for sign in [';', '|', ','].into_iter().filter(|sign| text.contains(*sign)) {
        let mut parts = split(&|c| c == sign);
        if parts.len() > 1 {
            parts.pop_if(|last| last.is_empty());
            return parts;
        }
    }
    let is_listed = text.contains('\n') && (text.contains("=>") || text.contains(['[', '(']));
    let parts = split(if is_listed { &|c| c == '\n' } else { &char::is_whitespace });
    let mut joined: Vec<&str> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        match joined.last_mut() {
            // What follows an arrow, and a bracket after a word, belong to the line before.
            Some(last) if last.ends_with("=>") || is_listed && part.starts_with('(') && last.ends_with("Array") => {
                *last = &text[at(last)..at(part) + part.len()];
            }
            _ => joined.push(part),
        }
    }
    joined
}

/// A line without its label: `1:`, `1)`, `1. `, `8|`, `#1`, `[1]`, `[1,]`, `[0] =>`, `Solution 1:`, `q =`.
pub(super) fn unlabelled(line: &str) -> Option<(&str, &str)> {
    let number = || take_while(1.., '0'..='9');
    let words = take_till(1.., [':', '='])
        .verify(|text: &str| !text.contains(['[', '(', '{', '|', ',', ';']) && is_words(text));
    let mut label = alt((
        ("[", number(), opt(","), "]", opt(" =>")).void(),
        (number(), take_while(0.., ' '), one_of([':', ')', '|', '│'])).void(),
        (number(), ". ").void(),
        ("#", alt((number().void(), "*".void()))).void(),
        (words, alt(("=>", ":", "="))).void(),
    ));
    let (mut rest, start) = (line.trim_start(), line.trim_start());
    let parsed: Parsed<()> = label.parse_next(&mut rest);
    parsed.ok().map(|()| (&start[..start.len() - rest.len()], rest))
}

/// Whether a line is drawn between rows or boards.
pub(super) fn is_ruler(text: &str) -> bool {
    let text = text.trim();
    let is_part = |c: char| " +|-=*_~:\t%".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    let is_mixed = || text.contains('*') && text.contains(|c| c != '*' && c != ' ');
    text.chars().all(is_part) && text.contains(|c| !" |│┃║".contains(c)) && !is_mixed()
}

/// Whether a text holds neither a queen, nor a row of cells, nor three numbers. A date is one number.
pub(super) fn is_words(text: &str) -> bool {
    let mut numbers = 0;
    for word in text.split(|c: char| c.is_whitespace() || "[](){},;=|\"'".contains(c)) {
        let word = word.trim_end_matches([':', '.', '!', '?']);
        // A name such as Q_1 is no queen.
        let is_name = |sign: Option<char>| sign.is_some_and(|c| c != 'Q' && c.is_alphabetic());
        let is_queen = |(at, _): (usize, &str)| {
            !is_name(word[..at].chars().next_back()) && !is_name(word[at + 1..].chars().next())
        };
        if word.contains(['♕', '♛', '👑']) || word.match_indices('Q').any(is_queen) || is_row(word) {
            return false;
        }
        let parts: Vec<&str> = word.split(['-', ':', '/', '>']).collect();
        let here = parts.iter().filter(|part| is_number(part)).count();
        numbers += if parts.len() == 3 { here.min(1) } else { here };
    }
    numbers < 3
}

/// A whole number, or the name of a square.
pub(super) fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('Q').unwrap_or(word);
    let digits = word.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(word);
    let whole = digits.strip_suffix(".0").or(digits.strip_suffix('.')).unwrap_or(digits);
    !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word looks like a row of cells: a usual queen, and one kind of empty squares.
fn is_row(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    let Some(second) = word.chars().find(|c| *c != first) else { return false };
    let is_pair = |queen, empty| "XxR*1#@■●O".contains(queen) && ".-_0□·*o#+".contains(empty);
    word.chars().nth(2).is_some()
        && word.chars().all(|c| c == first || c == second)
        && (is_pair(first, second) || is_pair(second, first))
}

/// What a line begins with, up to a digit, a blank or a sign of a value.
pub(super) fn start(line: &str) -> &str {
    line.trim().split(|c: char| c.is_ascii_digit() || c.is_whitespace() || ":=".contains(c)).next().unwrap_or("")
}

/// The letters of a text.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}
