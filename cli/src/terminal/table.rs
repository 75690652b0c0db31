//! Tables for people.

use super::wrap::width;

/// A table: its first column has names, to the left. The others have figures, to the right.
pub(crate) struct Table(Vec<Vec<String>>);

impl Table {
    pub(crate) fn new<Name: Into<String>>(header: impl IntoIterator<Item = Name>) -> Self {
        Self(vec![header.into_iter().map(Into::into).collect()])
    }

    /// Adds a row. It has as many cells as the header.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().collect());
    }

    fn width_of(&self, column: usize) -> usize {
        self.0.iter().map(|row| width(&row[column])).max().unwrap_or(0)
    }
}

/// Writes the lines, without spaces at their ends. There is no line end after the last one.
impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths: Vec<usize> = (0..self.0[0].len()).map(|column| self.width_of(column)).collect();
        for (number, row) in self.0.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, widest)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(widest - width(cell));
                line += &if column == 0 { format!("{cell}{space}") } else { format!("  {space}{cell}") };
            }
            write!(f, "{}{}", if number > 0 { "\n" } else { "" }, line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["machine", "n", "speed"]);
        table.add_row(["東京", "8", "1.00"].map(str::to_owned));
        table.add_row(["b", "12", ""].map(str::to_owned));
        assert_eq!(table.to_string(), "machine   n  speed\n東京      8   1.00\nb        12");
    }
}
