//! What the program and the package for graphics cards need of this library, and nobody else: it changes without notice.

pub use crate::color::{ColorPlan, CountTerms, Packs, Tuning, Units};
pub use crate::engine::drain;
pub use crate::registry::find_former;
pub use crate::splitmix::SplitMix64;
pub use crate::testing::Altered;

/// Writes and reads counts as strings of digits, for `serde(with)`.
#[cfg(feature = "serde")]
pub mod decimal {
    pub use crate::decimal::{deserialize, serialize};
}

/// The parts of the color split that graphics cards count with other code.
pub mod color {
    pub use crate::color::merged::{host, shape};
    pub use crate::color::plan::{Class, Term};
    pub use crate::color::split::{Geometry, Side, SubBoard, Subset, elements, full};
}
