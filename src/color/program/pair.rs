//! The programs of one set E, for both sides.

use std::ops::Range;
use std::sync::Arc;

use super::Program;
use crate::color::split::Sides;

/// The programs of one set of even rows, in one allocation.
///
/// Often one thread allocates them and another frees them. With many small allocations threads would wait for each
/// other in the allocator.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    memory: Arc<Vec<u16>>,
    /// Where their starts are.
    starts: Sides<Range<usize>>,
}

impl Programs {
    /// Makes the programs of the filling and the summing side, whose starts are at `starts` in `memory`.
    pub(crate) fn new(memory: Vec<u16>, starts: Sides<Range<usize>>) -> Self {
        Self { memory: Arc::new(memory), starts }
    }

    /// The filling side's program.
    pub(crate) fn fill(&self) -> Program<'_> {
        Program::new(&self.memory, self.starts.filling.clone())
    }

    /// The summing side's program.
    pub(crate) fn sum(&self) -> Program<'_> {
        Program::new(&self.memory, self.starts.summing.clone())
    }
}
