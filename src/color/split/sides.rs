//! The two sides of a count.

/// A value for each side. The filling side is the color with fewer queens, which fills a table; the summing side is the
/// other color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The filling side's.
    pub filling: T,
    /// The summing side's.
    pub summing: T,
}
