//! Every solver on small boards, one thread: nodes per second of counting, solutions per second of streaming. A wrong
//! count is a panic and never a time.
//!
//! `cargo bench` runs all of it in about a minute; `cargo bench -- bitmask` runs what has that in its name.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nqueens::Counter;
use nqueens::board::{Size, known};
use nqueens::solver::{Solver, registry};

/// The sizes that a solver counts in milliseconds at most.
fn sizes(solver: &dyn Solver) -> &'static [usize] {
    match solver.name() {
        "check" | "permutation" | "arrays" => &[8, 10],
        "mask" => &[8, 10, 12],
        _ => &[8, 10, 12, 14],
    }
}

fn counting(criterion: &mut Criterion) {
    for solver in registry::SOLVERS {
        let mut group = criterion.benchmark_group(solver.name());
        for &isa in solver.instruction_sets().iter().filter(|isa| isa.is_available()) {
            for &n in sizes(solver) {
                let published = known::solutions(Size::new(n).expect("a size")).expect("a published count");
                let counter = Counter::new(n).expect("a size");
                let counter =
                    counter.solver(solver.name()).expect("a registered solver").isa(isa).expect("an available set");
                let counter = counter.threads(1).expect("one thread");
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

fn streaming(criterion: &mut Criterion) {
    let size = Size::new(9).expect("a size");
    let published = known::solutions(size).expect("a published count");
    let mut group = criterion.benchmark_group("solutions");
    group.throughput(Throughput::Elements(published as u64));
    for solver in registry::SOLVERS {
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
    targets = counting, streaming
}
criterion_main!(benches);
