//! The parts of a text between brackets and quotes: each is a list, a row of a grid, or a board in FEN.

use super::read::Refused;

/// What may stand between the numbers of a list or the signs of a row.
pub(super) const SEPARATORS: [char; 6] = [' ', '\t', ',', ';', '|', '│'];

/// A list, a row of a grid, or a board in FEN.
pub(super) struct Group<'a> {
    pub(super) text: &'a str,
    /// Brackets around the group that are not around the group before.
    pub(super) opened: usize,
}

/// Splits lines into groups. A group in brackets may go on over line ends.
#[derive(Default)]
pub(super) struct Groups {
    /// The group that is open.
    text: String,
    /// Brackets that are open, and those that were opened since the last group.
    depth: usize,
    opened: usize,
}

impl Groups {
    /// Reads a line, and calls `each` with every group that ends on it. Signs in quotes of their own are signs of one group.
    pub(super) fn line(
        &mut self,
        line: &str,
        each: &mut dyn FnMut(Group<'_>) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut quote = None;
        let mut rest = line.chars();
        while let Some(sign) = rest.next() {
            match (sign, quote) {
                ('\'' | '"', None) => {
                    let mut ahead = rest.clone();
                    match (ahead.next(), ahead.next()) {
                        (Some(single), Some(close)) if close == sign && single != sign => {
                            self.text.push(single);
                            rest = ahead;
                        }
                        _ => {
                            self.end(each)?;
                            quote = Some(sign);
                        }
                    }
                }
                (_, Some(open)) if open == sign => {
                    quote = None;
                    // A quote is around the group alone, as the inner bracket of other rows.
                    self.opened += 1;
                    self.end(each)?;
                }
                ('[' | '(' | '{', None) => {
                    self.drop_name();
                    self.end(each)?;
                    self.depth += 1;
                    self.opened += 1;
                }
                (']' | ')' | '}', None) => {
                    self.end(each)?;
                    self.depth = self.depth.checked_sub(1).ok_or("a bracket closes here that was not opened")?;
                    self.opened = self.opened.saturating_sub(1);
                }
                // Rows of a matrix.
                (';', None) if self.depth > 0 => self.end(each)?,
                _ => self.text.push(sign),
            }
        }
        if quote.is_some() {
            return Err("a quote is not closed on its line");
        }
        self.text.push(' ');
        if self.depth == 0 { self.end(each) } else { Ok(()) }
    }

    /// Reads a line of words: only its brackets count.
    pub(super) fn words(&mut self, line: &str) -> Result<(), Refused> {
        self.end(&mut |_| Err("words stand in the middle of a list"))?;
        let before = self.depth;
        for sign in line.chars() {
            match sign {
                '[' | '(' | '{' => self.depth += 1,
                ']' | ')' | '}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        if self.depth > before && !line.ends_with(['[', '(', '{']) {
            return Err("a bracket opens in a line of words");
        }
        Ok(())
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) -> Result<(), Refused> {
        self.end(&mut |_| Err("a bracket is not closed"))
    }

    fn end(&mut self, each: &mut dyn FnMut(Group<'_>) -> Result<(), Refused>) -> Result<(), Refused> {
        let group = self.text.trim_matches(SEPARATORS);
        if group.is_empty() {
            self.text.clear();
            return Ok(());
        }
        let ended = each(Group { text: group, opened: std::mem::take(&mut self.opened) });
        self.text.clear();
        ended
    }

    /// Drops the name of a type that stands directly before its bracket, such as `array(` or `Matrix[`.
    fn drop_name(&mut self) {
        let name = self.text.trim_start_matches(SEPARATORS);
        let is_of_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '#' | '\\');
        if name.chars().all(is_of_name) && name.starts_with(|sign: char| !sign.is_ascii_digit() && sign != '.') {
            self.text.clear();
        }
    }
}
