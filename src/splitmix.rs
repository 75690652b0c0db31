//! Random numbers for samples and tests: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", 2014). A seed leads to the same numbers in every run and every version of this program. No count
//! depends on them.

/// A random number generator.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates a generator. Equal seeds lead to equal numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number below `end`, which must not be 0. Its distribution is uniform up to an error of `end` /
    /// 2^64.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_u64()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    /// The first numbers for seed 0, from the reference implementation of the algorithm.
    #[test]
    fn the_numbers_are_those_of_the_algorithm() {
        let mut generator = SplitMix64::new(0);
        let first = [generator.next_u64(), generator.next_u64(), generator.next_u64()];
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert!((0..1000).all(|_| generator.below(3) < 3));
    }
}
