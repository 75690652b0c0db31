//! `nqueens run count --recount-machine`: what a machine counted, and whether another count of it agrees.

use std::collections::BTreeSet;

use crate::runs::{FoundRecord, RunFolder};

use crate::exit::Exit;
use crate::terminal::Streams;

/// The shards that a machine counted.
pub(crate) fn counted_by(machine: &str, folder: &RunFolder) -> anyhow::Result<Vec<usize>> {
    let (mut shards, mut machines) = (Vec::new(), BTreeSet::new());
    for shard in folder.listed()?.0 {
        if let FoundRecord::Valid(record) = folder.find(shard)? {
            if record.origin().who() == machine {
                shards.push(shard);
            }
            machines.insert(record.origin().who().to_owned());
        }
    }
    if shards.is_empty() {
        let known = if machines.is_empty() {
            "nobody counted anything yet".to_owned()
        } else {
            format!("give one of the machines that did: {}", machines.into_iter().collect::<Vec<_>>().join(", "))
        };
        return Err(Exit::Failure.error(format!("'{machine}' counted nothing of {}: {known}", folder.path().display())));
    }
    Ok(shards)
}

/// Compares records with what was counted again; an error where some differ.
pub(crate) fn compare(
    first: &RunFolder,
    again: &RunFolder,
    shards: &[usize],
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    let (mut compared, mut wrong) = (0, 0);
    for &shard in shards {
        let (FoundRecord::Valid(one), FoundRecord::Valid(other)) = (first.find(shard)?, again.find(shard)?) else {
            continue;
        };
        compared += 1;
        if let Some((unit, by_one, by_other)) = one.difference(&other) {
            wrong += 1;
            streams.complain(format_args!(
                "shard {shard}: unit {unit} counts {by_one} by {} in {}, and {by_other} by {} in {}",
                one.origin().who(),
                first.record_file(shard).display(),
                other.origin().who(),
                again.record_file(shard).display(),
            ));
        }
    }
    if wrong > 0 {
        return Err(Exit::Wrong.error(format!(
            "{wrong} of {compared} shards that were counted again differ: 'nqueens run audit --dir {}' tells which records \
             are right",
            first.path().display()
        )));
    }
    streams.note(format_args!("{compared} of {} shards were counted again and agree", shards.len()));
    Ok(())
}
