//! Compares all entries and the sums of some terms with the sum by definition.

use super::{available, colors, counter, entries, join, some_terms, term};
use crate::color::split::Color;
use crate::color::tuning::Tuning;
use crate::solver::Isa;
use crate::splitmix::SplitMix64;

/// Tunings with the default prefixes, without prefixes, and with prefixes that are the whole walk; with and without
/// kept packs; with packs in lanes and sparse.
fn tunings(n: usize, isa: Isa) -> [Tuning; 11] {
    let usual = Tuning::new(n, isa);
    let depth = |depth| Tuning { longest_prefixes: [depth; 2], rows_left: 0, ..usual };
    let (sparse, in_lanes) = (Some(0), Some(99));
    [
        usual,
        depth(0),
        depth(1),
        depth(16),
        Tuning { summing_pack_bytes: 0, range_bytes: 0, ..depth(1) },
        Tuning { sparse_from: sparse, ..usual },
        Tuning { sparse_from: sparse, ..depth(0) },
        Tuning { sparse_from: sparse, summing_pack_bytes: 0, ..depth(1) },
        Tuning { sparse_from: in_lanes, ..usual },
        Tuning { sparse_from: in_lanes, range_bytes: 0, ..depth(0) },
        Tuning { sparse_from: in_lanes, ..depth(16) },
    ]
}

#[test]
fn every_table_entry_and_every_term_is_the_plain_one() {
    let mut random = SplitMix64::new(2);
    // From n = 17 on tables have several blocks, from 19 on several pairs of blocks.
    for (n, terms) in (1..=14).map(|n| (n, 6)).chain([(17, 2), (18, 2), (20, 3), (22, 2)]) {
        for (class, e, o) in some_terms(n, &mut random, terms) {
            let by_color = colors(n, e, o);
            let sum: u128 = by_color[0]
                .iter()
                .map(|(&columns, white)| {
                    let [f, g] = class.geometry.part(columns);
                    let black = by_color[1].get(&columns).copied().unwrap_or(0);
                    u128::from(white * black * class.column_weight([f, g], [e, o]))
                })
                .sum();
            for isa in available() {
                for tuning in tunings(n, isa) {
                    let (family, mut counter) = counter(&class, o, isa, tuning);
                    assert_eq!(
                        term(&mut counter, &family, e).unwrap(),
                        sum,
                        "n = {n}, E {e:b}, O {o:b}, {isa:?}, {tuning:?}"
                    );
                    let filled = &by_color[usize::from(family.class.filling() == Color::Black)];
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
