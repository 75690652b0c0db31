//! Items for the program, the benchmarks and the package for graphics cards only. They change without notice.

pub use crate::decimal::whole_number;
#[cfg(feature = "serde")]
pub use crate::decimal::{deserialize as from_digits, serialize as to_digits};

pub use crate::color::plan::{Class, Side, Term};
pub use crate::color::split::{Color, Geometry, Sides, SubBoard, Subset, elements, full, subsets};
pub use crate::color::{ColorPlan, Method, OnPacks, PackTuning, UnitTuning, Units};
pub use crate::splitmix::SplitMix64;
