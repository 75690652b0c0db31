//! Tables with aligned columns.

use unicode_width::UnicodeWidthStr;

use super::wrap::{in_locale, wrapped};

/// The columns of a table, with two spaces between them. A line can be written before the next one is known.
pub(crate) struct Table(Vec<Column>);

/// A column with its minimum width.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    /// Left-aligned. In the last column, long text is wrapped.
    Text(usize),
    /// Right-aligned.
    Figures(usize),
}

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self(columns.into_iter().collect())
    }

    /// Returns a table of names in the first column and figures in the others. The first row contains the headings. All
    /// rows must have the same number of cells.
    pub(crate) fn text(rows: &[Vec<String>]) -> String {
        let widest = |column: usize| rows.iter().map(|row| in_locale(&row[column]).width()).max().unwrap_or(0);
        let kind = |column: usize| if column == 0 { Column::Text } else { Column::Figures };
        let table = Self::new((0..rows[0].len()).map(|column| kind(column)(widest(column))));
        rows.iter().map(|row| table.line(row)).collect()
    }

    /// Returns a line with these cells, without trailing spaces.
    pub(crate) fn line(&self, cells: &[impl AsRef<str>]) -> String {
        let mut line = String::new();
        for (place, (cell, column)) in cells.iter().map(AsRef::as_ref).zip(&self.0).enumerate() {
            line += if place > 0 { "  " } else { "" };
            let (Column::Text(widest) | Column::Figures(widest)) = *column;
            let cell = &in_locale(cell);
            let space = " ".repeat(widest.saturating_sub(cell.width()));
            line += &match column {
                Column::Text(_) if place + 1 == self.0.len() => wrapped(cell, line.width(), line.width()),
                Column::Text(_) => format!("{cell}{space}"),
                Column::Figures(_) => format!("{space}{cell}"),
            };
        }
        line.trim_end().to_owned() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["machine", "n", "speed"], ["東京", "8", "1.00"], ["b", "12", ""]];
        let text = Table::text(&rows.map(|row| row.map(str::to_owned).to_vec()));
        assert_eq!(text, "machine   n  speed\n東京      8   1.00\nb        12\n");
        let figures = Table::new([Column::Figures(2), Column::Figures(3)]);
        assert_eq!(figures.line(&["1", "12345"]), " 1  12345\n");
        let facts = Table::new([Column::Text(4), Column::Text(0)]);
        assert_eq!(
            facts.line(&["cpu", &"word ".repeat(16)]),
            format!("cpu   {}\n      word\n", "word ".repeat(15).trim_end())
        );
    }
}
