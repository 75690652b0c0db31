//! Benchmarks on one thread: counts of n = 16 and 18 by `color` and of n = 13 by `bitmask`, a unit each of n = 20, 22
//! and 24, a unit of each large class of n = 22, and a list of boards. A wrong count panics, so that it never yields a
//! time.
//!
//! After the build, `cargo bench` takes a minute and a half on a Xeon. `cargo bench -- class` runs the benchmarks whose
//! names contain `class`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use nqueens::board::{Size, known};
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::{CancelToken, Counter};

fn size(n: usize) -> Size {
    Size::new(n).expect("a size")
}

/// Times whole counts: `color` with each instruction set of this machine, and `bitmask`.
fn counts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count");
    let color = Isa::available().into_iter().flat_map(|isa| [16, 18].map(|n| ("color", isa, n)));
    for (solver, isa, n) in color.chain([("bitmask", Isa::Portable, 13)]) {
        let published = known::solutions(size(n));
        let counter = Counter::new(n).expect("a size").solver(solver).isa(isa).threads(1);
        group.bench_function(format!("{solver}/{}/n={n}", isa.name()), |bencher| {
            bencher.iter(|| assert_eq!(Some(black_box(&counter).run().expect("a count").solutions), published));
        });
    }
    group.finish();
}

/// Times the unit in the middle of a plan. Its programs are written beforehand, because a count writes them only once
/// for each family.
fn units(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("unit");
    let color = registry::find("color").expect("a registered solver");
    let cancel = CancelToken::new();
    for n in [20, 22, 24] {
        let plan = color.plan(size(n), registry::machine_isa(), &cancel).expect("a plan");
        let unit = plan.units() / 2;
        let mut worker = plan.worker();
        let first = worker.count(unit, &cancel).expect("a count");
        group.bench_function(format!("n={n}"), |bencher| {
            bencher.iter(|| assert_eq!(worker.count(black_box(unit), &cancel), Ok(first)));
        });
    }
    group.finish();
}

/// Times the costliest unit of each large class of n = 22. With AVX2, packing and sparse look-ups take most of the time
/// in class 3, and walks in class 5. With BITALG, no class of n = 22 is sparse. A profiler lists the kernels separately
/// because each is compiled to a function of its own: `perf record cargo bench -- class`.
fn classes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("class");
    let color = registry::find("color").expect("a registered solver");
    let cancel = CancelToken::new();
    let plan = color.plan(size(22), registry::machine_isa(), &cancel).expect("a plan");
    for class in 3..=5 {
        let units = (0..plan.units()).filter(|&unit| plan.audit().kind(unit) == class);
        let unit = units.max_by(|&a, &b| plan.cost(a).total_cmp(&plan.cost(b))).expect("a unit");
        let mut worker = plan.worker();
        let first = worker.count(unit, &cancel).expect("a count");
        group.bench_function(format!("n=22/{class}"), |bencher| {
            bencher.iter(|| assert_eq!(worker.count(black_box(unit), &cancel), Ok(first)));
        });
    }
    group.finish();
}

fn boards(criterion: &mut Criterion) {
    criterion.bench_function("solutions/n=9", |bencher| {
        bencher.iter(|| assert_eq!(nqueens::solutions(black_box(9)).expect("a size").map(black_box).count(), 352));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .sample_size(10);
    targets = counts, units, classes, boards
}
criterion_main!(benches);
