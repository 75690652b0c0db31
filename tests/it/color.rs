//! Totals of the color split past the sizes that every solver is held to; `--ignored` runs the slow ones.

use nqueens::board::{Size, known};
use nqueens::solver::Isa;
use nqueens::{Counter, Outcome};

fn count(n: usize, isa: Isa, threads: usize) -> Outcome {
    let counter = Counter::new(n).unwrap().solver("color").unwrap().isa(isa).unwrap().threads(threads).unwrap();
    let outcome = counter.run().unwrap();
    let published = known::solutions(Size::new(n).unwrap()).unwrap();
    assert_eq!(outcome.solutions, published, "n = {n} with {} on {threads} threads", isa.name());
    outcome
}

#[test]
fn totals_up_to_17_are_published_with_every_instruction_set_and_the_work_is_always_the_same() {
    for n in 13..=17 {
        let works = Isa::available().into_iter().flat_map(|isa| [1, 2, 7].map(|threads| count(n, isa, threads).work));
        let works: Vec<_> = works.collect();
        assert!(works.windows(2).all(|pair| pair[0] == pair[1]), "n = {n}: {works:?}");
        assert!(works[0].nodes > 0 && works[0].lane_words > 0 && works[0].keys_packed > 0);
    }
}

#[test]
#[ignore = "about five minutes: cargo test --release -- --ignored"]
fn totals_from_18_to_22_are_published() {
    let isa = *Isa::available().last().unwrap();
    for n in 18..=22 {
        count(n, isa, 2);
    }
}
