//! `nqueens verify`: the trust chain, on the user's machine.

use std::path::PathBuf;
use std::time::Instant;

use nqueens::board::{Size, known};
use nqueens::engine;
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::verify::{Disagreement, compare, consult_reference, representative_units};

use super::Streams;
use super::args::{self, IsaChoice, isa_choice};
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::verify_run::Check;
use super::time_left::Forecast;
use super::watch::Watch;

/// Checks every solver on this machine, unit of work by unit of work
///
/// The reference, a plain program with arrays that shares no code with the others, lists the boards; they
/// must be solutions, as many as were published. From them it follows what every unit of work of every
/// solver must count, with every instruction set this machine has, and each of them is held to that. On larger
/// boards, some units of the fast solvers are counted with every instruction set and with portable code.
/// The exit status is 3 if anything disagrees.
///
/// With --dir or --published it recomputes some of the units that a run counted or that somebody published.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens verify                 some seconds
  nqueens verify --max 15        a minute or two
  nqueens verify --isa portable  only the code that every machine can run
  nqueens verify --dir n24 --sample 50        50 units of a run again, with another instruction set
  nqueens verify --published n24.json.gz      the same of what 'nqueens merge --json' printed")]
pub(super) struct Args {
    /// The largest size to check
    #[arg(long, value_name = "N", default_value = "13", allow_negative_numbers = true)]
    max: Size,
    /// The threads to check on; every core this process may use by default
    #[arg(long, short, value_name = "T", env = "NQUEENS_THREADS", value_parser = args::threads, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// The one instruction set to check; all this machine has by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    isa: IsaChoice,
    /// Recomputes units of this run instead
    #[arg(long, value_name = "RUN")]
    dir: Option<PathBuf>,
    /// Recomputes units of this result instead; with --dir, compares all units first
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
    /// How many units to recompute
    #[arg(long, value_name = "K", default_value_t = 20)]
    sample: usize,
    /// Which random choice of units; another one each time by default
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.dir.is_some() || args.published.is_some() {
        let check = Check {
            dir: args.dir.as_deref(),
            published: args.published.as_deref(),
            sample: args.sample,
            seed: args.seed,
            threads: args.threads.unwrap_or_else(engine::default_threads),
            isa: args.isa.checked()?,
        };
        return check.run(streams);
    }
    verify(&registry::SOLVERS, args, streams)
}

/// What was found about one solver with one instruction set; about the reference's own boards in the first row.
struct Row {
    name: &'static str,
    isa: Option<Isa>,
    /// Where other sizes than those of the table were checked.
    sizes: Option<String>,
    checked: u64,
    disagreements: usize,
    seconds: f64,
}

impl Row {
    fn label(&self) -> String {
        self.isa.map_or_else(|| self.name.to_owned(), |isa| format!("{} ({})", self.name, isa.name()))
    }

    fn note(&mut self, size: Size, checked: u64, found: &[Disagreement], seconds: f64, streams: &Streams<'_>) {
        /// A wrong rule makes thousands; the first ones tell which.
        const SHOWN: usize = 5;
        for disagreement in found.iter().take(SHOWN) {
            streams.complain(format_args!("n = {size}, {}: {disagreement}", self.label()));
        }
        if found.len() > SHOWN {
            streams.complain(format_args!("n = {size}, {}: and {} more", self.label(), found.len() - SHOWN));
        }
        self.checked += checked;
        self.disagreements += found.len();
        self.seconds += seconds;
    }
}

fn verify(solvers: &[&dyn Solver], args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let only = args.isa.checked()?;
    let threads = args.threads.unwrap_or_else(engine::default_threads);
    let subjects: Vec<(&dyn Solver, Isa)> = solvers
        .iter()
        .flat_map(|&solver| solver.instruction_sets().iter().map(move |&isa| (solver, isa)))
        .filter(|(_, isa)| isa.is_available() && only.is_none_or(|only| only == *isa))
        .collect();
    let interrupts = Interrupts::catch()?;
    let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
    streams.note(format_args!(
        "checking {} solvers for n = 0..={} on {threads} {}",
        subjects.len(),
        args.max,
        if threads == 1 { "thread" } else { "threads" },
    ));
    let row = |name, isa| Row { name, isa, sizes: None, checked: 0, disagreements: 0, seconds: 0.0 };
    let mut rows = vec![row("reference", None)];
    rows.extend(subjects.iter().map(|(solver, isa)| row(solver.name(), Some(*isa))));
    let mut finished = None;
    let result = (0..=args.max.get()).try_for_each(|n| {
        let size = Size::new(n)?;
        check_size(size, &subjects, threads, &watch, &mut rows, streams)?;
        finished = Some(size);
        anyhow::Ok(())
    });
    // Where only small boards are asked for, these would take longer than all the rest.
    let result = result.and_then(|()| {
        if args.max.get() < FROM_MAX { Ok(()) } else { check_large(&subjects, threads, &watch, &mut rows, streams) }
    });
    // What was checked before an interruption is shown all the same.
    if let Some(finished) = finished {
        show(&rows, finished, streams)?;
    }
    result?;
    let wrong = rows.iter().filter(|row| row.disagreements > 0).map(Row::label).collect::<Vec<_>>();
    if wrong.is_empty() {
        return Ok(Exit::Fine);
    }
    Err(Exit::Wrong.error(format!(
        "{} cannot be trusted on this machine: please report this with the output of 'nqueens info'",
        wrong.join(", ")
    )))
}

fn check_size(
    size: Size,
    subjects: &[(&dyn Solver, Isa)],
    threads: usize,
    watch: &Watch<'_>,
    rows: &mut [Row],
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    let plans: Vec<Box<dyn Plan>> = subjects.iter().map(|(solver, isa)| solver.plan(size, *isa)).collect();
    let borrowed: Vec<&dyn Plan> = plans.iter().map(|plan| &**plan).collect();
    let start = Instant::now();
    let reference_seconds = registry::reference().predicted_seconds(size, Isa::Portable);
    let label = format!("n = {size}, reference");
    let reference = watch.run(&label, Forecast::new(reference_seconds, 1), |cancel, _| {
        consult_reference(size, &borrowed, known::solutions(size), cancel)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    rows[0].note(size, reference.solutions, &reference.disagreements, seconds, streams);
    for (place, ((solver, isa), row)) in subjects.iter().zip(&mut rows[1..]).enumerate() {
        let forecast = Forecast::new(solver.predicted_seconds(size, *isa), threads);
        let start = Instant::now();
        let found = watch.run(&format!("n = {size}, {}", row.label()), forecast, |cancel, monitor| {
            reference.check(place, borrowed[place], threads, cancel, monitor)
        })?;
        let seconds = start.elapsed().as_secs_f64();
        row.note(size, plans[place].units() as u64, &found, seconds, streams);
    }
    Ok(())
}

/// The largest size asked for from which units of larger boards are checked too.
const FROM_MAX: usize = 13;

/// Boards on which tables have several blocks and pairs of them (18), entries of two bytes (22) and several ranges (23).
const LARGE: [usize; 4] = [18, 20, 22, 23];

/// Counts some units of large boards with every instruction set and with portable code, a row for each set.
fn check_large(
    subjects: &[(&dyn Solver, Isa)],
    threads: usize,
    watch: &Watch<'_>,
    rows: &mut Vec<Row>,
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    for (solver, isa) in subjects.iter().filter(|(_, isa)| *isa != Isa::Portable) {
        let sizes = Some(format!("{}..={}", LARGE[0], LARGE[LARGE.len() - 1]));
        let mut row = Row { name: solver.name(), isa: Some(*isa), sizes, checked: 0, disagreements: 0, seconds: 0.0 };
        for size in LARGE.into_iter().filter_map(|n| Size::new(n).ok()) {
            let plans = [*isa, Isa::Portable].map(|isa| solver.plan(size, isa));
            let units = representative_units(&*plans[0]);
            let share = units.len() as f64 / plans[0].units() as f64;
            let forecast = Forecast::new(share * solver.predicted_seconds(size, Isa::Portable), threads);
            let start = Instant::now();
            let label = format!("n = {size}, {}", row.label());
            let found = watch.run(&label, forecast, |cancel, monitor| {
                compare([&*plans[0], &*plans[1]], &units, threads, cancel, monitor)
            })?;
            row.note(size, units.len() as u64, &found, start.elapsed().as_secs_f64(), streams);
        }
        rows.push(row);
    }
    Ok(())
}

fn show(rows: &[Row], max: Size, streams: &mut Streams<'_>) -> std::io::Result<()> {
    writeln!(streams.out, "{:<24} {:>8} {:>16} {:>10} {:>9}", "solver", "sizes", "checked", "verdict", "seconds")?;
    for row in rows {
        let what = if row.isa.is_none() { "boards" } else { "units" };
        writeln!(
            streams.out,
            "{:<24} {:>8} {:>9} {what:<6} {:>10} {:>9.3}",
            row.label(),
            row.sizes.clone().unwrap_or_else(|| format!("0..={max}")),
            row.checked,
            if row.disagreements == 0 { "agrees" } else { "DISAGREES" },
            row.seconds,
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::board::Solution;
    use nqueens::count::Tally;
    use nqueens::solver::Worker;
    use nqueens::{CancelToken, Error};

    /// A solver that loses one board, in the last unit of n = 6.
    struct Forgetful;

    impl Solver for Forgetful {
        fn name(&self) -> &'static str {
            "forgetful"
        }

        fn about(&self) -> &'static str {
            "loses a board"
        }

        fn plan(&self, size: Size, isa: Isa) -> Box<dyn Plan> {
            Box::new(Forgets { size, plan: registry::reference().plan(size, isa) })
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
            0.0
        }
    }

    struct Forgets {
        size: Size,
        plan: Box<dyn Plan>,
    }

    impl Plan for Forgets {
        fn units(&self) -> usize {
            self.plan.units()
        }

        fn name(&self, unit: usize) -> String {
            self.plan.name(unit)
        }

        fn cost(&self, unit: usize) -> f64 {
            self.plan.cost(unit)
        }

        fn locate(&self, solution: &Solution) -> Option<(usize, u64)> {
            self.plan.locate(solution)
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(Searcher(self))
        }
    }

    struct Searcher<'a>(&'a Forgets);

    impl Worker for Searcher<'_> {
        fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally, Error> {
            let mut tally = self.0.plan.worker().count(unit, cancel)?;
            if (self.0.size.get(), unit) == (6, 4) {
                tally.solutions -= 1;
            }
            Ok(tally)
        }
    }

    #[test]
    fn a_disagreement_ends_with_status_3_and_is_shown() {
        let mut out = Vec::new();
        let mut streams = Streams { out: &mut out, quiet: true };
        let args = |max| Args {
            max: Size::new(max).unwrap(),
            threads: Some(2),
            isa: IsaChoice(None),
            dir: None,
            published: None,
            sample: 0,
            seed: None,
        };
        let solvers: [&dyn Solver; 2] = [registry::reference(), &Forgetful];
        assert_eq!(verify(&solvers, &args(5), &mut streams).unwrap(), Exit::Fine);
        let error = verify(&solvers, &args(7), &mut streams).unwrap_err();
        assert_eq!(Exit::of(&error), Exit::Wrong);
        assert!(error.to_string().starts_with("forgetful (portable) cannot be trusted"), "{error}");
        let table = String::from_utf8(out).unwrap();
        let row = |name: &str| table.lines().rfind(|line| line.starts_with(name)).unwrap();
        assert!(row("forgetful").contains("DISAGREES"), "{table}");
        assert!(row("arrays").contains("agrees") && row("reference").contains("agrees"), "{table}");
    }
}
