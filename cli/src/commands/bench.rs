//! `nqueens bench`: runs the suite, and saves and shows the record.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use nqueens::registry::machine_isa;
use nqueens::solver::Isa;

use super::options::{isa_parser, named_path_parser, number_parser, parse_machine_name};
use super::tables;
use crate::bench::comparison::Comparison;
use crate::bench::measure::Suite;
use crate::bench::warning::Warning;
use crate::bench::{Record, Run};
use crate::exit;
use crate::machine;
use crate::terminal::Streams;
use crate::terminal::files::cannot_write;
use crate::terminal::task::Task;
use crate::terminal::units::plural;

/// Measure this machine in half a minute, and give it two scores
///
/// Count boards with the frozen solvers 'arrays' and 'bitmask', whose speed should never change, and with 'color', the
/// fastest, on one thread and on all threads. Each thread counts by itself, and every count is checked. The score comes
/// from the frozen solvers. The color score comes from 'color'; compare it only between records of one commit.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench                                    write MACHINE-DATE.json into this folder
  nqueens bench --scaling --machine 'My server'    also measure 2, 4, 8 threads and so on
  nqueens bench --out here.json                    write the record to here.json
  nqueens bench --runs 3 --out here.json           write here-1.json, here-2.json and here-3.json
  nqueens compare here.json there.json             compare it with another machine")]
pub(crate) struct Args {
    /// Also measure on 2, 4, 8 threads and so on, below the number of all threads
    #[arg(long)]
    scaling: bool,
    /// Measure K times and write a record of each run, because runs differ more than the samples of one run
    #[arg(long, value_name = "K", default_value = "1", value_parser = number_parser(1..=99usize), allow_negative_numbers = true)]
    runs: usize,
    /// Write the record to FILE. Default: a new file in this folder, named after the machine and the date
    #[arg(long, short, value_name = "FILE", value_parser = named_path_parser())]
    out: Option<PathBuf>,
    /// Name of this machine in the record. Default: the processor's model
    #[arg(long, value_name = "NAME", value_parser = parse_machine_name)]
    machine: Option<String>,
    /// Highest instruction set for 'color', the only solver with vector code. Default: the best of this machine
    #[arg(long, value_name = "SET", value_parser = isa_parser())]
    isa: Option<Isa>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let isa = args.isa.unwrap_or_else(machine_isa);
    let suite = Suite::new(args.scaling, isa, machine::memory_limit())?;
    // The task catches signals, so that a signal does not leave empty files behind.
    let task = Task::new("measuring", streams)?;
    // Files that cannot be written are reported before anything is measured.
    let files = paths(args).into_iter().map(NewFile::create).collect::<anyhow::Result<Vec<_>>>()?;
    announce(args, &suite, &files, streams);
    let (runs, done) = measure(args, &suite, files, &task);
    let shown = if runs.is_empty() {
        Ok(())
    } else {
        let table = tables::of_one(&Comparison::of(runs, None));
        streams.out.write_all(table.as_bytes()).and_then(|()| streams.out.flush())
    };
    exit::settle(done, shown)
}

impl Args {
    /// Returns the name of this machine in the record.
    fn machine_name(&self) -> &str {
        self.machine.as_ref().unwrap_or(&machine::facts().cpu_model)
    }
}

/// Returns the file of each run.
fn paths(args: &Args) -> Vec<PathBuf> {
    let out = args.out.clone().unwrap_or_else(|| new_file(args.machine_name(), &machine::now()));
    match args.runs {
        1 => vec![out],
        runs => (1..=runs).map(|run| numbered(&out, run)).collect(),
    }
}

/// Says where the records go, what is measured, and how long it takes.
fn announce(args: &Args, suite: &Suite, files: &[NewFile], streams: &Streams<'_>) {
    let to = files.iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>().join(", ");
    let the_record = if args.runs == 1 { "the record goes to" } else { "the records go to" };
    streams.note(format_args!("{the_record} {to}"));
    let seconds = (suite.seconds() * args.runs as f64).max(1.0);
    let each = if args.runs == 1 { String::new() } else { format!("{} of ", plural(args.runs, "run")) };
    streams.note(format_args!("{each}{}, about {seconds:.0} s", suite.in_words()));
    for Warning { text, .. } in suite.obstacles() {
        streams.note(format_args!("there may be no score: {text}"));
    }
}

/// Measures the suite once for each file and saves the records, until a run fails. A record is returned even if it
/// cannot be saved.
fn measure(args: &Args, suite: &Suite, files: Vec<NewFile>, task: &Task) -> (Vec<Run>, anyhow::Result<()>) {
    let mut runs = Vec::new();
    for mut file in files {
        let record = match measure_once(args, suite, task) {
            Ok(record) => record,
            Err(error) => return (runs, Err(error)),
        };
        let saved = file.write(&record);
        runs.push(Run { file: file.path.display().to_string(), record });
        if saved.is_err() {
            return (runs, saved);
        }
    }
    (runs, Ok(()))
}

/// Measures the suite once, with progress.
fn measure_once(args: &Args, suite: &Suite, task: &Task) -> anyhow::Result<Record> {
    let what = if args.runs == 1 { "there is no record" } else { "this run has no record" };
    let stopped = || format!("stopped before everything was measured, so {what}");
    task.watch_while(stopped, || {
        suite.measure(args.machine_name().to_owned(), &task.stop.cancel, &mut |fraction, times| {
            task.show(fraction, || {
                let threads = plural(times.threads, "thread");
                format!("{:.0} %, {}, {threads}, sample {}", 100.0 * fraction, times.id(), times.seconds.len())
            });
        })
    })
}

/// A new file for a record. It is removed again unless a record is written to it, because an empty file or an
/// incomplete record would block the next measurement.
struct NewFile {
    path: PathBuf,
    file: File,
    is_written: bool,
}

impl NewFile {
    fn create(path: PathBuf) -> anyhow::Result<Self> {
        let name = path.display();
        let problem = match File::create_new(&path) {
            Ok(file) => return Ok(Self { path, file, is_written: false }),
            Err(_) if path.is_dir() => {
                let example = path.join("here.json");
                format!("{name} is a folder: give the name of a new file in it, such as {}", example.display())
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                format!("{name} exists already: give the name of a new file with --out")
            }
            Err(error) => return Err(error).with_context(|| cannot_write(&path)),
        };
        Err(exit::Kind::InputOutput.error(problem))
    }

    fn write(&mut self, record: &Record) -> anyhow::Result<()> {
        self.file.write_all(record.json().as_bytes()).with_context(|| cannot_write(&self.path))?;
        self.is_written = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_written {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the file of a run, such as `here-2.json` for `here.json`.
fn numbered(path: &Path, run: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{run}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Returns the default file for a machine and a time, such as `amd-epyc-2026-11-26-181036.json`.
fn new_file(name: &str, time: &str) -> PathBuf {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let machine: String = words.join("-").to_lowercase().chars().take(60).collect();
    let time = time.replace('T', "-").replace([':', 'Z'], "");
    format!("{}-{time}.json", if machine.is_empty() { "machine" } else { &machine }).into()
}
