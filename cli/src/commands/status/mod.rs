//! `nqueens status`: the progress of a run.

mod progress;

use serde_json::{Value, json};

use super::run_folders::Folders;
use crate::exit;
use crate::forecast::USUAL_RANGE;
use crate::run::{Claimant, Contribution, Results, RunPlan, core_seconds};
use crate::terminal::durations::{between, in_words};
use crate::terminal::units::plural;
use crate::terminal::{Streams, one_line};
use progress::Status;

/// Show the progress of a run: shards done, running, unclaimed and disputed, and the time left
///
/// A shard is disputed if its count cannot be right, for example because two machines counted it differently. The exit
/// status is 3 if a count cannot be right, or if a line is damaged while a shard is missing. If this version of the
/// program cannot count the units of the run, 'status' shows the run and then fails with status 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens status n24            print the progress
  watch nqueens status n24      print it every two seconds, with the system's 'watch'
  nqueens status n24 copy       read two folders of one run together
  nqueens status n24 --json     print JSON")]
pub(crate) struct Args {
    #[command(flatten)]
    run: Folders,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let folders = args.run.open()?;
    let mut status = Status::of(&folders)?;
    let judged = judge(&mut status.results);
    if args.run.json {
        streams.json(json(&status, judged.as_ref().err()))?;
    } else {
        show(&status, judged.is_ok(), streams)?;
    }
    judged?;
    if status.results.problems().is_empty() { Ok(()) } else { Err(exit::Kind::Wrong.already_reported()) }
}

/// Checks the lines as `merge`, `count` and `audit` do, so that `status` recommends no command that would refuse them.
fn judge(results: &mut Results<'_>) -> anyhow::Result<()> {
    let plan = results.run_plan().portable_plan()?;
    // If the run has problems, a check of its sum would only repeat that something is wrong.
    results.verify(results.check_plan(&*plan)?).check_sanity()
}

fn json(status: &Status<'_>, refusal: Option<&anyhow::Error>) -> Value {
    let Status { results, running, unclaimed } = status;
    let contributions = results.contributions();
    let (processes, threads) = status.processes();
    let mut json = results.progress();
    json["running"] = json!(running.len());
    json["unclaimed"] = json!(unclaimed.len());
    json["core_seconds"] = json!(core_seconds(&contributions));
    json["machines"] = json!(contributions);
    json["running_shards"] = json!(running);
    json["unclaimed_shards"] = json!(unclaimed);
    json["disputed_shards"] = json!(results.disputed.keys().collect::<Vec<_>>());
    json["processes"] = json!(processes);
    json["threads"] = json!(threads);
    json["core_seconds_left"] = json!(status.core_seconds_left());
    json["seconds_left"] = json!(status.seconds_left());
    json["problems"] = json!(results.problems());
    json["advice"] = json!(refusal.map(|error| format!("{error:#}")).or_else(|| results.advice()));
    json
}

/// Prints the progress for people. Recommends nothing for a run that other commands would refuse.
fn show(status: &Status<'_>, is_accepted: bool, streams: &mut Streams<'_>) -> std::io::Result<()> {
    // Texts from logs and claims may contain line breaks.
    let mut line = |text: String| writeln!(streams.out, "{}", one_line(&text));
    let Status { results, running, unclaimed } = status;
    let run_plan = results.run_plan();
    let contributions = results.contributions();
    let done = results.done();
    line(run_plan.in_words())?;
    let others = [(running.len(), "running"), (unclaimed.len(), "unclaimed"), (results.disputed.len(), "disputed")];
    let others = others.into_iter().filter(|(number, _)| *number > 0);
    let others: String = others.map(|(number, what)| format!(", {number} {what}")).collect();
    line(format!("{done} of {} shards done{others}", run_plan.shards()))?;
    if !contributions.is_empty() {
        line(format!("{} of core time so far", in_words(core_seconds(&contributions))))?;
    }
    for Contribution { by, shards, core_seconds, finished, .. } in &results.contributions_by_code() {
        let (shards, time) = (plural(*shards, "shard"), in_words(*core_seconds));
        line(format!("  {} ({}): {shards} in {time} of core time; the last at {finished}", by.machine, by.isa))?;
    }
    let progress = running.iter().map(|Claimant { shard, since, machine, process, .. }| match &machine[..] {
        // A process takes the lock before it writes its name, and a full disk may prevent that.
        "" => format!("  + shard {shard}: a process that has not written its name"),
        _ => format!("  + shard {shard}: {machine}, process {process}, since {since}"),
    });
    results.shortened_list(progress.collect()).into_iter().try_for_each(&mut line)?;
    let mut ranges = status.unclaimed_ranges();
    let more = results.shorten(&mut ranges).map_or_else(String::new, |note| format!("; {note}"));
    if !ranges.is_empty() {
        // In the form in which `--only` reads them.
        line(format!("  - unclaimed: {}{more}", ranges.join(",")))?;
    }
    let problems = results.problems().into_iter().map(|problem| format!("  ! {problem}"));
    results.shortened_list(problems.collect()).into_iter().try_for_each(&mut line)?;
    let advice = if is_accepted { [results.advice(), results.audit_advice()] } else { [None, None] };
    advice.into_iter().flatten().chain(next_step(status, is_accepted)).try_for_each(&mut line)
}

/// Returns the time left and the next step, in a line, or `None` if the only step left is to look into the problems.
fn next_step(status: &Status<'_>, is_accepted: bool) -> Option<String> {
    // The rest may take longer or shorter than at the pace so far.
    let range = |seconds: f64| between(USUAL_RANGE.map(|share| share * seconds));
    let results = &status.results;
    let RunPlan { size, solver, .. } = results.run_plan();
    let shards = results.run_plan().shards();
    if results.done() == shards {
        return is_accepted
            .then(|| format!("all shards are saved: 'nqueens merge {}' adds them up", results.folders_in_shell()));
    }
    if results.done() + results.disputed.len() == shards {
        return None;
    }
    if let (Some(seconds), (processes, threads)) = (status.seconds_left(), status.processes()) {
        let processes = if processes == 1 { "1 process".to_owned() } else { format!("{processes} processes") };
        let (left, threads) = (range(seconds), plural(threads, "thread"));
        return Some(format!("{left} left on {threads} of {processes}, if each thread has a free core"));
    }
    let left = match status.core_seconds_left() {
        Some(seconds) => format!("{} of core time left", range(seconds)),
        None => format!("the time left is unknown: 'nqueens estimate {size} --solver {solver}' makes a forecast"),
    };
    let is_idle = status.running.is_empty() && is_accepted;
    Some(if is_idle {
        format!("{left}; no running process was found: start {}", results.count_command())
    } else {
        left
    })
}
