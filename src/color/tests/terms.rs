//! Compares terms with the sum by definition.

use super::*;

/// Returns tunings of packs, each with the maximum length of a prefix (`None` for the usual prefixes): without
/// prefixes, and with prefixes that are the whole walk; with batches of many packs and of one; with packs in lanes and
/// with sparse packs; in one piece and in the smallest pieces. The first five have the usual prefixes.
fn tunings(n: usize, isa: Isa) -> [(Option<usize>, PackTuning); 13] {
    let usual = PackTuning::new(n, isa);
    let [sparse, in_lanes] = [0, 99].map(|sparse_from| PackTuning { sparse_from, lanes_per_look_up: 0, ..usual });
    let of_one_pack = Sides { summing: 0, ..usual.batch_bytes };
    [
        (None, usual),
        (None, sparse),
        (None, in_lanes),
        (None, PackTuning { piece_bytes: 0, ..in_lanes }),
        (None, PackTuning { piece_bytes: 0, ..sparse }),
        (Some(0), usual),
        (Some(1), usual),
        (Some(16), usual),
        (Some(1), PackTuning { batch_bytes: of_one_pack, ..usual }),
        (Some(0), sparse),
        (Some(1), PackTuning { batch_bytes: of_one_pack, ..sparse }),
        (Some(16), in_lanes),
        (Some(1), PackTuning { piece_bytes: 0, ..sparse }),
    ]
}

/// Counts terms with each instruction set and with the first `tunings_of` of [`tunings`], and compares the counts with
/// the sum by definition.
fn check(terms: &Terms, tunings_of: usize) {
    let (n, expected) = (terms.class.geometry.n, terms.by_definition());
    assert!(expected > 0, "terms without a solution prove little");
    for isa in Isa::available() {
        for (longest, tuning) in tunings(n, isa).into_iter().take(tunings_of) {
            let mut terms = terms.clone();
            if let Some(longest) = longest {
                let sides = &mut Arc::make_mut(&mut terms.class).sides;
                for side in [&mut sides.filling, &mut sides.summing] {
                    side.prefix_length = longest.min(side.queens);
                }
            }
            let (family, mut counter) = terms.counter(isa, tuning);
            let cancel = CancelToken::new();
            let counted = counter.count(task(&family, &cancel), terms.o, &terms.terms).unwrap().solutions;
            let Terms { o, terms, .. } = terms;
            assert_eq!(counted, expected, "n = {n}, O {o:x}, {terms:?}, {isa}, {longest:?}, {tuning:?}");
        }
    }
}

/// Compares random terms, whose number is given for each size.
fn check_random(samples: &[(usize, usize)]) {
    let mut random = SplitMix64::new(2);
    for &(n, samples) in samples {
        (0..samples).for_each(|_| check(&Terms::random(n, &mut random, 2), 13));
    }
}

/// Tables have up to two blocks from n = 16 on. Emulators run this test, so it is short.
#[test]
fn random_terms_of_13_to_18_are_the_plain_sum() {
    check_random(&[(13, 6), (14, 6), (15, 4), (16, 4), (17, 2), (18, 2)]);
}

/// Tables have up to two pairs of blocks from n = 20 on.
#[test]
fn random_terms_of_19_to_22_are_the_plain_sum() {
    check_random(&[(19, 2), (20, 2), (22, 1)]);
}

/// Returns the first `most` terms with the odd rows `o`, starting with the even rows `e`.
pub(super) fn terms(n: usize, e: Subset, o: Subset, most: usize) -> Terms {
    let is_class = |class: &Class| class.white_evens == e.count_ones() as usize;
    Terms::new(&Arc::new(Class::all(n, UnitTuning::new(n)).find(is_class).unwrap()), [e, o], most)
}

/// Large boards have longer prefixes and larger programs.
#[test]
fn terms_of_23_and_24_are_the_plain_sum() {
    check(&terms(23, 0x478, 0x1b6, 2), 5);
    check(&terms(23, 0x70, 0x189, 2), 5);
    // Entries of some blocks need two bytes, and entries of the others one.
    check(&terms(23, 0xf8, 0xc47, 1), 5);
    check(&terms(24, 0xf80, 0x2d2, 2), 5);
    check(&terms(24, 0xd01, 0x36, 1), 5);
}

#[test]
#[ignore = "an hour: cargo test --release -- --ignored"]
fn terms_of_26_and_28_are_the_plain_sum() {
    check(&terms(26, 0x1f00, 0xa38, 1), 5);
    check(&terms(28, 0x2e80, 0xab0, 1), 5);
    // The costliest class, with two tables that are filled together, and the balanced class.
    check(&terms(26, 0xf9, 0x956, 2), 5);
    check(&terms(28, 0x3f8, 0x1c8e, 1), 5);
}
