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
    /// The form of all boards, or `None` before the first board.
    form: Option<Form>,
    has_wrong: bool,
    /// Whether a board has a label.
    has_label: bool,
    /// The verdicts that are not reported yet, each with the line where its board begins.
    verdicts: Vec<(u64, Verdict)>,
    grid: Option<OpenGrid>,
}

/// A grid that is not finished. It has at least one row.
struct OpenGrid {
    rows: Vec<String>,
    /// The line of its first row.
    line: u64,
    /// The number of brackets around each row.
    depth: usize,
}

impl OpenGrid {
    /// Returns the number of rows, and the number of squares in the first row, in words.
    fn size_in_words(&self) -> (String, String) {
        (plural(self.rows.len() as u64, "row"), plural(self.rows[0].chars().count() as u64, "square"))
    }
}

impl Reader {
    /// Reads a line, and returns the verdicts that it makes certain. The error says why the line is not understood.
    pub(super) fn read_line(&mut self, line: &str) -> Result<Vec<(u64, Verdict)>> {
        match self.tokenizer.read_line(line)? {
            Some(groups) => groups.iter().try_for_each(|group| self.read_group(group))?,
            None => self.end_grid()?,
        }
        let is_uncertain = self.has_wrong || self.form == Some(Form::Alone);
        Ok(if is_uncertain { Vec::new() } else { take(&mut self.verdicts) })
    }

    /// Returns the remaining verdicts at the end of the text.
    pub(super) fn finish(&mut self) -> Result<Vec<(u64, Verdict)>> {
        ensure!(self.tokenizer.depth == 0, "a bracket is not closed");
        self.end_grid()?;
        let has_words = self.has_label || self.tokenizer.skipped > 0;
        let is_alone = self.form == Some(Form::Alone) && !self.has_wrong;
        ensure!(!is_alone || !has_words, "one number or square is a board only if it is the whole text");
        Ok(take(&mut self.verdicts))
    }

    /// Reads a group as FEN, as rows of a grid or as a list. A grid ends with its n-th row if the first row has n
    /// squares.
    fn read_group(&mut self, group: &Group) -> Result<()> {
        self.has_label |= !group.label.is_empty();
        let Some(rows) = fen::rows_of_board(&group.text)?.or_else(|| grids::rows_of_group(group)) else {
            self.end_grid()?;
            let (form, verdict) = lists::judge_list(group)?;
            return self.add_board(group.line, form, verdict);
        };
        let is_row = rows.len() == 1;
        for row in rows {
            let empty = OpenGrid { rows: Vec::new(), line: group.line, depth: group.depth };
            let mut grid = self.grid.take().unwrap_or(empty);
            ensure!(grid.depth == group.depth, "it is not in the same brackets as the row before it");
            grid.rows.push(row);
            if grid.rows.len() == grid.rows[0].chars().count() {
                let (form, verdict) = grids::judge_grid(&grid.rows)?;
                self.add_board(grid.line, form, verdict)?;
            } else {
                self.grid = Some(grid);
            }
        }
        if !is_row && let Some(grid) = &self.grid {
            let (high, wide) = grid.size_in_words();
            bail!("{high} on a line or in brackets, the first with {wide}, are not a whole grid");
        }
        Ok(())
    }

    /// Rejects an unfinished grid. A single row such as `1 1 1 1` is judged as a list with all queens in one column.
    fn end_grid(&mut self) -> Result<()> {
        let Some(grid) = self.grid.take() else { return Ok(()) };
        let rows = &grid.rows;
        if let Some(list) = lists::numbers_of_row(&rows[0]).filter(|_| rows.len() == 1) {
            return self.add_board(grid.line, Form::Alone, lists::judge_numbers(&list)?);
        }
        // A row of `-` may be one of empty squares, but not alone.
        let is_frame = |row: &&String| (row.contains('+') || rows.len() == 1) && row.chars().all(|c| "+-=".contains(c));
        if let Some(frame) = rows.iter().find(is_frame) {
            bail!("'{}' is part of a frame: remove such lines, and write empty squares as '.'", shortened(frame, 40));
        }
        grids::ensure_equal(rows)?;
        let (high, wide) = grid.size_in_words();
        bail!(
            "the grid from line {} on ends after {high}, but its first row has {wide}: n rows must have n squares each",
            grid.line
        )
    }

    /// Adds a board. Rejects a board that differs in form from the others, because one of them may not be a board.
    fn add_board(&mut self, line: u64, form: Form, verdict: Verdict) -> Result<()> {
        if let Some(before) = &self.form {
            ensure!(
                *before != Form::Alone && form != Form::Alone,
                "one number or square, one row, or numbers in order are a board only if they are the whole text: \
                 remove labels such as [1], and write empty squares as '.'"
            );
            ensure!(*before == form, "its form, label or characters differ from the boards before it");
        }
        self.form = Some(form);
        self.has_wrong |= matches!(verdict, Verdict::Wrong(_));
        self.verdicts.push((line, verdict));
        Ok(())
    }
}
