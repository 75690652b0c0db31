//! The status of a run as text.

use crate::runs::{LATEST, RunFolder, RunningClaim, ShardState, Status};
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::escape::terminal;
use crate::terminal::plural::plural;

/// Columns of the picture.
const COLUMNS: usize = 64;

/// The most lines of the picture.
const LINES: usize = 16;

pub(crate) fn show(folders: &[RunFolder], status: &Status, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let out = &mut streams.out;
    let dirs: Vec<String> = folders.iter().map(|folder| folder.path().display().to_string()).collect();
    let (dir, all) = (terminal(&dirs[0]), dirs.join(" "));
    writeln!(out, "{}", terminal(&folders[0].plan().in_words()))?;
    for line in picture(&status.states) {
        writeln!(out, "  {line}")?;
    }
    let [done, running, missing, damaged] =
        [ShardState::Done, ShardState::Running, ShardState::Missing, ShardState::Damaged]
            .map(|state| status.count(state));
    let partly = if shards_per_character(&status.states) > 1 { "   - partly done" } else { "" };
    writeln!(out, "  # done {done}   + running {running}   . missing {missing}   ! damaged {damaged}{partly}")?;
    writeln!(
        out,
        "{:.1} % of the predicted work is done, in {} of core time",
        100.0 * status.fraction,
        in_words(status.core_seconds)
    )?;
    for rate in &status.rates {
        writeln!(
            out,
            "  {} ({}): {} in {} of core time, {:.2} times the predicted speed of portable code; the last at {}",
            terminal(&rate.machine),
            terminal(&rate.isa),
            plural(rate.shards, "shard"),
            in_words(rate.core_seconds),
            rate.predicted_seconds / rate.core_seconds.max(1e-9),
            terminal(&rate.last_finished)
        )?;
    }
    for line in running_lines(&status.running) {
        writeln!(out, "  + {}", terminal(&line))?;
    }
    for fault in &status.faults {
        writeln!(out, "  ! {}", terminal(&fault.to_string()))?;
    }
    match status.seconds_left {
        _ if done == status.states.len() => {
            writeln!(out, "all shards are there: 'nqueens run merge --dir {}' adds them up", terminal(&all))?;
        }
        Some(seconds) => writeln!(
            out,
            "about {} left on {} of {}, if their cores are free; {}",
            in_words(seconds),
            plural(status.threads, "thread"),
            if status.processes == 1 { "1 process".to_owned() } else { format!("{} processes", status.processes) },
            basis(status),
        )?,
        None => writeln!(
            out,
            "about {} of core time left, {}; no process is counting: start 'nqueens run count --dir {dir}'",
            in_words(status.core_seconds_left),
            basis(status),
        )?,
    }
    Ok(())
}

/// What the time left is based on.
pub(crate) fn basis(status: &Status) -> String {
    match status.rates.iter().map(|rate| rate.shards).sum::<usize>() {
        0 => "based on the prediction for portable code: no shard is finished".to_owned(),
        records if records > LATEST => format!("based on the last {LATEST} records"),
        records => format!("based on {}", plural(records, "record")),
    }
}

/// The shards that are being counted, one on each line.
fn running_lines(running: &[RunningClaim]) -> Vec<String> {
    let line = |RunningClaim { shard, machine, process, number, seconds, .. }: &RunningClaim| {
        format!("shard {shard}: {machine}, process {process} ({number}), for {}", in_words(*seconds as f64))
    };
    let mut lines: Vec<String> = running.iter().take(LINES).map(line).collect();
    if running.len() > LINES {
        lines.push(format!("and {} more: --json has all", running.len() - LINES));
    }
    lines
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
        use ShardState::{Damaged, Done, Missing, Running};
        assert_eq!(picture(&[Done, Running, Missing, Damaged, Done]), ["#+.!#"]);
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
