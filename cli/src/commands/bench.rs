//! `nqueens bench`: runs the suite, and saves and shows the record.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use nqueens::solver::Isa;

use super::compare::tables;
use super::options::machine::name;
use super::options::{isas, named_path, number};
use crate::bench::Record;
use crate::bench::compare::Comparison;
use crate::bench::measure::Suite;
use crate::exit;
use crate::machine;
use crate::terminal::files::cannot_write;
use crate::terminal::task::Task;
use crate::terminal::units::plural;
use crate::terminal::{Streams, settle, signals};

/// Measure this machine in half a minute, and give it a score
///
/// Count boards with two frozen solvers, whose code does not change, and boards and units with the fastest solver, on
/// one thread and on all threads, each of which counts by itself. Every count is checked. The score comes from the
/// frozen solvers, and the color score, which compares only records of one commit, from the fastest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench                                    write MACHINE-DATE.json into this folder
  nqueens bench --scaling --machine 'My server'    also measure 2, 4, 8 threads and so on
  nqueens bench --out here.json                    write the record to here.json
  nqueens bench --runs 3 --out here.json           write here-1.json to here-3.json, and join them
  nqueens compare here.json there.json             compare it with another machine")]
pub(crate) struct Args {
    /// Also measure 2, 4, 8 and so on threads, as long as they are fewer than all
    #[arg(long)]
    scaling: bool,
    /// Measure K times and write a record of each run, because runs differ more than the samples of one run
    #[arg(long, value_name = "K", default_value = "1", value_parser = number(1..=99usize), allow_negative_numbers = true)]
    runs: usize,
    /// Write the record to FILE. Default: a new file in this folder, named after the machine and the date
    #[arg(long, short, value_name = "FILE", value_parser = named_path())]
    out: Option<PathBuf>,
    /// Name of this machine in the record. Default: the processor's model
    #[arg(long, value_name = "NAME", value_parser = name)]
    machine: Option<String>,
    /// Highest instruction set for 'color', the only solver with vector code. Default: the best of this machine
    #[arg(long, value_name = "SET", value_parser = isas())]
    isa: Option<Isa>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let name = args.machine.clone().unwrap_or_else(|| machine::facts().cpu_model);
    let out = args.out.clone().unwrap_or_else(|| new_file(&name, &machine::now()));
    let paths: Vec<PathBuf> = match args.runs {
        1 => vec![out],
        runs => (1..=runs).map(|run| numbered(&out, run)).collect(),
    };
    let suite = Suite::new(args.scaling, machine::memory_limit())?;
    // A signal removes the files again.
    signals::catch()?;
    // Files that cannot be written are reported before anything is measured.
    let files = create(&paths)?;
    let to = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let the_record = if args.runs == 1 { "the record goes to" } else { "the records go to" };
    streams.note(format_args!("{the_record} {to}"));
    let (count, all) = (plural(suite.workloads(), "workload"), machine::facts().usable_cpus);
    let seconds = (suite.seconds() * args.runs as f64).max(1.0);
    let each = if args.runs == 1 { String::new() } else { format!("{} of ", plural(args.runs, "run")) };
    streams.note(format_args!("{each}{count}, about {seconds:.0} s, 'all' threads are {all}"));
    let mut saved: Vec<(String, Record)> = Vec::new();
    let mut done = Ok(());
    for (path, mut file) in paths.iter().zip(files) {
        if done.is_ok() {
            let (record, measured) = measure_once(args, &suite, &name, streams)?;
            let is_whole = measured.is_ok();
            done = measured.and_then(|()| file.write_all(record.json().as_bytes()).with_context(|| cannot_write(path)));
            // Show a record even if it is not whole or cannot be saved.
            if is_whole || saved.is_empty() {
                saved.push((path.display().to_string(), record));
            }
        }
        // An empty file or half a record would be in the way of the next measurement.
        if done.is_err() {
            let _ = std::fs::remove_file(path);
        }
    }
    saved.retain(|(_, record)| !record.workloads.is_empty());
    let shown = if saved.is_empty() {
        Ok(())
    } else {
        let comparison = Comparison::of(saved, None);
        streams.out.write_all(tables::of_one(&comparison).as_bytes()).and_then(|()| streams.out.flush())
    };
    settle(done, shown.map_err(anyhow::Error::from))
}

/// Measures the suite once, with progress. After an error, the record contains the samples that were taken before it.
fn measure_once(
    args: &Args,
    suite: &Suite,
    name: &str,
    streams: &Streams<'_>,
) -> anyhow::Result<(Record, anyhow::Result<()>)> {
    let task = Task::new("measuring", streams)?;
    let (record, measured) = task.measure(|task| {
        suite.run(name.to_owned(), args.isa, &task.cancel, &mut |fraction, of| {
            let (name, threads, samples) = (of.name(), plural(of.threads, "thread"), of.seconds.len());
            task.show(fraction, || format!("{:.0} %, {name}, {threads}, sample {samples}", 100.0 * fraction));
        })
    });
    let what = if args.runs == 1 { "there is no record" } else { "this run has no record" };
    let stopped = || exit::Kind::Failure.error(format!("stopped before everything was measured, so {what}"));
    Ok((record, measured.map_err(|error| if task.cancel.is_cancelled() { stopped() } else { error })))
}

/// Creates a new file at each path, or none if that fails for one.
fn create(paths: &[PathBuf]) -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    for path in paths {
        match File::create_new(path) {
            Ok(file) => files.push(file),
            Err(error) => {
                paths[..files.len()].iter().for_each(|path| drop(std::fs::remove_file(path)));
                if error.kind() == ErrorKind::AlreadyExists {
                    let problem = format!("{} exists already: give the name of a new file with --out", path.display());
                    return Err(exit::Kind::InputOutput.error(problem));
                }
                return Err(error).with_context(|| cannot_write(path));
            }
        }
    }
    Ok(files)
}

/// The file of a run, such as `here-2.json` for `here.json`.
fn numbered(path: &Path, run: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{run}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The default file for a machine and a time, such as `amd-epyc-2026-11-26-181036.json`.
fn new_file(name: &str, time: &str) -> PathBuf {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let machine: String = words.join("-").to_lowercase().chars().take(60).collect();
    let time = time.replace('T', "-").replace([':', 'Z'], "");
    format!("{}-{time}.json", if machine.is_empty() { "machine" } else { &machine }).into()
}
