//! Tables of cells, and the columns that are labels.

use super::cell::Cell;

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
    /// Whether the user says that the numbers are columns, so that a wrong list is no other text.
    pub(super) is_sure: bool,
}

impl Table {
    /// Rows from a single line.
    pub(super) fn new(width: usize, cells: Vec<Cell>) -> Self {
        Self { width, lines: vec![0; cells.len() / width.max(1)], cells, ..Self::default() }
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = Cell> + Clone {
        self.cells.iter().skip(column).step_by(self.width.max(1)).copied()
    }

    /// The number of rows after which the first cell comes again.
    pub(super) fn period(&self) -> usize {
        let first = self.cells.first().copied();
        self.column(0).skip(1).position(|cell| Some(cell) == first).map_or(self.height(), |at| at + 1)
    }

    /// Whether a column is labels: in order, up or down, once or again and again.
    pub(super) fn is_label(&self, column: usize) -> bool {
        let places: Vec<i64> = self.column(column).map_while(Cell::place).map(i64::from).collect();
        let period = places.iter().skip(1).position(|place| *place == places[0]).map_or(places.len(), |at| at + 1);
        let is_step = |step: i64| (0..places.len()).all(|at| places[at] == places[0] + step * (at % period) as i64);
        let are_whole = period > 1 && places.len() == self.height() && places.len().is_multiple_of(period);
        are_whole && (is_step(1) || is_step(-1))
    }

    /// The columns that are kept.
    pub(super) fn kept(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let cells =
            self.cells.iter().enumerate().filter(|(at, _)| keeps(at % self.width)).map(|(_, cell)| *cell).collect();
        let width = (0..self.width).filter(|column| keeps(*column)).count();
        Self { width, cells, lines: self.lines.clone(), is_labelled: false, ..*self }
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
