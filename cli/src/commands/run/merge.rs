//! `nqueens run merge`: adds up the shards of a run.

use serde::Serialize;

use super::{Folders, quoted, read_all, refuse_faults, replaced};
use crate::exit::Exit;
use crate::run::sanity::unpublished;
use crate::run::{Contribution, core_seconds};
use crate::terminal::Streams;
use nqueens::board::Size;
use nqueens::tally::Work;

/// Checks every line of a run, adds them up and prints the count
///
/// It prints the count only if all shards are there. You can name more folders of the same plan, from other machines.
/// Shards that several folders have must agree.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run merge n24                      prints the count
  nqueens run merge n24 copy/from/elsewhere  merges two folders")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

/// The count of a complete run, as `--json` prints it.
#[derive(Serialize)]
struct Merged<'a> {
    schema: u32,
    size: Size,
    #[serde(serialize_with = "nqueens::internal::to_digits")]
    solutions: u128,
    solver: &'a str,
    fingerprint: &'a str,
    units: usize,
    work: Work,
    core_seconds: f64,
    machines: Vec<Contribution>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let results = read_all(&args.run.paths, streams)?;
    refuse_faults(&results, "cannot merge", streams)?;
    if results.replaced_lines() > 0 {
        streams.note(replaced(results.replaced_lines()));
    }
    let (solutions, total) = results.total()?;
    let (cut, size) = (&results.plan.cut, results.plan.size());
    streams.note(format_args!(
        "{}: every shard has a valid line; {}",
        results.plan.in_words(),
        // Lines can be invented. Only a published count shows that these are not.
        match unpublished(size) {
            None => "the count is the published one".to_owned(),
            Some(clause) => format!(
                "{clause}; ask others to count some units again with 'nqueens run audit {}'",
                quoted(&args.run.paths[0])
            ),
        },
    ));
    if args.run.json {
        let machines = results.machines();
        streams.json(&Merged {
            schema: 1,
            size,
            solutions,
            solver: &cut.solver,
            fingerprint: &cut.fingerprint,
            units: cut.units,
            work: total.work,
            core_seconds: core_seconds(&machines),
            machines,
        })?;
    } else {
        writeln!(streams.out, "{solutions}")?;
    }
    Ok(Exit::Fine)
}
