//! What a table of cells may mean.

use std::collections::HashSet;

use super::cell::{Cell, TRUTHS, are_in_order};
use super::judge::{Finding, judge};
use super::table::Table;

/// Boards, each with the row of its table where it begins.
pub(super) type Boards = Vec<(usize, Finding)>;

/// What a table may mean: its name, an example, and how to read it.
pub(super) struct Meaning(pub(super) &'static str, pub(super) &'static str, pub(super) fn(&Table) -> Option<Boards>);

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
/// largest possible column and three different ones, or the user is sure.
fn base(numbers: &[Cell], is_sure: bool) -> Option<u32> {
    let base = u32::from(!numbers.contains(&Cell::of('0')));
    let (mut is_there, mut kinds) = (vec![false; numbers.len()], 0);
    for number in numbers {
        let place = is_there.get_mut(number.number()?.checked_sub(base)? as usize)?;
        kinds += u32::from(!std::mem::replace(place, true));
    }
    let is_list = numbers.len() > 3 && kinds > 2 && is_there.last() == Some(&true);
    (is_list || is_sure).then_some(base)
}

/// The column of each row's queen.
fn list(numbers: &[Cell], is_sure: bool) -> Option<Finding> {
    let judged = |numbers: &[Cell]| {
        let base = base(numbers, is_sure)?;
        judge(numbers.len(), base, (0..).zip(numbers.iter().filter_map(|number| Some(number.number()? - base))))
    };
    let is_right = |numbers: &[Cell]| matches!(judged(numbers), Some(Finding::Solution(_)));
    // It may be a solution after its size or after a 0, or before a cost of 0.
    let may_be_more = || is_right(&numbers[1..]) || is_right(&numbers[..numbers.len() - 1]);
    match judged(numbers)? {
        Finding::Wrong(_) if numbers.contains(&Cell::of('0')) && may_be_more() => None,
        Finding::Wrong(reason) if are_in_order(numbers) => Some(Finding::InOrder(numbers.len(), reason)),
        verdict => Some(verdict),
    }
}

/// The column of each row's queen. Each row is a board.
fn columns(table: &Table) -> Option<Boards> {
    let rows = table.cells.chunks_exact(table.width.max(1)).enumerate().filter(|_| !table.is_named);
    let boards: Boards =
        rows.map(|(row, numbers)| Some((row, list(numbers, table.is_sure)?))).collect::<Option<_>>()?;
    Some(boards).filter(|boards| !boards.is_empty())
}

/// The column of each row's queen, one a line.
fn column_per_line(table: &Table) -> Option<Boards> {
    if table.width != 1 || table.is_label(0) {
        return None;
    }
    Some(vec![(0, list(&table.cells, table.is_sure)?)])
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
        let base = base(&rows, false)?.min(base(&columns, false)?);
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
