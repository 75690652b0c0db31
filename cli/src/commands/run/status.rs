//! `nqueens run status`: the progress of a run.

use super::{Folders, open_all};
use crate::exit::Exit;
use crate::run::{Contribution, RunFolder, RunningClaim, RunningShard, Status, in_shell, moment};
use crate::terminal::Streams;
use crate::terminal::escape::terminal;
use crate::terminal::units::{in_words, plural};

/// The most running shards, and the most faults, that are printed.
const MOST: usize = 16;

/// Shows the progress of a run: shards done, running, missing and damaged, and the time left
///
/// The exit status is 3 if a line is damaged and a shard is missing, or if two lines disagree about a shard.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run status n24            prints the progress
  watch nqueens run status n24      prints it every two seconds, with the system's watch
  nqueens run status n24 copy       takes two folders together
  nqueens run status n24 --json     prints JSON")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let folders = open_all(&args.run.paths)?;
    let status = Status::of(&folders)?;
    if args.run.json {
        streams.json(&status)?;
    } else {
        show(&folders, &status, streams)?;
    }
    Ok(if status.faults.is_empty() { Exit::Fine } else { Exit::Wrong })
}

fn show(folders: &[RunFolder], status: &Status, streams: &mut Streams<'_>) -> std::io::Result<()> {
    // Texts from logs and claims may have ends of lines in them.
    let mut line = |text: String| writeln!(streams.out, "{}", terminal(&text));
    let Status { shards, done, running, missing, disputed, machines, .. } = status;
    let plan = &folders[0].plan;
    line(plan.in_words())?;
    let others = [(running, "running"), (missing, "missing"), (disputed, "disputed")];
    let others = others.into_iter().filter(|(number, _)| **number > 0);
    let others: String = others.map(|(number, what)| format!(", {number} {what}")).collect();
    line(format!("{done} of {} done{others}", plural(*shards, "shard")))?;
    // Not 100.0 before the end.
    let percent = (1000.0 * status.fraction).floor() / 10.0;
    line(format!("{percent:.1} % of the predicted work is done, in {} of core time", in_words(status.core_seconds)))?;
    for Contribution { by, shards, core_seconds, predicted_seconds, finished } in machines {
        let speed = match predicted_seconds / core_seconds.max(1e-9) {
            // What takes a moment says nothing of the speed.
            _ if *predicted_seconds < 1.0 => String::new(),
            speed => format!(", {speed:.2} times the predicted speed of portable code"),
        };
        line(format!(
            "  {} ({}): {} in {} of core time{speed}; the last at {}",
            by.machine,
            by.isa,
            plural(*shards, "shard"),
            in_words(*core_seconds),
            moment::text(*finished)
        ))?;
    }
    for running in status.running_shards.iter().take(MOST) {
        line(format!("  + {}", in_progress(running)))?;
    }
    if status.running_shards.len() > MOST {
        line(format!("  + and {} more: --json has all", status.running_shards.len() - MOST))?;
    }
    for foreign in &status.foreign {
        line(format!("  {foreign}"))?;
    }
    for fault in status.faults.iter().take(MOST) {
        line(format!("  ! {fault}"))?;
    }
    if status.faults.len() > MOST {
        line(format!("  ! and {} more: --json has all", status.faults.len() - MOST))?;
    }
    if let Some(advice) = &status.advice {
        line(advice.clone())?;
    }
    let basis = if machines.is_empty() { ", predicted for portable code" } else { "" };
    let left = format!("about {} of core time left{basis}", in_words(status.core_seconds_left));
    let dirs: Vec<String> = folders.iter().map(|folder| in_shell(&folder.path)).collect();
    match status.seconds_left {
        _ if done == shards => {
            line(format!("all shards are there: 'nqueens run merge {}' adds them up", dirs.join(" ")))
        }
        // Nothing is left to count until somebody has looked at it.
        _ if done + disputed == *shards => Ok(()),
        Some(seconds) => line(format!(
            "about {} left on {} of {}, if their cores are free{basis}",
            in_words(seconds),
            plural(status.threads, "thread"),
            if status.processes == 1 { "1 process".to_owned() } else { format!("{} processes", status.processes) },
        )),
        None if *running > 0 => line(left),
        None => {
            line(format!("{left}; no process is counting: start 'nqueens count {} --dir {}'", plan.size(), dirs[0]))
        }
    }
}

/// Who counts a shard and for how long, as far as it is known.
fn in_progress(running: &RunningShard) -> String {
    let RunningShard { claim: RunningClaim { shard, claimant, seconds }, forecast_seconds } = running;
    // The name is written after the claim. A full disk may keep it from being written.
    if claimant.machine.is_empty() {
        return format!("shard {shard}: a process that has not written its name");
    }
    let time = match seconds {
        0 => format!("since {} by its clock", claimant.since),
        seconds => format!("for {}", in_words(*seconds as f64)),
    };
    let late = if running.is_late() {
        format!("; about {} are forecast: it hangs, or its clock is wrong", in_words(*forecast_seconds))
    } else {
        String::new()
    };
    format!("shard {shard}: {}, process {}, {time}{late}", claimant.machine, claimant.process)
}
