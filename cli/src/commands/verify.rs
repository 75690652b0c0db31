//! `nqueens verify`: checks every solver on this machine, from the reference to the fastest code.

use std::time::Instant;

use anyhow::bail;
use nqueens::board::Size;
use nqueens::engine::Count;
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::verify::{Disagreement, Expected, consult_reference, representative_units};
use nqueens::{CancelToken, Progress};

use super::counting::{Code, CountingOptions, Fitted};
use super::options::parse_size;
use crate::exit;
use crate::forecast::{Forecast, YEAR_SECONDS};
use crate::terminal::table::Table;
use crate::terminal::task::Task;
use crate::terminal::time_left::TimeLeft;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, signals};

/// Check every solver on this machine, unit of work by unit of work
///
/// A simple solver, which shares no counting code with the fast ones, lists all boards of a size. Their number must be
/// the published count. From these boards, 'verify' derives the count of every unit of work, and checks the units of
/// every solver with each of its instruction sets. If anything disagrees, the exit status is 3.
#[derive(Debug, clap::Args)]
#[command(mut_arg("isa", |isa| isa.help("Highest instruction set to check. Default: the highest of this machine")), after_help = "\
Examples:
  nqueens verify                 check everything up to n = 13, in a few seconds
  nqueens verify --large         also check large boards, in a few minutes
  nqueens verify --isa portable  check only the code that every machine can run")]
pub(crate) struct Args {
    /// Largest size to check
    #[arg(long, value_name = "N", default_value = "13", value_parser = parse_size, allow_negative_numbers = true)]
    max: Size,
    /// Also check some units of n = 18, 20, 22 and 23, where every instruction set must agree with portable code
    #[arg(long, conflicts_with = "device")]
    large: bool,
    #[command(flatten)]
    counting: CountingOptions,
}

/// Sizes beyond the reach of the reference. At these sizes, the tables of the color split have several blocks and pairs
/// of blocks (18), two-byte entries (22) and several ranges (23). The costliest units take portable code minutes.
const LARGE: &[usize] = &[18, 20, 22, 23];

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let counting = args.counting.open(None)?;
    let codes = counting.codes();
    let has_others = codes.iter().any(|code| code.isa != Isa::Portable);
    let large = if args.large && has_others { LARGE } else { &[] };
    let forecast = forecast_of_reference(args.max);
    if forecast.seconds() > YEAR_SECONDS {
        let time = forecast.range();
        bail!("--max {} takes {time} here: give a smaller size", args.max);
    }
    // The largest board needs the most memory.
    let largest = Size::new(large.iter().copied().fold(args.max.get(), usize::max))?;
    let Fitted { threads, hardware } = counting.fit(counting.code_for(largest)?, largest)?;
    // A signal after the first note must be reported, even if no task has begun yet.
    signals::catch()?;
    let also = if large.is_empty() { "" } else { ", and some units of n = 18, 20, 22 and 23," };
    streams.note(format_args!("checking {} for n = 0..={}{also} {hardware}", in_words(&codes), args.max));
    if args.large && !has_others {
        streams.note("only portable code is checked: --large has nothing to compare it with");
    }
    let mut checks = Checks::new(&codes, threads);
    let ended = checks.run(args.max, large, streams);
    counting.note_given_back(streams);
    // After an interruption, the table shows the checks that were completed.
    let written = write!(streams.out, "{}", checks.table()).and_then(|()| streams.out.flush());
    exit::settle(checks.verdict(ended), written)
}

/// Returns the forecast of the reference, which lists boards with the search of `arrays`.
fn forecast_of_reference(size: Size) -> Forecast {
    Forecast::new(registry::ARRAYS, size, Isa::Portable, 1)
}

/// Returns the number of solvers in words, with the number of their codes if that is larger.
fn in_words(codes: &[Code<'_>]) -> String {
    let solvers = codes.chunk_by(|a, b| a.solver.name() == b.solver.name()).count();
    let variants = format!(" ({} by instruction set)", plural(codes.len(), "variant"));
    plural(solvers, "solver") + if codes.len() > solvers { &variants } else { "" }
}

/// The codes to check, and the results so far.
struct Checks<'a> {
    threads: usize,
    codes: Vec<Code<'a>>,
    /// The reference and the codes, in the order in which their first checks ended.
    rows: Vec<Row>,
    /// The codes that disagree, each once.
    wrong: Vec<String>,
}

impl<'a> Checks<'a> {
    fn new(codes: &[Code<'a>], threads: usize) -> Self {
        Self { threads, codes: codes.to_vec(), rows: Vec::new(), wrong: Vec::new() }
    }

    /// Compares each code with the reference up to a size, and with portable code on large boards.
    fn run(&mut self, max: Size, large: &[usize], streams: &Streams<'_>) -> anyhow::Result<()> {
        (0..=max.get()).try_for_each(|n| self.by_reference(Size::new(n)?, streams))?;
        // In order of size, so that an interruption keeps the smaller boards.
        large.iter().try_for_each(|&n| self.by_portable_code(Size::new(n)?, streams))
    }

    /// Checks the reference and every code for a size.
    fn by_reference(&mut self, size: Size, streams: &Streams<'_>) -> anyhow::Result<()> {
        let planned = self.codes.iter().map(|&code| Planned::new(code, size, self.threads));
        let planned: Vec<Planned<'_>> = planned.collect::<Result<_, _>>()?;
        let plans: Vec<&dyn Plan> = planned.iter().map(|planned| &*planned.plan).collect();
        let time_left = TimeLeft::new(forecast_of_reference(size).known_seconds(), 1);
        let start = Instant::now();
        let task = Task::new(&format!("n = {size}, reference"), streams)?;
        let expected = task.run(time_left, |cancel, progress| consult_reference(&plans, cancel, progress))?;
        let row = self.row("reference".to_owned(), "board");
        row.add(size, expected.first().map_or(0, |expected| expected.total() as u64), start);
        planned.iter().zip(&expected).try_for_each(|(planned, expected)| self.compare(planned, expected, "", streams))
    }

    /// Compares some units of a large board: every instruction set must agree with the portable code of its solver.
    fn by_portable_code(&mut self, size: Size, streams: &Streams<'_>) -> anyhow::Result<()> {
        let codes = self.codes.clone();
        for of_solver in codes.chunk_by(|a, b| a.solver.name() == b.solver.name()) {
            let mut others = of_solver.iter().filter(|code| code.isa != Isa::Portable).peekable();
            if others.peek().is_none() {
                continue;
            }
            let portable = Planned::new(Code::on_processor(of_solver[0].solver, Isa::Portable), size, self.threads)?;
            let expected = portable.count_units(streams)?;
            for &code in others {
                let planned = Planned::new(code, size, self.threads)?;
                self.compare(&planned, &expected, " against portable", streams)?;
            }
        }
        Ok(())
    }

    /// Compares units with their expected counts. The row of the code has the name of the code, followed by `against`.
    fn compare(
        &mut self,
        of: &Planned<'_>,
        expected: &Expected,
        against: &str,
        streams: &Streams<'_>,
    ) -> anyhow::Result<()> {
        let units: Vec<usize> = expected.units().collect();
        let start = Instant::now();
        let task = Task::new(&of.label(), streams)?;
        let found = task.run(of.time_left(&units), |cancel, progress| expected.check(of.builder(cancel, progress)))?;
        let code = of.code.to_string();
        let row = self.row(format!("{code}{against}"), "unit");
        row.add(of.size, units.len() as u64, start);
        // A wrong rule causes thousands of disagreements, of which the first is enough to show.
        if let Some(Disagreement { unit, counted, expected, .. }) = found.first() {
            row.disagrees = true;
            let what = unit.map_or_else(|| "the sum of all units".to_owned(), |unit| format!("unit of work {unit}"));
            let all = plural(found.len(), "disagreement");
            let label = of.label();
            complain(format_args!("{label}: {all}; the first: {what} is {counted} instead of {expected}"));
            if !self.wrong.contains(&code) {
                self.wrong.push(code);
            }
        }
        Ok(())
    }

    /// Returns the row with this label, which is a new one before its first check. `what` is the noun for the things
    /// that are checked.
    fn row(&mut self, label: String, what: &'static str) -> &mut Row {
        let at = self.rows.iter().position(|row| row.label == label).unwrap_or_else(|| {
            self.rows.push(Row { label, what, sizes: Vec::new(), checked: 0, disagrees: false, seconds: 0.0 });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// Returns how the checks `ended`, or an error that names the codes that disagree.
    fn verdict(&self, ended: anyhow::Result<()>) -> anyhow::Result<()> {
        let ended = exit::with_remains(ended, "the table shows the checks that were completed");
        if self.wrong.is_empty() {
            return ended;
        }
        let wrong = exit::Kind::Wrong.error(format!(
            "{} cannot be trusted on this machine: please report this with the output of 'nqueens info'",
            self.wrong.join(", ")
        ));
        exit::settle(Err(wrong), ended)
    }

    /// Returns the table of results.
    fn table(&self) -> String {
        let head = ["solver", "sizes", "checked", "verdict", "seconds"].map(str::to_owned).to_vec();
        let rows: Vec<_> = std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect();
        Table::text(&rows)
    }
}

/// A code with its plan for a size.
struct Planned<'a> {
    code: Code<'a>,
    size: Size,
    threads: usize,
    plan: Box<dyn Plan>,
}

impl<'a> Planned<'a> {
    fn new(code: Code<'a>, size: Size, threads: usize) -> nqueens::Result<Self> {
        Ok(Self { code, size, threads, plan: code.plan(size)? })
    }

    /// Returns the builder of a count of units by this code.
    fn builder(&self, cancel: &CancelToken, progress: &Progress) -> Count<'_> {
        self.plan.count().threads(self.threads).cancelled_by(cancel).progress(progress)
    }

    /// Returns the label of the work of this code.
    fn label(&self) -> String {
        format!("n = {}, {}", self.size, self.code)
    }

    /// Counts some units, with which other code is compared.
    fn count_units(&self, streams: &Streams<'_>) -> anyhow::Result<Expected> {
        let units = representative_units(&*self.plan)?;
        let task = Task::new(&self.label(), streams)?;
        task.run(self.time_left(&units), |cancel, progress| {
            Expected::by_count(self.builder(cancel, progress).units(units.iter().copied()))
        })
    }

    /// Predicts the time for some units.
    fn time_left(&self, units: &[usize]) -> TimeLeft {
        let whole = self.code.forecast(self.size, self.threads).known_seconds();
        TimeLeft::of_units(&*self.plan, units, whole, self.threads)
    }
}

/// The result of the checks of one code or of the reference, a row of the table.
struct Row {
    label: String,
    /// The noun for the things that are checked, such as `unit`.
    what: &'static str,
    /// The sizes checked so far, in ascending order.
    sizes: Vec<Size>,
    checked: u64,
    disagrees: bool,
    seconds: f64,
}

impl Row {
    /// Adds a check of this many things that began at `start`.
    fn add(&mut self, size: Size, checked: u64, start: Instant) {
        self.sizes.push(size);
        self.checked += checked;
        self.seconds += start.elapsed().as_secs_f64();
    }

    fn cells(&self) -> Vec<String> {
        let (smallest, largest) = (self.sizes[0], self.sizes[self.sizes.len() - 1]);
        let has_gaps = largest.get() - smallest.get() >= self.sizes.len();
        let listed = || self.sizes.iter().map(Size::to_string).collect::<Vec<_>>().join(", ");
        vec![
            self.label.clone(),
            if has_gaps { listed() } else { format!("{smallest}..={largest}") },
            plural(self.checked, self.what),
            if self.disagrees { "DISAGREES" } else { "agrees" }.to_owned(),
            format!("{:.3}", self.seconds),
        ]
    }
}

#[cfg(test)]
mod tests {
    use nqueens::solver::Solver;

    use super::*;
    use crate::altered::Altered;

    /// A copy of the reference that loses one board in the last unit of n = 6.
    struct Forgetful;

    impl Solver for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }

        fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> nqueens::Result<Box<dyn Plan>> {
            let plan = registry::ARRAYS.plan(size, isa, cancel)?;
            Ok(Box::new(Altered::new(plan, move |worker, unit, cancel| {
                let mut tally = worker.count(unit, cancel)?;
                tally.solutions -= u128::from((size.get(), unit) == (6, 4));
                Ok(tally)
            })))
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> Option<f64> {
            Some(0.0)
        }
    }

    /// A copy of `color` whose vector code counts a solution too many in each unit.
    struct WrongVectors;

    impl Solver for WrongVectors {
        fn name(&self) -> &'static str {
            "wrong"
        }

        fn instruction_sets(&self) -> &'static [Isa] {
            Isa::ALL
        }

        fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> nqueens::Result<Box<dyn Plan>> {
            let plan = registry::COLOR.plan(size, isa, cancel)?;
            Ok(Box::new(Altered::new(plan, move |worker, unit, cancel| {
                let mut tally = worker.count(unit, cancel)?;
                tally.solutions += u128::from(isa != Isa::Portable);
                Ok(tally)
            })))
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> Option<f64> {
            Some(0.0)
        }
    }

    #[test]
    fn vector_code_that_disagrees_with_portable_code_is_wrong() {
        let isa = registry::machine_isa();
        if isa == Isa::Portable {
            return;
        }
        let mut out = Vec::new();
        let streams = Streams { out: &mut out, quiet: true };
        for (solver, is_wrong) in [(registry::COLOR, false), (&WrongVectors as &dyn Solver, true)] {
            let codes = [Isa::Portable, isa].map(|isa| Code::on_processor(solver, isa));
            let mut checks = Checks::new(&codes, 2);
            checks.by_portable_code(Size::new(14).unwrap(), &streams).unwrap();
            let [row] = &checks.rows[..] else { panic!("portable code is compared with itself") };
            assert!(row.label.ends_with(" against portable") && row.disagrees == is_wrong, "{}", row.label);
            let verdict = checks.verdict(Ok(()));
            assert_eq!(verdict.err().map(|error| exit::Kind::of(&error)), is_wrong.then_some(exit::Kind::Wrong));
        }
    }

    #[test]
    fn a_row_shows_only_sizes_that_were_checked() {
        for (sizes, shown) in [(&[0, 1, 2][..], "0..=2"), (&[18], "18..=18"), (LARGE, "18, 20, 22, 23")] {
            let mut checks = Checks::new(&[], 1);
            assert_eq!(checks.table().lines().count(), 1);
            let row = checks.row("color (avx2)".to_owned(), "unit");
            row.sizes = sizes.iter().map(|&n| Size::new(n).unwrap()).collect();
            assert_eq!(row.cells()[1], shown);
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
