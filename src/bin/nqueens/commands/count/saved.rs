//! `nqueens count N --dir RUN`: counts in shards that are saved in a folder.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nqueens::board::Size;
use nqueens::solver::registry;

use super::super::options::{OnCards, length_of_time, machine};
use super::super::run::merge::refuse_faults;
use super::Args;
use super::line::{CountLine, Recorded};
use super::shards::{RunWork, Stops};
use crate::exit::{Exit, Fault};
use crate::runs;
use crate::runs::RunFolder;
use crate::terminal::Streams;
use crate::terminal::signals;
use crate::terminal::units::plural;

/// The folder of a long count, and how this process works on it.
#[derive(Debug, clap::Args)]
pub(crate) struct Saved {
    /// Counts in shards (parts) and saves each in this folder. Type the same line again, or on other machines, to join
    #[arg(long, value_name = "RUN", conflicts_with = "what")]
    pub(super) dir: Option<PathBuf>,
    /// Counts only these shards, numbered from 0, such as 0..=99 or 5
    #[arg(long, value_name = "A..=B", value_parser = shards, requires = "dir")]
    only: Option<RangeInclusive<usize>>,
    /// Stops after TIME, such as 90s, 30m or 1h, with exit status 75
    #[arg(long = "for", value_name = "TIME", value_parser = length_of_time, requires = "dir")]
    for_time: Option<Duration>,
    /// Number of shards of a new run. Default: enough that each takes at most ten minutes on one core
    #[arg(long, value_name = "K", requires = "dir")]
    shards: Option<usize>,
    /// Name of this machine in records. Default: NQUEENS_MACHINE, or the host name
    #[arg(long, value_name = "NAME", value_parser = machine::name, requires = "dir")]
    machine: Option<String>,
}

/// A range of shards, as typed.
fn shards(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once("..=").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("'{text}' is not a range of shards: give the first and the last, such as '0..=99'")),
    }
}

/// Plans or joins the run in the folder, and counts its missing shards. Prints the count when all shards are there.
pub(super) fn count(
    args: &Args,
    size: Size,
    dir: &Path,
    cards: Option<&OnCards>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let saved = &args.saved;
    let machine = saved.machine.clone().map_or_else(machine::here, Ok).map_err(|error| Fault::Usage.error(error))?;
    let solver = if args.how.solver == "auto" { None } else { Some(registry::find(&args.how.solver)?) };
    signals::catch()?;
    let stops = Stops { deadline: saved.for_time.map(|time| start + time) };
    cards.map_or(Ok(()), |cards| cards.check_solver(&args.how.solver))?;
    let folder = &stops.patiently(|| RunFolder::join(dir, size, solver, saved.shards))?;
    let all = 0..=folder.plan.shards() - 1;
    let shards = saved.only.clone().unwrap_or(all.clone());
    if shards.end() > all.end() {
        return Err(Fault::Usage.error(format!("there is no shard {}: the last is {}", shards.end(), all.end())));
    }
    let report = RunWork { folder, how: &args.how, cards, machine, stops }.go_on(shards.clone(), streams)?;
    let done = format!("{} counted and saved, {} there before", plural(report.counted, "shard"), report.known);
    if signals::caught().is_some() {
        return Err(
            Fault::Failure.error(format!("n = {size}: stopped: {done}; start the same command again to continue"))
        );
    }
    if report.left > 0 {
        let left = plural(report.left, "shard");
        let way_out = match report.counted {
            0 => "no shard was finished in that time: give a longer --for, or more --shards in a new folder",
            _ => "start the same command again to continue",
        };
        return Err(Fault::TimeUp.error(format!("n = {size}: time is up: {done}, {left} left; {way_out}")));
    }
    streams.note(&done);
    cards.into_iter().for_each(|cards| cards.note(|text| streams.note(text)));
    if shards != all {
        return Ok(Exit::Fine);
    }
    let merged = stops.patiently(|| runs::merge(std::slice::from_ref(folder)))?;
    refuse_faults(&merged, "there is no count", streams)?;
    let outcome = merged.outcome(args.how.threads.number())?;
    let line = CountLine::new(outcome).recorded(Recorded::from(&merged));
    let layout = CountLine::layout(args, &[size], streams)?;
    super::show(size, &line, start.elapsed().as_secs_f64(), &layout, streams)?;
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
