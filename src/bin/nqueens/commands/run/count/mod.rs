//! `nqueens run count`: counts shards of a run.

pub(crate) mod work;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use super::super::options::{InstructionSet, ThreadsOption, length_of_time, seed_of_chance};
use super::recount;
use crate::exit::Exit;
use crate::machine::name;
use crate::runs::{BEAT, RunFolder};
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use work::RunWork;

/// Where schedulers tell a task its number.
const TASK_NUMBERS: [&str; 4] = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "NQUEENS_SHARD"];

/// A claim that is to be taken over must be older than a living one ever gets.
const STEAL_AFTER_AT_LEAST: Duration = BEAT.saturating_mul(3);

/// Counts shards of a planned run: all that are missing, or those that you name
///
/// Start it as often as you like, on every machine that sees the folder. Processes share the missing shards. Finished
/// shards are saved. After a crash, start it again. The exit status is 75 if shards are left, because time is up or
/// others still count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run count --dir n24                     counts all missing shards
  nqueens run count --dir n24 --max-runtime 1h    ends within an hour
  nqueens run count --dir n24 --shard 17          counts one shard, if it is missing
  nqueens run count --dir n24 --shard-from-env    counts the shard of a scheduler's task
  nqueens run count --dir n24 --recount-machine node17
                                                  counts node17's shards again; 3 if one differs")]
pub(crate) struct Args {
    /// Folder of the run
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// Counts only this shard, numbered from 0
    #[arg(long, value_name = "I", group = "which")]
    shard: Option<usize>,
    /// Counts only these shards, such as 0..=99 or 5
    #[arg(long, value_name = "A..=B", group = "which")]
    shards: Option<Shards>,
    /// Counts the shard whose number is in HQ_TASK_ID, SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or NQUEENS_SHARD
    #[arg(long, group = "which")]
    shard_from_env: bool,
    /// Counts again the shards that this machine counted, saves new records beside the old ones, and compares
    #[arg(long, value_name = "NAME", group = "which")]
    recount_machine: Option<String>,
    #[command(flatten)]
    hands: CountOptions,
    /// Ends within TIME, such as 90s, 30m or 1h. Starts no shard that it cannot finish
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    max_runtime: Option<Duration>,
    /// Takes over the shards of a process that has been silent for TIME, such as 10m. A working process writes to its
    /// claims every 10 s
    #[arg(long, value_name = "TIME", value_parser = steal_after)]
    steal_after: Option<Duration>,
}

/// With what the shards are counted.
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

    /// What records call this machine.
    fn machine(&self) -> String {
        self.machine.clone().unwrap_or_else(name::here)
    }
}

/// A range of shards, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shards(RangeInclusive<usize>);

impl FromStr for Shards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..=").unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self(first..=last)),
            _ => Err(format!("'{text}' is not a range of shards: give the first and the last, such as '0..=99'")),
        }
    }
}

fn steal_after(text: &str) -> Result<Duration, String> {
    let time = length_of_time(text)?;
    if time < STEAL_AFTER_AT_LEAST {
        return Err(format!(
            "'{text}' is too short, for a process at work says so only every {} s: give at least '{}s'",
            BEAT.as_secs(),
            STEAL_AFTER_AT_LEAST.as_secs()
        ));
    }
    Ok(time)
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let deadline = args.max_runtime.map(|time| Instant::now() + time);
    let first = RunFolder::open(&args.dir)?;
    let again = args.recount_machine.as_deref().map(|machine| recount::counted_by(machine, &first)).transpose()?;
    let itself = args.recount_machine.as_ref().filter(|name| **name == args.hands.machine());
    if let Some(name) = itself {
        streams.note(format_args!("this machine is '{name}' itself: another one, or another --isa, tells more"));
    }
    let folder = if again.is_some() { first.create_recount()? } else { first.clone() };
    let selection = match (args.shard, &args.shards) {
        _ if again.is_some() => None,
        (Some(shard), _) => Some(shard..=shard),
        (_, Some(shards)) => Some(shards.0.clone()),
        _ if args.shard_from_env => shard_from_env().map(|shard| Some(shard..=shard))?,
        _ => None,
    };
    if let Some(shards) = &selection {
        folder.plan().shard(*shards.end())?;
    }
    let selection = again.clone().or_else(|| selection.map(Iterator::collect));
    let interrupts = Interrupts::catch()?;
    let work = RunWork {
        folder: &folder,
        hands: &args.hands,
        deadline,
        must_finish: selection.is_some() && again.is_none(),
        steal_after: args.steal_after,
        number: seed_of_chance(),
    };
    let report = work.go_on(selection, &interrupts, streams)?;
    // What is found is a verdict, however the rest ended.
    if let Some(shards) = &again {
        recount::compare(&first, &folder, shards, streams)?;
    }
    let shards = |n: usize| if n == 1 { "1 shard".to_owned() } else { format!("{n} shards") };
    let mut done = format!("{} counted and kept, {} there before", shards(report.counted), report.known);
    if report.again > 0 {
        done += &format!(", {} had been counted by others meanwhile", shards(report.again));
    }
    if let Some(exit) = interrupts.caught() {
        return Err(exit.error(format!("stopped: {done}; run the same command again to go on")));
    }
    if report.left > 0 {
        let nothing = if report.counted == 0 { " (no shard fits the time given)" } else { "" };
        return Err(Exit::TimeUp.error(format!(
            "time is up{nothing}: {done}, {} left; run the same command again to go on",
            shards(report.left)
        )));
    }
    if !report.elsewhere.is_empty() {
        return Err(Exit::TimeUp.error(format!(
            "not finished: {done}, {} being counted by other processes, which 'nqueens run status' names; run the same \
             command again to go on, should these be lost",
            shards(report.elsewhere.len())
        )));
    }
    streams.note(&done);
    Ok(Exit::Fine)
}

fn shard_from_env() -> anyhow::Result<usize> {
    let Some((name, value)) = TASK_NUMBERS.iter().find_map(|name| Some((name, std::env::var(name).ok()?))) else {
        return Err(Exit::Usage.error(format!(
            "no scheduler has given this process a task number: none of {} is set; give --shard I",
            TASK_NUMBERS.join(", ")
        )));
    };
    value.parse().map_err(|_| Exit::Usage.error(format!("{name} is '{value}', and should be the number of a shard")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_shards_are_read() {
        assert_eq!(steal_after("10m"), Ok(Duration::from_secs(600)));
        assert!(steal_after("5s").unwrap_err().contains("at least '30s'"));
        for (text, shards) in [("2..=4", 2..=4), ("5", 5..=5), ("0..=99999999999", 0..=99_999_999_999)] {
            assert_eq!(text.parse(), Ok(Shards(shards)), "{text}");
        }
        // A range takes no memory, however long it is.
        assert!(size_of::<Shards>() <= 3 * size_of::<usize>());
        for wrong in ["", "2..4", "4..=2", "..=4", "a..=b", "-1", "0..=99999999999999999999"] {
            assert!(Shards::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
