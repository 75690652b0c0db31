//! `nqueens verify`: the trust chain, on the user's machine.

mod large;
mod table;

use std::time::Instant;

use nqueens::CancelToken;
use nqueens::board::{Size, known};
use nqueens::engine::Pool;
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::verify::consult_reference;

use super::options::{DeviceOption, InstructionSet, ThreadsOption};
use crate::exit::{Exit, Fault};
use crate::machine::pace;
use crate::terminal::plural::plural;
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::{Streams, settle};
use large::Large;
use table::VerifyRow;

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
    #[arg(long)]
    large: bool,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let Some(cards) = args.device.open(args.threads)? else {
        return verify(registry::SOLVERS, args.large_sizes(), args, streams);
    };
    if args.large {
        return Err(Fault::Usage.error("--large compares instruction sets: leave out --large or --device"));
    }
    let isa = registry::best_isa(&*cards.solver, args.isa.checked()?.unwrap_or_else(registry::machine_isa));
    streams.note(format_args!("checking units on {}", cards.in_words()));
    let verdict = verify_with(&[(&*cards.solver, isa)], Some("gpu"), Pool::Own(cards.threads()), &[], args, streams);
    cards.note(|text| streams.note(text));
    verdict
}

/// Boards on which the color split's tables have several blocks and pairs of them (18), entries of two bytes (22) and
/// several ranges (23).
const LARGE: &[usize] = &[18, 20, 22, 23];

impl Args {
    /// The boards that are too large for the reference: the portable code takes minutes for their costliest units.
    fn large_sizes(&self) -> &'static [usize] {
        if self.large { LARGE } else { &[] }
    }
}

fn verify(solvers: &[&dyn Solver], large: &[usize], args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let only = args.isa.checked()?;
    if args.large && only == Some(Isa::Portable) {
        return Err(Fault::Usage
            .error("--large compares other instruction sets with portable code: leave out --isa portable or --large"));
    }
    let pool = args.threads.pool(args.threads.number());
    let subjects: Vec<(&dyn Solver, Isa)> = solvers
        .iter()
        .flat_map(|&solver| solver.instruction_sets().iter().map(move |&isa| (solver, isa)))
        .filter(|(_, isa)| isa.is_available() && only.is_none_or(|only| only == *isa))
        .collect();
    verify_with(&subjects, None, pool, large, args, streams)
}

/// Verifies solvers, each with one instruction set. The table names the device instead, if there is one.
fn verify_with(
    subjects: &[(&dyn Solver, Isa)],
    device: Option<&'static str>,
    pool: Pool,
    large: &[usize],
    args: &Args,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let threads = pool.threads()?;
    streams.note(format_args!(
        "checking {} for n = 0..={} on {}",
        plural(subjects.len(), "solver"),
        args.max,
        plural(threads, "thread"),
    ));
    let large = Large::new(large, subjects, pool);
    let mut rows = vec![VerifyRow::new("reference", None)];
    rows.extend(subjects.iter().map(|(solver, isa)| VerifyRow::new(solver.name(), Some(device.unwrap_or(isa.name())))));
    let result = (0..=args.max.get()).try_for_each(|n| {
        let size = Size::new(n)?;
        check_size(size, subjects, pool, &mut rows, streams)
    });
    let result = result.and_then(|()| large.check(&mut rows, streams));
    // After an interruption the table has what was checked.
    let told = table::write(&rows, streams);
    let wrong = rows.iter().filter(|row| row.disagreements > 0).map(VerifyRow::label).collect::<Vec<_>>();
    let verdict = match &wrong[..] {
        [] => result.map(|()| Exit::Fine),
        _ => Err(Fault::Wrong.error(format!(
            "{} cannot be trusted on this machine: please report this with the output of 'nqueens info'",
            wrong.join(", ")
        ))),
    };
    settle(verdict, told.map_err(anyhow::Error::from))
}

/// Checks every solver on boards of a size.
fn check_size(
    size: Size,
    subjects: &[(&dyn Solver, Isa)],
    pool: Pool,
    rows: &mut [VerifyRow],
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    let threads = pool.threads()?;
    let plan = |(solver, isa): &(&dyn Solver, Isa)| solver.plan(size, *isa, &CancelToken::new());
    let plans: Vec<Box<dyn Plan>> = subjects.iter().map(plan).collect::<nqueens::Result<_>>()?;
    let borrowed: Vec<&dyn Plan> = plans.iter().map(|plan| &**plan).collect();
    let start = Instant::now();
    let reference_seconds = pace::thread_seconds(registry::reference(), size, Isa::Portable, 1);
    let task = Task::new(&format!("n = {size}, reference"), streams)?;
    let reference = task.run(Forecast::new(reference_seconds, 1), |cancel, _| {
        consult_reference(size, &borrowed, known::solutions(size), cancel)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    rows[0].note(size, reference.solutions, &reference.disagreements, seconds, streams);
    for ((expected, plan), ((solver, isa), row)) in
        reference.plans.iter().zip(&plans).zip(subjects.iter().zip(&mut rows[1..]))
    {
        let forecast = Forecast::new(pace::thread_seconds(*solver, size, *isa, threads), threads);
        let start = Instant::now();
        let task = Task::new(&format!("n = {size}, {}", row.label()), streams)?;
        let found = task.run(forecast, |cancel, monitor| expected.check(pool, cancel, monitor))?;
        let seconds = start.elapsed().as_secs_f64();
        row.note(size, plan.units() as u64, &found, seconds, streams);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::altered::Altered;
    use nqueens::Error;
    use nqueens::count::Tally;
    use std::sync::Arc;

    /// What is done to a unit's tally: it gets the size and the unit's number.
    type Alter = Arc<dyn Fn(usize, usize, &mut Tally) -> Result<(), Error> + Send + Sync>;

    /// The reference under another name, with something done to every unit it has counted.
    struct Subject {
        name: &'static str,
        sets: &'static [Isa],
        alter: Alter,
    }

    impl Solver for Subject {
        fn name(&self) -> &'static str {
            self.name
        }

        fn about(&self) -> &'static str {
            "is made for a test"
        }

        fn instruction_sets(&self) -> &'static [Isa] {
            self.sets
        }

        fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> nqueens::Result<Box<dyn Plan>> {
            let (plan, alter) = (registry::reference().plan(size, isa, cancel)?, self.alter.clone());
            Ok(Box::new(Altered::tallies(plan, move |unit, tally| alter(size.get(), unit, tally))))
        }

        fn predicted_seconds(&self, _size: Size, _isa: Isa) -> f64 {
            0.0
        }
    }

    /// A solver that loses one board, in the last unit of n = 6.
    fn forgetful() -> Subject {
        let alter: Alter = Arc::new(|n, unit, tally| {
            if (n, unit) == (6, 4) {
                tally.solutions -= 1;
            }
            Ok(())
        });
        Subject { name: "forgetful", sets: &[Isa::Portable], alter }
    }

    fn typed(words: &[&str]) -> Args {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("verify"));
        <Args as clap::FromArgMatches>::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
    }

    fn args(max: usize) -> Args {
        typed(&["verify", "--threads", "2", "--max", &max.to_string()])
    }

    #[test]
    fn a_disagreement_ends_with_status_3_and_is_shown() {
        let mut out = Vec::new();
        let mut streams = Streams { out: &mut out, quiet: true };
        let solvers: [&dyn Solver; 2] = [registry::reference(), &forgetful()];
        assert_eq!(verify(&solvers, &[], &args(5), &mut streams).unwrap(), Exit::Fine);
        let error = verify(&solvers, &[], &args(7), &mut streams).unwrap_err();
        assert_eq!(Fault::of(&error), Fault::Wrong);
        assert!(error.to_string().starts_with("forgetful (portable) cannot be trusted"), "{error}");
        let table = String::from_utf8(out).unwrap();
        let row = |name: &str| table.lines().rfind(|line| line.starts_with(name)).unwrap();
        assert!(row("forgetful").contains("DISAGREES"), "{table}");
        assert!(row("arrays").contains("agrees") && row("reference").contains("agrees"), "{table}");
    }

    #[test]
    fn by_default_it_takes_seconds_and_large_boards_are_asked_for() {
        let default = typed(&["verify"]);
        assert_eq!((default.large_sizes(), typed(&["verify", "--large"]).large_sizes()), (&[][..], LARGE));
        let codes =
            registry::SOLVERS.iter().flat_map(|solver| solver.instruction_sets().iter().map(move |&isa| (solver, isa)));
        let core_seconds: f64 = codes.map(|(solver, isa)| solver.predicted_seconds(default.max, isa)).sum();
        assert!(core_seconds < 20.0, "{core_seconds}");
    }

    /// An interruption, as the solver tells it, at the second large board.
    #[test]
    fn large_boards_that_are_done_are_kept_whatever_ends_it() {
        let alter: Alter = Arc::new(|n, unit, tally| match (n, unit) {
            (7, _) => Err(Error::Cancelled { units_done: 0, units: 1, per_mille: 0 }),
            // What the portable code and the other one share: the sets of this solver are names.
            _ => {
                tally.solutions += unit as u128;
                Ok(())
            }
        });
        let altered = Subject { name: "altered", sets: &[Isa::Portable, Isa::Avx2], alter };
        let subjects: [(&dyn Solver, Isa); 2] = [(&altered, Isa::Portable), (&altered, Isa::Avx2)];
        let (mut out, mut rows) = (Vec::new(), Vec::new());
        let mut streams = Streams { out: &mut out, quiet: true };
        let result = Large::new(&[5, 6, 7], &subjects, Pool::Own(2)).check(&mut rows, &streams);
        assert!(result.is_err());
        table::write(&rows, &mut streams).unwrap();
        let table = String::from_utf8(out).unwrap();
        let words: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(words[..6], ["altered", "(avx2)", "5..=6", "4", "units", "agrees"], "{table}");
        assert_eq!(table.lines().count(), 2, "{table}");
    }
}
