//! Readings of lines to one verdict.

use super::judge::Finding;
use super::meanings::Boards;
use super::table::Table;
use super::words::letters;

/// What a line or several lines are.
#[derive(Debug)]
pub(super) enum Piece {
    Board(Finding),
    /// Headings, rulers, counts and other words.
    Words,
    /// A lone 0, 1 or queen: a board of one square, if there is nothing else.
    One {
        is_queen: bool,
    },
    /// Not understood, with the reason. Rows may be part of a board.
    Unread(String, Option<Table>),
}

/// A piece, with its first line and its number of lines.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) lines: usize,
    pub(super) piece: Piece,
    /// The words before a board, and whether it is drawn.
    pub(super) label: String,
    pub(super) is_drawn: bool,
}

impl Found {
    pub(super) fn new(line: usize, lines: usize, piece: Piece) -> Self {
        Self { line, lines, piece, label: String::new(), is_drawn: false }
    }
}

/// A way to read the first lines of some.
pub(super) struct Reading {
    pub(super) used: usize,
    pub(super) form: &'static str,
    pub(super) meaning: &'static str,
    pub(super) boards: Boards,
    pub(super) is_named: bool,
}

/// The boards that all readings of some lines agree on.
pub(super) fn decided(readings: Vec<Reading>, line: &str) -> Vec<Found> {
    let is_right =
        |reading: &Reading| reading.boards.iter().all(|(_, verdict)| matches!(verdict, Finding::Solution(_)));
    let first = &readings[0];
    if let Some(other) = readings.iter().find(|reading| is_right(reading) != is_right(first)) {
        let (one, two) =
            if first.meaning == other.meaning { (first.form, other.form) } else { (first.meaning, other.meaning) };
        return vec![Found::new(
            0,
            first.used,
            Piece::Unread(format!("it may be {one} or {two}: choose with --form"), None),
        )];
    }
    // The words before a bracket, or before a colon.
    let before = [&['[', '(', '{'][..], &[':', '=']].iter().find_map(|signs| line.split_once(*signs));
    let label = before.filter(|_| first.used == 1).map_or(String::new(), |(before, _)| letters(before));
    let is_drawn = first.meaning == "squares";
    let found =
        |(line, verdict)| Found { label: label.clone(), is_drawn, ..Found::new(line, 1, Piece::Board(verdict)) };
    readings.into_iter().next().map_or(Vec::new(), |reading| reading.boards.into_iter().map(found).collect())
}

/// A wrong board is none if it may be other numbers: numbers in order and numbers with another label beside a
/// solution, and all beside what is not understood.
pub(super) fn settled(mut found: Vec<Found>, lines: &[&str]) -> Vec<Found> {
    // Two numbers before a board are its size and how many there are. Beside a board they are a list that lacks numbers.
    let has_board = found.iter().any(|found| matches!(found.piece, Piece::Board(_)));
    for at in (0..found.len()).filter(|_| has_board) {
        if !matches!(found[at].piece, Piece::Words) {
            continue;
        }
        let words = lines[found[at].line].split_whitespace();
        let numbers: Vec<usize> = words.map(|word| word.parse().unwrap_or(usize::MAX)).collect();
        let is_size = match found.get(at + 1).map(|next| &next.piece) {
            Some(Piece::Board(Finding::Solution(columns))) => numbers.contains(&columns.len()),
            next => matches!(next, Some(Piece::Board(_))),
        };
        if numbers.len() == 2 && !numbers.contains(&usize::MAX) && !is_size {
            found[at].piece =
                Piece::Unread("two numbers are no board, nor the size of the next board".to_owned(), None);
        }
    }
    let right = found.iter().find(|found| matches!(found.piece, Piece::Board(Finding::Solution(_))));
    let right = right.map(|found| found.label.clone());
    let drawn = found.iter().find_map(|found| match &found.piece {
        Piece::Board(Finding::Solution(columns)) if found.is_drawn => Some(columns.len()),
        _ => None,
    });
    let is_unread = right.is_none() && found.iter().any(|found| matches!(found.piece, Piece::Unread(..)));
    let is_beside =
        found.iter().any(|found| !matches!(found.piece, Piece::Board(Finding::Wrong(_) | Finding::InOrder(..))));
    for Found { piece, label, .. } in &mut found {
        let reason = match (&piece, &right) {
            (Piece::Board(Finding::InOrder(n, _)), _) if drawn == Some(*n) => {
                *piece = Piece::Words;
                continue;
            }
            (Piece::Board(Finding::InOrder(..)), _) if is_beside => "numbers in order are labels or a wrong board",
            (Piece::Board(Finding::Wrong(_)), Some(right)) if right != label => {
                "it has another label than a solution, so it may be other numbers"
            }
            (Piece::Board(Finding::Wrong(_) | Finding::InOrder(..)), _) if is_unread => {
                "what is beside it is not understood"
            }
            _ => continue,
        };
        *piece = Piece::Unread(reason.to_owned(), None);
    }
    found
}
