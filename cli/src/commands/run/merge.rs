//! `nqueens run merge`: adds up the shards of a run.

use crate::runs;
use crate::runs::plausible::unpublished;
use crate::runs::{Merged, Published};

use super::{Folders, open_all};
use crate::exit::{Exit, Fault};
use crate::terminal::Streams;
use crate::terminal::units::plural;

/// Checks every record of a run, adds them up and prints the count
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
    let folders = open_all(&args.run.paths)?;
    let merged = runs::merge(&folders)?;
    refuse_faults(&merged, "cannot merge", streams)?;
    if args.run.json {
        streams.json(&Published::new(merged)?)?;
        return Ok(Exit::Fine);
    }
    let (solutions, _) = merged.total()?;
    streams.note(format_args!(
        "{}: all records are valid; {}",
        merged.plan.in_words(),
        // Records can be invented. Only a published count shows that these are not.
        match unpublished(merged.plan.size()) {
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

/// Names all faulty files. The error begins with `what`.
pub(crate) fn refuse_faults(merged: &Merged, what: &str, streams: &Streams<'_>) -> anyhow::Result<()> {
    for (_, fault) in &merged.faults {
        streams.complain(fault);
    }
    let damaged = merged.faults.iter().filter(|(shard, _)| !merged.disputed.contains(shard)).count();
    let damage = (damaged > 0).then(|| {
        let files = if damaged == 1 { "1 file is".to_owned() } else { format!("{damaged} files are") };
        format!("{files} damaged; without such files 'nqueens count N --dir RUN' counts their shards again")
    });
    let dispute = (!merged.disputed.is_empty()).then(|| disagreement(merged.disputed.len()));
    let faults: Vec<String> = damage.into_iter().chain(dispute).collect();
    if faults.is_empty() { Ok(()) } else { Err(Fault::Wrong.error(format!("{what}: {}", faults.join("; ")))) }
}

/// Says that folders disagree about this number of shards, and what to do.
pub(crate) fn disagreement(shards: usize) -> String {
    format!(
        "the folders disagree about {}: run 'nqueens verify' on both machines, remove the records of such a shard from \
         all folders, and count it again on a machine that passes",
        plural(shards, "shard")
    )
}
