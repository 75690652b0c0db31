//! Runs with damaged folders or without working locks. All damage is noticed, and no wrong count is merged.

mod damage;
mod locks;

use std::path::Path;
use std::slice::from_ref;
use std::sync::Mutex;

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::tally::{Tally, Work};

use crate::forecast::Forecast;
use crate::run::{Contributor, Line, Log, Process, Results, RunFolder, RunPlan, Tallied, log_files};
use crate::terminal::Streams;
use crate::terminal::stop::Stop;

const SHARDS: usize = 12;

/// Cuts a count with a solver, or with the default solver, into this number of shards or into the usual one.
pub(crate) fn run_plan(n: usize, solver: Option<&str>, shards: Option<usize>) -> RunPlan {
    let size = Size::new(n).unwrap();
    let solver = solver.map_or_else(|| RunPlan::default_solver(size), |solver| registry::find(solver).unwrap());
    let plan = solver.plan(size, Isa::Portable, &CancelToken::new()).unwrap();
    RunPlan::of(size, solver, &*plan, shards).unwrap()
}

fn planned(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = RunFolder::create(path, run_plan(n, Some(solver), Some(shards))).unwrap().unwrap();
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
    let results = read(folder);
    let missing = results.missing();
    let by = Contributor { machine: "box".to_owned(), ..Contributor::default() };
    let forecast = Forecast::new(folder.run_plan.solver().unwrap(), folder.run_plan.size, Isa::Portable, 1);
    let (results, log) = (Mutex::new(results), Mutex::new(log(folder)));
    let process = Process { folder, plan, by, threads: 1, forecast, stop: Stop::default(), results, log };
    process.count_unclaimed(&missing, &Streams { out: &mut Vec::new(), quiet: true }).unwrap()
}

/// Returns a complete run with the logs of two processes.
fn finished(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = planned(path, n, solver, shards);
    let plan = plan(&folder);
    let mut worker = plan.worker();
    let mut logs = [(); 2].map(|()| log(&folder));
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
