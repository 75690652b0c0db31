//! Brackets, and the parts of a text in them.

use super::words::is_words;

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
