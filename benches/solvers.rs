//! Every solver on small boards, one thread: nodes per second of counting, solutions per second of streaming; and the
//! kernels for each instruction set by themselves, in nodes or words per second. A wrong count is a panic and never
//! a time.
//!
//! `cargo bench` runs all of it in three minutes and a half with its build; `cargo bench -- bitmask` runs what has that in
//! its name.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nqueens::board::{Size, known};
use nqueens::registry;
use nqueens::solver::Solver;
use nqueens::tally::Tally;
use nqueens::{CancelToken, Counter};

/// The sizes that a solver counts in milliseconds at most.
fn sizes(solver: &dyn Solver) -> &'static [usize] {
    match solver.name() {
        "naive" | "permutation" | "arrays" => &[8, 10],
        _ => &[8, 10, 12, 14],
    }
}

fn counting(criterion: &mut Criterion) {
    for &solver in registry::SOLVERS {
        let mut group = criterion.benchmark_group(solver.name());
        for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
            for &n in sizes(solver) {
                let published = known::solutions(Size::new(n).expect("a size")).expect("a published count");
                let counter = Counter::new(n).expect("a size").solver(solver.name()).isa(isa).threads(1);
                let first = counter.run().expect("a count");
                assert_eq!(first.solutions, published, "{} ({}) at n = {n}", solver.name(), isa.name());
                group.throughput(Throughput::Elements(first.work.nodes));
                group.bench_function(format!("count/n={n}/{}", isa.name()), |bencher| {
                    bencher.iter(|| {
                        let outcome = black_box(&counter).run().expect("a count");
                        assert_eq!(outcome.solutions, published);
                        outcome
                    });
                });
            }
        }
        group.finish();
    }
}

/// The kernels by themselves, without planning and threads: a fresh worker counts all units, so that it writes each program
/// once, as in a count. A group for each solver that has code for several instruction sets, and for `bitmask`.
fn kernels(criterion: &mut Criterion) {
    for (name, n) in [("bitmask", 14), ("color", 16)] {
        let solver = registry::find(name).expect("a registered solver");
        let size = Size::new(n).expect("a size");
        for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
            let cancel = CancelToken::new();
            let plan = solver.plan(size, isa, &cancel).expect("a plan");
            let count = || {
                let (mut worker, mut sum) = (plan.worker(), Tally::default());
                for unit in 0..plan.units() {
                    sum.add(worker.count(black_box(unit), &cancel).expect("a count")).expect("a sum");
                }
                sum
            };
            let first = count();
            let published = known::solutions(size).expect("a published count");
            assert_eq!(first.solutions, published, "{name} ({})", isa.name());
            let mut group = criterion.benchmark_group(format!("{name}/{}", isa.name()));
            let elements = if first.work.words > 0 { first.work.words } else { first.work.nodes };
            group.throughput(Throughput::Elements(elements));
            group.bench_function(format!("units/n={n}"), |bencher| bencher.iter(|| assert_eq!(count(), first)));
            group.finish();
        }
    }
}

fn streaming(criterion: &mut Criterion) {
    let size = Size::new(9).expect("a size");
    let published = known::solutions(size).expect("a published count");
    let mut group = criterion.benchmark_group("solutions");
    group.throughput(Throughput::Elements(published as u64));
    for &solver in registry::SOLVERS {
        if solver.solutions(size).is_none() {
            continue;
        }
        group.bench_function(format!("n={size}/{}", solver.name()), |bencher| {
            bencher.iter(|| {
                let streamed = solver.solutions(size).into_iter().flatten().map(black_box).count();
                assert_eq!(streamed as u128, published);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .sample_size(30);
    targets = counting, kernels, streaming
}
criterion_main!(benches);
