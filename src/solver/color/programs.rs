//! The programs of one set E, both sides'.

use std::ops::Range;
use std::sync::Arc;

use super::side::{Form, Parents, Program};

/// The programs of one set of even rows, in one piece of memory.
///
/// One thread allocates it and another frees it. With many small pieces threads wait for each other in the allocator.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    memory: Arc<Vec<u16>>,
    fill: Place,
    sum: Place,
}

/// Where a program is.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// How many rows its prefixes have.
    pub(super) depth: usize,
    /// Where in memory its headers are.
    pub(super) headers: Range<usize>,
}

impl Programs {
    /// The programs of the filling and the summing side that are in this memory.
    pub(super) fn new(memory: Vec<u16>, [fill, sum]: [Place; 2]) -> Self {
        Self { memory: Arc::new(memory), fill, sum }
    }

    /// How many rows the prefixes have, on the filling and on the summing side.
    pub(super) fn depths(&self) -> [usize; 2] {
        [self.fill.depth, self.sum.depth]
    }

    /// The filling side's program.
    pub(super) fn fill(&self) -> Program<'_, Parents> {
        Program::new(&self.memory, self.fill.headers.clone())
    }

    /// The summing side's program, which has this form.
    pub(super) fn sum<F: Form>(&self) -> Program<'_, F> {
        Program::new(&self.memory, self.sum.headers.clone())
    }
}
