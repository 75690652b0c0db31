//! Compares units in lanes and sparse units that one worker counts in turn with the reference.

use super::*;
use crate::board::Size;
use crate::color::list::List;
use crate::color::pack::Layout;
use crate::color::plan::Unit;
use crate::color::{ColorPlan, OnPacks};
use crate::solver::Plan;
use crate::verify::Expected;

/// Returns for each unit whether its packs are sparse.
fn are_sparse(plan: &ColorPlan) -> Vec<bool> {
    let (cancel, OnPacks { isa, tuning }) = (CancelToken::new(), plan.method);
    let mut list = List::default();
    let is_sparse = |&Unit { family_number, o, .. }: &Unit| {
        let family = OpenFamily::new(&plan.units.families[family_number], isa, tuning).unwrap();
        list.rebuild(&family.class, &family.class.sides.summing, o, &cancel).unwrap();
        family.summing_layout(&list) == Layout::Sparse
    };
    plan.units.all.iter().map(is_sparse).collect()
}

/// Trap: a unit that uses lists, packs, slots or tables of the previous unit, which had the other layout. The measured
/// constants mix layouts only on boards for which the reference takes too long.
#[test]
fn units_of_both_layouts_count_correctly_in_turn_on_one_worker() {
    for (n, lanes_per_look_up) in [(11, 20), (11, 60), (12, 140)] {
        let size = Size::new(n).unwrap();
        let units = UnitTuning { rows_below: 2, longest_prefix: 3, ..UnitTuning::new(n) };
        let mut expected = None;
        for isa in Isa::available() {
            // Terms together, and bytes of batches.
            for (terms_together, bytes) in [(1, 0), (3, 2000), (64, 1 << 30)] {
                let tuning = PackTuning {
                    terms_together,
                    batch_bytes: Sides { filling: bytes, summing: bytes },
                    sparse_from: 0,
                    lanes_per_look_up,
                    ..PackTuning::new(n, isa)
                };
                let plan = ColorPlan::with_tuning(size, units, OnPacks { isa, tuning }, &CancelToken::new()).unwrap();
                let are_sparse = are_sparse(&plan);
                let is_mixed = |family| {
                    let of_family = &are_sparse[plan.units.of_family(family)];
                    [[true, false], [false, true]].iter().all(|turn| of_family.windows(2).any(|two| two == turn))
                };
                let families = plan.units.families.len();
                assert!((0..families).any(is_mixed), "n = {n}: no family has both layouts in both orders");
                let expected =
                    expected.get_or_insert_with(|| Expected::by_reference(&plan, &CancelToken::new()).unwrap());
                let wrong = expected.check((&plan as &dyn Plan).count().threads(1)).unwrap();
                assert_eq!(wrong, [], "n = {n}, {isa}, {tuning:?}");
            }
        }
    }
}
