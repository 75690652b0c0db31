//! How the rows of a walk are divided between packs and programs.

use crate::solver::color::split::Subset;

/// How the rows of a walk are divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The rows of the prefix.
    pub(crate) prefix: Vec<usize>,
    /// The rows that remain, of this walk only.
    pub(crate) rest: Vec<usize>,
    /// All rows that may remain for a walk with this prefix: what packs have planes for.
    pub(crate) open: Vec<usize>,
}

impl Rows {
    /// Divides a set of rows: its first `depth` ones in `order` are the prefix.
    pub(crate) fn new(set: Subset, depth: usize, order: &[usize]) -> Self {
        let mut rows = order.iter().copied().filter(|&row| set >> row & 1 == 1);
        let prefix: Vec<usize> = rows.by_ref().take(depth).collect();
        let rest: Vec<usize> = rows.collect();
        let decided =
            prefix.last().map_or(0, |last| 1 + order.iter().position(|row| row == last).expect("it comes from there"));
        let open = if rest.is_empty() { Vec::new() } else { order[decided..].to_vec() };
        Self { prefix, rest, open }
    }

    /// Whether walks over these rows and over those replay on the same packs.
    pub(crate) fn shares_packs(&self, other: &Self) -> bool {
        self.prefix == other.prefix && self.open == other.open
    }
}
