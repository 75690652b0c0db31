//! The trait every solver implements. The registry, which alone knows them all, is in [`registry`].
//!
//! A solver does not run itself: it cuts the count for a size into a [`Plan`] of numbered, independent units of work,
//! and the engine runs them on any number of threads. A plan depends on the solver and the size alone, not on the
//! instruction set, the machine or the threads: what one machine counts as unit 17 is unit 17 everywhere.

mod bitmask;
pub mod color;
pub mod forecast;
mod name;
pub mod registry;
mod simd;
mod solutions;
mod textbook;

use std::ops::Range;

use crate::board::{Size, Solution};
use crate::count::Tally;
use crate::{CancelToken, Result};
pub use name::SolverName;
pub use simd::Isa;
pub use solutions::Solutions;

/// A way to count.
pub trait Solver: Send + Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// One line that says what it does.
    fn about(&self) -> &'static str;

    /// The instruction sets it has code for, slowest first.
    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable]
    }

    /// Cuts the count for `size` into units of work, to be run with `isa`'s code where the solver has such.
    fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan>;

    /// The units of [`plan`](Self::plan), counted by code that shares as little as can be with this solver's and is far
    /// slower: to check units on boards too large for the reference. Their costs are predicted seconds of one core. `None`
    /// where there is no such code.
    fn oracle(&self, _size: Size) -> Option<Box<dyn Plan>> {
        None
    }

    /// About how long one core of the machine in docs/measuring.md takes, in seconds: right within a factor of two up
    /// to the largest size measured, an extrapolation beyond.
    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64;

    /// About how many bytes a count takes at its peak, on so many threads.
    fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
        // The program itself, and each thread's stack and levels.
        (4 << 20) + threads as u64 * (64 << 10)
    }

    /// The solutions in lexicographic order, in constant memory; `None` where it can only count.
    fn solutions(&self, _size: Size) -> Option<Solutions> {
        None
    }
}

/// The solver's name.
impl std::fmt::Debug for dyn Solver + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The units of work of one count: numbered from 0, the same for a given solver and size with every instruction set and
/// on every machine ([`fingerprint`](Plan#method.fingerprint)), in an order that keeps all threads busy to the end: the
/// cheapest last.
///
/// A plan is a value: counting changes nothing in it. What the threads of a count share belongs to their workers.
pub trait Plan: Send + Sync {
    /// How many units there are.
    fn units(&self) -> usize;

    /// The name of a unit: what it counts, in the solver's terms, such as the queens that are placed already. It tells
    /// all that another program must know to count the same.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn name(&self, unit: usize) -> String;

    /// The units in ranges that share memory while they are counted one after the other: such a range is best counted
    /// by one machine. Together they are all units, in order.
    fn families(&self) -> Vec<Range<usize>> {
        (0..self.units()).map(|unit| unit..unit + 1).collect()
    }

    /// Whether this unit shares more with the one before it than with its family: a thread that has just counted that
    /// one counts this one in less time.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn continues(&self, unit: usize) -> bool {
        let _ = unit;
        false
    }

    /// Predicted cost of a unit, in any unit that is the same for the whole plan.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn cost(&self, unit: usize) -> f64;

    /// Predicted cost, as [`cost`](Self::cost), of what the units of this one's family share, which is done once however
    /// many of them are counted: nothing, for most solvers.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn shared_cost(&self, unit: usize) -> f64 {
        let _ = unit;
        0.0
    }

    /// What every tally of this plan is multiplied by, so that weights of symmetry stay whole numbers.
    fn divisor(&self) -> u64 {
        1
    }

    /// Which unit counts this solution, and how often, or `None` where a symmetric image is counted in its stead. Where
    /// it is left out, [`crate::verify`] cannot hold each unit against the reference, but only their sum.
    ///
    /// Written from the definition of the units: it shares at most the rule that chooses among images with the fast
    /// code, never how anything is counted. A unit's tally must be the sum of these weights over all solutions, and the
    /// tests and `nqueens verify` hold every unit against that; that the weights of all images add up is tested by
    /// itself.
    ///
    /// # Panics
    /// May, where the solution is of another size.
    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let _ = solution;
        None
    }

    /// A worker, which owns the memory of one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// Workers for the threads of one count, which share what they can.
    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        std::iter::repeat_with(|| self.worker()).take(threads).collect()
    }
}

/// How many units it has.
impl std::fmt::Debug for dyn Plan + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("units", &self.units()).finish_non_exhaustive()
    }
}

impl dyn Plan + '_ {
    /// A number that tells how the count is cut: two plans with the same one have the same units in the same order, on
    /// whatever machines. (64 bits of FNV-1a over the divisor, the bounds of the families and the names of all units:
    /// it tells apart what differs by accident, not by intent.)
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        add(&self.divisor().to_le_bytes());
        for family in self.families() {
            add(&(family.len() as u64).to_le_bytes());
            for unit in family {
                add(self.name(unit).as_bytes());
                add(&[0]);
            }
        }
        hash
    }
}

/// Counts units of work, one after the other, on one thread.
pub trait Worker: Send {
    /// Counts one unit. When `cancel` is cancelled it returns soon, and what it returns is to be dropped.
    ///
    /// # Errors
    /// [`crate::Error::Overflow`] where the unit's count passes its numbers; [`crate::Error::Memory`] where there is not
    /// enough memory.
    ///
    /// # Panics
    /// May, where the plan has no unit of this number; [`crate::engine`] refuses those.
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally>;
}
