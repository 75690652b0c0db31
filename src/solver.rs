//! Solvers: the traits [`Solver`], [`Plan`], [`Audit`] and [`Worker`]. [`registry`](crate::registry) lists the
//! solvers of this crate.
//!
//! A solver does not start threads. It cuts the count for a size into a [`Plan`] of numbered, independent units of
//! work, which the [`engine`](crate::engine) counts on any number of threads. A plan depends only on the solver and the
//! size, never on the instruction set, the machine or the number of threads, so unit 17 is the same everywhere.
//!
//! # Write a solver of your own
//!
//! The traits are a promise: you can implement them in your own crate. They follow semantic versioning. A minor
//! version may add a method to them, but only one with a default.
//!
//! 1. A [`Solver`] has a name and makes plans. You must give `name`, `about` and `plan`.
//! 2. A [`Plan`] lists the units of one size and makes workers. You must give `units`, `name`, `cost` and `worker`.
//! 3. A [`Worker`] counts units on one thread. You must give `count`.
//!
//! Give `Plan::locate` too: [`verify`](crate::verify) then compares every unit with the reference solver, not only
//! their sum. [`Counter::with_solver`](crate::Counter::with_solver) counts with your solver. `examples/own_solver.rs`
//! is a whole solver that is compared with the reference.

use std::ops::Range;
use std::sync::Arc;

use crate::board::{Board, Size};
pub use crate::simd::Isa;
use crate::tally::Tally;
use crate::{CancelToken, Error, Result};

/// A way to count the solutions of a board. You can [write your own](self#write-a-solver-of-your-own).
///
/// You must give [`name`](Self::name), [`about`](Self::about) and [`plan`](Self::plan). The defaults of the other
/// methods suit a solver in plain Rust.
pub trait Solver: Send + Sync {
    /// The solver's name, as [`Outcome::solver`](crate::Outcome::solver) and errors show it.
    fn name(&self) -> &'static str;

    /// One line that says what the solver does.
    fn about(&self) -> &'static str;

    /// The instruction sets that the solver has code for, slowest first. [`Isa::Portable`] must be one of them.
    fn instruction_sets(&self) -> &'static [Isa] {
        &[Isa::Portable]
    }

    /// Cuts the count for `size` into units of work.
    ///
    /// The units must not depend on `isa`, which only says whose code counts them.
    /// [`Counter`](crate::Counter) passes one of [`instruction_sets`](Self::instruction_sets).
    ///
    /// A solver whose plans take more than a few milliseconds calls [`cancel.check()?`](CancelToken::check) meanwhile.
    ///
    /// # Errors
    /// [`Error::Cancelled`], with no unit counted, if `cancel` stopped it;
    /// [`Error::Memory`] if there is not enough memory.
    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>>;

    /// Predicts the seconds that one core takes for the whole count. An error of a factor of two does not matter.
    ///
    /// [`Counter`](crate::Counter) uses one thread if the prediction is less than a quarter of a millisecond. The
    /// default, one second, stands for an unknown time: the count then runs on all cores. The solvers of this crate
    /// predict for the machine in docs/color-split.md.
    fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
        1.0
    }

    /// Predicts the bytes that a count takes at its peak, on `threads` threads, beside the program itself. The solvers
    /// of this crate predict at least the highest measured peak, and at most half more.
    ///
    /// [`Counter::predicted`](crate::Counter::predicted) shows it. The default suits a solver that needs only its
    /// stack.
    fn predicted_bytes(&self, _size: Size, _isa: Isa, threads: usize) -> u64 {
        (threads as u64).saturating_mul(48 << 10)
    }

    /// The largest size that it can count, at most [`Size::MAX`], which is the default.
    fn largest(&self) -> usize {
        Size::MAX
    }
}

/// Makes a borrowed or shared solver, such as one of the [`registry`](crate::registry), a solver.
macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: Solver + ?Sized> Solver for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }

            fn about(&self) -> &'static str {
                (**self).about()
            }

            fn instruction_sets(&self) -> &'static [Isa] {
                (**self).instruction_sets()
            }

            fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
                (**self).plan(size, isa, cancel)
            }

            fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
                (**self).predicted_seconds(size, isa)
            }

            fn predicted_bytes(&self, size: Size, isa: Isa, threads: usize) -> u64 {
                (**self).predicted_bytes(size, isa, threads)
            }

            fn largest(&self) -> usize {
                (**self).largest()
            }
        }
    )*};
}
forward!(&S, Arc<S>);

impl dyn Solver + '_ {
    /// Checks that the solver counts boards of this size.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn check_size(&self, size: Size) -> Result<()> {
        let (name, n, largest) = (self.name().to_owned(), size.get(), self.largest());
        if n > largest { Err(Error::TooLarge { name, n, largest }) } else { Ok(()) }
    }
}

/// Shows the solver's name.
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
/// - The tallies of all units add up to the number of solutions.
/// - Units are independent: each can be counted alone, in any order, by any worker.
/// - A solver and a size always give the same units in the same order, on every machine and with every instruction set.
///   Two plans are the same if their [`fingerprint`](Self::fingerprint) is.
/// - The units at the end are not costlier than most, by [`cost`](Self::cost), so that all threads are busy to the end.
/// - Counting does not change the plan. What the threads of a count share belongs to their workers.
///
/// A method that may panic must panic only for a unit that is not below [`units`](Self::units), or for a solution of
/// another size.
pub trait Plan: Send + Sync {
    /// The number of units.
    fn units(&self) -> usize;

    /// Returns the name of a unit. It says what the unit counts, such as its first queens. Another program must be able
    /// to count the unit from its name. No two units have equal names.
    ///
    /// # Panics
    /// May panic if there is no unit of this number.
    fn name(&self, unit: usize) -> String;

    /// The units in ranges, in order and without gaps. Units of a range share work or memory, so one machine should
    /// count them one after the other. By default each unit is a range of its own.
    fn families(&self) -> Vec<Range<usize>> {
        (0..self.units()).map(|unit| unit..unit + 1).collect()
    }

    /// The predicted cost of a unit, above 0. You choose the measure, one for all units of a plan.
    /// [`Progress`](crate::Progress) shows the share of the cost that is complete.
    ///
    /// # Panics
    /// May panic if there is no unit of this number.
    fn cost(&self, unit: usize) -> f64;

    /// Returns the unit that counts `solution`, and the weight with which it counts. `None` if a symmetric image is
    /// counted instead. The result is meaningless for a board that is not a solution of the plan's size.
    ///
    /// A unit's tally must be the sum of the weights of its solutions; [`verify`](crate::verify) checks it. Without
    /// this method `verify` checks only the sum of all units.
    ///
    /// Write it from the definition of the units. It may share the rule that chooses among images with the fast code,
    /// but nothing that counts.
    ///
    /// # Panics
    /// May panic if the board is not a solution or of another size.
    fn locate(&self, solution: &Board) -> Option<(usize, u64)> {
        let _ = solution;
        None
    }

    /// Makes a worker, which owns the memory that one thread needs.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// Makes `threads` workers for one count, no more and no fewer. By default they share nothing. Override this if
    /// they can share memory or results.
    fn workers(&self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        std::iter::repeat_with(|| self.worker()).take(threads).collect()
    }

    /// What audits and estimates ask of the plan. By default it offers nothing.
    fn audit(&self) -> &dyn Audit {
        &NoAudit
    }

    /// Returns a hash of the units. Plans with equal fingerprints have equal units in equal order, on all machines.
    ///
    /// It is 64 bits of FNV-1a over the number 1, the bounds of the families and the names of all units. It protects
    /// against mistakes, not against forgery. Do not override this method.
    fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        // Fingerprints of published results begin with it.
        add(&1u64.to_le_bytes());
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

/// What audits and estimates ask of a [`Plan`], beyond what a count needs. Every method has a default.
///
/// A method that takes a unit may panic if the plan has no unit of this number.
pub trait Audit {
    /// Units of one kind take times in proportion to their costs. Between kinds costs may be less exact. 0 by default.
    fn kind(&self, unit: usize) -> usize {
        let _ = unit;
        0
    }

    /// A plan whose unit 0 is about this share of a unit's work, to be timed. Its cost is in the same measure. `None`,
    /// the default, if units cannot be divided.
    fn part(&self, unit: usize, share: f64) -> Option<Box<dyn Plan>> {
        let _ = (unit, share);
        None
    }

    /// A number that divides the tally of a unit, at least 1, which is the default. A saved tally that it does not
    /// divide is wrong.
    fn tally_divisor(&self, unit: usize) -> u64 {
        let _ = unit;
        1
    }

    /// A plan with the same units that counts a mirror image of each unit: other placements, with an equal tally, as
    /// fast. `None`, the default, if there is no such code.
    fn image(&self) -> Option<Box<dyn Plan>> {
        None
    }

    /// A plan with the same units that counts them by definition, in plain and slow code. It shares the units and their
    /// weights with this plan, but not the code that counts. `None`, the default, if there is no such code.
    fn by_definition(&self) -> Option<Box<dyn Plan>> {
        None
    }
}

/// The audit of a plan that offers nothing.
struct NoAudit;

impl Audit for NoAudit {}

/// Shows the number of units.
impl std::fmt::Debug for dyn Plan + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("units", &self.units()).finish_non_exhaustive()
    }
}

/// Counts units of work on one thread, one after the other. You can [write your own](self#write-a-solver-of-your-own).
///
/// You must give [`count`](Self::count). After a worker was stopped or returned an error, its next count must be right.
pub trait Worker: Send {
    /// Counts one unit: its solutions, times their weights, and the work it took.
    ///
    /// Call [`cancel.check()?`](CancelToken::check) every few milliseconds.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if `cancel` stopped it, and never a tally that is not complete;
    /// [`Error::Bug`] if the count does not fit its integers, or if what it counted cannot be;
    /// [`Error::Memory`] if there is not enough memory. Each of them ends the whole count.
    ///
    /// # Panics
    /// May panic if the plan has no unit of this number. The [`engine`](crate::engine) never asks for one. A panic ends
    /// the count with [`Error::Bug`], unless the program is built with `panic = "abort"`.
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally>;
}
