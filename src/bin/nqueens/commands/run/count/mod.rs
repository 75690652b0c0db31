//! `nqueens run count`: counts shards of a run.

pub(crate) mod work;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::options::{InstructionSet, ThreadsOption, length_of_time};
use crate::exit::Exit;
use crate::machine::name;
use crate::runs::{Origin, RunFolder};
use crate::terminal::Streams;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::{machine, version};
use nqueens::solver::Isa;
use work::{RunWork, Stops};

/// Counts the missing shards of a planned run
///
/// Start it as often as you like, on every machine that sees the folder. Processes share the missing shards, and end
/// when all have a record. Finished shards are saved. After a crash, start it again. The exit status is 75 if time is
/// up.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run count --dir n24                     counts all missing shards
  nqueens run count --dir n24 --max-runtime 1h    stops after an hour
  nqueens run count --dir n24 --shards 0..=99     counts some shards, if they are missing
  nqueens run count --dir n24 --shards 17         counts one shard, if it is missing")]
pub(crate) struct Args {
    /// Folder of the run
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// Counts only these shards, numbered from 0, such as 0..=99 or 5
    #[arg(long, value_name = "A..=B", value_parser = shards)]
    shards: Option<RangeInclusive<usize>>,
    #[command(flatten)]
    hands: CountOptions,
    /// Stops after TIME, such as 90s, 30m or 1h
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    max_runtime: Option<Duration>,
}

/// Threads, instruction set and name of this machine.
#[derive(Debug, clap::Args)]
pub(crate) struct CountOptions {
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
    /// Name of this machine in records. Default: its host name
    #[arg(long, value_name = "NAME", env = name::VARIABLE, value_parser = name::name)]
    machine: Option<String>,
}

impl CountOptions {
    pub(crate) fn new(threads: ThreadsOption, isa: InstructionSet) -> Self {
        Self { threads, isa, machine: None }
    }

    /// What records say of this process.
    fn origin(&self, isa: Isa, threads: usize) -> Origin {
        Origin {
            isa: isa.name().to_owned(),
            version: version::VERSION.to_owned(),
            commit: version::COMMIT.to_owned(),
            dirty: version::IS_DIRTY,
            cpu: machine::facts().cpu_model,
            machine: self.machine.clone().unwrap_or_else(name::here),
            threads,
        }
    }
}

/// A range of shards, as typed.
fn shards(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once("..=").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("'{text}' is not a range of shards: give the first and the last, such as '0..=99'")),
    }
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let deadline = args.max_runtime.map(|time| Instant::now() + time);
    let interrupts = Interrupts::catch()?;
    let stops = Stops { interrupts: &interrupts, deadline };
    let folder = stops.patiently(|| RunFolder::open(&args.dir))?;
    let last = folder.plan.shards() - 1;
    let shards = args.shards.clone().unwrap_or(0..=last);
    if *shards.end() > last {
        return Err(Exit::Usage.error(format!("there is no shard {}: the last is {last}", shards.end())));
    }
    let is_all = shards == (0..=last);
    let work = RunWork { folder: &folder, hands: &args.hands, stops };
    let report = work.go_on(shards, streams)?;
    let done = format!("{} counted and saved, {} there before", plural(report.counted, "shard"), report.known);
    if let Some(exit) = interrupts.caught() {
        return Err(exit.error(format!("stopped: {done}; start the same command again to continue")));
    }
    if report.left > 0 {
        let left = plural(report.left, "shard");
        let way_out = match report.counted {
            0 => "no shard was finished in that time: give a longer --max-runtime, or plan more shards",
            _ => "start the same command again to continue",
        };
        return Err(Exit::TimeUp.error(format!("time is up: {done}, {left} left; {way_out}")));
    }
    streams.note(&done);
    if is_all {
        streams
            .note(format_args!("all shards are there: 'nqueens run merge --dir {}' adds them up", args.dir.display()));
    }
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges_of_shards_are_read() {
        for (text, shards) in [("2..=4", 2..=4), ("5", 5..=5), ("0..=99999999999", 0..=99_999_999_999)] {
            assert_eq!(super::shards(text), Ok(shards), "{text}");
        }
        for wrong in ["", "2..4", "4..=2", "..=4", "a..=b", "-1", "0..=99999999999999999999"] {
            assert!(super::shards(wrong).is_err(), "{wrong}");
        }
    }
}
