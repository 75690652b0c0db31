//! Single terms of the densest classes of the largest boards, where entries need a second byte.

use super::*;
use crate::color::program::Draft;

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

/// The class of a size with `white` white even rows.
fn class_of(n: usize, white: usize) -> Arc<Class> {
    Arc::new(Class::all(n, UnitTuning::new(n)).find(|class| class.white_evens == white).unwrap())
}

/// Fills the table of a term, and checks its largest entry and twenty random ones.
fn check_entries(n: usize, [e, o]: [Subset; 2], isa: Isa) -> (SharedFamily, UnitCounter) {
    let class = class_of(n, e.count_ones() as usize);
    let in_one_piece = PackTuning { piece_bytes: usize::MAX, ..PackTuning::new(n, isa) };
    let (family, mut counter) = counter(&class, o, isa, in_one_piece);
    assert_eq!(family.class.filling(), Color::White);
    let task = Task { family: &family, is_last: false, cancel: &CancelToken::new() };
    let programs = family.programs(&only(e), &mut Draft::default(), task.cancel).unwrap();
    let blocks = 0..counter.filling.list.blocks();
    counter.fill(task, &only(e), &programs, blocks, &mut Work::default()).unwrap();
    let entries = entries(&counter, &family);
    let check = |&(f, g, entry): &(Subset, Subset, u32)| {
        let at = format!("n = {n}, E {e:x}, O {o:x}, {isa}, F {f:x}, G {g:x}");
        assert_eq!(u64::from(entry), restricted(n, join(n, e, o), join(n, f, g), 0), "{at}");
    };
    let mut random = SplitMix64::new(n as u64);
    (0..20).for_each(|_| check(&entries[random.below(entries.len())]));
    check(entries.iter().max_by_key(|(.., entry)| entry).unwrap());
    (family, counter)
}

/// Terms of dense classes: entries of two bytes, and the sum with two instruction sets.
#[test]
#[ignore = "about two minutes: cargo test --release -- --ignored"]
fn terms_of_29_and_30_are_counted_right() {
    let available: Vec<Isa> = available().collect();
    for (n, [e, o]) in [(29, [0x300f, 0x700f]), (30, [0x700f, 0x788c])] {
        let sums = available.iter().rev().take(2).map(|&isa| {
            let (family, mut counter) = check_entries(n, [e, o], isa);
            assert_eq!(counter.filled[0].entry_bytes, 2);
            term(&mut counter, &family, e).unwrap()
        });
        let sums: Vec<u128> = sums.collect();
        assert!(sums[0] > 0 && sums.iter().all(|sum| *sum == sums[0]), "n = {n}: {sums:?}");
    }
}
