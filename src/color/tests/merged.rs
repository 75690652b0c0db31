//! Merged packs against the fast code, unit by unit.

use crate::CancelToken;
use crate::board::{Size, known};
use crate::color::COLOR;
use crate::solver::{Isa, Solver};

#[test]
fn merged_packs_count_every_unit_as_the_fast_code_does() {
    let cancel = CancelToken::new();
    for n in 0..=14 {
        let size = Size::new(n).unwrap();
        let fast = COLOR.plan(size, Isa::Portable, &cancel).unwrap();
        let merged = fast.plain().unwrap();
        assert_eq!(merged.fingerprint(), fast.fingerprint());
        let (mut by_fast, mut by_merged) = (fast.worker(), merged.worker());
        let mut sum = 0;
        for unit in 0..fast.units() {
            let [fast, merged] = [&mut by_fast, &mut by_merged].map(|by| by.count(unit, &cancel).unwrap().solutions);
            assert_eq!(merged, fast, "n = {n}, unit {unit}");
            sum += merged;
        }
        assert_eq!(Some(sum), known::solutions(size), "n = {n}");
    }
}
