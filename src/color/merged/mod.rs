//! Merged packs: a second formulation of the color split, in plain Rust. The kernels for graphics cards follow it.
//!
//! - `shape.rs`: which lists a walk merges, and what it counts on its last rows
//! - `host.rs`: counts with them

pub mod host;
pub mod shape;

use super::plan::{CountTerms, Units};
use crate::solver::Worker;
use crate::tally::Tally;
use crate::{CancelToken, Result};

/// Counts units by merged packs. They check the fast code, also on boards that are too large for the reference. They
/// take about 13 times as long as packs with AVX-512 (n = 16 to 20).
#[derive(Debug, Clone, Copy)]
pub struct MergedPacks;

impl CountTerms for MergedPacks {
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        (0..threads).map(|_| -> Box<dyn Worker + 'a> { Box::new(MergedWorker(units)) }).collect()
    }
}

struct MergedWorker<'a>(&'a Units);

impl Worker for MergedWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let (class, o, terms) = self.0.terms(unit);
        host::count(class, o, &terms, cancel)
    }
}
