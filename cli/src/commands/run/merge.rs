//! `nqueens run merge`: adds up the shards of a run.

use crate::run::Published;
use crate::run::sanity::unpublished;

use super::{Folders, read_all, refuse_faults, replaced};
use crate::exit::Exit;
use crate::terminal::Streams;

/// Checks every result of a run, adds them up and prints the count
///
/// It prints the count only if all shards are there. You can name more folders of the same plan, from other machines.
/// Shards that several folders have must agree.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run merge n24                              prints the count
  nqueens run merge n24 copy/from/elsewhere          merges two folders
  nqueens run merge n24 --json | gzip > n24.json.gz  writes the count of every unit")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let results = read_all(&args.run.paths)?;
    refuse_faults(&results, "cannot merge", streams)?;
    if results.replaced_lines() > 0 {
        streams.note(replaced(results.replaced_lines()));
    }
    if args.run.json {
        streams.json(&Published::new(results)?)?;
        return Ok(Exit::Fine);
    }
    let (solutions, _) = results.total()?;
    streams.note(format_args!(
        "{}: every shard has a valid line; {}",
        results.plan.in_words(),
        // Results can be invented. Only a published count shows that these are not.
        match unpublished(results.plan.size()) {
            None => "the count is the published one".to_owned(),
            Some(clause) => format!(
                "{clause}; ask others to count some units again with 'nqueens run audit {}'",
                args.run.paths[0].display()
            ),
        },
    ));
    writeln!(streams.out, "{solutions}")?;
    Ok(Exit::Fine)
}
