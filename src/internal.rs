//! Items for the program, the package for graphics cards and the integration tests only. They change without notice.

pub use crate::decimal::whole_number;
#[cfg(feature = "serde")]
pub use crate::decimal::{deserialize as from_digits, serialize as to_digits};

use crate::Progress;
pub use crate::color::plan::{Class, Side, Term};
pub use crate::color::split::{Color, Geometry, Sides, SubBoard, Subset, elements, full, subsets};
pub use crate::color::{ColorPlan, Method, OnPacks, Units};
pub use crate::splitmix::SplitMix64;

/// Sets a [`Progress`] to zero, for `units` units whose predicted costs add up to `cost`. A
/// [drained](crate::engine::Count::drain) count leaves this to its caller.
pub fn begin_progress(progress: &Progress, units: usize, cost: f64) {
    progress.begin(units, cost);
}

/// Adds a complete unit, whose predicted cost is `cost`, to the progress of a count that does not count this unit
/// itself.
pub fn finish_unit(progress: &Progress, cost: f64) {
    progress.finish_unit(cost);
}
