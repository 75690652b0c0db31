//! Table entries of one and two bytes, and sums that must not overflow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::color::pack::Store;
use crate::color::program::Draft;
use crate::color::simd::BLOCK_LANES;
use crate::color::table::MAX_ENTRY_BYTES;

/// A term, with the fast code that counts it. [`expected`](Self::expected) counts it by definition.
struct Case {
    class: Arc<Class>,
    e: Subset,
    o: Subset,
    family: SharedFamily,
    counter: UnitCounter,
}

impl Case {
    fn new(class: &Arc<Class>, e: Subset, o: Subset, isa: Isa, tuning: PackTuning) -> Self {
        let (family, counter) = counter(class, o, isa, tuning);
        Self { class: Arc::clone(class), e, o, family, counter }
    }

    fn count(&mut self) -> u128 {
        term(&mut self.counter, &self.family, self.e).unwrap()
    }

    /// The sum by definition, with `add` added to every entry. Also returns the column weights of its nonzero products.
    fn expected(&self, add: u64) -> (u128, BTreeSet<u64>) {
        let [filled, summed] = by_side(&self.family, colors(self.class.geometry.n, self.e, self.o));
        let (mut sum, mut weights) = (0, BTreeSet::new());
        for (row, lane, _) in entries(&self.counter, &self.family) {
            let (f, g) = if self.family.class.filling() == Color::White { (row, lane) } else { (lane, row) };
            let columns = join(self.class.geometry.n, f, g);
            let entry = filled.get(&columns).copied().unwrap_or(0) + add;
            let weight = self.class.column_weight([f, g], [self.e, self.o]);
            let count = summed.get(&columns).copied().unwrap_or(0);
            sum += u128::from(entry) * u128::from(count) * u128::from(weight);
            weights.extend((entry * count * weight > 0).then_some(weight));
        }
        (sum, weights)
    }

    /// Fills the table with entries of `bytes` bytes, adds `add` to every entry, and sums.
    fn count_raised(&mut self, add: u32, bytes: usize) -> u128 {
        self.count();
        self.counter.filled[0].entry_bytes = bytes;
        self.count();
        let length = self.counter.filled[0].length;
        let filled = &mut self.counter.filled[0].cells;
        let mut largest = 0;
        for at in 0..length {
            for lane in 0..BLOCK_LANES {
                let place = |byte: usize| byte * length + at;
                let entry: u32 = (0..bytes).map(|byte| u32::from(filled[place(byte)].0[lane]) << (8 * byte)).sum();
                let raised = entry + add;
                assert!(raised >> (8 * bytes) == 0, "the test's entries are to fit their bytes");
                largest = largest.max(raised);
                for byte in 0..bytes {
                    filled[place(byte)].0[lane] = (raised >> (8 * byte)) as u8;
                }
            }
        }
        self.counter.filled[0].largest = largest;
        let (family, cancel, counter) = (&self.family, &CancelToken::new(), &mut self.counter);
        counter.turn(family, self.e, 0, [0, 0]).unwrap();
        let programs = family.programs(&only(self.e), &mut Draft::default(), cancel).unwrap();
        counter.sum(Task { family, is_last: false, cancel }, self.e, &programs, &mut Work::default()).unwrap()[0]
    }
}

/// Repeats every pack, so that the terms that are counted with this store count `times` as much.
fn repeat(store: &mut Store, times: usize) {
    store.packs = store.packs.repeat(times);
}

/// Tunings with the two ways of the summing side: packs in lanes, and sparse packs.
fn ways(n: usize, isa: Isa) -> [PackTuning; 2] {
    [99, 0].map(|queens| PackTuning { sparse: Sparse::from_queens(queens), ..PackTuning::new(n, isa) })
}

/// Entries of one and two bytes, before and after they are multiplied with their weights. Even n has weights up to 2,
/// odd n up to 4. Trap: what says which planes a row uses belongs to pairs of blocks, and boards below n = 20 have only
/// one pair.
#[test]
fn weighted_entries_of_every_width_are_summed_right() {
    let mut weights = BTreeSet::new();
    for (n, terms) in [(13, 12), (14, 12), (15, 12), (16, 12), (20, 1)] {
        for (class, e, o) in some_terms(n, &mut SplitMix64::new(n as u64), terms) {
            for isa in available() {
                for tuning in ways(n, isa) {
                    let mut case = Case::new(&class, e, o, isa, tuning);
                    if case.count() == 0 {
                        break;
                    }
                    // The largest weight is 2 for even n and 4 for odd n, and weighted entries have 16 bits.
                    let adds = [(63, 1), (100, 1), (200, 1), (257, 2), (8_191, 2), (16_001, 2)];
                    for (add, bytes) in adds.into_iter().chain((n % 2 == 0).then_some((32_000, 2))) {
                        let (expected, of_case) = case.expected(u64::from(add));
                        weights.extend(of_case);
                        let counted = case.count_raised(add, bytes);
                        let at = format!("n = {n}, E {e:b}, O {o:b}, {isa:?}, {tuning:?}");
                        assert_eq!(counted, expected, "{at}, {add} more in {bytes} bytes");
                    }
                }
            }
        }
    }
    assert!(weights.is_superset(&[1, 2, 4].into()), "no term has some weight: {weights:?}");
}

/// If an entry does not fit a byte, the table is filled again with two. If it does not fit two, that is an error. n =
/// 18 has tiles of two blocks.
#[test]
fn entries_past_their_bytes_are_counted_again() {
    for (n, seed) in [(15, 3), (16, 3), (18, 3)] {
        let (class, e, o) = some_terms(n, &mut SplitMix64::new(seed), 1).remove(0);
        for isa in available() {
            let mut case = Case::new(&class, e, o, isa, PackTuning::new(n, isa));
            let once = case.count();
            assert!(once > 0 && case.counter.filled[0].entry_bytes == 1);
            repeat(&mut case.counter.filling.store, 255);
            assert_eq!(case.count(), 255 * once, "{isa:?}");
            assert_eq!(case.counter.filled[0].entry_bytes, 2);
            // The largest entry is 255 or more, so 257 * 255 times as much do not fit two bytes.
            repeat(&mut case.counter.filling.store, 257);
            assert_eq!(term(&mut case.counter, &case.family, case.e), Err(Error::overflow(16)), "{isa:?}");
        }
    }
}

/// Counts that meet one entry many times: partial sums must be flushed before they overflow.
#[test]
fn sums_are_flushed_before_they_overflow() {
    let (class, e, o) = some_terms(16, &mut SplitMix64::new(3), 1).remove(0);
    for (isa, tuning) in available().flat_map(|isa| ways(16, isa).map(|way| (isa, way))) {
        let mut case = Case::new(&class, e, o, isa, tuning);
        let once = case.count();
        assert!(once > 0);
        repeat(&mut case.counter.summing.store, 1000);
        assert_eq!(case.count(), 1000 * once, "{isa:?}, {tuning:?}");
        // Entries of two bytes, some of them odd.
        let raised = case.expected(257).0;
        assert_eq!(case.count_raised(257, 2), 1000 * raised, "{isa:?}, {tuning:?}, wide");
        repeat(&mut case.counter.summing.store, 3);
        assert_eq!(case.count_raised(257, 2), 3000 * raised, "{isa:?}, {tuning:?}, wide");
    }
}

/// Weighted entries have 16 bits. No board up to n = 30 is known to need more, and an overflow must be an error.
#[test]
fn entries_that_might_pass_16_bits_with_their_weights_are_an_error() {
    let (class, e, o) = some_terms(6, &mut SplitMix64::new(3), 1).remove(0);
    for (isa, tuning) in available().flat_map(|isa| ways(6, isa).map(|way| (isa, way))) {
        let mut case = Case::new(&class, e, o, isa, tuning);
        case.count();
        case.counter.filled[0].entry_bytes = MAX_ENTRY_BYTES;
        case.count();
        let mut turn = |largest| {
            case.counter.filled[0].largest = largest;
            case.counter.turn(&case.family, e, 0, [0, 0])
        };
        assert_eq!(turn(0x7fff), Ok(()));
        assert_eq!(turn(0x8000), Err(Error::overflow(16)), "{isa:?}, {tuning:?}");
        assert_eq!(turn(u32::MAX), Err(Error::overflow(16)), "{isa:?}, {tuning:?}");
    }
}
