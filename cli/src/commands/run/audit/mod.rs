//! `nqueens run audit`: counts units again.

mod code;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use nqueens::board::Size;
use nqueens::engine::{self, Pool};
use nqueens::solver::Isa;

use super::super::options::{DEVICE, ResourceOptions};
use super::{read_all, refuse_faults};
use crate::exit::{Exit, Fault};
use crate::run::{Counted, Cut, Ledger, Published, draw, fewer_wrong};
use crate::terminal::task::Task;
use crate::terminal::time_left::Forecast;
use crate::terminal::units::{part_of, plural};
use crate::terminal::{Streams, settle, signals};
use code::Code;

/// Counts a sample of a run again, with another instruction set, and compares
///
/// The units are from a run's folder, or from a file that 'nqueens run merge --json' printed. If this machine has vector
/// instructions, it counts with others than the results name. The exit status is 3 if a unit differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run audit n24 --sample 50                counts 50 units of a run again
  nqueens run audit n24.json.gz                    counts 20 units of a published result again
  nqueens run audit n24 --image                    counts mirror images of 20 units
  nqueens run audit n24 --by node17 --sample 1000  counts 1000 of one machine's units again")]
pub(crate) struct Args {
    /// Folder of the run and other folders of the same run, or the file of a result
    #[arg(value_name = "RUN", required = true)]
    paths: Vec<PathBuf>,
    /// Number of units to count again, at least one of every machine and instruction set
    #[arg(long, value_name = "K", default_value = "20", value_parser = units, allow_negative_numbers = true)]
    sample: usize,
    /// Counts again only units that this machine counted
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Counts with merged packs in plain code, which share nothing that counts with color and are far slower
    #[arg(long, conflicts_with = "isa", conflicts_with_all = DEVICE)]
    plain: bool,
    /// Counts the mirror image of each unit: other queens, whose count is equal. As fast as the unit
    #[arg(long, conflicts_with = "plain", conflicts_with_all = DEVICE)]
    image: bool,
    /// Seed of the random choice of units. Default: a new choice each time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    resources: ResourceOptions,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let resources = args.resources.open()?;
    let pool = resources.pool();
    let (cut, ledger, trouble) = claimed(&args.paths, streams)?;
    let (what, size, solver) = (args.paths[0].display(), Size::new(cut.size)?, cut.solver()?);
    signals::catch()?;
    let counted = ledger.counted(args.by.as_deref());
    let all = counted.len();
    if all == 0 {
        let by = args.by.as_ref().map_or(String::new(), |machine| format!(" by '{machine}'"));
        return Err(Fault::Failure.error(format!("{what} has no counted unit{by}: there is nothing to audit")));
    }
    let seed = args.seed.unwrap_or_else(crate::machine::random);
    let drawn = draw(counted, args.sample, seed);
    let chosen: BTreeMap<usize, Counted<'_>> = drawn.into_iter().map(|counted| (counted.unit, counted)).collect();
    let number = chosen.len();
    let number_by = |isa: Isa| chosen.values().filter(|counted| counted.by.isa == isa.name()).count();
    let code = Code::choose(args, &resources, (solver, size), pool.threads()?, |isa| number_by(isa) > 0)?;
    let same = match code.isa.map_or(0, number_by) {
        0 => String::new(),
        same => format!(", which counted {same} of them before"),
    };
    streams.note(format_args!(
        "counting {} of {what} again with {}{same}; --seed {seed} chooses the same units again",
        plural(number, "unit"),
        code.name,
    ));
    // The verdict covers the units that were counted before an interruption.
    let (agree, wrong, ended) = count_again(&code, size, &chosen, pool, streams);
    resources.note(streams);
    if wrong > 0 {
        return Err(Fault::Wrong.error(format!(
            "{wrong} of {} of {what} {} another count here: run 'nqueens verify' on each machine",
            plural(number, "unit"),
            if wrong == 1 { "has" } else { "have" },
        )));
    }
    if ended.is_err() {
        let so_far = part_of(agree, number, "chosen unit", ["agrees so far", "agree so far"]);
        writeln!(streams.out, "{so_far}")?;
    }
    ended?;
    let machines: HashSet<_> = chosen.values().map(|counted| (&counted.by.machine, &counted.by.isa)).collect();
    let proves = match fewer_wrong(all, number, machines.len()) {
        _ if number == all => String::new(),
        wrong => format!("; with 95 % confidence, fewer than {wrong} of the {all} are wrong"),
    };
    let written = writeln!(streams.out, "{}{proves}", part_of(number, all, "unit", ["agrees", "agree"]));
    settle(trouble.map_or(Ok(Exit::Fine), Err), written.map_err(anyhow::Error::from))
}

/// What is checked: the results of a run, which need not be complete, or a published result. Returns how it is cut into
/// units, its counts, and an error that is known before any unit is counted again. Units are counted all the same: they
/// tell which machine counts wrong.
fn claimed(paths: &[PathBuf], streams: &Streams<'_>) -> anyhow::Result<(Cut, Ledger, Option<anyhow::Error>)> {
    if let [file] = paths
        && !file.is_dir()
    {
        let result = Published::read(file)?;
        let trouble = result.check().err();
        return Ok((result.cut, result.ledger, trouble));
    }
    let results = read_all(paths)?;
    let trouble = refuse_faults(&results, "not every unit could be drawn", streams)
        .and_then(|()| if results.missing().is_empty() { results.total().map(drop) } else { results.check_part() })
        .err();
    Ok((results.plan.cut.clone(), results.into_ledger(), trouble))
}

/// Counts the units and names those that differ. Returns how many agree and differ, and whether all were counted.
fn count_again(
    code: &Code,
    size: Size,
    chosen: &BTreeMap<usize, Counted<'_>>,
    pool: Pool,
    streams: &Streams<'_>,
) -> (usize, usize, anyhow::Result<()>) {
    // In order: neighboring units share memory.
    let units: Vec<usize> = chosen.keys().copied().collect();
    let label = format!("n = {size}, {}", code.name);
    let (mut agree, mut found) = (0, Vec::new());
    let threads = pool.threads().unwrap_or(1);
    let forecast = Forecast::of_units(&*code.plan, &units, code.seconds_per_cost, threads);
    let ended = Task::new(&label, streams).map_err(anyhow::Error::from).and_then(|task| {
        task.run(forecast, |cancel, progress| {
            engine::for_each(&*code.plan, &units, pool, cancel, progress, |unit, tally| {
                if chosen[&unit].count != tally.solutions {
                    found.push((chosen[&unit], tally.solutions));
                } else {
                    agree += 1;
                }
                Ok(())
            })
        })
    });
    for &(Counted { unit, count, by }, solutions) in &found {
        streams.complain(format_args!(
            "unit {unit} ({}) is {solutions} with {}, and not {count}, as {} counted with {}",
            code.plan.name(unit),
            code.name,
            by.machine,
            by.isa,
        ));
    }
    (agree, found.len(), ended)
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}
