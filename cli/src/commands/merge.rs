//! `nqueens merge`: the count of a run, added up from its shards.

use super::run_folders::Folders;
use crate::run::Results;
use crate::run::sanity::unpublished;
use crate::terminal::Streams;

/// Check every line of a run, add up the shards and print the count
///
/// All shards must be saved. Name several folders if machines counted the same plan in different folders; a shard that
/// is in several folders must have the same counts in each.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens merge n24                      print the count
  nqueens merge n24 copy/from/elsewhere  merge two folders")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let folders = args.run.open()?;
    let mut results = Results::read(&folders)?;
    let plan = results.run_plan().portable_plan()?;
    let results = results.verify(results.check_plan(&*plan)?);
    let sound = results.sound_or_complain("cannot merge")?;
    let (run_plan, total) = (results.run_plan(), sound.total()?);
    streams.note(format_args!(
        "{}: every shard has a valid line; {}",
        run_plan.in_words(),
        // Anyone can forge lines, so only a published count is evidence that these are genuine.
        match unpublished(run_plan.size) {
            None => "the count is the published one".to_owned(),
            Some(clause) => {
                format!("{clause}; ask others to count some units again with {}", results.audit_command())
            }
        },
    ));
    if args.run.json {
        streams.json(sound.json(&total))?;
    } else {
        writeln!(streams.out, "{}", total.solutions)?;
    }
    Ok(())
}
