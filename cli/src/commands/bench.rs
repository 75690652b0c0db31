//! `nqueens bench`: runs the suite and saves the record.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use nqueens::solver::Isa;

use super::compare::tables;
use super::options::machine::{name, name_by_variable};
use super::options::{isas, plain_path};
use crate::bench::compare::Comparison;
use crate::bench::{measure, workload};
use crate::exit;
use crate::machine;
use crate::terminal::Streams;
use crate::terminal::files::cannot_write;
use crate::terminal::task::Task;
use crate::terminal::units::plural;

/// Measures this machine in 20 seconds, and gives it a score
///
/// It counts boards with two frozen solvers, whose code does not change, and with the fastest one: on one thread, and on
/// all threads, each with boards of its own. It checks each count. The score is of the frozen solvers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench                                    writes MACHINE-DATE.json into this folder
  nqueens bench --scaling --machine 'My server'    measures also 2, 4, 8 threads and so on
  nqueens bench --out here.json                    writes the record to here.json
  nqueens compare here.json there.json             compares it with another machine")]
pub(crate) struct Args {
    /// Measures also 2, 4, 8 threads and so on, below all
    #[arg(long)]
    scaling: bool,
    /// Writes the record to FILE. Default: a new file in this folder, named by machine and date
    #[arg(long, short, value_name = "FILE", value_parser = plain_path())]
    out: Option<PathBuf>,
    /// Name of this machine in the record. Default: NQUEENS_MACHINE, or the processor's model
    #[arg(long, value_name = "NAME", value_parser = name)]
    machine: Option<String>,
    /// Highest instruction set for 'color', the only solver with vector code. Default: the best of this machine
    #[arg(long, value_name = "SET", value_parser = isas())]
    isa: Option<Isa>,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let name = match &args.machine {
        Some(name) => name.clone(),
        None => name_by_variable()?.unwrap_or_else(|| machine::facts().cpu_model),
    };
    let out = args.out.clone().unwrap_or_else(|| new_file(&name, &machine::now()));
    let task = Task::new("measuring", streams)?;
    // Before it measures: what cannot be written would be lost.
    let mut file = File::create_new(&out).with_context(|| cannot_write(&out))?;
    streams.note(format_args!("the record goes to {}", out.display()));
    let record = task.measure(|task| {
        let workloads = workload::suite(args.scaling);
        let (count, all) = (plural(workloads.len(), "workload"), machine::facts().usable_cpus);
        let seconds = measure::time(workloads.len()).as_secs().max(1);
        streams.note(format_args!("{count}, about {seconds} s, 'all' threads are {all}"));
        measure::run(name, workloads, args.isa, &task.cancel, &mut |fraction, of| {
            let (name, threads, samples) = (of.name(), plural(of.threads, "thread"), of.seconds.len());
            task.show(fraction, || format!("{:.0} %, {name}, {threads}, sample {samples}", 100.0 * fraction));
        })
    });
    let record = record.map_err(|error| {
        let _ = std::fs::remove_file(&out);
        match task.cancel.is_cancelled() {
            true => exit::Kind::Failure.error("stopped before everything was measured: there is no record"),
            false => error,
        }
    })?;
    let json = record.json();
    let comparison = Comparison::of(vec![(out.display().to_string(), record)], None);
    streams.out.write_all(tables::of_one(&comparison).as_bytes())?;
    streams.out.flush()?;
    file.write_all(json.as_bytes()).with_context(|| cannot_write(&out))?;
    Ok(())
}

/// A file in this folder for a machine and a time, such as `amd-epyc-2026-11-26-181036.json`.
fn new_file(name: &str, time: &str) -> PathBuf {
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let machine: String = words.join("-").to_lowercase().chars().take(60).collect();
    let time = time.replace('T', "-").replace([':', 'Z'], "");
    format!("{}-{time}.json", if machine.is_empty() { "machine" } else { &machine }).into()
}
