//! The numbers behind a picture.

use maud::{Markup, html};

/// A table: its first column names the rows.
#[derive(Debug, Default)]
pub(crate) struct PageTable {
    pub(crate) caption: String,
    pub(crate) head: Vec<String>,
    /// How many columns at the left hold words; the others hold numbers.
    pub(crate) words: usize,
    pub(crate) rows: Vec<TableRow>,
}

/// A row, and the machine that it is of, by its place among the records.
#[derive(Debug, Default)]
pub(crate) struct TableRow {
    pub(crate) machine: Option<usize>,
    pub(crate) cells: Vec<TableCell>,
}

/// What is shown, and what it is sorted by where that is a number.
#[derive(Debug, Default)]
pub(crate) struct TableCell(pub(crate) String, pub(crate) Option<f64>);

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self(text, None)
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self(text.to_owned(), None)
    }
}

impl From<usize> for TableCell {
    fn from(number: usize) -> Self {
        Self(number.to_string(), Some(number as f64))
    }
}

impl PageTable {
    pub(crate) fn markup(&self) -> Markup {
        let class = |column: usize| (column >= self.words).then_some("number");
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table.sortable {
                    caption { (self.caption) }
                    thead { tr { @for (column, name) in self.head.iter().enumerate() {
                        th scope="col" class=[class(column)] { (name) }
                    } } }
                    tbody { @for row in &self.rows { tr data-m=[row.machine] {
                        @for (column, TableCell(cell, value)) in row.cells.iter().enumerate() {
                            @if column == 0 { th scope="row" data-v=[value] { (cell) } }
                            @else { td class=[class(column)] data-v=[value] { (cell) } }
                        }
                    } } }
                }
            }
        }
    }
}
