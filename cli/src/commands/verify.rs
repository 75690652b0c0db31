//! `nqueens verify`: the trust chain, on the user's machine.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::verify::{Disagreement, Expected, consult_reference, representative_units};
use nqueens::{CancelToken, Progress};
use serde_json::{Value, json};

use super::options::ResourceOptions;
use crate::exit;
use crate::forecast::CountForecast;
use crate::terminal::table::Table;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain, settle};

/// Checks every solver on this machine, unit of work by unit of work
///
/// A simple solver, which shares no code with the fast solvers, lists all boards. Their number must be the published
/// one. From these boards it works out the count of every unit of work. It compares every solver and every instruction
/// set with these counts. The exit status is 3 if anything disagrees.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens verify                 checks everything up to n = 13, in some seconds
  nqueens verify --large         also checks large boards, in some minutes
  nqueens verify --isa portable  checks only code that every machine can run")]
pub(crate) struct Args {
    /// Largest size to check
    #[arg(long, value_name = "N", default_value = "13", allow_negative_numbers = true)]
    max: Size,
    /// Adds units for n up to 23, where every instruction set must agree with portable code
    #[arg(long, conflicts_with = "device")]
    large: bool,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Boards that are too large for the reference. On them the color split's tables have several blocks and pairs of them
/// (18), entries of two bytes (22) and several ranges (23). The portable code takes minutes for their costliest units.
const LARGE: &[usize] = &[18, 20, 22, 23];

/// A solver with one instruction set, which is checked.
struct Subject<'a> {
    solver: &'a dyn Solver,
    isa: Isa,
    label: String,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let resources = args.resources.open()?;
    let only = resources.only_isa();
    let all = resources.solvers();
    let subjects = subjects(&all, only, |isa| resources.code(isa));
    let solvers = plural(subjects.len(), "solver");
    streams.note(format_args!("checking {solvers} for n = 0..={} {}", args.max, resources.in_words()));
    let large = if args.large { LARGE } else { &[] };
    let verdict = verify(&subjects, resources.number_of_threads(), args.max, large, args.json, streams);
    resources.note(streams);
    verdict
}

/// The solvers with each instruction set that this machine has, or with one only. `code` names the code in brackets.
fn subjects<'a>(solvers: &[&'a dyn Solver], only: Option<Isa>, code: impl Fn(Isa) -> &'static str) -> Vec<Subject<'a>> {
    let pairs = solvers.iter().flat_map(|&solver| solver.instruction_sets().iter().map(move |&isa| (solver, isa)));
    pairs
        .filter(|(_, isa)| isa.is_available() && only.is_none_or(|only| only == *isa))
        .map(|(solver, isa)| Subject::new(solver, isa, code(isa)))
        .collect()
}

/// Compares these solvers with the reference up to a size, and with portable code on large boards.
fn verify(
    subjects: &[Subject<'_>],
    threads: usize,
    max: Size,
    large: &[usize],
    is_json: bool,
    streams: &mut Streams<'_>,
) -> anyhow::Result<()> {
    let mut checks = Checks { subjects, threads, rows: vec![Subtotal::new("reference", "boards", 0)] };
    checks.rows.extend(subjects.iter().map(|subject| Subtotal::new(&subject.label, "units", 0)));
    let result = (0..=max.get()).try_for_each(|n| checks.by_reference(Size::new(n)?, streams));
    let result = result.and_then(|()| checks.by_portable_code(large, streams));
    // After an interruption the table has what was checked.
    let written = match is_json {
        true => streams.json(&checks.json()),
        false => write!(streams.out, "{}", checks.table()),
    };
    let written = written.and_then(|()| streams.out.flush());
    let rows = checks.rows.iter();
    let wrong: Vec<&str> = rows.filter(|row| row.disagreements > 0).map(|row| row.label.as_str()).collect();
    let verdict = match &wrong[..] {
        [] => result,
        _ => Err(exit::Kind::Wrong.error(format!(
            "{} cannot be trusted on this machine: please report this with the output of 'nqueens info'",
            wrong.join(", ")
        ))),
    };
    settle(verdict, written.map_err(anyhow::Error::from))
}

/// What is checked, and what was found. The first row is of the reference, one for each solver follows.
struct Checks<'a> {
    subjects: &'a [Subject<'a>],
    threads: usize,
    rows: Vec<Subtotal>,
}

impl Checks<'_> {
    /// Checks the reference and every solver on boards of a size.
    fn by_reference(&mut self, size: Size, streams: &Streams<'_>) -> anyhow::Result<()> {
        let plans = self.subjects.iter().map(|subject| subject.plan(size));
        let plans: Vec<Box<dyn Plan>> = plans.collect::<Result<_, _>>()?;
        let borrowed: Vec<&dyn Plan> = plans.iter().map(|plan| &**plan).collect();
        let forecast = Forecast::new(CountForecast::new(registry::reference(), size, Isa::Portable, 1).seconds(), 1);
        let mut expected = Vec::new();
        self.rows[0].check(size, forecast, streams, |cancel, _| {
            expected = consult_reference(size, &borrowed, cancel)?;
            Ok((expected.first().map_or(0, |expected| expected.total() as u64), Vec::new()))
        })?;
        for (((subject, plan), expected), row) in
            self.subjects.iter().zip(&plans).zip(&expected).zip(&mut self.rows[1..])
        {
            let units: Vec<usize> = (0..plan.units()).collect();
            row.check(size, subject.forecast(size, &**plan, &units, self.threads), streams, |cancel, progress| {
                let count = plan.count().threads(self.threads).cancelled_by(cancel).progress(progress);
                Ok((units.len() as u64, expected.check(count)?))
            })?;
        }
        Ok(())
    }

    /// Compares some units of large boards: every instruction set must count what the portable code of its solver
    /// counts. Board by board, so that an interruption keeps the smaller ones. Adds a row for each instruction set.
    fn by_portable_code(&mut self, sizes: &[usize], streams: &Streams<'_>) -> anyhow::Result<()> {
        let &[first, ..] = sizes else { return Ok(()) };
        let threads = self.threads;
        let subjects: Vec<&Subject> = self.subjects.iter().filter(|subject| subject.isa != Isa::Portable).collect();
        if subjects.is_empty() {
            streams.note("there is portable code only: --large has nothing to compare it with");
        }
        let first_row = self.rows.len();
        self.rows.extend(subjects.iter().map(|subject| Subtotal::new(&subject.label, "units", first)));
        for &n in sizes {
            let size = Size::new(n)?;
            let mut new_rows = self.rows[first_row..].iter_mut();
            for sets in subjects.chunk_by(|a, b| a.solver.name() == b.solver.name()) {
                let portable = Subject::new(sets[0].solver, Isa::Portable, Isa::Portable.name());
                let plan = portable.plan(size)?;
                let units = representative_units(&*plan)?;
                let task = Task::new(&format!("n = {size}, {}", portable.label), streams)?;
                let expected = task.run(portable.forecast(size, &*plan, &units, threads), |cancel, progress| {
                    let count = plan.count().units(units.iter().copied()).threads(threads);
                    Expected::by_portable(count.cancelled_by(cancel).progress(progress))
                })?;
                for (subject, row) in sets.iter().zip(&mut new_rows) {
                    let plan = subject.plan(size)?;
                    row.check(size, subject.forecast(size, &*plan, &units, threads), streams, |cancel, progress| {
                        let count = plan.count().threads(threads).cancelled_by(cancel).progress(progress);
                        Ok((units.len() as u64, expected.check(count)?))
                    })?;
                }
            }
        }
        Ok(())
    }

    /// What was checked, as in JSON.
    fn json(&self) -> Value {
        let row = |row: &Subtotal| {
            let (what, checked, seconds) = (row.what, row.checked, row.seconds);
            let sizes = [row.first, row.last?.get()];
            Some(
                json!({"solver": row.label, "sizes": sizes, what: checked, "agrees": row.disagreements == 0, "seconds": seconds}),
            )
        };
        json!({"schema": crate::version::JSON_SCHEMA, "checks": self.rows.iter().filter_map(row).collect::<Vec<_>>()})
    }

    /// What was checked.
    fn table(&self) -> String {
        let head = ["solver", "sizes", "checked", "verdict", "seconds"].map(str::to_owned).to_vec();
        let row = |row: &Subtotal| {
            Some(vec![
                row.label.clone(),
                format!("{}..={}", row.first, row.last?),
                format!("{} {}", row.checked, row.what),
                if row.disagreements == 0 { "agrees" } else { "DISAGREES" }.to_owned(),
                format!("{:.3}", row.seconds),
            ])
        };
        let rows: Vec<_> = [head].into_iter().chain(self.rows.iter().filter_map(row)).collect();
        Table::text(&rows)
    }
}

impl<'a> Subject<'a> {
    fn new(solver: &'a dyn Solver, isa: Isa, code: &str) -> Self {
        Self { solver, isa, label: format!("{} ({code})", solver.name()) }
    }

    fn plan(&self, size: Size) -> nqueens::Result<Box<dyn Plan>> {
        self.solver.plan(size, self.isa, &CancelToken::new())
    }

    /// The forecast for some units of a plan.
    fn forecast(&self, size: Size, plan: &dyn Plan, units: &[usize], threads: usize) -> Forecast {
        let whole = CountForecast::new(self.solver, size, self.isa, threads).seconds();
        Forecast::of_units(plan, units, whole, threads)
    }
}

/// What was found about one solver with one instruction set; about the reference's own boards in the first row.
struct Subtotal {
    label: String,
    /// What is checked, such as `units`.
    what: &'static str,
    /// The smallest size that is checked, and the largest that was.
    first: usize,
    last: Option<Size>,
    checked: u64,
    disagreements: usize,
    seconds: f64,
}

impl Subtotal {
    fn new(label: &str, what: &'static str, first: usize) -> Self {
        Self { label: label.to_owned(), what, first, last: None, checked: 0, disagreements: 0, seconds: 0.0 }
    }

    /// Checks boards of a size. `work` returns how much it checked, and what disagrees.
    fn check(
        &mut self,
        size: Size,
        forecast: Forecast,
        streams: &Streams<'_>,
        work: impl FnOnce(&CancelToken, &Progress) -> nqueens::Result<(u64, Vec<Disagreement>)>,
    ) -> anyhow::Result<()> {
        let label = format!("n = {size}, {}", self.label);
        let start = Instant::now();
        let (checked, found) = Task::new(&label, streams)?.run(forecast, work)?;
        // A wrong rule makes thousands.
        if let Some(Disagreement { unit, counted, expected, .. }) = found.first() {
            let what = unit.map_or_else(|| "the sum of all units".to_owned(), |unit| format!("unit of work {unit}"));
            let all = plural(found.len(), "disagreement");
            complain(format_args!("{label}: {all}; the first: {what} is {counted}, and {expected} is expected"));
        }
        self.last = Some(size);
        self.checked += checked;
        self.disagreements += found.len();
        self.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::altered::Altered;

    /// The reference, which loses one board in the last unit of n = 6.
    struct Forgetful;

    impl Solver for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }

        fn about(&self) -> &'static str {
            "is made for a test"
        }

        fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> nqueens::Result<Box<dyn Plan>> {
            let plan = registry::reference().plan(size, isa, cancel)?;
            Ok(Box::new(Altered::tallies(plan, move |unit, tally| {
                tally.solutions -= u128::from((size.get(), unit) == (6, 4));
                Ok(())
            })))
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
            0.0
        }
    }

    #[test]
    fn a_disagreement_ends_with_status_3_and_is_shown() {
        let mut out = Vec::new();
        let mut streams = Streams { out: &mut out, quiet: true };
        let solvers: [&dyn Solver; 2] = [registry::reference(), &Forgetful];
        let mut verify_up_to =
            |max| verify(&subjects(&solvers, None, Isa::name), 2, Size::new(max).unwrap(), &[], false, &mut streams);
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
