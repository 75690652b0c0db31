//! Divides the rows of a walk: packs place the queens of its first rows, programs those of the rest.

use crate::color::split::Subset;

/// The rows of a walk, divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkRows {
    /// The rows of the prefix.
    pub(crate) prefix: Vec<usize>,
    /// The other rows of this walk.
    pub(crate) rest: Vec<usize>,
    /// The rows that may follow the prefix. Packs have planes for them.
    pub(crate) open: Vec<usize>,
}

impl WalkRows {
    /// Divides `set`. Its first `length` rows in `order` are the prefix.
    pub(crate) fn new(set: Subset, length: usize, order: &[usize]) -> Self {
        let mut rows = order.iter().copied().filter(|&row| set >> row & 1 == 1);
        let prefix: Vec<usize> = rows.by_ref().take(length).collect();
        let rest: Vec<usize> = rows.collect();
        let decided =
            prefix.last().map_or(0, |last| 1 + order.iter().position(|row| row == last).expect("it comes from there"));
        let open = if rest.is_empty() { Vec::new() } else { order[decided..].to_vec() };
        Self { prefix, rest, open }
    }
}
