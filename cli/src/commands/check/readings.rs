//! All readings of a table: columns that may be labels are cells or not.

use std::borrow::Cow;

use super::cell::Cell;
use super::meanings::{Boards, MEANINGS};
use super::table::Table;

/// All readings, each with the name of its meaning. Columns that may be labels are left out in each way. Constant
/// columns are left out if nothing else is a reading.
pub(super) fn all_readings(table: &Table) -> Vec<(&'static str, Boards)> {
    let last = table.width.saturating_sub(1);
    let mut found = Vec::new();
    for (left, right) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let are_labels = (left == 0 || table.is_labelled || table.is_label(0)) && (right == 0 || table.is_label(last));
        if are_labels && (left == 1 || !table.is_labelled) && left + right < table.width.max(1) {
            let kept = if left + right == 0 {
                Cow::Borrowed(table)
            } else {
                Cow::Owned(table.kept(|column| (left..table.width - right).contains(&column)))
            };
            // Only rows of squares have labels on the right. The order of rows is that of their labels. The first
            // columns of two boards may be 0 and 1.
            let is_ordered = left == 0 || table.is_label(0);
            let is_meant = left == 0
                || table.is_labelled
                || table.height() > 2
                || table.column(0).all(|cell| cell != Cell::of('0'));
            let meanings = MEANINGS.iter().filter(|meaning| match meaning.0 {
                "squares" => is_ordered,
                "column-per-line" => right == 0 && is_ordered,
                _ => right == 0 && is_meant,
            });
            found.extend(meanings.filter_map(|meaning| Some((meaning.0, (meaning.2)(&kept)?))));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let is_constant = |column: usize| table.column(column).all(|cell| cell == table.cells[column]);
    let constants: Vec<usize> = (0..table.width).filter(|column| is_constant(*column)).collect();
    if table.height() > 2 && !constants.is_empty() && constants.len() < table.width {
        let varied = table.kept(|column| !constants.contains(&column));
        // An empty column of a board is not left out, nor a number in the middle of a list.
        let is_cell = constants.iter().any(|column| varied.cells.contains(&table.cells[*column]));
        let edge = constants.iter().zip(0..).take_while(|(column, at)| *column == at).count();
        let is_inside = |column: usize| (edge..edge + varied.width).contains(&column);
        let is_number = |column: &usize| is_inside(*column) && table.cells[*column].number().is_some();
        let is_listed = constants.iter().any(is_number);
        found = all_readings(&varied);
        found.retain(|(meaning, _)| match *meaning {
            "squares" => !is_cell,
            "columns" => !is_listed,
            _ => true,
        });
    }
    found
}
