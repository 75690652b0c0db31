//! `nqueens bench machine`: runs the suite and saves the record.

mod table;

use std::path::PathBuf;
use std::time::Duration;

use nqueens::engine;
use nqueens::solver::Isa;

use super::super::options::machine::name;
use super::super::options::{InstructionSet, length_of_time};
use crate::bench::measure::{BenchPlan, run as run_plan};
use crate::bench::record::INTERRUPTED;
use crate::bench::{score, suite, warning};
use crate::exit::{Exit, Fault};
use crate::terminal::kept::Kept;
use crate::terminal::task::Task;
use crate::terminal::units::plural;
use crate::terminal::{Streams, settle};
use crate::{machine, version};

/// Measures this machine in 20 seconds, and gives it a score
///
/// It counts boards with two frozen solvers, whose code does not change, and with the fastest one: on one thread, and on
/// all threads, each with boards of its own. It checks each count. The score is of the frozen solvers.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(after_help = "\
Examples:
  nqueens bench machine                                 writes MACHINE-DATE.json into this folder
  nqueens bench machine --scaling --name 'My server'    measures also 2, 4, 8 threads and so on
  nqueens bench machine --out here.json                 writes the record to here.json")]
pub(crate) struct Args {
    /// Measures also 2, 4, 8 threads and so on, below all
    #[arg(long)]
    scaling: bool,
    /// Time for all samples, such as 60s. Each workload gets at least five samples. Default: 3 s for each workload
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    budget: Option<Duration>,
    /// Writes the record to FILE. Default: a new file in this folder, named by machine and date
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Name of this machine in the record. Default: its processor's model
    #[arg(long, value_parser = name)]
    name: Option<String>,
    #[command(flatten)]
    isa: InstructionSet,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let isa = args.isa.checked()?;
    let name = args.name.clone().unwrap_or_else(|| machine::facts().cpu_model);
    let out = args.out.clone().unwrap_or_else(|| new_file(&name, &machine::now()));
    let kept = Kept::prepare(&out, "the record")?;
    streams.note(format_args!("the record goes to {}", out.display()));
    if let Some(why) = obstacle(isa) {
        streams.note(format_args!("there will be no score: {why}"));
    }
    let plan = BenchPlan::new(suite::workloads(args.scaling), args.budget, isa, name);
    streams.note(format_args!(
        "{}, about {} s, 'all' threads are {}",
        plural(plan.workloads.len(), "workload"),
        plan.budget.as_secs().max(1),
        engine::default_threads()
    ));
    let record = Task::new("measuring", streams)?.measure(|task| {
        run_plan(&plan, &task.cancel, &mut |fraction, workload, samples| {
            task.show(fraction, || format!("{:.0} %, {workload}, sample {samples}", 100.0 * fraction));
        })
    })?;
    for warning in &record.warnings {
        streams.note(format_args!("warning: {}", warning.message));
    }
    // The result is printed even if the file cannot be written.
    streams.out.write_all(table::table(&record).as_bytes())?;
    streams.out.flush()?;
    let kept = kept.write(&record.json());
    let done = match record.warns_of(INTERRUPTED) {
        true => Err(Fault::Failure.error("stopped early: the result has only what was measured")),
        false => Ok(Exit::Fine),
    };
    settle(done, kept)
}

/// Why there will be no score, as far as it is known before.
fn obstacle(isa: Option<Isa>) -> Option<String> {
    let best = Isa::available().last().map(|isa| isa.name());
    let busy = || {
        let cpus = warning::busy_now()?;
        Some(format!("other programs use {cpus:.1} CPUs now; if they go on, stop them and measure again"))
    };
    score::lower(isa.map_or("auto", Isa::name), best).or_else(|| score::unoptimized(version::PROFILE)).or_else(busy)
}

/// A file in this folder that is not there yet, such as `amd-epyc-2026-11-26.json`.
fn new_file(name: &str, time: &str) -> PathBuf {
    const LONGEST: usize = 60;
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let machine: String = words.join("-").to_lowercase().chars().take(LONGEST).collect();
    let machine = if machine.is_empty() { "machine" } else { &machine };
    let stem = format!("{machine}-{}", &time[..time.find('T').unwrap_or(time.len())]);
    let numbered = (2..).map(|number| format!("{stem}-{number}.json"));
    let mut names = std::iter::once(format!("{stem}.json")).chain(numbered).map(PathBuf::from);
    names.find(|file| file.symlink_metadata().is_err()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_named_by_machine_and_date() {
        let time = "2026-11-26T18:10:36Z";
        for (name, file) in [
            ("Intel(R) Xeon(R) Processor", "intel-r-xeon-r-processor-2026-11-26.json"),
            ("../Größe/東京\n", "größe-東京-2026-11-26.json"),
            ("!", "machine-2026-11-26.json"),
        ] {
            assert_eq!(new_file(name, time), PathBuf::from(file));
        }
    }
}
