//! Solvers: the traits [`Solver`], [`Plan`] and [`Worker`], and the solvers of this crate by name.
//!
//! A solver does not start threads. It cuts the count for a size into a [`Plan`] of numbered, independent units of work.
//! The [`engine`](crate::engine) counts these units on any number of threads. A plan depends on the solver and the size
//! alone. The instruction set, the machine and the number of threads do not change it: unit 17 is the same everywhere.
//!
//! # Write a solver of your own
//!
//! The three traits are a promise: you can implement them in your own crate. They follow semantic versioning. A minor
//! version may add a method to them, but only one with a default.
//!
//! 1. A [`Solver`] has a name and makes plans. You must give `name`, `about`, `plan` and `predicted_seconds`.
//! 2. A [`Plan`] lists the units of one size and makes workers. You must give `units`, `name`, `cost` and `worker`.
//! 3. A [`Worker`] counts units on one thread. You must give `count`.
//!
//! Give `Plan::locate` too: [`verify`](crate::verify) then compares every unit with the reference solver, not only their
//! sum. [`Counter::with_solver`](crate::Counter::with_solver) counts with your solver. `examples/own_solver.rs` is a
//! whole solver that is compared with the reference.

mod bitmask;
#[doc(hidden)]
pub mod color;
#[doc(hidden)]
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

/// A way to count the solutions of a board. You can [write your own](self#write-a-solver-of-your-own).
///
/// You must give [`name`](Self::name), [`about`](Self::about), [`plan`](Self::plan) and
/// [`predicted_seconds`](Self::predicted_seconds). The defaults of the other methods suit a solver in plain Rust that
/// only counts.
pub trait Solver: Send + Sync {
    /// Its name, as [`Outcome::solver`](crate::Outcome::solver) and errors show it.
    fn name(&self) -> &'static str;

    /// One line that says what it does.
    fn about(&self) -> &'static str;

    /// The instruction sets that the solver has code for, slowest first. [`Isa::Portable`] must be one of them.
    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable]
    }

    /// Cuts the count for `size` into units of work.
    ///
    /// The units must not depend on `isa`, which only says whose code counts them.
    /// [`Counter`](crate::Counter) passes one of [`instruction_sets`](Self::instruction_sets).
    fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan>;

    /// The units of [`plan`](Self::plan), counted by slow and simple code that shares as little as possible with the
    /// solver. It checks units of boards that are too large for the reference. Each unit's cost is its predicted seconds on
    /// one core. `None`, the default, where there is no such code.
    fn oracle(&self, _size: Size) -> Option<Box<dyn Plan>> {
        None
    }

    /// About how many seconds one core takes for the whole count. A factor of two is near enough.
    ///
    /// [`Counter`](crate::Counter) keeps a count that is predicted to take less than a quarter of a millisecond on one
    /// thread. The solvers of this crate predict for the machine in docs/measuring.md; beyond the largest size measured they
    /// extrapolate.
    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64;

    /// About how many bytes a count takes at its peak, on `threads` threads.
    ///
    /// [`Counter::memory_limit`](crate::Counter::memory_limit) relies on it. The default suits a solver that needs only
    /// its stack.
    fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
        // The program itself, and each thread's stack and levels.
        (4 << 20) + threads as u64 * (64 << 10)
    }

    /// The solutions in lexicographic order, in constant memory. `None`, the default, where the solver only counts.
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

/// The units of work of one count, numbered from 0. You can [write your own](self#write-a-solver-of-your-own).
///
/// You must give [`units`](Self::units), [`name`](Self::name), [`cost`](Self::cost) and [`worker`](Self::worker).
///
/// An implementor promises:
/// - The tallies of all units add up to the number of solutions times [`divisor`](Self::divisor).
/// - Units are independent: each can be counted alone, in any order, by any worker.
/// - A solver and a size always give the same units in the same order, on every machine and with every instruction set.
///   Two plans are the same if their [`fingerprint`](Plan#method.fingerprint) is.
/// - The cheapest units come last, so that all threads are busy to the end.
/// - Counting changes nothing in a plan. What the threads of a count share belongs to their workers.
///
/// Where a method says that it may panic, it may only do so for a unit that is not below [`units`](Self::units), or for a
/// solution of another size.
pub trait Plan: Send + Sync {
    /// The number of units.
    fn units(&self) -> usize;

    /// What a unit counts, in the solver's terms, such as the queens that are placed already. Another program must be able
    /// to count the same from it. Two units never have the same name.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn name(&self, unit: usize) -> String;

    /// The units in ranges, in order and without gaps. Units of a range share work or memory, so one machine should count
    /// them one after the other. By default each unit is a range of its own.
    fn families(&self) -> Vec<Range<usize>> {
        (0..self.units()).map(|unit| unit..unit + 1).collect()
    }

    /// Whether a thread counts `unit` faster if it has just counted the unit before it. `false` by default.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn continues(&self, unit: usize) -> bool {
        let _ = unit;
        false
    }

    /// The predicted cost of a unit, above 0 and in any measure that the whole plan shares. Progress is a share of it.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn cost(&self, unit: usize) -> f64;

    /// The predicted cost of the work that the units of this unit's [family](Self::families) share, in the measure of
    /// [`cost`](Self::cost). It is done once, whether one of these units is counted or all. 0 by default.
    ///
    /// # Panics
    /// May, where there is no unit of this number.
    fn shared_cost(&self, unit: usize) -> f64 {
        let _ = unit;
        0.0
    }

    /// The factor by which the sum of all tallies exceeds the number of solutions, so that weights of symmetry are whole
    /// numbers. 1 by default.
    fn divisor(&self) -> u64 {
        1
    }

    /// The unit that counts `solution`, and how often it does: its weight. `None` where the unit of a symmetric image counts
    /// for it.
    ///
    /// A unit's tally must be the sum of the weights of its solutions; [`verify`](crate::verify) checks it. Without this
    /// method `verify` checks only the sum of all units.
    ///
    /// Write it from the definition of the units. It may share with the fast code the rule that chooses among images, but
    /// nothing that counts.
    ///
    /// # Panics
    /// May, where the solution is of another size.
    fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
        let _ = solution;
        None
    }

    /// A worker, which owns the memory that one thread needs.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// `threads` workers for one count. By default they share nothing; override this if they can share memory or results.
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
    /// A hash of how the count is cut. Plans with the same fingerprint have the same units in the same order, on all
    /// machines.
    ///
    /// It is 64 bits of FNV-1a over the divisor, the bounds of the families and the names of all units. It protects against
    /// mistakes, not against forgery.
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

/// Counts units of work on one thread, one after the other. You can [write your own](self#write-a-solver-of-your-own).
///
/// You must give [`count`](Self::count). A worker must count right after it was stopped or returned an error, too.
pub trait Worker: Send {
    /// Counts one unit: its solutions, times their weights, and the work it took.
    ///
    /// Ask `cancel.is_cancelled()` every few milliseconds and return soon once it is: the caller drops that tally.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) if the count does not fit its integers;
    /// [`Error::Memory`](crate::Error::Memory) if there is not enough memory. Both end the whole count.
    ///
    /// # Panics
    /// May, where the plan has no unit of this number; the [`engine`](crate::engine) never asks for one. A panic ends the
    /// count with [`Error::Panic`](crate::Error::Panic), unless the program is built with `panic = "abort"`.
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally>;
}
