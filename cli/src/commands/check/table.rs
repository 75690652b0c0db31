//! Tables of cells, and the boards that they may mean.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

use nqueens::board::Board;

/// What is said of a board.
#[derive(Debug, Clone)]
pub(crate) enum Finding {
    /// A solution: the column of each row, from 0.
    Solution(Vec<u32>),
    /// No solution, with the reason.
    Wrong(String),
    /// No solution, with its size and the reason. Its numbers are in order, so that they may be labels.
    InOrder(usize, String),
}

/// Boards, each with the row of its table where it begins.
pub(super) type Boards = Vec<(usize, Finding)>;

/// A number, or a text of up to 7 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(u64);

/// How programs write true and false.
pub(super) const TRUTHS: &[&str] = &["True", "true", "TRUE", "False", "false", "FALSE"];

impl Cell {
    /// Any longer text. It is part of no board.
    const LONG: Self = Self(u64::MAX);

    /// Reads a number, also as `1.` or `1.0`, or a text.
    pub(super) fn new(text: &str) -> Self {
        let whole = text.trim_end_matches('0').strip_suffix('.').unwrap_or(text);
        match whole.parse::<u32>() {
            Ok(number) if !whole.starts_with('+') => Self(number.into()),
            _ if text.len() > 7 || text.len() > 1 && text.contains(' ') => Self::LONG,
            // The first bit says that it is a text.
            _ => Self(text.bytes().fold(1 << 7, |code, byte| code << 8 | u64::from(byte)) | 1 << 63),
        }
    }

    /// A cell of one character.
    pub(super) fn of(sign: char) -> Self {
        let text =
            |sign: char| sign.encode_utf8(&mut [0; 4]).bytes().fold(1 << 7, |code, byte| code << 8 | u64::from(byte));
        Self(sign.to_digit(10).map_or_else(|| text(sign) | 1 << 63, u64::from))
    }

    pub(super) fn number(self) -> Option<u32> {
        u32::try_from(self.0).ok()
    }

    fn is_one_of(self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self == Self::new(text))
    }

    /// Whether programs mark nothing but queens with it.
    pub(super) fn is_queen(self) -> bool {
        self.is_one_of(&["Q", "q", "♕", "♛", "👑", "👸"])
    }

    /// The place in an order: that of 3, c, q3, Q_3 and `[,3]` is 3. -3 has none.
    fn place(self) -> Option<u32> {
        let bytes = self.0.to_be_bytes();
        if bytes.contains(&b'-') {
            return None;
        }
        let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits: String = bytes.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        match (self.number(), digits.parse()) {
            (Some(number), _) => Some(number),
            (_, Ok(number)) => Some(number),
            _ if letters == 1 => Some(u32::from(bytes[7].to_ascii_lowercase()).saturating_sub(96)),
            _ => None,
        }
    }

    /// Whether it is a word, as in a heading.
    pub(super) fn is_name(self) -> bool {
        let letters = || self.0.to_be_bytes().iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        // Numbers and texts of one byte are less.
        self.0 > 1 << 63 | 0xffff && (self == Self::LONG || letters() > 1 && !self.is_one_of(TRUTHS))
    }
}

/// Whether cells count up by one from 0 or 1, as headings and labels do.
pub(super) fn are_in_order(cells: &[Cell]) -> bool {
    cells.len() > 2 && counts_up(cells) && cells[0].place() < Some(2)
}

/// Whether cells count up by one.
pub(super) fn counts_up(cells: &[Cell]) -> bool {
    let first = cells.first().and_then(|cell| cell.place());
    first.is_some_and(|first| cells.iter().map(|cell| cell.place()).eq((first..).take(cells.len()).map(Some)))
}

/// Rows of cells.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) width: usize,
    pub(super) cells: Vec<Cell>,
    /// The line of each row.
    pub(super) lines: Vec<usize>,
    /// Whether the heading shows that the first column is labels.
    pub(super) is_labelled: bool,
    /// Whether the numbers come from a text such as `Q_1 = 4`: they are neither a list nor rows of squares.
    pub(super) is_named: bool,
}

impl Table {
    /// Rows from a single line.
    pub(super) fn new(width: usize, cells: Vec<Cell>) -> Self {
        Self { width, lines: vec![0; cells.len() / width.max(1)], cells, ..Self::default() }
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    fn column(&self, column: usize) -> impl Iterator<Item = Cell> + Clone {
        self.cells.iter().skip(column).step_by(self.width.max(1)).copied()
    }

    /// The number of rows after which the first cell comes again.
    pub(super) fn period(&self) -> usize {
        let first = self.cells.first().copied();
        self.column(0).skip(1).position(|cell| Some(cell) == first).map_or(self.height(), |at| at + 1)
    }

    /// Whether a column is labels: in order, up or down, once or again and again.
    fn is_label(&self, column: usize) -> bool {
        let places: Vec<i64> = self.column(column).map_while(Cell::place).map(i64::from).collect();
        let period = places.iter().skip(1).position(|place| *place == places[0]).map_or(places.len(), |at| at + 1);
        let is_step = |step: i64| (0..places.len()).all(|at| places[at] == places[0] + step * (at % period) as i64);
        let are_whole = period > 1 && places.len() == self.height() && places.len().is_multiple_of(period);
        are_whole && (is_step(1) || is_step(-1))
    }

    /// The columns that are kept.
    fn kept(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let cells =
            self.cells.iter().enumerate().filter(|(at, _)| keeps(at % self.width)).map(|(_, cell)| *cell).collect();
        let width = (0..self.width).filter(|column| keeps(*column)).count();
        Self { width, cells, lines: self.lines.clone(), is_labelled: false, ..*self }
    }

    /// All readings, each with the name of its meaning. Columns that may be labels are left out in each way. Constant
    /// columns are left out if nothing else is a reading.
    pub(super) fn readings(&self) -> Vec<(&'static str, Boards)> {
        let last = self.width.saturating_sub(1);
        let mut found = Vec::new();
        for (left, right) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let are_labels = (left == 0 || self.is_labelled || self.is_label(0)) && (right == 0 || self.is_label(last));
            if are_labels && (left == 1 || !self.is_labelled) && left + right < self.width.max(1) {
                let table = if left + right == 0 {
                    Cow::Borrowed(self)
                } else {
                    Cow::Owned(self.kept(|column| (left..self.width - right).contains(&column)))
                };
                // Only rows of squares have labels on the right. The order of rows is that of their labels. The first
                // columns of two boards may be 0 and 1.
                let is_ordered = left == 0 || self.is_label(0);
                let is_meant =
                    left == 0 || self.is_labelled || self.height() > 2 || self.column(0).all(|cell| cell != Cell(0));
                let meanings = MEANINGS.iter().filter(|meaning| match meaning.0 {
                    "squares" => is_ordered,
                    "column-per-line" => right == 0 && is_ordered,
                    _ => right == 0 && is_meant,
                });
                found.extend(meanings.filter_map(|meaning| Some((meaning.0, (meaning.2)(&table)?))));
            }
        }
        if !found.is_empty() {
            return found;
        }
        let is_constant = |column: usize| self.column(column).all(|cell| cell == self.cells[column]);
        let constants: Vec<usize> = (0..self.width).filter(|column| is_constant(*column)).collect();
        if self.height() > 2 && !constants.is_empty() && constants.len() < self.width {
            let varied = self.kept(|column| !constants.contains(&column));
            // An empty column of a board is not left out, nor a number in the middle of a list.
            let is_cell = constants.iter().any(|column| varied.cells.contains(&self.cells[*column]));
            let edge = constants.iter().zip(0..).take_while(|(column, at)| *column == at).count();
            let is_inside = |column: usize| (edge..edge + varied.width).contains(&column);
            let is_number = |column: &usize| is_inside(*column) && self.cells[*column].number().is_some();
            let is_listed = constants.iter().any(is_number);
            found = varied.readings();
            found.retain(|(meaning, _)| match *meaning {
                "squares" => !is_cell,
                "columns" => !is_listed,
                _ => true,
            });
        }
        found
    }

    /// Whether it looks like a part of a board: several rows, or a row with one sign that is not like the others.
    pub(super) fn is_part(&self) -> bool {
        let (first, last) = (self.cells.first(), self.cells.last());
        let others = |one: Option<&Cell>| self.cells.iter().filter(|cell| Some(*cell) != one).collect::<Vec<_>>();
        let is_odd = |one| matches!(others(one)[..], [_]) && self.cells.iter().any(|cell| cell.number().is_none());
        self.width > 3 && if self.height() > 1 { !others(first).is_empty() } else { is_odd(first) || is_odd(last) }
    }

    /// Several tables side by side.
    pub(super) fn beside(tables: &[&Self]) -> Self {
        let row = |row: usize| {
            let cells = |table: &&Self| {
                table.cells[row * table.width + usize::from(table.is_labelled)..(row + 1) * table.width].to_vec()
            };
            tables.iter().flat_map(cells).collect::<Vec<_>>()
        };
        let rows: Vec<_> = (0..tables[0].height()).map(row).collect();
        Self { lines: tables[0].lines.clone(), ..Self::new(rows[0].len(), rows.concat()) }
    }
}

/// What a table may mean: its name, an example, and how to read it.
pub(super) struct Meaning(pub(super) &'static str, pub(super) &'static str, fn(&Table) -> Option<Boards>);

/// All meanings of tables.
pub(super) const MEANINGS: &[Meaning] = &[
    Meaning("squares", "0 1 0 0\n0 0 0 1\n1 0 0 0\n0 0 1 0", squares),
    Meaning("columns", "2 4 1 3\n3 1 4 2", columns),
    Meaning("column-per-line", "2\n4\n1\n3", column_per_line),
    Meaning("pairs", "1 2\n2 4\n3 1\n4 3", pairs),
    Meaning(
        "variables",
        "[x_0_0=0, x_0_1=1, x_0_2=0, x_0_3=0, x_1_0=0, x_1_1=0, x_1_2=0, x_1_3=1, x_2_0=1, x_2_1=0, x_2_2=0, x_2_3=0, x_3_0=0, x_3_1=0, x_3_2=1, x_3_3=0]",
        variables,
    ),
    Meaning("all-squares", "[0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0]", all_squares),
];

/// n rows of n cells, perhaps again and again: queens, and empty squares of one kind, or of two kinds in turn.
fn squares(table: &Table) -> Option<Boards> {
    let n = table.width;
    // The last row may be labels.
    let height = table.height()
        - usize::from(n > 3 && table.height() % n == 1 && are_in_order(&table.cells[table.cells.len() - n..]));
    if table.is_named || n < 2 || height == 0 || !height.is_multiple_of(n) {
        return None;
    }
    let cells = &table.cells[..height * n];
    let mut kinds: Vec<Cell> = Vec::new();
    for cell in cells {
        if !kinds.contains(cell) {
            kinds.push(*cell);
        }
        if kinds.len() > 3 || *cell == Cell::LONG {
            return None;
        }
    }
    let count = |cells: &[Cell], kind: Cell| cells.iter().filter(|cell| **cell == kind).count();
    let only = |is_one: &dyn Fn(Cell) -> bool| {
        let mut fitting = kinds.iter().copied().filter(|kind| is_one(*kind));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let is_once = |kind| n > 3 && cells.chunks_exact(n).all(|row| count(row, kind) == 1);
    let is_usual = |kind: Cell| {
        n > 3
            && kind.is_one_of(&["1", "X", "x", "*", "R", "True", "true", "TRUE", "#"])
            && 2 * count(cells, kind) <= cells.len()
    };
    let queen = only(&Cell::is_queen).or_else(|| only(&is_once)).or_else(|| only(&is_usual))?;
    // Two kinds of empty squares are the shades of a chessboard.
    let shade = |at: usize| (at % n + at / n % n) % 2;
    let empty = |wanted: usize| (0..n * n).find(|at| shade(*at) == wanted && cells[*at] != queen).map(|at| cells[at]);
    let empties = [empty(0), empty(1)];
    let are_shades =
        || (0..cells.len()).all(|at| cells[at] == queen || Some(cells[at]) == empties[shade(at % (n * n))]);
    // Of several boards each has all its queens: else they are parts of a wide one. A board with twice as many queens is
    // several boards beside one another.
    let are_whole =
        cells.chunks_exact(n * n).all(|board| count(board, queen) == n) || height == n && count(cells, queen) < 2 * n;
    // A board with queens in half of its columns has gaps between them.
    let has_gaps = |board: &[Cell]| {
        let columns: HashSet<usize> = (0..n * n).filter(|at| board[*at] == queen).map(|at| at % n).collect();
        2 * columns.len() <= n
    };
    if kinds.len() < 2 || kinds.len() == 3 && !are_shades() || !are_whole || cells.chunks_exact(n * n).any(has_gaps) {
        return None;
    }
    let boards = cells.chunks_exact(n * n).enumerate().map(|(board, cells)| {
        let queens = (0..).zip(cells).filter(|cell| *cell.1 == queen).map(|(at, _)| (at / n as u32, at % n as u32));
        Some((board * n, judge(n, 1, queens)?))
    });
    boards.collect()
}

/// What the first column is called in a list of columns: from 0 to n - 1, or from 1 to n. `None` unless the list has the
/// largest possible column, and three different ones.
fn base(numbers: &[Cell]) -> Option<u32> {
    let base = u32::from(!numbers.contains(&Cell(0)));
    let (mut is_there, mut kinds) = (vec![false; numbers.len()], 0);
    for number in numbers {
        let place = is_there.get_mut(number.number()?.checked_sub(base)? as usize)?;
        kinds += u32::from(!std::mem::replace(place, true));
    }
    (numbers.len() > 3 && kinds > 2 && is_there.last() == Some(&true)).then_some(base)
}

/// The column of each row's queen.
fn list(numbers: &[Cell]) -> Option<Finding> {
    let judged = |numbers: &[Cell]| {
        let base = base(numbers)?;
        judge(numbers.len(), base, (0..).zip(numbers.iter().filter_map(|number| Some(number.number()? - base))))
    };
    let is_right = |numbers: &[Cell]| matches!(judged(numbers), Some(Finding::Solution(_)));
    // It may be a solution after its size or after a 0, or before a cost of 0.
    let may_be_more = || is_right(&numbers[1..]) || is_right(&numbers[..numbers.len() - 1]);
    match judged(numbers)? {
        Finding::Wrong(_) if numbers.contains(&Cell(0)) && may_be_more() => None,
        Finding::Wrong(reason) if are_in_order(numbers) => Some(Finding::InOrder(numbers.len(), reason)),
        verdict => Some(verdict),
    }
}

/// The column of each row's queen. Each row is a board.
fn columns(table: &Table) -> Option<Boards> {
    let rows = table.cells.chunks_exact(table.width.max(1)).enumerate().filter(|_| !table.is_named);
    let boards: Boards = rows.map(|(row, numbers)| Some((row, list(numbers)?))).collect::<Option<_>>()?;
    Some(boards).filter(|boards| !boards.is_empty())
}

/// The column of each row's queen, one a line.
fn column_per_line(table: &Table) -> Option<Boards> {
    if table.width != 1 || table.is_label(0) {
        return None;
    }
    Some(vec![(0, list(&table.cells)?)])
}

/// A row and a column a line, in any order. The next board begins with the same first row.
fn pairs(table: &Table) -> Option<Boards> {
    let rows: Vec<Cell> = table.column(0).take_while(|_| table.width == 2).collect();
    let n = table.period();
    // Labels on both sides are no queens.
    let are_labels = || table.is_label(0) && table.is_label(1);
    if rows.is_empty() || rows.chunks(n).any(|part| part != &rows[..n]) || are_labels() {
        return None;
    }
    let board = |(board, cells): (usize, &[Cell])| {
        let side = |side: usize| cells.iter().skip(side).step_by(2).copied().collect::<Vec<_>>();
        let (rows, columns) = (side(0), side(1));
        let base = base(&rows)?.min(base(&columns)?);
        let queens = rows.iter().zip(&columns);
        let queens = queens.filter_map(|(row, column)| Some((row.number()? - base, column.number()? - base)));
        let is_full = |side: &[Cell]| side.iter().map(|cell| cell.number()).collect::<HashSet<_>>().len() == n;
        Some((board * n, judge(n, base, queens)?)).filter(|_| is_full(&rows) || is_full(&columns))
    };
    table.cells.chunks_exact(2 * n).enumerate().map(board).collect()
}

/// A row, a column, and whether there is a queen, for each square.
fn variables(table: &Table) -> Option<Boards> {
    let is_value = |cell: Cell| cell.number().is_some_and(|number| number < 2) || cell.is_one_of(TRUTHS);
    let n = table.height().isqrt();
    if table.width != 3 || n < 4 || n * n != table.height() || !table.column(2).all(is_value) {
        return None;
    }
    let mut squares: Vec<_> = table.column(0).map(Cell::number).zip(table.column(1).map(Cell::number)).collect();
    squares.sort_unstable();
    let first = squares[0].0?;
    let sides = || (first..).take(n).map(Some);
    if !squares.into_iter().eq(sides().flat_map(|row| sides().map(move |column| (row, column)))) {
        return None;
    }
    let queens = table.cells.chunks_exact(3).filter(|row| row[2].is_one_of(&["1", "True", "true", "TRUE"]));
    let queens = Table::new(2, queens.flat_map(|row| [row[0], row[1]]).collect());
    pairs(&queens).filter(|boards| boards.len() == 1 && queens.height() == n)
}

/// All squares of a board, one row after the other, in one line. It has n queens: else it is a part of a drawing.
fn all_squares(table: &Table) -> Option<Boards> {
    let n = table.cells.len().isqrt();
    let other = table.cells.iter().find(|cell| **cell != table.cells[0])?;
    let has_n = |kind: &Cell| table.cells.iter().filter(|cell| *cell == kind).count() == n;
    let is_line =
        table.height() == 1 && n > 3 && n * n == table.cells.len() && (has_n(&table.cells[0]) || has_n(other));
    is_line.then(|| squares(&Table { is_named: false, ..Table::new(n, table.cells.clone()) }))?
}

/// Judges queens, each with its row and column from 0, on a board of n rows. `base` is what the first row is called.
/// `None` if it is no board.
pub(super) fn judge(n: usize, base: u32, queens: impl Iterator<Item = (u32, u32)>) -> Option<Finding> {
    let mut columns = vec![u32::MAX; n];
    for (row, column) in queens {
        let there = std::mem::replace(columns.get_mut(row as usize)?, column);
        if there == column {
            return None;
        } else if there != u32::MAX {
            return Some(wrong([(row, there), (row, column)], base));
        }
    }
    if let Some(row) = columns.iter().position(|column| *column == u32::MAX) {
        return Some(Finding::Wrong(format!("no solution: there is no queen on row {}", row + base as usize)));
    }
    let board = Board::new(columns).ok()?;
    Some(match board.attack() {
        Some(attack) => wrong(attack, base),
        None => Finding::Solution(board.into()),
    })
}

/// Two queens, each with its row and column, attack each other.
fn wrong([first, second]: [(u32, u32); 2], base: u32) -> Finding {
    let line = match (second.0.cmp(&first.0), second.1.cmp(&first.1)) {
        (Ordering::Equal, _) => "the row",
        (_, Ordering::Equal) => "the column",
        (below, right) if below == right => "a diagonal",
        _ => "an antidiagonal",
    };
    let square = |(row, column): (u32, u32)| format!("row {}, column {}", row + base, column + base);
    let (first, second) = (square(first), square(second));
    let base = if base == 0 { ", counted from 0" } else { "" };
    Finding::Wrong(format!("no solution: the queens on {first} and {second} attack each other along {line}{base}"))
}
