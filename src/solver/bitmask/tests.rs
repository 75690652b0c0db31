//! Tests of the plan and its units.

use super::*;
use crate::board::Symmetry;
use crate::solver::registry;
use crate::solver::simd::tests::available;

/// FNV-1a, in 64 bits.
fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Queens, weight and cost of every unit, in the order of their numbers.
fn fingerprint(plan: &Starts) -> u64 {
    fnv(plan.units.iter().flat_map(|Unit { start, cost }| {
        let queens = start.queens().iter().flat_map(|&(row, column)| [row, column]);
        let queens = std::iter::once(start.queens().len() as u8).chain(queens);
        queens.chain([start.weight]).chain(cost.to_le_bytes()).collect::<Vec<u8>>()
    }))
}

/// Unit 17 is one unit on all machines, and in all versions until a commit changes the fingerprints.
#[test]
fn the_units_of_every_size_are_these_with_every_instruction_set() {
    const EXPECTED: [(u32, usize, u64); 21] = [
        (8, 41, 0xb756_e6c3_7aa3_9451),
        (9, 124, 0x209c_6c3f_2946_cb7f),
        (10, 152, 0x2b7d_f692_336d_6013),
        (11, 425, 0x3721_ace0_515c_aa4b),
        (12, 439, 0x34aa_b3e8_5614_50e4),
        (13, 1173, 0x4f60_2c70_6c0d_5c24),
        (14, 1046, 0xdf1a_50cd_8589_a264),
        (15, 2677, 0xa2bf_f1d8_1df2_7539),
        (16, 2165, 0xebdf_3b02_7f30_30ec),
        (17, 5349, 0xecab_cf89_154f_9d6e),
        (18, 4036, 0xf44f_d304_14dc_61da),
        (19, 9701, 0x2b90_035f_c522_0daa),
        (20, 6947, 0x1ff1_1481_f46e_24e7),
        (21, 16339, 0xea9d_4901_3a80_5a4f),
        (22, 11234, 0xd8fe_3325_e49c_e5e5),
        (23, 25965, 0x460f_7e5a_5d32_28c8),
        (24, 17281, 0x5859_62e3_df91_5119),
        (25, 39377, 0x656f_8caf_a1c4_ee61),
        (26, 25520, 0xb16f_fd05_cb73_ac5f),
        (27, 57469, 0x2465_957d_0814_723f),
        (28, 36431, 0x6a2d_c8e3_8e17_cea3),
    ];
    for (n, units, expected) in EXPECTED.into_iter().filter(|&(n, ..)| n <= 28) {
        for &isa in Isa::ALL {
            let plan = Starts::new(n, isa).unwrap();
            assert_eq!((plan.units.len(), fingerprint(&plan)), (units, expected), "n = {n}, {}", isa.name());
        }
    }
}

/// The last units are the cheapest, so that all threads are busy to the end. Below n = 4 there is one unit.
#[test]
fn the_cheapest_units_come_last_and_equal_ones_in_the_order_of_their_queens() {
    for n in 0..=32 {
        let plan = Starts::new(n, Isa::Portable).unwrap();
        assert!(plan.units.iter().all(|unit| (1..u128::MAX).contains(&unit.cost)), "n = {n}");
        for pair in plan.units.windows(2) {
            let [a, b] = pair else { unreachable!("a window of two") };
            let is_ordered = a.cost > b.cost || a.cost == b.cost && a.start.queens() < b.start.queens();
            assert!(is_ordered, "n = {n}: {:?} before {:?}", a.start.queens(), b.start.queens());
        }
    }
}

/// The largest boards for 32-bit integers: their diagonals use the highest bit.
#[test]
fn integers_of_32_bits_count_what_those_of_64_do() {
    for n in 14..=16 {
        for isa in available() {
            let plan = Starts::new(n, isa).unwrap();
            let (mut narrow, mut wide) = (plan.searcher::<u32>(), plan.searcher::<u64>());
            for unit in (0..plan.units()).step_by(29) {
                let [narrow, wide] = [&mut narrow, &mut wide].map(|w| w.count(unit, &CancelToken::new()).unwrap());
                assert_eq!(
                    (narrow.solutions, narrow.work.nodes),
                    (wide.solutions, wide.work.nodes),
                    "{n}, unit {unit}"
                );
            }
        }
    }
}

/// The weights of a board's eight images add up to eight boards.
#[test]
fn the_images_of_a_board_weigh_as_many_as_they_are() {
    for n in 4..=11 {
        let size = Size::new(n).unwrap();
        for board in registry::reference().solutions(size).unwrap() {
            let weights = Symmetry::ALL
                .map(|symmetry| board.image(symmetry))
                .map(|image| middle::locate(image.columns()).map_or(0, |(_, weight)| weight));
            assert_eq!(weights.iter().sum::<u64>(), 8 * middle::DIVISOR, "n = {n}, {board:?}");
        }
    }
}

/// Work is constant within a version. A worse order of lines would still count right, so only this test would fail.
#[test]
fn the_queens_placed_are_these_with_every_instruction_set() {
    const EXPECTED: [(u32, u64); 13] = [
        (4, 4),
        (5, 10),
        (6, 36),
        (7, 158),
        (8, 353),
        (9, 1048),
        (10, 3740),
        (11, 12_209),
        (12, 78_112),
        (13, 325_608),
        (14, 2_344_618),
        (15, 11_747_100),
        (16, 91_138_828),
    ];
    for (n, expected) in EXPECTED.into_iter().filter(|&(n, _)| n <= 16) {
        for isa in available() {
            if n == 16 && isa == Isa::Portable {
                // Slow, and n = 14 and 15 test the portable code. n = 16 is here because its boards are opened.
                continue;
            }
            let plan = Starts::new(n, isa).unwrap();
            let mut worker = plan.worker();
            let nodes = |unit| worker.count(unit, &CancelToken::new()).unwrap().work.nodes;
            assert_eq!((0..plan.units()).map(nodes).sum::<u64>(), expected, "n = {n}, {}", isa.name());
        }
    }
}
