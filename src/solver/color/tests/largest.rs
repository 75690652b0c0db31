//! Single terms of the densest classes of the largest boards, where entries need a second and a third byte.

use super::*;

/// Counts the placements of one color with exactly these rows and columns. It compares each queen with all earlier
/// queens.
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

/// Found by hill climbing. Those of n = 31 but the first two, and the first one of n = 32, are counted with a weight;
/// the others are images of terms that are.
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
    Arc::new(Class::all(n, Tuning::default()).map(Result::unwrap).find(|class| class.white_evens == white).unwrap())
}

/// Fills the table of a term, and checks its largest entry, twenty random entries and those of [`LARGE_ENTRIES`].
fn check_entries(n: usize, [e, o]: [Subset; 2], isa: Isa) -> (SharedFamily, UnitCounter) {
    let class = class_of(n, e.count_ones() as usize);
    let (family, mut counter) = counter(&class, o, isa, Tuning::default());
    assert_eq!(family.filling, Side::White);
    let task = Task { family: &family, cancel: &CancelToken::new() };
    let UnitCounter { sides, tools, draft, .. } = &mut counter;
    let programs = family.programs(&only(e), draft, task.cancel).unwrap().unwrap().remove(0);
    sides.fill(tools, task, (&only(e)[0], &programs), &mut Work::default()).unwrap();
    let entries = entries(&counter, &family);
    let check = |&(f, g, entry): &(Subset, Subset, u32)| {
        let at = format!("n = {n}, E {e:x}, O {o:x}, {isa}, F {f:x}, G {g:x}");
        assert_eq!(u64::from(entry), restricted(n, join(e, o), join(f, g), 0), "{at}");
    };
    let mut random = SplitMix64::new(n as u64);
    (0..20).for_each(|_| check(&entries[random.below(entries.len())]));
    check(entries.iter().max_by_key(|(.., entry)| entry).unwrap());
    for (_, ([_, _, f, g], count)) in LARGE_ENTRIES.iter().filter(|(size, (sets, _))| *size == n && sets[..2] == [e, o])
    {
        let named = entries.iter().find(|entry| (entry.0, entry.1) == (*f, *g));
        assert_eq!(named.map(|&(.., entry)| u64::from(entry)), Some(*count), "n = {n}, E {e:x}, O {o:x}, {isa}");
    }
    (family, counter)
}

/// Terms of dense classes: entries of two bytes, and the sum with two instruction sets.
#[test]
#[ignore = "about two minutes: cargo test --release -- --ignored"]
fn terms_of_29_and_30_are_counted_right() {
    let available: Vec<Isa> = available().collect();
    for (n, [e, o]) in [(29, [0x700f, 0x300f]), (30, [0x700f, 0x788c])] {
        let sums = available.iter().rev().take(2).map(|&isa| {
            let (family, mut counter) = check_entries(n, [e, o], isa);
            assert_eq!(counter.sides.entry_bytes, 2);
            term(&mut counter, &family, e).unwrap()
        });
        let sums: Vec<u128> = sums.collect();
        assert!(sums[0] > 0 && sums.iter().all(|sum| *sum == sums[0]), "n = {n}: {sums:?}");
    }
}

/// A table with entries of three bytes. No term of a smaller board is known to need them.
#[test]
#[ignore = "long, and 3 GiB: cargo test --release -- --ignored"]
fn a_table_of_32_has_entries_of_three_bytes() {
    let (_, counter) = check_entries(32, [0xaaa5, 0x45b3], available().last().unwrap());
    assert_eq!(counter.sides.entry_bytes, 3);
}
