//! `nqueens run status`: the progress of a run.

use std::path::PathBuf;

use super::{Folders, count_again, open_all, replaced};
use crate::exit::Exit;
use crate::run::{RunFolder, RunningClaim, ShardState, Status};
use crate::terminal::Streams;
use crate::terminal::escape::terminal;
use crate::terminal::units::{in_words, plural};

/// Columns of the picture.
const COLUMNS: usize = 64;

/// The most lines of the picture.
const LINES: usize = 16;

/// Shows the progress of a run: shards done, running, missing and damaged, and the time left
///
/// The exit status is 3 if a line is damaged and a shard is missing, or if two lines disagree about a shard.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run status n24            prints a picture and figures
  watch nqueens run status n24      prints them every two seconds, with the system's watch
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

fn show(folders: &[RunFolder], status: &Status, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let out = &mut streams.out;
    let dirs: Vec<String> = folders.iter().map(|folder| folder.path.display().to_string()).collect();
    let (dir, all) = (terminal(&dirs[0]), dirs.join(" "));
    writeln!(out, "{}", terminal(&folders[0].plan.in_words()))?;
    for line in picture(&status.states) {
        writeln!(out, "  {line}")?;
    }
    let partly = if shards_per_character(&status.states) > 1 { "   - partly done" } else { "" };
    let Status { done, running, missing, damaged, disputed, .. } = status;
    let disputes = if *disputed > 0 { format!("   ? disputed {disputed}") } else { String::new() };
    writeln!(
        out,
        "  # done {done}   + running {running}   . missing {missing}   ! damaged {damaged}{disputes}{partly}"
    )?;
    writeln!(
        out,
        "{:.1} % of the predicted work is done, in {} of core time",
        // Not 100.0 before the end.
        (1000.0 * status.fraction).floor() / 10.0,
        in_words(status.core_seconds)
    )?;
    for machine in &status.machines {
        writeln!(
            out,
            "  {} ({}): {} in {} of core time, {:.2} times the predicted speed of portable code; the last at {}",
            terminal(&machine.by.machine),
            terminal(&machine.by.isa),
            plural(machine.shards, "shard"),
            in_words(machine.core_seconds),
            machine.predicted_seconds / machine.core_seconds.max(1e-9),
            machine.finished
        )?;
    }
    for RunningClaim { shard, claimant, seconds } in status.running_shards.iter().take(LINES) {
        let (machine, process) = (terminal(&claimant.machine), claimant.process);
        writeln!(out, "  + shard {shard}: {machine}, process {process}, for {}", in_words(*seconds as f64))?;
    }
    if status.running_shards.len() > LINES {
        writeln!(out, "  + and {} more: --json has all", status.running_shards.len() - LINES)?;
    }
    for fault in &status.faults {
        writeln!(out, "  ! {}", terminal(fault))?;
    }
    if status.damaged_lines_replaced > 0 {
        writeln!(out, "{}", replaced(status.damaged_lines_replaced))?;
    }
    let wrong: Vec<usize> =
        (0..status.states.len()).filter(|&shard| status.states[shard] == ShardState::Disputed).collect();
    if !wrong.is_empty() {
        let logs: Vec<PathBuf> = folders.iter().map(RunFolder::logs).collect();
        writeln!(out, "{}", terminal(&count_again(&wrong, logs.iter().map(PathBuf::as_path))))?;
    }
    let basis = if status.machines.is_empty() { ", predicted for portable code" } else { "" };
    match status.seconds_left {
        _ if status.done == status.states.len() => {
            writeln!(out, "all shards are there: 'nqueens run merge {}' adds them up", terminal(&all))?;
        }
        // Nothing is left to count until somebody has looked at it.
        _ if status.done + disputed == status.states.len() => {}
        Some(seconds) => writeln!(
            out,
            "about {} left on {} of {}, if their cores are free{basis}",
            in_words(seconds),
            plural(status.threads, "thread"),
            if status.processes == 1 { "1 process".to_owned() } else { format!("{} processes", status.processes) },
        )?,
        None => writeln!(
            out,
            "about {} of core time left{basis}; no process is counting: start 'nqueens count {} --dir {dir}'",
            in_words(status.core_seconds_left),
            folders[0].plan.size(),
        )?,
    }
    Ok(())
}

/// The number of shards that a character of the picture stands for.
fn shards_per_character(states: &[ShardState]) -> usize {
    states.len().div_ceil(COLUMNS * LINES).max(1)
}

/// A picture of all shards in order. If there are many, a character stands for several.
fn picture(states: &[ShardState]) -> Vec<String> {
    let character = |some: &[ShardState]| {
        let has = |state| some.contains(&state);
        match () {
            () if has(ShardState::Damaged) => '!',
            () if has(ShardState::Disputed) => '?',
            () if has(ShardState::Running) => '+',
            () if !has(ShardState::Missing) => '#',
            () if has(ShardState::Done) => '-',
            () => '.',
        }
    };
    let characters: Vec<char> = states.chunks(shards_per_character(states)).map(character).collect();
    characters.chunks(COLUMNS).map(|line| line.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_a_character_for_one_shard_or_for_many() {
        use ShardState::{Damaged, Disputed, Done, Missing, Running};
        assert_eq!(picture(&[Done, Running, Missing, Damaged, Done, Disputed]), ["#+.!#?"]);
        assert_eq!(picture(&[Missing; 65]), [".".repeat(64), ".".to_owned()]);
        let mut many = vec![Done; 62_000];
        many[100] = Missing;
        many[40_000] = Damaged;
        let lines = picture(&many);
        assert!(lines.len() <= LINES && lines.iter().all(|line| line.len() <= COLUMNS));
        assert_eq!(lines.concat().matches('-').count(), 1);
        assert_eq!(lines.concat().matches('!').count(), 1);
    }
}
