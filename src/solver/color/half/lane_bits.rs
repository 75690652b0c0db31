//! A key and its lane in one number of 64 bits.

use crate::solver::color::split::Geometry;

/// Where in keys there is room for their lanes: a board of n has 2n lines or fewer, the lower half of them from bit 0 on and
/// the upper half from bit 32 on, and what is above them is free. Up to n = 26 that is enough. Then only keys are filtered:
/// of what that takes, storing lanes was nearly half.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneBits {
    /// The first free bit of each half.
    first: u32,
}

impl LaneBits {
    /// The room in the keys of a board, if it is enough for so many lanes.
    pub(super) fn new(geometry: Geometry, lanes: usize) -> Option<Self> {
        // Small boards have more room than they need: a lane's number has 32 bits.
        let first = (2 * geometry.evens as u32).max(16);
        (first < 32 && lanes as u64 <= 1 << (2 * (32 - first))).then_some(Self { first })
    }

    /// The key with this lane.
    #[inline(always)]
    pub(super) fn merge(self, key: u64, lane: u32) -> u64 {
        let of_half = 32 - self.first;
        key | u64::from(lane & ((1 << of_half) - 1)) << self.first | u64::from(lane >> of_half) << (32 + self.first)
    }

    /// The key and the lane.
    #[inline(always)]
    pub(super) fn split(self, merged: u64) -> (u64, u32) {
        let of_half = 32 - self.first;
        let lines = (1u64 << self.first) - 1;
        let lane = (merged as u32) >> self.first | ((merged >> (32 + self.first)) as u32) << of_half;
        (merged & (lines | lines << 32), lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_merged_is_split() {
        for n in 0..=26 {
            let geometry = Geometry::new(n);
            // The largest number of column sets of one size.
            let half = geometry.evens / 2;
            let lanes = (1..=half).fold(1, |sets, i| sets * (geometry.evens + 1 - i) / i);
            let bits = LaneBits::new(geometry, lanes).expect("there is room up to 26");
            let lines = (1u64 << (2 * geometry.evens)) - 1;
            for key in [0, lines << 32 | lines, 0x5555_5555_5555_5555 & (lines << 32 | lines)] {
                for lane in 0..lanes as u32 {
                    assert_eq!(bits.split(bits.merge(key, lane)), (key, lane), "n = {n}");
                }
            }
        }
        assert!(LaneBits::new(Geometry::new(28), 3432).is_none());
        assert!(LaneBits::new(Geometry::new(30), 16).is_some() && LaneBits::new(Geometry::new(32), 1).is_none());
    }
}
