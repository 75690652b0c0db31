//! The scores: what they measure, and which machines they compare.

/// A score: the geometric mean of a machine's speeds in some [workloads](super::workload::SUITE).
///
/// Its unit is exact: a machine that counts each workload in the time of its anchor scores 1000 points, with one thread
/// or with all, so the points of all threads divided by the points of one say how many single threads the machine is
/// worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Score {
    /// Measured with solvers whose speed should not change, so that scores of different years compare machines and not
    /// programs.
    Frozen,
    /// Measured with the fastest solver, which uses vector instructions, large caches and memory. It is still getting
    /// faster, so its scores compare machines only among records of one commit.
    Color,
}

impl Score {
    pub(crate) const ALL: [Self; 2] = [Self::Frozen, Self::Color];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Frozen => "score",
            Self::Color => "color score",
        }
    }

    /// Describes what the score measures, what 1000 points are, and when to quote it.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Frozen => {
                "The score measures integer work in the first-level cache of a core, with code whose speed \
                 should never change: quote it to compare machines across years and builds. A machine that counts \
                 n = 10 in 2 ms with arrays and n = 12 in 3 ms with bitmask has 1000 points. Half the time is worth \
                 twice the points."
            }
            Self::Color => {
                "The color score measures the fastest solver, which also needs vector instructions, large caches and \
                 memory: quote it, with the commit, to say how fast a machine counts large boards. A machine that \
                 counts n = 18 in 0.4 s, a unit of n = 20 in 0.1 s and a unit of n = 24 in 0.4 s has 1000 points."
            }
        }
    }
}
