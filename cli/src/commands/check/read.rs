//! Blocks of lines to verdicts.

use std::collections::HashSet;

use super::cell::Cell;
use super::collect::{collect, is_heading};
use super::forms::{FORMS, Form, Grammar};
use super::judge::{Finding, judge};
use super::meanings::{Boards, MEANINGS};
use super::readings::all_readings;
use super::rows::{names, size};
use super::table::Table;
use super::verdict::{Found, Piece, Reading, decided, settled};
use super::words::{is_number, is_ruler, is_words, start};

/// A longer line is only read as a list of numbers.
const LONG: usize = 8 << 20;

/// The most brackets in brackets.
const DEEPEST: usize = 8;

/// Reads lines with every form and meaning, or with the one that is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reader {
    pub(crate) form: Option<&'static str>,
    depth: usize,
}

impl Reader {
    pub(crate) fn new(form: Option<&'static str>) -> Self {
        Self { form, depth: 0 }
    }

    /// What the lines are, and how many of them are read. Before the end, a table that may go on is left.
    pub(super) fn read(self, lines: &[&str], is_end: bool) -> (Vec<Found>, usize) {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            if lines[at].len() > LONG {
                found.extend(Self::long_list(lines[at]).into_iter().map(|found| Found { line: at, ..found }));
                at += 1;
                continue;
            }
            let (mut readings, run, table, hides) = self.readings(&lines[at..], is_end);
            // A line beside items that begins likewise, or a lone word after them, is an item that cannot be read.
            let is_item = |reading: &Reading| {
                self.depth > 0 || reading.is_named || ["pairs", "column-per-line"].contains(&reading.meaning)
            };
            let are_items = is_end && readings.iter().all(|reading| reading.used > 1 && is_item(reading));
            let is_alike = |line: &&str| start(line) == start(lines[at]);
            let is_word = |line: &&str| line.split_whitespace().count() == 1 && !is_ruler(line);
            // A size may stand before numbers.
            let before = at.checked_sub(1).filter(|_| self.depth > 0 || !start(lines[at]).is_empty());
            let after = readings.first().and_then(|reading| lines.get(at + reading.used));
            if are_items
                && (before.is_some_and(|before| is_alike(&lines[before]))
                    || after.is_some_and(|after| is_alike(after) || is_word(after)))
            {
                readings.clear();
            }
            let used = readings.first().map_or(run, |reading| reading.used);
            if !is_end && at + used == lines.len() && (at > 0 || readings.is_empty()) {
                break;
            }
            let mut pieces = if readings.is_empty() {
                self.unread(&lines[at..at + used], table, hides)
            } else {
                decided(readings, lines[at])
            };
            pieces.iter_mut().for_each(|piece| piece.line += at);
            found.extend(pieces);
            at += used;
        }
        // Three lines of a number each are no words, unless boards follow them.
        let is_lone_number = |at: &usize| {
            matches!(found[*at].piece, Piece::Words | Piece::One { is_queen: false })
                && is_number(lines[found[*at].line].trim())
                && !found.get(at + 1).is_some_and(|next| matches!(next.piece, Piece::Board(_)))
        };
        let numbers: Vec<usize> = (0..found.len()).filter(is_lone_number).collect();
        for at in numbers.iter().filter(|_| numbers.len() > 2) {
            found[*at].piece = Piece::Unread("no form explains it".to_owned(), None);
        }
        (settled(found, lines), at)
    }

    /// The readings of the most lines, the length of the longest table, that table, and whether the first line has a part
    /// that is not understood.
    fn readings(self, lines: &[&str], is_end: bool) -> (Vec<Reading>, usize, Option<Table>, bool) {
        let (mut readings, mut longest, mut kept): (Vec<Reading>, usize, Option<Table>) = (Vec::new(), 1, None);
        let (mut hides, is_bare) = (false, !lines[0].contains(['[', '(', '{']));
        let forms = if is_ruler(lines[0]) { &[] } else { FORMS };
        for &Form(form, signs, _, grammar) in forms {
            if !signs.is_empty() && !lines[0].contains(|sign| signs.contains(sign)) {
                continue;
            }
            let read = match grammar {
                Grammar::Lines(grammar) => grammar(lines),
                Grammar::Parts(split) => {
                    if readings.is_empty()
                        && self.depth < DEEPEST
                        && let Some(parts) = split(lines[0])
                    {
                        let (found, is_unread) = self.parts(&parts);
                        hides |= is_unread && is_bare == (form == "parts");
                        readings.extend(found.map(|(meaning, boards)| Reading {
                            used: 1,
                            form,
                            meaning,
                            boards,
                            is_named: false,
                        }));
                    }
                    None
                }
                _ => collect(lines, grammar),
            };
            let Some((mut used, mut table)) = read else { continue };
            table.is_sure = self.form.is_some_and(|form| ["columns", "column-per-line"].contains(&form));
            let mut found = all_readings(&table);
            // Of several boards, the last may not be complete.
            let (height, width) = (table.height(), table.width);
            let parts = [width, width.saturating_sub(1), width.saturating_sub(2), table.period()]
                .map(|rows| height - height % rows.max(1));
            let is_open = !is_end && used == lines.len();
            for height in parts {
                if is_open && found.is_empty() && (1..table.height()).contains(&height) {
                    let mut part = table.clone();
                    part.cells.truncate(height * table.width);
                    part.lines.truncate(height);
                    found = all_readings(&part);
                    if !found.is_empty() {
                        (used, table) = (table.lines[height], part);
                    }
                }
            }
            readings.extend(found.into_iter().map(|(meaning, boards)| {
                let boards = boards.into_iter().map(|(row, verdict)| (table.lines[row], verdict)).collect();
                Reading { used, form, meaning, boards, is_named: table.is_named }
            }));
            let is_wider =
                kept.as_ref().is_none_or(|kept| kept.is_named || kept.width < table.width && !table.is_named);
            if form != "blanks"
                && !matches!(grammar, Grammar::Lines(_))
                && (used > longest || used == longest && is_wider)
            {
                (longest, kept) = (used, Some(table));
            }
        }
        readings.retain(|reading| self.form.is_none_or(|form| form == reading.form || form == reading.meaning));
        let most = readings.iter().map(|reading| reading.used).max();
        readings.retain(|reading| Some(reading.used) == most);
        (readings, longest, kept, hides)
    }

    /// The boards in parts of a line, if all of it is read, and whether a part is not understood.
    fn parts(self, parts: &[&str]) -> (Option<(&'static str, Boards)>, bool) {
        let form = self.form.filter(|form| !["nested", "parts"].contains(form));
        let reader = Self { depth: self.depth + 1, form };
        let found = reader.read(parts, true).0;
        let is_unread = found.iter().any(|found| matches!(found.piece, Piece::Unread(..)));
        let is_queen = |found: &Found| matches!(found.piece, Piece::One { is_queen: true });
        if is_unread || found.iter().any(is_queen) {
            return (None, is_unread);
        }
        let board = |found: Found| if let Piece::Board(verdict) = found.piece { Some((0, verdict)) } else { None };
        let boards: Boards = found.into_iter().filter_map(board).collect();
        // A size beside the boards is theirs.
        let size = parts.iter().find_map(|part| size(part));
        let fits = |verdict: &Finding| !matches!(verdict, Finding::Solution(columns) if size.is_some_and(|size| size != columns.len()));
        let are_read = !boards.is_empty() && boards.iter().all(|(_, verdict)| fits(verdict));
        (are_read.then_some((self.form.unwrap_or("nested"), boards)), false)
    }

    /// A line that is too long for other forms: a list of numbers.
    fn long_list(line: &str) -> Vec<Found> {
        let (before, list) = line.split_at(line.rfind('[').map_or(0, |at| at + 1));
        let list = list.trim().trim_end_matches([']', '}', ')', ';', '.']);
        let numbers = || list.split([' ', ',']).filter(|word| !word.is_empty()).map(|word| word.parse::<u32>().ok());
        let base = u32::from(!numbers().any(|number| number == Some(0)));
        let queens = (0..)
            .zip(numbers().map(|number| number.and_then(|number| number.checked_sub(base)).unwrap_or(u32::MAX - 1)));
        let piece = match judge(numbers().count(), base, queens).filter(|_| is_words(before)) {
            Some(verdict) => Piece::Board(verdict),
            None => Piece::Unread("it is too long for other forms than a list of columns".to_owned(), None),
        };
        vec![Found::new(0, 1, piece)]
    }

    /// Lines that no form reads together: each alone is a board, words, or not understood.
    fn unread(self, lines: &[&str], table: Option<Table>, hides: bool) -> Vec<Found> {
        let alone = |(line, text): (usize, &&str)| -> Vec<Found> {
            let (readings, .., hides) =
                if lines.len() > 1 { self.readings(&[*text], true) } else { (Vec::new(), 1, None, hides) };
            if !readings.is_empty() {
                return decided(readings, text).into_iter().map(|found| Found { line, ..found }).collect();
            }
            let is_bare = !text.contains(['[', '(', '{']);
            let text = text.trim();
            let one = text
                .strip_prefix(['[', '{', '|', '│'])
                .map_or(text, |inside| inside.rsplit('[').next().unwrap_or(inside));
            let piece = match one.trim_matches(|c: char| c.is_whitespace() || "[]{}|│'\"".contains(c)) {
                "0" | "1" => Piece::One { is_queen: false },
                "Q" | "♕" | "♛" if one != text && lines.len() == 1 => Piece::Board(Finding::Solution(vec![0])),
                "Q" | "♕" | "♛" => Piece::One { is_queen: true },
                _ if is_ruler(text)
                    || is_heading(text) && is_bare
                    || (is_heading(text) || is_words(text)) && !hides =>
                {
                    Piece::Words
                }
                _ => Piece::Unread("no form explains it".to_owned(), None),
            };
            vec![Found::new(line, 1, piece)]
        };
        let found: Vec<Found> = lines.iter().enumerate().flat_map(alone).collect();
        let is_board = found.iter().any(|found| matches!(found.piece, Piece::Board(Finding::Solution(_))));
        let is_unread = found.iter().any(|found| matches!(found.piece, Piece::Unread(..)));
        // Numbers in lines that are alike count together.
        let numbers: usize = lines.iter().filter_map(|line| names(line)).map(|(_, cells)| cells.len()).sum();
        let is_part = table.as_ref().is_some_and(|table| !table.is_named && table.is_part());
        if is_board || !is_unread && !is_part && (numbers < 3 || lines.len() == 1) {
            return found;
        }
        let table = table.filter(|table| !table.is_named);
        let reason = match &table {
            Some(table) if table.height() == 1 && table.cells.iter().all(|cell| cell.number().is_some()) => {
                let n = table.width;
                let numbers: HashSet<Cell> = table.cells.iter().copied().collect();
                let (first, last) = if numbers.contains(&Cell::of('0')) { (0, n - 1) } else { (1, n) };
                let is_column = |cell: &Cell| cell.number().is_some_and(|number| number as usize <= last);
                if n > 3 && numbers.len() < n && numbers.iter().all(is_column) {
                    format!(
                        "it has a number twice: a wrong board if they are columns from {first} to {last}, as --form columns \
                         reads it, or other numbers"
                    )
                } else {
                    format!("it is no list of columns from 1 to {n} or from 0 to {}", n - 1)
                }
            }
            Some(table) if table.height() == 1 => format!("no form explains a row of {} cells", table.width),
            Some(table) => format!("no form explains {} rows of {} cells", table.height(), table.width),
            None => "no form explains it".to_owned(),
        };
        vec![Found::new(0, lines.len(), Piece::Unread(reason, table))]
    }
}

/// The names and examples of forms and meanings.
pub(crate) fn table_of_forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let meanings = MEANINGS.iter().map(|meaning| (meaning.0, meaning.1));
    FORMS.iter().map(|form| (form.0, form.2)).chain(meanings)
}
