//! Tables for people.

use super::wrap::width;

/// The columns of a table, with two spaces between them. Its lines can be written before all of them are known.
pub(crate) struct Table {
    /// Columns that the cells of each column take.
    widths: Vec<usize>,
    /// Whether the cells of the first column are names, to the left. Figures are to the right.
    has_names: bool,
}

impl Table {
    /// A table of figures with columns of these widths.
    pub(crate) fn of_widths(widths: Vec<usize>) -> Self {
        Self { widths, has_names: false }
    }

    /// All lines of a table of names and figures. The first row has the heads, and each row has as many cells.
    pub(crate) fn text(rows: &[Vec<String>]) -> String {
        let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
        let table = Self { widths: (0..rows[0].len()).map(widest).collect(), has_names: true };
        rows.iter().map(|row| table.line(row)).collect()
    }

    /// A line, without spaces at its end.
    pub(crate) fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (column, (cell, widest)) in cells.iter().zip(&self.widths).enumerate() {
            let space = " ".repeat(widest.saturating_sub(width(cell)));
            line += if column > 0 { "  " } else { "" };
            line += &if column == 0 && self.has_names { format!("{cell}{space}") } else { format!("{space}{cell}") };
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
        let figures = Table::of_widths(vec![2, 3]);
        assert_eq!(figures.line(&["1", "12345"].map(str::to_owned)), " 1  12345\n");
    }
}
