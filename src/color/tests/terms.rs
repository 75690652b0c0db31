//! Compares all entries and the sums of some terms with the sum by definition.

use super::*;

/// Each has the most queens of a prefix (`None`: the usual prefixes) and the tuning of packs: without prefixes, and with
/// prefixes that are the whole walk; with and without kept packs; with packs in lanes and
/// sparse; in one piece and in the smallest pieces.
fn tunings(n: usize, isa: Isa) -> [(Option<usize>, PackTuning); 13] {
    let usual = PackTuning::new(n, isa);
    let [sparse, in_lanes] = [0, 99].map(|queens| PackTuning { sparse: Sparse::from_queens(queens), ..usual });
    let keeps_none = Sides { summing: 0, ..usual.kept_bytes };
    [
        (None, usual),
        (Some(0), usual),
        (Some(1), usual),
        (Some(16), usual),
        (Some(1), PackTuning { kept_bytes: keeps_none, range_bytes: 0, ..usual }),
        (None, sparse),
        (Some(0), sparse),
        (Some(1), PackTuning { kept_bytes: keeps_none, ..sparse }),
        (None, in_lanes),
        (Some(0), PackTuning { range_bytes: 0, ..in_lanes }),
        (Some(16), in_lanes),
        (None, PackTuning { piece_bytes: 0, ..in_lanes }),
        (Some(1), PackTuning { piece_bytes: 0, ..sparse }),
    ]
}

/// The class with prefixes of at most this many queens, also if no row is left below them.
fn with_prefixes(class: &Arc<Class>, longest: Option<usize>) -> Arc<Class> {
    let Some(longest) = longest else { return Arc::clone(class) };
    let Sides { filling, summing } = class.sides();
    let lengths = [filling, summing].map(|color| longest.min(class.queens(color)));
    let mut class = Class::clone(class);
    class.prefix_lengths = Sides { filling: lengths[0], summing: lengths[1] };
    Arc::new(class)
}

#[test]
fn every_table_entry_and_every_term_is_the_plain_one() {
    let mut random = SplitMix64::new(2);
    // From n = 17 on tables have several blocks, from 19 on several pairs of blocks.
    for (n, terms) in (1..=14).map(|n| (n, 6)).chain([(17, 2), (18, 2), (20, 3), (22, 2)]) {
        for (class, e, o) in some_terms(n, &mut random, terms) {
            let by_color = colors(n, e, o);
            let sum = sum_by_definition(&class, [e, o], &by_color);
            for isa in available() {
                for (longest, tuning) in tunings(n, isa) {
                    let (family, mut counter) = counter(&with_prefixes(&class, longest), o, isa, tuning);
                    assert_eq!(
                        term(&mut counter, &family, e).unwrap(),
                        sum,
                        "n = {n}, E {e:b}, O {o:b}, {isa:?}, {longest:?}, {tuning:?}"
                    );
                    let filled = &by_color[usize::from(family.class.filling() == Color::Black)];
                    if tuning.piece_bytes == 0 {
                        continue;
                    }
                    for (row, lane, entry) in entries(&counter, &family) {
                        let columns = match family.class.filling() {
                            Color::White => join(n, row, lane),
                            Color::Black => join(n, lane, row),
                        };
                        let expected = filled.get(&columns).copied().unwrap_or(0);
                        assert_eq!(u64::from(entry), expected, "n = {n}, E {e:b}, O {o:b}, {isa:?}, {columns:b}");
                    }
                }
            }
        }
    }
}
