//! The traits of solvers: [`Solver`], [`Plan`], [`Audit`] and [`Worker`]. The [`registry`](crate::registry) lists the
//! solvers of this crate.
//!
//! A solver starts no threads. It cuts the count for a size into a [`Plan`] of numbered, independent units of work,
//! which the [`engine`](crate::engine) counts on any number of threads. Because a plan depends only on the solver and
//! the size, and never on the instruction set, the machine or the number of threads, unit 17 is the same everywhere.
//!
//! # Write a solver of your own
//!
//! Implement these three traits in your own crate:
//!
//! 1. A [`Solver`] has a name and makes plans: implement `name` and `plan`.
//! 2. A [`Plan`] lists the units for one size and makes workers: implement `size`, `units`, `name`, `locate` and
//!    `worker`.
//! 3. A [`Worker`] counts units on one thread: implement `count`.
//!
//! To count with your solver, pass it to [`Counter::with_solver`](crate::Counter::with_solver). To compare every unit
//! with the reference, use [`verify`](crate::verify). [`examples/own_solver.rs`] does both with a complete solver.
//!
//! [`examples/own_solver.rs`]: https://docs.rs/crate/n-queens/latest/source/examples/own_solver.rs
//!
//! The traits follow semantic versioning: a minor version adds a method only if the method has a default.

use std::ops::Range;

use crate::board::{Board, Size};
pub use crate::simd::Isa;
use crate::tally::Tally;
use crate::{CancelToken, Error, Result};

/// A way to count the solutions for a size. You can [write your own](self#write-a-solver-of-your-own).
///
/// [`name`](Self::name) and [`plan`](Self::plan) are required. The defaults of the other methods suit a solver in plain
/// Rust.
pub trait Solver: Send + Sync {
    /// Returns the name of the solver, which [`Outcome::solver`](crate::Outcome::solver) and errors show.
    fn name(&self) -> &'static str;

    /// Returns one line of text that describes the solver, or nothing, which is the default.
    fn about(&self) -> &'static str {
        ""
    }

    /// Returns the instruction sets for which the solver has code, slowest first. [`Isa::Portable`] must be one of
    /// them.
    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable]
    }

    /// Cuts the count for `size` into units of work.
    ///
    /// The units must not depend on `isa`, which only selects the code that counts them. [`Counter`](crate::Counter)
    /// passes one of [`instruction_sets`](Self::instruction_sets) that this machine has. The solvers of this crate
    /// count with portable code if another one is passed.
    ///
    /// If making a plan takes more than a few milliseconds, call [`cancel.check()?`](CancelToken::check) while you make
    /// it.
    ///
    /// # Errors
    /// - [`Error::TooLarge`] if `size` is above [`largest`](Self::largest), which `Counter` checks before.
    /// - [`Error::Cancelled`] if `cancel` was cancelled.
    /// - [`Error::Memory`] if there is not enough memory.
    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>>;

    /// Predicts how many seconds the whole count takes on one core. The prediction may be wrong by a factor of two. The
    /// default is `None`, for a solver that does not predict.
    ///
    /// [`Counter`](crate::Counter) uses a single thread by default if the prediction is less than a quarter of a
    /// millisecond. All solvers of this crate predict, for the processors in docs/color-split.md on which their
    /// formulas were fitted: `color` for the Xeon, and the others for the Zen 4.
    fn predicted_seconds(&self, _size: Size, _isa: Isa) -> Option<f64> {
        None
    }

    /// Predicts the peak memory of a count on `threads` threads, in bytes, without what the process takes before it.
    ///
    /// [`Counter::predicted`](crate::Counter::predicted) returns it. The default suits a solver that needs nothing but
    /// its stack. The solvers of this crate predict at least the highest measured peak, and at most 1.5 times that
    /// peak.
    fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
        (threads as u64).saturating_mul(48 << 10)
    }

    /// Returns the largest size that the solver can count, at most [`Size::MAX`], which is the default.
    fn largest(&self) -> usize {
        Size::MAX
    }
}

/// The units of work of one count, numbered from 0. You can [write your own](self#write-a-solver-of-your-own).
///
/// [`size`](Self::size), [`units`](Self::units), [`name`](Self::name), [`locate`](Self::locate) and
/// [`worker`](Self::worker) are required.
///
/// An implementation must keep these promises:
/// - The tallies of all units add up to the number of solutions, which is 1 for n = 0. Only plans that no [`Solver`]
///   makes may count something else: [`Turn::plan`](crate::symmetric::Turn::plan) counts symmetric solutions, and
///   [`Audit::part`] a part of one unit.
/// - Units are independent: any worker can count any unit, alone and in any order.
/// - A solver and a size always lead to the same units in the same order, on every machine and with every instruction
///   set. Within a version of the solver, plans with equal [`fingerprint`]s have the same units.
/// - The last units are not costlier than most, as measured by [`cost`](Self::cost), so that all threads are busy to
///   the end.
/// - Counting does not change the plan. Data that the threads of a count share belong to their workers.
/// - Methods panic only for a unit that is not below [`units`](Self::units), or for a board that is not a solution of
///   the plan's size.
pub trait Plan: Send + Sync {
    /// Returns the size of the board.
    fn size(&self) -> Size;

    /// Returns the number of units.
    fn units(&self) -> usize;

    /// Returns the name of a unit, which no other unit of the plan has.
    ///
    /// The name defines what the unit counts, such as the columns of its first queens, so that another program could
    /// count the unit from its name.
    ///
    /// # Panics
    /// May panic if the plan has no unit of this number.
    fn name(&self, unit: usize) -> String;

    /// Returns the families: ranges of units that one machine should count one after the other, because they share work
    /// or memory. The ranges are in order and without gaps. By default, each unit is a family of its own.
    fn families(&self) -> Vec<Range<usize>> {
        (0..self.units()).map(|unit| unit..unit + 1).collect()
    }

    /// Returns the predicted cost of a unit, above 0. Every plan may choose its scale, which all its units share.
    /// [`Progress`](crate::Progress) shows which share of the total cost is complete. By default, all units cost 1.
    ///
    /// # Panics
    /// May panic if the plan has no unit of this number.
    fn cost(&self, unit: usize) -> f64 {
        let _ = unit;
        1.0
    }

    /// Returns the unit that counts `solution`, and the weight with which the unit counts it. Returns `None` if a
    /// symmetric image is counted instead. For a board that is not a solution of the plan's size, the result is
    /// meaningless.
    ///
    /// [`verify`](crate::verify) checks that the tally of each unit is the sum of the weights of its solutions.
    ///
    /// Write this method from the definition of the units. It may share with the fast code the rule that chooses among
    /// images, but no code that counts.
    ///
    /// # Panics
    /// May panic if the board is not a solution of the plan's size.
    fn locate(&self, solution: &Board) -> Option<(usize, u64)>;

    /// Makes a worker, which owns the memory that one thread needs to count.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// Makes exactly `threads` workers for one count. By default, the workers share nothing: override this method if
    /// they can share memory or results.
    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        std::iter::repeat_with(|| self.worker()).take(threads).collect()
    }

    /// Returns the methods that only audits and estimates use. By default, they offer nothing.
    fn audit(&self) -> &dyn Audit {
        &NoAudit
    }
}

/// Counts units of work on one thread, one after the other. You can [write your own](self#write-a-solver-of-your-own).
///
/// [`count`](Self::count) is required. After a count was stopped or failed, the next count of the same worker must be
/// right.
pub trait Worker: Send {
    /// Counts one unit. Returns the number of its solutions, multiplied by their weights, and the work that they took.
    ///
    /// Call [`cancel.check()?`](CancelToken::check) every few milliseconds. A unit that is stopped must return an
    /// error, never an incomplete tally.
    ///
    /// # Errors
    /// Each of these errors ends the whole count:
    /// - [`Error::Cancelled`] if `cancel` was cancelled.
    /// - [`Error::Memory`] if there is not enough memory.
    /// - [`Error::Entry`] if an entry of a table of the solver `color` may not fit in its integers.
    /// - [`Error::Bug`] if the count does not fit in its integers, or if it is impossible by the solver's own rules.
    ///
    /// # Panics
    /// May panic if the plan has no unit of this number, for which the [`engine`](crate::engine) never asks. A panic
    /// ends the count with [`Error::Bug`], unless the program is built with `panic = "abort"`.
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally>;
}

/// The methods of a [`Plan`] that audits and estimates use, and counts do not. Every method has a default.
///
/// # Panics
/// A method that takes a unit may panic if the plan has no unit of this number.
pub trait Audit {
    /// Returns the kind of a unit, which is 0 by default. Units of one kind take time in proportion to their costs;
    /// across kinds, costs are less comparable.
    fn kind(&self, unit: usize) -> usize {
        let _ = unit;
        0
    }

    /// Returns a plan whose unit 0 is about this share of the work of `unit`, to be timed. The cost of unit 0 is on the
    /// scale of this plan's costs. The default is `None`, which means that units cannot be divided.
    fn part(&self, unit: usize, share: f64) -> Option<Box<dyn Plan>> {
        let _ = (unit, share);
        None
    }

    /// Returns a number, at least 1, that divides the tally of a unit: a saved tally that it does not divide is wrong.
    /// The default is 1.
    fn tally_divisor(&self, unit: usize) -> u64 {
        let _ = unit;
        1
    }

    /// Returns a plan with the same units that counts an image of each unit under a symmetry, just as fast: other
    /// placements with the same tally. The default is `None`, which means that there is no such code.
    fn image(&self) -> Option<Box<dyn Plan>> {
        None
    }

    /// Returns a plan with the same units that counts them by their definition, in plain, slow code. It shares the
    /// units and their weights with this plan, but not the code that counts. The default is `None`, which means that
    /// there is no such code.
    fn by_definition(&self) -> Option<Box<dyn Plan>> {
        None
    }
}

/// The [`Audit`] of a plan that offers none.
struct NoAudit;

impl Audit for NoAudit {}

/// Returns a hash of the names of a plan's units. It is equal on every machine. Plans with equal fingerprints have
/// the same families, with the same names in the same order.
///
/// The hash is 64-bit FNV-1a of the number 1 and, for each family, its length and the names of its units. It protects
/// against mistakes, not against forgery. It is not a method of [`Plan`], because no plan may choose its own.
#[must_use]
pub fn fingerprint(plan: &dyn Plan) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    // The fingerprints in the repository's results were hashed with this number.
    add(&1u64.to_le_bytes());
    for family in plan.families() {
        add(&(family.len() as u64).to_le_bytes());
        for unit in family {
            add(plan.name(unit).as_bytes());
            add(&[0]);
        }
    }
    hash
}

impl dyn Solver + '_ {
    /// Checks that the solver can count boards of this size.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if it cannot.
    pub fn check_size(&self, size: Size) -> Result<()> {
        let (name, n, largest) = (self.name().to_owned(), size.get(), self.largest());
        if n > largest { Err(Error::TooLarge { name, n, largest }) } else { Ok(()) }
    }
}

/// Shows the name of the solver.
impl std::fmt::Debug for dyn Solver + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Shows the number of units.
impl std::fmt::Debug for dyn Plan + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("units", &self.units()).finish_non_exhaustive()
    }
}
