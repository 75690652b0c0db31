//! Lines to tables: rows of one form, the heading above them, the labels before them.

use super::cell::{Cell, are_in_order, counts_up};
use super::forms::Grammar::{self, Bare, Cells, List, Named};
use super::rows::{FormLine, spaces, unlabelled};
use super::table::Table;
use super::words::{is_ruler, letters};

/// Whether cells are labels with something in the corner.
fn is_corner(cells: &[Cell]) -> bool {
    let is_empty = cells.len() == 2 && cells[0] == Cell::new("");
    cells[0].number().is_none() && !cells[0].is_queen() && (are_in_order(&cells[1..]) || is_empty)
}

/// Whether a line is labels above or below a board, and something in the corner.
pub(super) fn is_heading(line: &str) -> bool {
    spaces(line).is_some_and(|cells| is_corner(&cells))
}

/// Collects lines that are rows of one table, with its heading and the rulers between.
pub(super) fn collect(lines: &[&str], grammar: Grammar) -> Option<(usize, Table)> {
    let read = |line: &str| -> Option<FormLine> {
        match grammar {
            Cells(row) => {
                let plain = row(line).map(|cells| (String::new(), cells));
                let is_row = plain.as_ref().is_some_and(|(_, cells)| !cells.iter().any(|cell| cell.is_name()));
                let labelled = || -> Option<FormLine> {
                    let (label, rest) = unlabelled(line)?;
                    let mut numbers = label.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
                    let cells = numbers.next().filter(|_| numbers.next().is_none()).map(Cell::new);
                    let mark = if cells.is_some() { "#" } else { ":" };
                    Some((letters(label) + mark, cells.into_iter().chain(row(rest)?).collect()))
                };
                if is_row { plain } else { labelled().or(plain) }
            }
            Bare(row) => row(line).map(|cells| (String::new(), cells)),
            List(row) | Named(row) => row(line),
            _ => None,
        }
    };
    let is_list = !matches!(grammar, Cells(_) | Bare(_));
    let mut table = Table { is_named: matches!(grammar, Named(_)), ..Table::default() };
    let (mut shape, mut body) = read(lines[0])?;
    let (mut first, mut used) = (0, 1);
    // A heading may be one or two cells shorter than the rows.
    let after = 1 + lines[1..].iter().take_while(|line| is_ruler(line)).count();
    if let Some((next_shape, next)) = lines.get(after).filter(|_| !is_list).and_then(|line| read(line)) {
        let shorter = next.len().checked_sub(body.len());
        let are_names = body.iter().all(|cell| cell.is_name()) && !next.iter().any(|cell| cell.is_name());
        let is_corner = shorter == Some(0) && is_corner(&body);
        let is_part = counts_up(&body)
            && (shorter == Some(1) || shorter == Some(0) && body.iter().all(|cell| cell.number().is_none()));
        let is_heading = is_part || shorter < Some(3) && are_in_order(&body) || shorter < Some(2) && are_names;
        if shape.is_empty() && (is_corner || shorter.is_some() && is_heading) {
            table.is_labelled = is_corner || shorter == Some(1);
            (shape, body, first, used) = (next_shape, next, after, after + 1);
        }
    }
    if body.iter().any(|cell| cell.is_name()) {
        return None;
    }
    table.is_labelled |= matches!(grammar, Cells(_)) && shape.ends_with('#');
    (table.width, table.cells, table.lines) = (body.len(), body, vec![first]);
    for (at, line) in lines.iter().enumerate().skip(used) {
        let row = read(line);
        let is_line =
            row.as_ref().is_none_or(|(_, cells)| cells.iter().all(|cell| *cell == cells[0])) && is_ruler(line);
        match row {
            Some((next, cells))
                if cells.len() == table.width && next == shape && (!is_line || table.cells.contains(&cells[0])) =>
            {
                table.cells.extend(cells);
                table.lines.push(at);
                used = at + 1;
            }
            _ if is_line => {}
            _ => break,
        }
    }
    Some((used, table))
}
