//! Gives each group of words to its parser.
//!
//! All boards of a text have one form. A wrong board that can be read as something else is rejected, not judged.

use anyhow::{Context, Result, ensure};

use super::grids::{self, Signs};
use super::judge::Verdict;
use super::tokens::{Group, Tokenizer};
use super::{fen, lists};

const OTHER_FORM: &str = "it has another form than the boards before it";

/// Boards of a text that is read line by line. Its errors say why a line is not understood.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) tokenizer: Tokenizer,
    /// The label of the first list, if the boards are lists.
    label: Option<String>,
    /// The signs of all grids, if the boards are grids or FEN.
    signs: Option<Signs>,
    /// The rows of the open grid, with the line and the label of the first.
    rows: Vec<String>,
    first: (u64, String),
    /// The first board, with its line and label, as long as the next board may show that it is something else.
    doubtful: Option<(u64, String, Verdict)>,
    /// The boards that were judged, each with the line where it begins.
    pub(super) judged: Vec<(u64, Verdict)>,
}

impl Reader {
    /// Reads a line, and judges the boards that end there.
    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        self.tokenizer.tokens(line)?.into_iter().try_for_each(|group| match group {
            Some(group) => self.group(&group),
            None => self.end_grid(),
        })
    }

    /// Ends the text.
    pub(super) fn end(&mut self) -> Result<()> {
        ensure!(self.tokenizer.depth == 0, "a bracket is not closed");
        self.end_grid()?;
        if let Some((line, _, verdict)) = self.doubtful.take() {
            let is_whole = verdict.is_err() || self.tokenizer.skipped == 0;
            ensure!(is_whole, "one square is a board only if it is the whole text");
            self.judged.push((line, verdict));
        }
        Ok(())
    }

    /// Reads a group as FEN, as rows of a grid or as a list.
    fn group(&mut self, group: &Group) -> Result<()> {
        let Some(rows) = fen::rows(&group.text)?.or_else(|| grids::rows(group)) else {
            const FORMS: &str = "it is not a list of columns such as '2 4 1 3', a row of a grid such as '.Q..', or FEN";
            self.end_grid()?;
            return self.list(&lists::numbers(group).context(FORMS)?, group);
        };
        let is_whole_grid = rows.len() > 1;
        if is_whole_grid {
            self.end_grid()?;
        }
        self.rows(rows, group)?;
        if is_whole_grid { self.end_grid() } else { Ok(()) }
    }

    /// Judges a list, unless it is wrong and may be something else.
    fn list(&mut self, list: &[u32], group: &Group) -> Result<()> {
        ensure!(self.signs.is_none(), OTHER_FORM);
        ensure!(group.is_even(false), "its numbers are not separated alike");
        let verdict = lists::judge_list(list)?;
        let (is_wrong, is_first) = (verdict.is_err(), self.judged.is_empty());
        let is_heading = is_wrong && lists::are_in_order(list);
        let first_label = self.label.get_or_insert_with(|| group.label.clone());
        if is_wrong {
            ensure!(*first_label == group.label, "its label is not that of the first list");
            ensure!(is_first || !is_heading, "numbers in order may be the rows of the board before");
            lists::ensure_list(list, group.is_in_brackets || is_heading)?;
        }
        if let Some((line, label, earlier)) = self.doubtful.take() {
            let is_board = earlier.is_err() && label == group.label && (is_wrong || !label.is_empty());
            ensure!(is_board, "beside it, line {line} may be something other than a board");
            self.judged.push((line, earlier));
        } else if is_first && is_wrong && (is_heading || !group.label.is_empty()) {
            self.doubtful = Some((group.line, group.label.clone(), verdict));
            return Ok(());
        }
        self.judged.push((group.line, verdict));
        Ok(())
    }

    /// Adds rows to the open grid.
    fn rows(&mut self, rows: Vec<String>, group: &Group) -> Result<()> {
        ensure!(self.doubtful.is_none(), "beside it, the line before may be something other than a board");
        if self.rows.is_empty() {
            self.first = (group.line, group.label.clone());
        }
        self.rows.extend(rows);
        let is_full = self.rows.len() > self.rows[0].chars().count();
        ensure!(!is_full, "the grid that begins on line {} has too many rows; an empty line ends a grid", self.first.0);
        Ok(())
    }

    /// Judges the open grid, if there is one.
    fn end_grid(&mut self) -> Result<()> {
        let (rows, (line, label)) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.first));
        let alone = rows.first().filter(|_| rows.len() == 1 && self.label.is_none() && self.signs.is_none());
        if let Some(verdict) = alone.and_then(|row| judge_row(row)) {
            self.doubtful = Some((line, label, verdict));
        } else if !rows.is_empty() {
            let (signs, verdict) = grids::judge_grid(&rows)?;
            ensure!(self.label.is_none(), OTHER_FORM);
            let known = self.signs.get_or_insert_with(|| signs.clone());
            ensure!(*known == signs, "its signs are not those of the boards before it");
            self.judged.push((line, verdict));
        }
        Ok(())
    }
}

/// Judges a row that is a whole text: one square, or a list of at most two different columns.
fn judge_row(row: &str) -> Option<Verdict> {
    if matches!(row, "Q" | "q" | "♛" | "♕" | "👑" | "0" | "1") {
        return Some(Ok(vec![0]));
    }
    let list: Option<Vec<u32>> = row.chars().map(|sign| sign.to_digit(10)).collect();
    lists::judge_list(&list?).ok()
}
