//! The trait every solver implements. The registry, which alone knows them all, is in [`registry`].
//!
//! A solver does not run itself: it cuts the count for a size into a [`Plan`] of numbered, independent units of work,
//! and the engine runs them on any number of threads. The plan depends on the size and the instruction set's lane
//! layout never on the threads, so that a unit can be counted alone, on another machine, and compared.

mod bitmask;
pub mod color;
pub mod forecast;
pub mod isa;
pub mod registry;
mod textbook;

use crate::board::{Size, Solution};
use crate::count::Tally;
use crate::{Monitor, Result};
pub use isa::Isa;

/// Solutions one after the other.
pub type Solutions = Box<dyn Iterator<Item = Solution> + Send>;

/// A way to count.
pub trait Solver: Send + Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// One line that says what it does.
    fn about(&self) -> &'static str;

    /// Whether it may use more than one thread. The classic programs are measured as their textbooks have them: one.
    fn is_parallel(&self) -> bool {
        true
    }

    /// The instruction sets it has code for, slowest first.
    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable]
    }

    /// Cuts the count for `size` into units of work, to be run with `isa`'s code where the solver has such.
    fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan>;

    /// About how long one core of the machine in README's table takes, in seconds: right within a factor of two up
    /// to the largest size measured, an extrapolation beyond.
    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64;

    /// The solutions in lexicographic order, in constant memory; `None` where it can only count.
    fn solutions(&self, _size: Size) -> Option<Solutions> {
        None
    }
}

/// The units of work of one count: numbered from 0, the same for a given solver and size on every machine, in an order
/// that keeps all threads busy to the end: the cheapest last.
pub trait Plan: Send + Sync {
    /// How many units there are.
    fn units(&self) -> usize;

    /// Predicted cost of a unit, in any unit that is the same for the whole plan.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn cost(&self, unit: usize) -> f64;

    /// What every tally of this plan is multiplied by, so that weights of symmetry stay whole numbers.
    fn divisor(&self) -> u64 {
        1
    }

    /// Which unit counts this solution, and how often, or `None` where a symmetric image is counted in its stead.
    /// Written from the definition of the units: it shares at most the rule that chooses among images with the fast
    /// code, never how anything is counted. A unit's tally must be the sum of these weights over all solutions, and the
    /// tests and `nqueens verify` hold every unit against that; that the weights of all images add up is tested by
    /// itself.
    fn locate(&self, solution: &Solution) -> Option<(usize, u64)>;

    /// A worker, which owns the scratch memory of one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// Counts units of work, one after the other, on one thread.
pub trait Worker {
    /// Counts one unit. When `monitor` is cancelled it returns soon, and what it returns is to be dropped.
    ///
    /// # Errors
    /// [`crate::Error::Overflow`] where the unit's count passes 64 bits.
    ///
    /// # Panics
    /// May, where the plan has no unit of this number; [`crate::engine`] refuses those.
    fn count(&mut self, unit: usize, monitor: &Monitor) -> Result<Tally>;
}
