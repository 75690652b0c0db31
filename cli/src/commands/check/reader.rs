//! Passes each group of words to its parser, and decides when a verdict is certain.

use std::mem::take;

use anyhow::{Result, bail, ensure};

use super::judge::{Form, Verdict};
use super::tokens::{Group, Tokenizer};
use super::{fen, grids, lists};
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;

/// The boards of a text that is read line by line.
///
/// A right board is reported at once. From the first wrong board on, verdicts wait for the end of the text, because a
/// later line may show that the "board" is a heading, a list of scores or part of something else.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) tokenizer: Tokenizer,
    /// The form of all boards. A board without a form must be the only one.
    form: Option<Form>,
    boards: u64,
    has_wrong: bool,
    /// Whether a board has a label.
    has_label: bool,
    /// The verdicts that are not reported yet, each with the line where its board begins.
    verdicts: Vec<(u64, Verdict)>,
    /// The rows of the unfinished grid, the line of its first row, and the number of brackets around each row.
    rows: Vec<String>,
    begin: u64,
    depth: usize,
}

impl Reader {
    /// Reads a line, and returns the verdicts that it makes certain. The error says why the line is not understood.
    pub(super) fn line(&mut self, line: &str) -> Result<Vec<(u64, Verdict)>> {
        match self.tokenizer.groups(line)? {
            Some(groups) => groups.iter().try_for_each(|group| self.group(group))?,
            None => self.end_grid()?,
        }
        let is_certain = !self.has_wrong && self.form.is_some();
        Ok(if is_certain { take(&mut self.verdicts) } else { Vec::new() })
    }

    /// Returns the remaining verdicts at the end of the text.
    pub(super) fn end(&mut self) -> Result<Vec<(u64, Verdict)>> {
        ensure!(self.tokenizer.depth == 0, "a bracket is not closed");
        self.end_grid()?;
        let is_square = self.boards == 1 && self.form.is_none() && !self.has_wrong;
        let has_words = self.has_label || self.tokenizer.skipped > 0;
        ensure!(!is_square || !has_words, "one number or square is a board only if it is the whole text");
        Ok(take(&mut self.verdicts))
    }

    /// Reads a group as FEN, as rows of a grid or as a list. A grid ends with its n-th row if the first row has n
    /// squares.
    fn group(&mut self, group: &Group) -> Result<()> {
        self.has_label |= !group.label.is_empty();
        let Some(rows) = fen::rows(&group.text)?.or_else(|| grids::rows(group)) else {
            self.end_grid()?;
            let (form, verdict) = lists::judge(group)?;
            return self.board(group.line, form, verdict);
        };
        let is_row = rows.len() == 1;
        for row in rows {
            if self.rows.is_empty() {
                (self.begin, self.depth) = (group.line, group.depth);
            }
            ensure!(self.depth == group.depth, "it is not in the same brackets as the row before it");
            self.rows.push(row);
            if self.rows.len() == self.rows[0].chars().count() {
                let (form, verdict) = grids::judge(&take(&mut self.rows))?;
                self.board(self.begin, form, verdict)?;
            }
        }
        if let (false, Some(row)) = (is_row, self.rows.first()) {
            let (high, wide) = size_in_words(&self.rows, row);
            bail!("{high} on a line or in brackets, the first with {wide}, are not a whole grid");
        }
        Ok(())
    }

    /// Rejects an unfinished grid. A single row such as `1 1 1 1` is judged as a list with all queens in one column.
    fn end_grid(&mut self) -> Result<()> {
        let rows = take(&mut self.rows);
        let Some(row) = rows.first() else { return Ok(()) };
        if let Some(list) = lists::row(row).filter(|_| rows.len() == 1) {
            return self.board(self.begin, None, lists::judge_numbers(&list)?);
        }
        // A row of `-` may be one of empty squares, but not alone.
        let is_frame =
            |row: &&String| (row.contains('+') || rows.len() == 1) && row.chars().all(|sign| "+-=".contains(sign));
        if let Some(frame) = rows.iter().find(is_frame) {
            bail!("'{}' is part of a frame: remove such lines, and write empty squares as '.'", shortened(frame, 40));
        }
        grids::ensure_equal(&rows)?;
        let (high, wide) = size_in_words(&rows, row);
        bail!(
            "the grid from line {} on ends after {high}, but its first row has {wide}: n rows must have n squares each",
            self.begin
        )
    }

    /// Adds a board. Rejects a board that differs in form from the others, because one of them may not be a board.
    fn board(&mut self, line: u64, form: Option<Form>, verdict: Verdict) -> Result<()> {
        match (&self.form, &form) {
            _ if self.boards == 0 => {}
            (Some(before), Some(form)) => {
                ensure!(before == form, "its form, label or characters differ from the boards before it");
            }
            _ => bail!(
                "one number or square, one row, or numbers in order are a board only if they are the whole text: \
                 remove labels such as [1], and write empty squares as '.'"
            ),
        }
        self.form = form;
        self.boards += 1;
        self.has_wrong |= matches!(verdict, Verdict::Wrong(_));
        self.verdicts.push((line, verdict));
        Ok(())
    }
}

/// Returns the number of rows, and the number of squares in one of them, in words.
fn size_in_words(rows: &[String], row: &str) -> (String, String) {
    (plural(rows.len() as u64, "row"), plural(row.chars().count() as u64, "square"))
}
