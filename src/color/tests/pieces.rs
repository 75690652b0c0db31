//! Compares terms that are counted in pieces with the same terms in one piece. The measured constants cut lists into
//! pieces from n = 26 on, which is too large for tests. A piece has at least two blocks, and lists have more from
//! n = 20 on.

use super::terms::terms;
use super::*;
use crate::simd::WORD_BYTES;

/// Counts terms with each instruction set, in pieces of each of these numbers of blocks, and compares the counts with
/// the count in one piece. Returns for each table that was filled together with others whether it is wide.
fn check(terms: &Terms, piece_blocks: &[usize]) -> Vec<bool> {
    let (n, o, cancel) = (terms.class.geometry.n, terms.o, CancelToken::new());
    let (family, mut counter) = terms.counter(Isa::Portable, PackTuning::new(n, Isa::Portable));
    let expected = counter.count(task(&family, &cancel), o, &terms.terms).unwrap().solutions;
    assert!(expected > 0, "terms without a solution prove little");
    for isa in Isa::available() {
        let in_lanes = PackTuning { sparse_from: 99, lanes_per_look_up: 0, ..PackTuning::new(n, isa) };
        // From n = 26 on, a piece has several batches on both sides.
        let of_one_pack = PackTuning { batch_bytes: Sides { filling: 0, summing: 0 }, ..in_lanes };
        let tunings = [in_lanes, PackTuning { sparse_from: 0, ..in_lanes }, of_one_pack];
        for (&piece_blocks, tuning) in piece_blocks.iter().flat_map(|blocks| tunings.map(|tuning| (blocks, tuning))) {
            let (mut family, in_pieces) = terms.counter(isa, tuning);
            family.tuning.piece_bytes = piece_blocks * family.walk_sets.filling.table_rows * WORD_BYTES;
            counter = in_pieces;
            let counted = counter.count(task(&family, &cancel), o, &terms.terms).unwrap().solutions;
            let Sides { filling, summing } = &family.walk_sets;
            let blocks = [&counter.filling, &counter.summing].map(|side| side.list.blocks());
            assert_eq!(family.piece_blocks(filling.table_rows, blocks[0]), piece_blocks);
            assert!(piece_blocks < blocks[0] && family.piece_blocks(summing.table_rows, blocks[1]) < blocks[1]);
            assert_eq!(counted, expected, "n = {n}, O {o:x}, {isa}, pieces of {piece_blocks} blocks, {tuning:?}");
        }
    }
    counter.filled.iter().map(|filled| filled.is_wide).collect()
}

#[test]
fn terms_count_the_same_in_pieces_as_in_one_piece() {
    // Whole units, in pieces of two blocks and of one.
    check(&terms(20, 0x35, 0x18a, usize::MAX), &[2]);
    check(&terms(20, 0x7c, 0xf1, usize::MAX), &[2]);
    // Pieces of four blocks and of three.
    check(&terms(22, 0x18b, 0x2e2, 3), &[2, 4]);
    // Of two tables that are filled together, only the first needs two bytes.
    assert_eq!(check(&terms(23, 0x689, 0x68b, 2), &[2]), [true, false]);
}

/// Trap: the store still has the packs of the first piece when the next unit asks for its own first piece.
#[test]
fn a_worker_that_was_stopped_between_pieces_counts_the_next_unit_correctly() {
    let [stopped, next] = [0xf1, 0x14b].map(|o| terms(20, 0x7c, o, 2));
    for (isa, sparse_from) in Isa::available().into_iter().flat_map(|isa| [(isa, 99), (isa, 0)]) {
        let tuning = PackTuning { piece_bytes: 0, sparse_from, lanes_per_look_up: 0, ..PackTuning::new(20, isa) };
        let [of_stopped, of_next] = [&stopped, &next].map(|terms| terms.counter(isa, tuning).0);
        let count = |counter: &mut UnitCounter, family, cancel: &CancelToken, Terms { o, terms, .. }: &Terms| {
            counter.count(task(family, cancel), *o, terms)
        };
        let whole = count(&mut UnitCounter::default(), &of_next, &CancelToken::new(), &next).unwrap();
        let (mut asks, mut stops) = (0, 0);
        loop {
            let (mut counter, cancel) = (UnitCounter::default(), CancelToken::after(asks));
            let is_stopped = count(&mut counter, &of_stopped, &cancel, &stopped).is_err();
            let counted = count(&mut counter, &of_next, &CancelToken::new(), &next);
            assert_eq!(counted, Ok(whole), "{isa}, sparse from {sparse_from}, {asks} asks");
            if !is_stopped {
                break;
            }
            (asks, stops) = (asks + 1 + asks / 8, stops + 1);
        }
        assert!(stops > 0);
    }
}
