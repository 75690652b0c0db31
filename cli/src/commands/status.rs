//! `nqueens status`: the progress of a run.

use serde_json::{Value, json};

use super::folders::{Folders, open_all};
use crate::exit;
use crate::forecast::range;
use crate::run::{Claimant, Contribution, Status, core_seconds};
use crate::terminal::units::{in_words, plural};
use crate::terminal::{Streams, one_line};
use crate::version;

/// Shows the progress of a run: shards done, running, missing and damaged, and the time left
///
/// The exit status is 3 if a line is damaged and a shard is missing, or if two lines disagree about a shard.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status n24            prints the progress
  watch nqueens status n24      prints it every two seconds, with the system's watch
  nqueens status n24 copy       takes two folders together
  nqueens status n24 --json     prints JSON")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let status = &Status::of(&open_all(&args.run.paths)?)?;
    if args.run.json {
        streams.json(&json(status))?;
    } else {
        show(status, streams)?;
    }
    if status.results.problems().is_empty() { Ok(()) } else { Err(exit::Kind::Wrong.told()) }
}

fn json(status: &Status) -> Value {
    let Status { results, running, missing, .. } = status;
    let (plan, machines, (processes, threads)) = (&results.plan, results.machines(), status.processes());
    json!({
        "schema": version::JSON_SCHEMA,
        "size": plan.size,
        "solver": plan.solver,
        "fingerprint": plan.fingerprint,
        "shards": plan.shards(),
        "done": status.done(),
        "running": running.len(),
        "missing": missing.len(),
        "disputed": results.wrong.len(),
        "core_seconds": core_seconds(&machines),
        "machines": machines,
        "running_shards": running,
        "shards_missing": missing,
        "shards_disputed": results.wrong.keys().collect::<Vec<_>>(),
        "processes": processes,
        "threads": threads,
        "core_seconds_left": status.core_seconds_left(),
        "seconds_left": status.seconds_left(),
        "problems": results.problems(),
        "advice": results.advice(),
    })
}

fn show(status: &Status, streams: &mut Streams<'_>) -> std::io::Result<()> {
    // Texts from logs and claims may have ends of lines in them.
    let mut line = |text: String| writeln!(streams.out, "{}", one_line(&text));
    let Status { results, running, missing, .. } = status;
    let (plan, machines, done, disputed) = (&results.plan, results.machines(), status.done(), results.wrong.len());
    line(plan.in_words())?;
    let others = [(running.len(), "running"), (missing.len(), "missing"), (disputed, "disputed")];
    let others = others.into_iter().filter(|(number, _)| *number > 0);
    let others: String = others.map(|(number, what)| format!(", {number} {what}")).collect();
    line(format!("{done} of {} done{others}", plural(plan.shards(), "shard")))?;
    line(format!("{} of core time so far", in_words(core_seconds(&machines))))?;
    for Contribution { by, shards, core_seconds, finished, .. } in &machines {
        let (shards, time) = (plural(*shards, "shard"), in_words(*core_seconds));
        line(format!("  {} ({}): {shards} in {time} of core time; the last at {finished}", by.machine, by.isa))?;
    }
    let progress = running.iter().map(|Claimant { shard, since, machine, process, .. }| match &machine[..] {
        // The name is written after the lock is taken. A full disk may keep it from being written.
        "" => format!("  + shard {shard}: a process that has not written its name"),
        _ => format!("  + shard {shard}: {machine}, process {process}, since {since}"),
    });
    let problems = results.problems().into_iter().map(|problem| format!("  ! {problem}"));
    for lines in [progress.collect(), problems.collect()] {
        results.first_of(lines).into_iter().try_for_each(&mut line)?;
    }
    for advice in results.advice().into_iter().chain(results.audit_advice()) {
        line(advice)?;
    }
    let left = status.core_seconds_left().map(|seconds| format!("{} of core time left", range(seconds)));
    let left =
        left.unwrap_or_else(|| format!("nothing tells the time left: 'nqueens estimate {}' has a forecast", plan.size));
    match (status.seconds_left(), status.processes()) {
        _ if done == plan.shards() => {
            line(format!("all shards are there: 'nqueens merge {}' adds them up", results.folders()))
        }
        // Nothing is left to count until somebody has looked at it.
        _ if done + disputed == plan.shards() => Ok(()),
        (Some(seconds), (processes, threads)) => line(format!(
            "{} left on {} of {}, if their cores are free",
            range(seconds),
            plural(threads, "thread"),
            if processes == 1 { "1 process".to_owned() } else { format!("{processes} processes") },
        )),
        (None, _) if !running.is_empty() => line(left),
        _ => line(format!("{left}; no process is counting: start {}", results.command())),
    }
}
