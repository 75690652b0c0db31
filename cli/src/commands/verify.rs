//! `nqueens verify`: checks every solver on this machine, from the reference to the fastest code.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::verify::{Disagreement, Expected, consult_reference, representative_units};
use nqueens::{CancelToken, Progress};

use super::counting::{Code, CountingOptions, Fitted};
use super::options::size;
use crate::exit;
use crate::forecast::Forecast;
use crate::terminal::table::Table;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain};

/// Check every solver on this machine, unit of work by unit of work
///
/// A simple solver, which shares no code with the fast ones, lists all boards of a size. Their number must be the
/// published count. From these boards, 'verify' derives the count of every unit of work, and checks the units of every
/// solver with each of its instruction sets. If anything disagrees, the exit status is 3.
#[derive(Debug, clap::Args)]
#[command(mut_arg("isa", |isa| isa.help("Highest instruction set to check. Default: the highest of this machine")), after_help = "\
Examples:
  nqueens verify                 check everything up to n = 13, in a few seconds
  nqueens verify --large         also check large boards, in a few minutes
  nqueens verify --isa portable  check only the code that every machine can run")]
pub(crate) struct Args {
    /// Largest size to check
    #[arg(long, value_name = "N", default_value = "13", value_parser = size, allow_negative_numbers = true)]
    max: Size,
    /// Also check units for n up to 23, where every instruction set must agree with portable code
    #[arg(long, conflicts_with = "device")]
    large: bool,
    #[command(flatten)]
    counting: CountingOptions,
}

/// Sizes beyond the reach of the reference. At these sizes, the tables of the color split have several blocks and pairs
/// of blocks (18), two-byte entries (22) and several ranges (23). The costliest units take portable code minutes.
const LARGE: &[usize] = &[18, 20, 22, 23];

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open()?;
    let codes = counting.codes();
    let large = if args.large { LARGE } else { &[] };
    // The largest board needs the most memory.
    let largest = large.last().map_or(Ok(args.max), |&n| Size::new(n))?;
    let Fitted { threads, on } = counting.fit(&counting.counter(largest, None)?.threads(counting.most_threads()))?;
    streams.note(format_args!("checking {} for n = 0..={} {on}", in_words(&codes), args.max));
    let mut checks = Checks::new(&codes, threads);
    let ended = checks.run(args.max, large, streams);
    counting.note(streams);
    // After an interruption, the table shows the checks that were completed.
    let written = write!(streams.out, "{}", checks.table()).and_then(|()| streams.out.flush());
    exit::settle(checks.verdict(ended), written)
}

/// Returns the number of solvers in words, with the number of their codes if that is larger.
fn in_words(codes: &[Code<'_>]) -> String {
    let solvers = codes.chunk_by(|a, b| a.solver.name() == b.solver.name()).count();
    let variants = format!(" ({} by instruction set)", plural(codes.len(), "variant"));
    plural(solvers, "solver") + if codes.len() > solvers { &variants } else { "" }
}

/// The codes to check, and the results so far.
struct Checks<'a> {
    codes: &'a [Code<'a>],
    threads: usize,
    reference: Subtotal,
    /// The comparison of each code with the reference.
    small: Vec<Subtotal>,
    /// The comparison of each code that is not portable with portable code, on large boards.
    large: Vec<Subtotal>,
}

impl<'a> Checks<'a> {
    fn new(codes: &'a [Code<'a>], threads: usize) -> Self {
        let reference = Subtotal::new("reference".to_owned(), "board", 0);
        let small = codes.iter().map(|code| Subtotal::new(code.to_string(), "unit", 0)).collect();
        Self { codes, threads, reference, small, large: Vec::new() }
    }

    /// Returns the rows of the table.
    fn rows(&self) -> impl Iterator<Item = &Subtotal> {
        std::iter::once(&self.reference).chain(&self.small).chain(&self.large)
    }

    /// Compares each code with the reference up to a size, and with portable code on large boards.
    fn run(&mut self, max: Size, large: &[usize], streams: &Streams<'_>) -> anyhow::Result<()> {
        (0..=max.get()).try_for_each(|n| self.by_reference(Size::new(n)?, streams))?;
        self.by_portable_code(large, streams)
    }

    /// Returns how the checks `ended`, or an error that names the codes that disagree.
    fn verdict(&self, ended: anyhow::Result<()>) -> anyhow::Result<()> {
        let wrong: Vec<&str> = self.rows().filter(|row| row.disagreements > 0).map(|row| &*row.label).collect();
        if wrong.is_empty() {
            return ended;
        }
        Err(exit::Kind::Wrong.error(format!(
            "{} cannot be trusted on this machine: please report this with the output of 'nqueens info'",
            wrong.join(", ")
        )))
    }

    /// Checks the reference and every solver for a size.
    fn by_reference(&mut self, size: Size, streams: &Streams<'_>) -> anyhow::Result<()> {
        let plans = self.codes.iter().map(|code| code.plan(size));
        let plans: Vec<Box<dyn Plan>> = plans.collect::<Result<_, _>>()?;
        let borrowed: Vec<&dyn Plan> = plans.iter().map(|plan| &**plan).collect();
        let of_reference = TimeLeft::new(Forecast::new(registry::ARRAYS, size, Isa::Portable, 1).seconds(), 1);
        let consult = |cancel: &CancelToken, _: &Progress| consult_reference(size, &borrowed, cancel);
        let expected = self.reference.check(size, of_reference, streams, consult)?;
        self.reference.checked += expected.first().map_or(0, |expected| expected.total() as u64);
        for ((code, expected), row) in self.codes.iter().zip(&expected).zip(&mut self.small) {
            row.compare(code, size, expected, self.threads, streams)?;
        }
        Ok(())
    }

    /// Compares some units of large boards: every instruction set must agree with the portable code of its solver. Adds
    /// a row for each instruction set. The boards come in order of size, so that an interruption keeps the smaller
    /// ones.
    fn by_portable_code(&mut self, sizes: &[usize], streams: &Streams<'_>) -> anyhow::Result<()> {
        let &[first, ..] = sizes else { return Ok(()) };
        let threads = self.threads;
        let codes: Vec<&Code> = self.codes.iter().filter(|code| code.isa != Isa::Portable).collect();
        if codes.is_empty() {
            streams.note("only portable code is checked: --large has nothing to compare it with");
        }
        self.large = codes.iter().map(|code| Subtotal::new(code.to_string(), "unit", first)).collect();
        for &n in sizes {
            let size = Size::new(n)?;
            let mut rows = self.large.iter_mut();
            for of_solver in codes.chunk_by(|a, b| a.solver.name() == b.solver.name()) {
                let portable = Code::on_processor(of_solver[0].solver, Isa::Portable);
                let plan = portable.plan(size)?;
                let units = representative_units(&*plan)?;
                let task = Task::new(&format!("n = {size}, {portable}"), streams)?;
                let expected = task.run(time_left(&portable, size, &*plan, &units, threads), |cancel, progress| {
                    let count = plan.count().units(units.iter().copied()).threads(threads);
                    Expected::by_count(count.cancelled_by(cancel).progress(progress))
                })?;
                for (code, row) in of_solver.iter().zip(&mut rows) {
                    row.compare(code, size, &expected, threads, streams)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the table of results.
    fn table(&self) -> String {
        let head = ["solver", "sizes", "checked", "verdict", "seconds"].map(str::to_owned).to_vec();
        let row = |row: &Subtotal| {
            Some(vec![
                row.label.clone(),
                format!("{}..={}", row.first, row.last?),
                plural(row.checked, row.what),
                if row.disagreements == 0 { "agrees" } else { "DISAGREES" }.to_owned(),
                format!("{:.3}", row.seconds),
            ])
        };
        let rows: Vec<_> = [head].into_iter().chain(self.rows().filter_map(row)).collect();
        Table::text(&rows)
    }
}

/// Predicts the time for some units of a plan.
fn time_left(code: &Code<'_>, size: Size, plan: &dyn Plan, units: &[usize], threads: usize) -> TimeLeft {
    let whole = Forecast::new(code.solver, size, code.isa, threads).seconds();
    TimeLeft::of_units(plan, units, whole, threads)
}

/// The results of one code, or of the reference.
struct Subtotal {
    label: String,
    /// The noun for the things that are checked, such as `unit`.
    what: &'static str,
    /// The smallest size to check, and the largest size checked so far.
    first: usize,
    last: Option<Size>,
    checked: u64,
    disagreements: usize,
    seconds: f64,
}

impl Subtotal {
    fn new(label: String, what: &'static str, first: usize) -> Self {
        Self { label, what, first, last: None, checked: 0, disagreements: 0, seconds: 0.0 }
    }

    /// Compares units of a size with their expected counts.
    fn compare(
        &mut self,
        code: &Code<'_>,
        size: Size,
        expected: &Expected,
        threads: usize,
        streams: &Streams<'_>,
    ) -> anyhow::Result<()> {
        let (plan, units) = (code.plan(size)?, expected.units().collect::<Vec<_>>());
        let found = self.check(size, time_left(code, size, &*plan, &units, threads), streams, |cancel, progress| {
            expected.check(plan.count().threads(threads).cancelled_by(cancel).progress(progress))
        })?;
        self.checked += units.len() as u64;
        self.disagreements += found.len();
        // A wrong rule causes thousands of disagreements, of which the first is enough to show.
        if let Some(Disagreement { unit, counted, expected, .. }) = found.first() {
            let what = unit.map_or_else(|| "the sum of all units".to_owned(), |unit| format!("unit of work {unit}"));
            let all = plural(found.len(), "disagreement");
            complain(format_args!(
                "{}: {all}; the first: {what} is {counted} instead of {expected}",
                self.label_for(size)
            ));
        }
        Ok(())
    }

    /// Runs a check for a size, and notes how long it took.
    fn check<T>(
        &mut self,
        size: Size,
        time_left: TimeLeft,
        streams: &Streams<'_>,
        work: impl FnOnce(&CancelToken, &Progress) -> nqueens::Result<T>,
    ) -> anyhow::Result<T> {
        let start = Instant::now();
        let done = Task::new(&self.label_for(size), streams)?.run(time_left, work)?;
        self.last = Some(size);
        self.seconds += start.elapsed().as_secs_f64();
        Ok(done)
    }

    fn label_for(&self, size: Size) -> String {
        format!("n = {size}, {}", self.label)
    }
}

#[cfg(test)]
mod tests {
    use nqueens::solver::Solver;

    use super::*;
    use crate::tests::altered::Altered;

    /// A copy of the reference that loses one board in the last unit of n = 6.
    struct Forgetful;

    impl Solver for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }

        fn about(&self) -> &'static str {
            "is made for a test"
        }

        fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> nqueens::Result<Box<dyn Plan>> {
            let plan = registry::ARRAYS.plan(size, isa, cancel)?;
            Ok(Box::new(Altered::new(plan, move |worker, unit, cancel| {
                let mut tally = worker.count(unit, cancel)?;
                tally.solutions -= u128::from((size.get(), unit) == (6, 4));
                Ok(tally)
            })))
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
            0.0
        }
    }

    #[test]
    fn a_disagreement_ends_with_status_3_and_is_shown() {
        let mut out = Vec::new();
        let streams = Streams { out: &mut out, quiet: true };
        let solvers: [&dyn Solver; 2] = [registry::ARRAYS, &Forgetful];
        let codes = solvers.map(|solver| Code::on_processor(solver, Isa::Portable));
        let mut verify_up_to = |max| {
            let mut checks = Checks::new(&codes, 2);
            let ended = checks.run(Size::new(max).unwrap(), &[], &streams);
            write!(streams.out, "{}", checks.table()).unwrap();
            checks.verdict(ended)
        };
        verify_up_to(5).unwrap();
        let error = verify_up_to(7).unwrap_err();
        assert_eq!(exit::Kind::of(&error), exit::Kind::Wrong);
        assert!(error.to_string().starts_with("forgetful (portable) cannot be trusted"), "{error}");
        let table = String::from_utf8(out).unwrap();
        let row = |name: &str| table.lines().rfind(|line| line.starts_with(name)).unwrap();
        assert!(row("forgetful").contains("DISAGREES"), "{table}");
        assert!(row("arrays").contains("agrees") && row("reference").contains("agrees"), "{table}");
    }
}
