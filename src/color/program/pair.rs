//! The programs of one set E, for both sides.

use std::ops::Range;
use std::sync::Arc;

use super::Program;

/// The programs of one set of even rows, in one allocation.
///
/// Often one thread allocates them and another frees them. With many small allocations threads would wait for each
/// other in the allocator.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    memory: Arc<Vec<u16>>,
    fill: Location,
    sum: Location,
}

/// The location of a program in memory.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    /// Number of rows of its prefixes.
    pub(crate) depth: usize,
    /// Where its headers are.
    pub(crate) headers: Range<usize>,
}

impl Programs {
    /// Makes the programs of the filling and the summing side, which are in `memory`.
    pub(crate) fn new(memory: Vec<u16>, [fill, sum]: [Location; 2]) -> Self {
        Self { memory: Arc::new(memory), fill, sum }
    }

    /// Number of rows of the prefixes, `[filling, summing]`.
    pub(crate) fn depths(&self) -> [usize; 2] {
        [self.fill.depth, self.sum.depth]
    }

    /// The filling side's program.
    pub(crate) fn fill(&self) -> Program<'_> {
        Program::new(&self.memory, self.fill.headers.clone())
    }

    /// The summing side's program.
    pub(crate) fn sum(&self) -> Program<'_> {
        Program::new(&self.memory, self.sum.headers.clone())
    }
}
