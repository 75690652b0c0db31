//! Runs with damaged folders or without working locks. All damage is noticed, and no wrong count is merged.

mod damage;
mod locks;

use std::path::Path;
use std::slice::from_ref;
use std::sync::Mutex;

use nqueens::CancelToken;
use nqueens::solver::{Isa, Plan};
use nqueens::tally::{Tally, Work};

use crate::forecast::Forecast;
use crate::run::{Contributor, Line, Log, Process, Results, RunFolder, RunPlan, Stop, Tallied, log_files};
use crate::terminal::Streams;

const SHARDS: usize = 12;

fn planned(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = RunFolder::create(path, RunPlan::new(n, solver, Some(shards))).unwrap().unwrap();
    folder.make_folders().unwrap();
    folder
}

fn plan(folder: &RunFolder) -> Box<dyn Plan> {
    folder.run_plan.portable_plan().unwrap()
}

fn log(folder: &RunFolder) -> Log {
    Log::begin(&folder.logs(), "box").unwrap()
}

fn read(folder: &RunFolder) -> Results<'_> {
    Results::read(from_ref(folder)).unwrap()
}

/// Counts the missing shards, as a process with one thread does. Returns the number of shards that it counted.
fn count(folder: &RunFolder, plan: &dyn Plan) -> usize {
    let (size, solver, results) = (folder.run_plan.size, folder.run_plan.solver().unwrap(), read(folder));
    let missing = results.missing();
    let by = Contributor { machine: "box".to_owned(), ..Contributor::default() };
    let forecast = Forecast::new(solver, size, Isa::Portable, 1);
    let (results, log) = (Mutex::new(results), Mutex::new(log(folder)));
    let process = Process { folder, plan, by, threads: 1, forecast, stop: Stop::default(), results, log };
    process.count_unclaimed(&missing, &missing, &Streams { out: &mut Vec::new(), quiet: true }).unwrap()
}

/// Returns a complete run with the logs of two processes.
fn finished(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = planned(path, n, solver, shards);
    let plan = plan(&folder);
    let (mut worker, mut logs) = (plan.worker(), [(); 2].map(|()| log(&folder)));
    for shard in 0..shards {
        let counted = folder.run_plan.units_of(shard).map(|unit| worker.count(unit, &CancelToken::new()));
        let counts: Vec<u128> = counted.map(|tally| tally.unwrap().solutions).collect();
        logs[shard % 2].append(&line(&folder, shard, &counts)).unwrap();
    }
    folder
}

/// Returns a valid line with these counts, and with 0 for the units after them.
fn line(folder: &RunFolder, shard: usize, counts: &[u128]) -> String {
    let by = Contributor::default();
    let mut tallied = Tallied::none_of(folder.run_plan.units_of(shard).len());
    for (place, &solutions) in counts.iter().enumerate() {
        tallied.add(place, Tally::new(solutions, Work::default()), 0.1).unwrap();
    }
    Line::new(&folder.run_plan, shard, &by, tallied).text()
}
