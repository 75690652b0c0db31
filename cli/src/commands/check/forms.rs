//! The forms in which programs write cells.

use winnow::combinator::{alt, opt, repeat, separated, terminated};
use winnow::prelude::*;
use winnow::token::{one_of, take_while};

use super::brackets::{bracket, items};
use super::cell::Cell;
use super::rows::{
    FormLine, bars, bars_between, blanks, boxes, chess, csv, list, names, spaces, tight, unquoted, whole, wide,
};
use super::table::Table;
use super::words::is_words;
use Grammar::{Bare, Cells, Lines, List, Named, Parts};

/// How a form reads.
#[derive(Clone, Copy)]
pub(super) enum Grammar {
    /// A line is a row of cells. A label may stand before it: a number in it is a cell. A heading may stand above the first.
    Cells(fn(&str) -> Option<Vec<Cell>>),
    /// Likewise, without labels.
    Bare(fn(&str) -> Option<Vec<Cell>>),
    /// A line is a row of cells in a bracket.
    List(fn(&str) -> Option<FormLine>),
    /// A line is a row of numbers in a text that is the same on each line.
    Named(fn(&str) -> Option<FormLine>),
    /// Several lines are a table.
    Lines(fn(&[&str]) -> Option<(usize, Table)>),
    /// A line has parts, which are read like lines.
    Parts(for<'a> fn(&'a str) -> Option<Vec<&'a str>>),
}

/// A form of text: its name, signs of which its first line has one unless there are none, an example, and its grammar.
pub(super) struct Form(pub(super) &'static str, pub(super) &'static str, pub(super) &'static str, pub(super) Grammar);

/// All forms.
pub(super) const FORMS: &[Form] = &[
    Form("spaces", " \t", ". Q . .\n. . . Q\nQ . . .\n. . Q .", Cells(spaces)),
    Form("letters", "", ".Q..\n...Q\nQ...\n..Q.", Cells(tight)),
    Form("wide", "", "│  ♛   ░░│\n│░░  ░░♛ │\n│♛ ░░  ░░│\n│░░  ♛   │", Bare(wide)),
    Form("blanks", " ", " Q .\n. .Q\nQ. .\n. Q ", Bare(blanks)),
    Form("csv", ",;\t", ",Q,,\n,,,Q\nQ,,,\n,,Q,", Cells(csv)),
    Form("bars", "|│┃║&⎡⎢⎣", "|   | Q |   |   |\n|   |   |   | Q |\n| Q |   |   |   |\n|   |   | Q |   |", Cells(bars)),
    Form("bars-between", "|│┃║&", " |Q| | \n | | |Q\nQ| | | \n | |Q| ", Bare(bars_between)),
    Form("boxes", "[", "[ ][Q][ ][ ]\n[ ][ ][ ][Q]\n[Q][ ][ ][ ]\n[ ][ ][Q][ ]", Bare(boxes)),
    Form("bracket", "[({", "Qs = [2, 4, 1, 3].", List(list)),
    Form("names", "0123456789", "Q_1 = 2\nQ_2 = 4\nQ_3 = 1\nQ_4 = 3", Named(names)),
    Form("chess", "0123456789", "a2 b4 c1 d3", Named(chess)),
    Form("fen", "/", "1Q2/3Q/Q3/2Q1 w - - 0 1", Lines(fen)),
    Form("sat", "-", "v -1 2 -3 -4 -5 -6 -7 8\nv 9 -10 -11 -12 -13 -14 15 -16 0", Lines(literals)),
    Form("side-by-side", " \t|", ".Q..  ..Q.\n...Q  Q...\nQ...  ...Q\n..Q.  .Q..", Lines(side_by_side)),
    Form("nested", "[({", "[[1, 3, 0, 2], [2, 0, 3, 1]]", Parts(nested)),
    Form("parts", " ,;|", "2 4 1 3; 3 1 4 2", Parts(parts)),
];

/// A board in chess notation, in FEN, EPD or LaTeX: a number is a run of empty squares.
fn fen(lines: &[&str]) -> Option<(usize, Table)> {
    let line = lines[0].trim();
    let line = line.split_once("fen=").map_or(line, |parts| parts.1).trim_matches(['}', ']', '"', ',', '\'']);
    let run = take_while(1..5, '0'..='9').try_map(str::parse::<usize>).verify(|run| *run < 5000);
    let part = alt((one_of(['Q', 'q']).map(|_| vec![Cell::of('Q')]), run.map(|run| vec![Cell::of('.'); run])));
    let row = repeat(1.., part).map(|parts: Vec<Vec<Cell>>| parts.concat());
    let rest = opt((" ", one_of(['w', 'b']), take_while(0.., |_| true)));
    let rows: Vec<Vec<Cell>> = whole(terminated(separated(2.., row, "/"), rest), line)?;
    rows.iter().all(|row| row.len() == rows.len()).then(|| (1, Table::new(rows.len(), rows.concat())))
}

/// A model of a SAT solver: the numbers of all squares, negative if there is no queen.
fn literals(lines: &[&str]) -> Option<(usize, Table)> {
    let mut count = 0;
    let row = |line: &&str| -> Option<Vec<i64>> {
        let words = line.trim().trim_start_matches(['v', '[']).trim_end_matches(']').split([' ', ',']);
        let mut is_next = |number: &i64| {
            count += 1;
            number.unsigned_abs() == count
        };
        let numbers = words.filter(|word| !["", "0"].contains(word)).map(|word| word.parse().ok());
        numbers.map(|number| number.filter(|number| is_next(number))).collect()
    };
    let rows: Vec<_> = lines.iter().map_while(row).collect();
    let cells: Vec<Cell> = rows.concat().iter().map(|number| Cell::of(if *number > 0 { 'Q' } else { '.' })).collect();
    let n = cells.len().isqrt();
    (n > 3 && n * n == cells.len() && cells.contains(&Cell::of('.'))).then(|| (rows.len(), Table::new(n, cells)))
}

/// Several boards beside one another, with a gap between them.
fn side_by_side(lines: &[&str]) -> Option<(usize, Table)> {
    let row = |line: &str| -> Option<Vec<Vec<Cell>>> {
        let parts = line.split("  ").flat_map(|part| part.split(['\t', '|'])).filter(|part| !part.trim().is_empty());
        parts.map(|part| tight(part).or_else(|| spaces(part))).collect()
    };
    let (n, boards) = row(lines[0]).map(|parts| (parts.first().map_or(0, Vec::len), parts.len()))?;
    let rows: Vec<Vec<Vec<Cell>>> = lines.iter().take(n).map(|line| row(line)).collect::<Option<_>>()?;
    let are_even = rows.iter().all(|parts| parts.len() == boards && parts.iter().all(|part| part.len() == n));
    let cells = || (0..boards).flat_map(|board| rows.iter().flat_map(move |row| row[board].iter().copied()));
    (n > 3 && boards > 1 && rows.len() == n && are_even).then(|| (n, Table::new(n, cells().collect())))
}

/// What stands in a bracket. A word before numbers is one of the cells, no label.
pub(super) fn nested(line: &str) -> Option<Vec<&str>> {
    let (_, inside, after) = bracket(line)?;
    let items: Vec<&str> = items(inside).into_iter().map(unquoted).collect();
    let is_number = |item: &&str| Cell::new(item).number().is_some();
    let is_row = items.len() > 1 && !is_number(&items[0]) && items[1..].iter().all(is_number);
    (is_words(after) && !is_row).then_some(items)
}

/// Parts of a line without a bracket around them.
pub(super) fn parts(line: &str) -> Option<Vec<&str>> {
    Some(items(line)).filter(|parts| parts.len() > 1 || parts.iter().any(|part| part.len() < line.trim().len()))
}
