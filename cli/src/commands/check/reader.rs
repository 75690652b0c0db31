//! Cuts a text into groups of words, passes each to its parser, and decides when a verdict is certain.

use std::mem::take;

use anyhow::{Context, Result, ensure};

use super::judge::{Form, Verdict};
use super::tokens::{Group, MAX_LINE_BYTES, SEPARATORS, is_label, is_prose, words};
use super::{fen, grids, lists};
use crate::terminal::units::plural;

/// The memory for texts that are read in another way if a board is wrong. Longer texts are read in one way only, and
/// their verdicts do not wait for the end.
const MOST_TEXT_BYTES: usize = 64 << 20;

/// The boards of a text that is read line by line.
///
/// A right board is reported at once. From the first wrong board on, verdicts wait for the end of the text, because a
/// later line may show that the "board" is a heading, a list of scores or part of something else.
#[derive(Default)]
pub(super) struct Reader {
    /// The number of lines so far, or after an error the line that is not understood.
    pub(super) line: u64,
    /// The number of lines of prose.
    pub(super) skipped: u64,
    /// The group that is being read. In brackets, it continues over the ends of lines.
    open: Group,
    /// The rows of an unfinished grid, and the group of the first row.
    rows: Vec<String>,
    first: Group,
    /// The form of all boards, or `None` before the first board.
    form: Option<Form>,
    /// The rows of each group, one after the other, or its numbers. Empty if they take too much memory.
    texts: Vec<String>,
    text_bytes: usize,
    /// The verdicts that are not reported yet, each with the line where its board begins.
    verdicts: Vec<(u64, Verdict)>,
}

impl Reader {
    /// Reads a line, and returns the verdicts that it makes certain. The error says why the line is not understood.
    pub(super) fn read_line(&mut self, line: &str) -> Result<Vec<(u64, Verdict)>> {
        self.line += 1;
        ensure!(line.len() < MAX_LINE_BYTES, "it is longer than a line of any board");
        ensure!(!line.contains('\0'), "it is not UTF-8: save the text as UTF-8");
        // Marks without width: of the byte order, and of how `♛` is drawn, as phones send it.
        let line = line.replace(['\u{feff}', '\u{fe0e}', '\u{fe0f}'], "");
        self.read_groups(line.trim())?;
        let wait = self.has_wrong() && self.text_bytes <= MOST_TEXT_BYTES;
        Ok(if wait { Vec::new() } else { take(&mut self.verdicts) })
    }

    /// Returns the remaining verdicts at the end of the text.
    pub(super) fn finish(&mut self) -> Result<Vec<(u64, Verdict)>> {
        ensure!(self.open.depth == 0, "a bracket is not closed");
        self.end_grid()?;
        // Skipped lines such as `Queen in column 2` may be a board in words.
        let may_be_heading = self.form == Some(Form::InOrder { in_brackets: false }) && self.skipped > 0;
        ensure!(!may_be_heading, "numbers in order beside lines of text may be a heading: put the board in brackets");
        if self.has_wrong() && matches!(self.form, Some(Form::Grid(_))) {
            ensure!(
                !grids::are_right_otherwise(&self.texts),
                "its boards are wrong one below the other, but right side by side, in a frame, in an array from 1 or \
                 between lines of empty squares: print only boards, one below the other"
            );
        } else if self.has_wrong() {
            ensure!(
                !lists::are_right_in_columns(&self.texts),
                "its lists are wrong, but their columns are right boards: print each board on a line of its own"
            );
        }
        Ok(take(&mut self.verdicts))
    }

    fn has_wrong(&self) -> bool {
        self.verdicts.iter().any(|(_, verdict)| verdict.is_err())
    }

    /// Reads the groups that end on a line. An empty line or prose ends a grid.
    fn read_groups(&mut self, mut line: &str) -> Result<()> {
        if self.open.depth == 0 {
            self.open = Group { line: self.line, ..Group::default() };
            // A line of `nqueens solutions --format json`, unless it is cut before its columns.
            let json = line.strip_prefix("{\"schema\":").and_then(|json| json.split_once("\"columns\":"));
            if let Some((head, columns)) = json.filter(|(_, columns)| !columns.trim_matches(['}', ' ']).is_empty()) {
                line = columns.trim_start().trim_end_matches(['}', ' ']);
                let size = head.split_once("\"size\":").map(|(_, size)| size.trim_matches([',', ' ']));
                let list = line.strip_prefix('[').and_then(|list| list.split(']').next());
                if let (Some(Ok(size)), Some(list)) = (size.map(str::parse::<usize>), list) {
                    let listed = list.split(',').filter(|column| !column.trim().is_empty()).count();
                    ensure!(size == listed, "its \"size\" is {size}, but it lists {}", plural(listed, "column"));
                }
            }
            self.skipped += u64::from(is_prose(line));
            if line.is_empty() || is_prose(line) {
                return self.end_grid();
            }
        }
        for c in line.chars() {
            // Words before a colon or a bracket are a label, such as `Solution 1:`, or the name of a type inside
            // brackets.
            if ":=[({".contains(c) && is_label(&self.open.text) {
                let label = take(&mut self.open.text);
                if self.open.depth == 0 {
                    self.open.label.extend(label.chars().filter(|c| c.is_alphabetic()));
                }
            }
            match c {
                // Quotes surround squares, or words that are rows.
                '\'' | '"' => {}
                ':' | '=' if self.open.text.is_empty() => {}
                '[' | '(' | '{' => {
                    self.end_group()?;
                    self.open.line = self.line;
                    self.open.depth += 1;
                }
                ']' | ')' | '}' => {
                    self.end_group()?;
                    let depth = self.open.depth.checked_sub(1);
                    self.open.depth = depth.context("it closes a bracket that is not open")?;
                }
                // As in the matrix [0 1; 1 0].
                ';' if self.open.depth > 0 => self.end_group()?,
                _ => self.open.text.push(c),
            }
        }
        self.open.text.push(' ');
        if self.open.depth == 0 { self.end_group() } else { Ok(()) }
    }

    /// Reads a group as FEN, as rows of a grid or as a list. A grid ends with its n-th row if the first row has n
    /// squares.
    fn end_group(&mut self) -> Result<()> {
        if self.open.text.trim_matches(SEPARATORS).is_empty() {
            self.open.text.clear();
            return Ok(());
        }
        let group = Group { text: take(&mut self.open.text), ..self.open.clone() };
        let has_words = !words(&group.text).is_empty();
        ensure!(has_words, "it has white space other than spaces and tabs, such as a no-break space: write spaces");
        let of_fen = fen::rows_of_board(&group.text)?;
        let is_fen = of_fen.is_some();
        let Some(rows) = of_fen.or_else(|| grids::rows_of_group(&group.text)) else {
            let board = lists::judge_list(&group)?;
            self.end_grid()?;
            self.add_board(group.line, board)?;
            self.add_text(group.text);
            return Ok(());
        };
        if !is_fen {
            self.add_text(rows.concat());
        }
        // A row in other brackets begins another grid, and several rows in one group are a whole grid.
        if self.rows.is_empty() || self.first.depth != group.depth {
            self.end_grid()?;
            self.first = group;
        }
        let is_whole = rows.len() > 1;
        self.rows.extend(rows);
        if is_whole || self.rows.len() == self.rows[0].chars().count() { self.end_grid() } else { Ok(()) }
    }

    /// Keeps the text of a group for [`finish`](Self::finish).
    fn add_text(&mut self, text: String) {
        // The string takes memory besides its bytes.
        self.text_bytes = self.text_bytes.saturating_add(text.len() + 48);
        if self.text_bytes <= MOST_TEXT_BYTES {
            self.texts.push(text);
        } else {
            self.texts = Vec::new();
        }
    }

    /// Judges the grid if it has a row.
    fn end_grid(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let judged = grids::judge_grid(&take(&mut self.rows));
        let added = judged.and_then(|board| self.add_board(self.first.line, board));
        // The fault may be in any row, so the error names the line where the grid begins.
        added.inspect_err(|_| self.line = self.first.line)
    }

    /// Adds a board. Rejects a board that differs in form from the others, because one of them may not be a board.
    fn add_board(&mut self, line: u64, (form, verdict): (Form, Verdict)) -> Result<()> {
        if let Some(other) = &self.form {
            let are_in_order = matches!(form, Form::InOrder { .. });
            ensure!(!are_in_order, "numbers in order are a board only if the text has no other: remove headings");
            ensure!(*other == form, "its form, label or characters differ from the boards before it: remove headings");
        }
        self.form = Some(form);
        self.verdicts.push((line, verdict));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_on_a_long_text_do_not_wait_for_its_end() {
        let wrong_and_right = ["2 4 3 1", "2 4 1 3"];
        for (text_bytes, certain) in [(0, 0), (MOST_TEXT_BYTES, 1)] {
            let mut reader = Reader { text_bytes, ..Reader::default() };
            for line in wrong_and_right {
                assert_eq!(reader.read_line(line).unwrap().len(), certain, "{text_bytes} bytes, {line}");
            }
        }
    }
}
