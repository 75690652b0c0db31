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

/// Seconds for a cost of 1. About 13 times those of packs with AVX-512: 16 for n = 16, 11 for 20 (a busy Xeon).
const SECONDS: f64 = 8.1e-9;

/// Counts units by merged packs. They check the fast code, also on boards that are too large for the reference.
#[derive(Debug, Clone, Copy)]
pub struct MergedPacks;

impl CountTerms for MergedPacks {
    fn seconds_per_cost(&self) -> f64 {
        SECONDS
    }

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
