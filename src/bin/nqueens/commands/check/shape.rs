//! Cells or numbers that stand together.

/// The largest board that is read: the largest that 'nqueens solutions --any' writes.
pub(super) const MOST_ROWS: usize = 10_000_000;

/// A number that is no column: negative, with a fraction, or too large.
pub(super) const NO_COLUMN: u32 = u32::MAX;

/// What always is a queen.
pub(super) const QUEENS: &str = "Qq♕♛";

/// Cells or numbers of a line or a bracket, and then of a board.
pub(super) struct Shape {
    pub(super) items: Vec<u32>,
    /// The number of items of its first line.
    pub(super) step: usize,
    pub(super) is_cells: bool,
    pub(super) least: u32,
    pub(super) most: u32,
}

impl Shape {
    pub(super) fn new(items: Vec<u32>, step: usize, is_cells: bool) -> Self {
        let (least, most) = (items.iter().copied().min().unwrap_or(0), items.iter().copied().max().unwrap_or(0));
        Self { items, step, is_cells, least, most }
    }

    pub(super) fn rows(&self) -> usize {
        self.items.len() / if self.is_cells || self.step == 2 { self.step } else { 1 }
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = char> {
        [self.least, self.most].into_iter().take(if self.least == self.most { 1 } else { 2 }).filter_map(char::from_u32)
    }

    pub(super) fn has_two_kinds(&self) -> bool {
        self.items.iter().all(|cell| *cell == self.least || *cell == self.most)
    }

    /// The number of rows that the largest column needs.
    pub(super) fn needed(&self, base: Option<u32>) -> usize {
        self.most as usize + usize::from(self.least == 0 || base == Some(0))
    }

    /// Whether `next` is the next line of the same board. `are_bare`: neither is in brackets.
    pub(super) fn goes_on(&self, next: &Self, base: Option<u32>, are_bare: bool) -> bool {
        let (n, least, most) = (self.rows(), self.least.min(next.least), self.most.max(next.most));
        match (self.step, next.step) {
            _ if self.is_cells != next.is_cells || n > MOST_ROWS => false,
            (width, next_width) if self.is_cells => {
                let are_two =
                    [self.least, self.most, next.least, next.most].iter().all(|kind| *kind == least || *kind == most);
                width == next_width && next.rows() == 1 && are_two
            }
            (1, 1) => true,
            // The first row again begins another board.
            (2, 2) if next.rows() == 1 => {
                next.items[0] != self.items[0] || self.items[2 * n - 2] as usize + 1 != self.items[0] as usize + n
            }
            // A list goes on until it is as long as its largest column needs. Its first line may look whole.
            (3.., _) if are_bare => {
                let rest = next.items.len();
                let is_rest = next.needed(base) > rest && rest > 1 && (rest < n || next.least > self.most);
                (is_rest || self.needed(base) > n)
                    && n + rest <= most as usize + usize::from(least == 0 || base == Some(0))
            }
            _ => false,
        }
    }

    /// Whether they may number the columns of a grid.
    pub(super) fn is_heading(&self, width: usize) -> bool {
        self.items.len() == width && self.items.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
    }

    /// The kind of cell that is a queen: a usual one, else the one that is once in each row.
    pub(super) fn queen(&self) -> Option<u32> {
        let only = |is_queen: &dyn Fn(char) -> bool| {
            let mut queens = self.kinds().filter(|kind| is_queen(*kind));
            queens.next().filter(|_| queens.next().is_none()).map(u32::from)
        };
        let count = |cells: &[u32], queen: u32| cells.iter().filter(|cell| **cell == queen).count();
        let is_once = |queen: char| self.items.chunks(self.step).all(|row| count(row, queen.into()) == 1);
        only(&|kind| QUEENS.contains(kind)).or_else(|| {
            let queen = only(&|kind| "1X*R".contains(kind)).or_else(|| only(&is_once))?;
            // In a matrix 1 is a queen, unless 0 is the one that is once in each row.
            let is_usual = self.is_binary() && !is_once('0') || 2 * count(&self.items, queen) <= self.items.len();
            is_usual.then_some(queen)
        })
    }

    /// Whether it is zeros and ones.
    pub(super) fn is_binary(&self) -> bool {
        self.is_cells && self.kinds().all(|kind| "01".contains(kind))
    }
}
