//! Tests entries of tables, and partial sums, at their limits. A pack that is stored several times is counted once for
//! each copy.

use super::*;
use crate::color::pack::Pack;
use crate::tally::Work;

/// The number of additions after which any entry is 0 again in 16 bits.
const WRAPS: usize = 1 << 16;

/// Counts the first of `terms` for each of `entries`, with packs in lanes and with sparse packs. The packs of the
/// filling side are stored so often that the largest entry of the table is about as large as the given one; for
/// [`WRAPS`], they are stored that many times. The packs of the summing side are stored `times` times.
fn check(terms: &Terms, entries: &[usize], times: usize) {
    let n = terms.class.geometry.n;
    // The largest weight of an entry.
    let weight = if n.is_multiple_of(2) { 2 } else { 4 };
    for (isa, sparse_from) in Isa::available().into_iter().flat_map(|isa| [(isa, 99), (isa, 0)]) {
        let tuning = PackTuning { sparse_from, lanes_per_look_up: 0, ..PackTuning::new(n, isa) };
        let (family, mut counter) = terms.counter(isa, tuning);
        let cancel = CancelToken::new();
        let task = task(&family, &cancel);
        let sum = |counter: &mut UnitCounter| {
            let mut work = Work::default();
            (counter.sum_terms(task, &terms.terms[..1], &mut work).map(|slots| slots[0].sum), work)
        };
        counter.list_sides(task, terms.o).unwrap();
        let once = sum(&mut counter).0.unwrap();
        let largest = counter.filled[0].bound as usize;
        assert!(once > 0 && largest > 0 && !counter.filled[0].is_wide);
        let filling = counter.filling.store.packs.clone();
        let repeat = |packs: &mut Vec<Pack>, times| *packs = packs.repeat(times);
        repeat(&mut counter.summing.store.packs, times);
        for &entry in entries {
            let more = if entry == WRAPS { WRAPS } else { (entry / largest).max(1) };
            counter.filling.store.packs = filling.repeat(more);
            let fits = weight * more * largest <= usize::from(u16::MAX);
            let expected = if fits { Ok(once * (more * times) as u128) } else { Err(Error::Entry) };
            let was_wide = counter.filled[0].is_wide;
            let (counted, work) = sum(&mut counter);
            let case = format!("n = {n}, {isa}, sparse from {sparse_from}, {more} times {largest}");
            assert_eq!(counted, expected, "{case}");
            if fits && counter.filled[0].is_wide != was_wide {
                // The table was filled twice, but only the second time counts as work.
                assert_eq!(sum(&mut counter).1, work, "{case}");
            }
        }
    }
}

/// Tests entries of one and of two bytes, before and after they are multiplied by their weights. A table whose entries
/// do not fit in a byte is filled again, and then its entries keep two bytes. Boards below n = 20 have only one pair of
/// blocks.
#[test]
fn entries_of_every_width_are_summed_and_larger_ones_are_an_error() {
    for (n, samples) in [(13, 3), (14, 3), (15, 3), (16, 3), (18, 1), (20, 1)] {
        let mut random = SplitMix64::new(n as u64);
        for _ in 0..samples {
            check(&Terms::random(n, &mut random, 1), &[1, 63, 64, 127, 128, 254, 255, 256, 511, 1000, 60], 1);
        }
    }
    for n in [13, 14] {
        let terms = Terms::random(n, &mut SplitMix64::new(3), 1);
        check(&terms, &[0x3f00, 0x3fff, 0x4064, 0x7f00, 0x7fff, 0x8064, 0xffff, WRAPS], 1);
    }
}

/// Counts meet one entry so often that partial sums would overflow if they were not flushed.
#[test]
fn sums_are_flushed_before_they_overflow() {
    check(&Terms::random(16, &mut SplitMix64::new(3), 1), &[1, 255, 257, 0x7fff], 3000);
}
