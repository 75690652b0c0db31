//! Single terms of the densest classes of the largest boards, where entries need a second and a third byte.

use super::*;

/// Counts the placements of one color with exactly these rows and columns. It compares each queen with all earlier queens.
fn restricted(n: usize, rows: u64, columns: u64, color: usize) -> u64 {
    fn extend(rows: &[usize], columns: &[usize], color: usize, queens: &mut Vec<(usize, usize)>) -> u64 {
        let Some((&row, below)) = rows.split_first() else { return 1 };
        let mut found = 0;
        for &column in columns {
            let is_free = |&(r, c): &(usize, usize)| c != column && c.abs_diff(column) != row - r;
            if (row + column) % 2 == color && queens.iter().all(is_free) {
                queens.push((row, column));
                found += extend(below, columns, color, queens);
                queens.pop();
            }
        }
        found
    }
    let elements = |set: u64| (0..n).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>();
    extend(&elements(rows), &elements(columns), color, &mut Vec::new())
}

/// E, O, F, G and White's count for them.
type Entry = ([Subset; 4], u64);

/// Found by hill climbing. Those of n = 31 but the first two, and the first one of n = 32, are counted with a weight; the
/// others are images of terms that are.
const LARGE_ENTRIES: [(usize, Entry); 7] = [
    (31, ([0xf00f, 0x700f, 0x8cf1, 0x6589], 45_530)),
    (31, ([0xf00f, 0x4663, 0xc663, 0x7807], 56_728)),
    (31, ([0xf00f, 0x4663, 0xc663, 0x700f], 56_728)),
    (31, ([0x8f31, 0x48d3, 0xf00f, 0x700f], 45_530)),
    (32, ([0xaaa5, 0x45b3, 0xf00f, 0xf00f], 103_074)),
    (32, ([0xe983, 0xd81b, 0xc467, 0xe343], 68_725)),
    (32, ([0xf00f, 0xc663, 0xc663, 0xf00f], 155_692)),
];

#[test]
fn the_large_entries_are_what_they_are_said_to_be() {
    for (n, ([e, o, f, g], count)) in LARGE_ENTRIES {
        assert_eq!(restricted(n, join(e, o), join(f, g), 0), count, "n = {n}");
    }
}

/// The class of a size with `white` white even rows.
fn class_of(n: usize, white: usize) -> Arc<Class> {
    Arc::new(Class::all(n).into_iter().find(|class| class.white_evens == white).unwrap())
}

/// Tables of terms of the densest classes: the large entries above and some drawn at random against the count queen by
/// queen. Then the terms' sums with another instruction set.
#[test]
#[ignore = "some minutes, and 3 GiB: cargo test --release -- --ignored"]
fn terms_of_the_largest_boards_are_counted_right() {
    let available: Vec<Isa> = available().collect();
    for (n, [e, o]) in [
        (29, [0x700f as Subset, 0x300f]),
        (30, [0x700f, 0x700f]),
        (31, [0x8f31, 0x48d3]),
        (31, [0xf00f, 0x4663]),
        (32, [0xaaa5, 0x45b3]),
        (32, [0xf00f, 0xc663]),
    ] {
        let (class, mut random) = (class_of(n, e.count_ones() as usize), SplitMix64::new(n as u64));
        let mut sums = Vec::new();
        for &isa in available.iter().rev().take(2) {
            let (family, mut counter) = counter(&class, o, isa, Tuning::default());
            sums.push(term(&mut counter, &family, e).unwrap());
            let entries = entries(&counter, &family);
            let white = |f: Subset, g: Subset| restricted(n, join(e, o), join(f, g), 0);
            assert!(counter.sides.entry_bytes >= 2 && family.filling == Side::White);
            for _ in 0..20 {
                let (f, g, entry) = entries[random.below(entries.len())];
                assert_eq!(u64::from(entry), white(f, g), "n = {n}, {isa:?}, F {f:x}, G {g:x}");
            }
            let &(f, g, largest) = entries.iter().max_by_key(|(.., entry)| entry).unwrap();
            assert_eq!(u64::from(largest), white(f, g), "n = {n}, {isa:?}, F {f:x}, G {g:x}");
            let mut named = 0;
            for (_, ([_, _, f, g], count)) in
                LARGE_ENTRIES.iter().filter(|(size, (sets, _))| *size == n && sets[..2] == [e, o])
            {
                for (.., entry) in entries.iter().filter(|entry| (entry.0, entry.1) == (*f, *g)) {
                    assert_eq!(u64::from(*entry), *count);
                    named += 1;
                }
            }
            println!(
                "n = {n}, E {e:x}, O {o:x}, {isa:?}: {} entries of {} bytes, the largest {largest}, {named} of the named ones; sum {}",
                entries.len(),
                counter.sides.entry_bytes,
                sums[sums.len() - 1]
            );
        }
        assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "n = {n}: {sums:?}");
    }
}
