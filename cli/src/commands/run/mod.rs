//! `nqueens run`: looks at long counts that `nqueens count N --dir RUN` saves in a folder.

mod audit;
mod merge;
mod status;

use std::path::{Path, PathBuf};

use crate::exit::{Exit, Fault};
use crate::run::{Results, RunFolder};
use crate::terminal::Streams;
use crate::terminal::units::plural;

/// Shows, adds up and checks long counts: status, merge, audit
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens count 24 --dir n24   plans, counts and joins a long count
  nqueens run status n24       shows its progress and the time left
  nqueens run merge n24        checks all results and prints the count
  nqueens run audit n24        counts a sample again, with another instruction set")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: RunCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    Status(status::Args),
    Merge(merge::Args),
    Audit(audit::Args),
}

/// A run in one or more folders, and whether the answer is JSON.
#[derive(Debug, clap::Args)]
struct Folders {
    /// Folder of the run, and other folders of the same run
    #[arg(value_name = "RUN", required = true)]
    paths: Vec<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Opens the folders of a run.
fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<RunFolder>> {
    paths.iter().map(|path| RunFolder::open(path)).collect()
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    match &args.what {
        RunCommand::Status(args) => status::run(args, streams),
        RunCommand::Merge(args) => merge::run(args, streams),
        RunCommand::Audit(args) => audit::run(args, streams),
    }
}

/// Reads all lines of these folders, and checks that the units are this program's.
fn read_all(paths: &[PathBuf], streams: &Streams<'_>) -> anyhow::Result<Results> {
    let mut results = Results::read(&open_all(paths)?)?;
    results.foreign_in_words().iter().for_each(|foreign| streams.note(format_args!("{foreign}; they are left out")));
    results.check_units(&paths[0])?;
    Ok(results)
}

/// Names all damaged lines and all shards whose count cannot be right. The error begins with `what`.
pub(crate) fn refuse_faults(results: &Results, what: &str, streams: &Streams<'_>) -> anyhow::Result<()> {
    let faults = results.faults();
    faults.iter().for_each(|fault| streams.complain(fault));
    let wrong = results.wrong.len();
    let damage = (faults.len() > wrong).then(|| {
        let run = quoted(results.log_folders().filter_map(Path::parent).next().unwrap_or(Path::new("RUN")));
        let (damaged, size) = (are_damaged(faults.len() - wrong), results.plan.size());
        format!("{damaged}: 'nqueens count {size} --dir {run}' counts their shards again")
    });
    let shards: Vec<usize> = results.wrong.keys().copied().collect();
    let again = (wrong > 0).then(|| count_again(&shards, results.log_folders()));
    let problems: Vec<String> = damage.into_iter().chain(again).collect();
    if problems.is_empty() { Ok(()) } else { Err(Fault::Wrong.error(format!("{what}: {}", problems.join("; ")))) }
}

/// Says how many damaged lines do no harm.
fn replaced(lines: usize) -> String {
    format!("{}, and other lines have the shards", are_damaged(lines))
}

fn are_damaged(lines: usize) -> String {
    format!("{} {} damaged", plural(lines, "line"), if lines == 1 { "is" } else { "are" })
}

/// Says that these shards are wrong, and what to do. `folders` are those of the logs.
fn count_again<'a>(wrong: &[usize], folders: impl Iterator<Item = &'a Path>) -> String {
    let logs: Vec<String> = folders.map(|folder| format!("{}/*.jsonl", quoted(folder))).collect();
    format!(
        "{} cannot be right: run 'nqueens verify' on the machines, end all processes of the run, remove all lines of such \
         a shard, as with sed -i '/\"shard\":{},/d' {}, and count it again on a machine that passes",
        plural(wrong.len(), "shard"),
        wrong[0],
        logs.join(" ")
    )
}

/// A path in a command that the user may copy into a shell. It is quoted if a character of it may mean something there.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c) || (cfg!(windows) && c == '\\');
    if text.chars().all(is_plain) {
        return text;
    }
    let escaped = |c: char| if "\"\\$`".contains(c) { format!("\\{c}") } else { c.to_string() };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}
