//! `nqueens run status`: how far a run is.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use crate::runs::{Basis, RunFolder, RunningClaim, ShardState, Status};
use crate::terminal::escape::terminal;
use serde::Serialize;

use super::super::options::Printed;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::signals::Interrupts;

/// Columns of the picture.
const COLUMNS: usize = 64;
/// Its lines, at most.
const LINES: usize = 16;
/// How often `--watch` looks.
const EVERY: Duration = Duration::from_secs(2);

/// Tells how far a run is: done, running, missing, damaged, and the time left
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run status --dir n24           a picture and figures
  nqueens run status --dir n24 --watch   every two seconds, until it is done
  nqueens run status --dir n24 copy      of two folders together
  nqueens run status --dir n24 --json    for programs")]
pub(crate) struct Args {
    /// The folder of the run
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// Other folders of the same run
    #[arg(value_name = "DIR")]
    others: Vec<PathBuf>,
    #[command(flatten)]
    printed: Printed,
    /// Goes on until the run is done
    #[arg(long)]
    watch: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let paths = std::iter::once(&args.dir).chain(&args.others);
    let folders: Vec<RunFolder> = paths.map(|path| RunFolder::open(path)).collect::<Result<_, _>>()?;
    let interrupts = Interrupts::catch()?;
    loop {
        let status = Status::of(&folders)?;
        if args.watch && !args.printed.is_json() && std::io::stdout().is_terminal() {
            // Clears the screen.
            write!(streams.out, "\x1b[H\x1b[2J")?;
        }
        if args.printed.is_json() {
            streams.json(&Json::new(&folders[0], &status))?;
        } else {
            show(&folders, &status, streams)?;
        }
        streams.out.flush()?;
        let is_over = status.states.iter().all(|&state| state == ShardState::Done);
        if !args.watch || is_over {
            return Ok(Exit::Fine);
        }
        for _ in 0..EVERY.as_millis() / 100 {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(exit) = interrupts.caught() {
                return Ok(exit);
            }
        }
    }
}

fn show(folders: &[RunFolder], status: &Status, streams: &mut Streams<'_>) -> anyhow::Result<()> {
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
    writeln!(out, "  # done {done}   + running {running}   . missing {missing}   ! damaged {damaged}")?;
    writeln!(
        out,
        "{:.1} % of the predicted work done, in {} of one core",
        100.0 * status.fraction,
        in_words(status.core_seconds)
    )?;
    for rate in &status.rates {
        writeln!(
            out,
            "  {} ({}): {} {} in {} of one core, {:.2} x as fast as predicted for portable code; the last at {}",
            terminal(&rate.machine),
            terminal(&rate.isa),
            rate.shards,
            if rate.shards == 1 { "shard" } else { "shards" },
            in_words(rate.core_seconds),
            rate.predicted_seconds / rate.core_seconds.max(1e-9),
            terminal(&rate.last_finished)
        )?;
    }
    for line in running_lines(&status.running) {
        writeln!(out, "  + {}", terminal(&line))?;
    }
    if status.running.iter().any(RunningClaim::is_silent) {
        writeln!(out, "  'nqueens run count --dir {dir} --steal-after TIME' takes over what is claimed in silence")?;
    }
    for fault in &status.faults {
        writeln!(out, "  ! {}", terminal(&fault.to_string()))?;
    }
    if let Some(note) = counted_again(status.counted_again) {
        writeln!(out, "{note}")?;
    }
    match status.seconds_left {
        _ if done == status.states.len() => {
            writeln!(out, "all shards are there: 'nqueens run merge --dir {}' adds them up", terminal(&all))?;
        }
        Some(seconds) => writeln!(
            out,
            "about {} left on {} of {}, {}, if the cores are free",
            in_words(seconds),
            several(status.threads, "thread", "threads"),
            several(status.processes, "process", "processes"),
            in_basis(status.basis),
        )?,
        None => writeln!(
            out,
            "about {} of one core left, {}; nobody is counting: 'nqueens run count --dir {dir}' goes on",
            in_words(status.core_seconds_left),
            in_basis(status.basis),
        )?,
    }
    Ok(())
}

fn several(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// What a time that is left rests on.
fn in_basis(basis: Basis) -> String {
    let records = |n| several(n, "record", "records");
    match basis {
        Basis::TheseMachines(n) => format!("going by {} of these machines", records(n)),
        Basis::AllMachines(n) => format!("going by {} of all machines", records(n)),
        Basis::Prediction => "going by the prediction for portable code: no shard is finished".to_owned(),
    }
}

/// Says that work was done twice, if any was.
pub(crate) fn counted_again(times: usize) -> Option<String> {
    let shards = several(times, "shard was", "shards were");
    (times > 0).then(|| format!("{shards} counted twice, with the same result: do file locks work here?"))
}

/// Who is counting what, a line a shard.
fn running_lines(running: &[RunningClaim]) -> Vec<String> {
    let line = |one: &RunningClaim| {
        let RunningClaim { shard, claimant, age, silent, .. } = one;
        let said = format!(
            "shard {shard}: {}, process {} ({}), for {}",
            claimant.machine(),
            claimant.process,
            claimant.number,
            in_words(age.as_secs_f64())
        );
        if one.is_silent() { format!("{said}; silent for {}", in_words(silent.as_secs_f64())) } else { said }
    };
    let mut lines: Vec<String> = running.iter().take(LINES).map(line).collect();
    if running.len() > LINES {
        lines.push(format!("and {} more: --json has all", running.len() - LINES));
    }
    lines
}

/// The shards in their order, as many to a character as it takes.
fn picture(states: &[ShardState]) -> Vec<String> {
    let per_character = states.len().div_ceil(COLUMNS * LINES).max(1);
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
    let characters: Vec<char> = states.chunks(per_character).map(character).collect();
    characters.chunks(COLUMNS).map(|line| line.iter().collect()).collect()
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    size: usize,
    solver: &'a str,
    fingerprint: &'a str,
    shards: usize,
    done: usize,
    running: usize,
    missing: usize,
    damaged: usize,
    fraction: f64,
    core_seconds: f64,
    core_seconds_left: f64,
    seconds_left: Option<f64>,
    /// What the time left rests on.
    basis: String,
    processes: usize,
    threads: usize,
    counted_again: usize,
    running_shards: Vec<RunningShard<'a>>,
    /// What the scheduler is still to be given.
    shards_missing: Vec<usize>,
    machines: Vec<MachineLine<'a>>,
    faults: Vec<String>,
}

#[derive(Serialize)]
struct RunningShard<'a> {
    shard: usize,
    machine: &'a str,
    process: u32,
    number: &'a str,
    threads: usize,
    since: &'a str,
    seconds: u64,
    silent_seconds: u64,
}

#[derive(Serialize)]
struct MachineLine<'a> {
    machine: &'a str,
    isa: &'a str,
    shards: usize,
    core_seconds: f64,
    predicted_seconds: f64,
    last_finished: &'a str,
}

impl<'a> Json<'a> {
    fn new(folder: &'a RunFolder, status: &'a Status) -> Self {
        let plan = folder.plan();
        let wanted = |state: ShardState| matches!(state, ShardState::Missing | ShardState::Damaged);
        Self {
            schema: 1,
            size: plan.size().get(),
            solver: plan.solver(),
            fingerprint: plan.fingerprint(),
            shards: plan.shards(),
            done: status.count(ShardState::Done),
            running: status.count(ShardState::Running),
            missing: status.count(ShardState::Missing),
            damaged: status.count(ShardState::Damaged),
            fraction: status.fraction,
            core_seconds: status.core_seconds,
            core_seconds_left: status.core_seconds_left,
            seconds_left: status.seconds_left,
            basis: in_basis(status.basis),
            processes: status.processes,
            threads: status.threads,
            counted_again: status.counted_again,
            running_shards: status
                .running
                .iter()
                .map(|RunningClaim { shard, claimant, age, silent, .. }| RunningShard {
                    shard: *shard,
                    machine: claimant.machine(),
                    process: claimant.process,
                    number: &claimant.number,
                    threads: claimant.threads,
                    since: &claimant.since,
                    seconds: age.as_secs(),
                    silent_seconds: silent.as_secs(),
                })
                .collect(),
            shards_missing: (0..plan.shards()).filter(|&shard| wanted(status.states[shard])).collect(),
            machines: status
                .rates
                .iter()
                .map(|rate| MachineLine {
                    machine: &rate.machine,
                    isa: &rate.isa,
                    shards: rate.shards,
                    core_seconds: rate.core_seconds,
                    predicted_seconds: rate.predicted_seconds,
                    last_finished: &rate.last_finished,
                })
                .collect(),
            faults: status.faults.iter().map(ToString::to_string).collect(),
        }
    }
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
