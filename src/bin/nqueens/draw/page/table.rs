//! The numbers behind a picture.

use maud::{Markup, html};

/// A table: its first column names the rows.
pub(crate) struct PageTable {
    pub(crate) caption: String,
    pub(crate) head: Vec<String>,
    /// Number of columns at the left that have words. The others have numbers.
    pub(crate) words: usize,
    pub(crate) rows: Vec<Vec<String>>,
}

impl PageTable {
    pub(crate) fn markup(&self) -> Markup {
        let class = |column: usize| (column >= self.words).then_some("number");
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { (self.caption) }
                    thead { tr { @for (column, name) in self.head.iter().enumerate() {
                        th scope="col" class=[class(column)] { (name) }
                    } } }
                    tbody { @for row in &self.rows { tr { @for (column, cell) in row.iter().enumerate() {
                        @if column == 0 { th scope="row" { (cell) } } @else { td class=[class(column)] { (cell) } }
                    } } } }
                }
            }
        }
    }
}
