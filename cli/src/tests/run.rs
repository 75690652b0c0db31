//! Damaged folders of runs, and logs that fail: whatever happens, it is noticed, and nothing wrong is merged.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan};
use nqueens::tally::{Tally, Work};
use nqueens::{CancelToken, Progress};

use super::{NAP, sleepy};
use crate::forecast::CountForecast;
use crate::run::{Contributor, Line, Log, Results, RunFolder, RunPlan, Stop, Storage, Walk};

const SHARDS: usize = 12;

fn planned(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let plan = RunPlan::new(Size::new(n).unwrap(), registry::find(solver).unwrap(), Some(shards)).unwrap();
    let folder = RunFolder::create(path, &plan).unwrap().0;
    folder.make_folders().unwrap();
    folder
}

/// The work of a process with one thread.
fn walk<'a>(folder: &'a RunFolder, units: &'a dyn Plan, machine: &str, log: Log) -> Walk<'a> {
    let (size, solver) = (folder.plan.size(), folder.plan.cut.solver().unwrap());
    Walk {
        folder,
        units,
        by: Contributor { machine: machine.to_owned(), ..Contributor::default() },
        threads: 1,
        forecast: CountForecast::new(solver, size, Isa::Portable, 1),
        stop: Stop { deadline: None },
        results: Mutex::new(Results::read(from_ref(folder)).unwrap()),
        log: Mutex::new(log),
    }
}

/// A finished run, by two processes.
fn finished(path: &Path, n: usize, solver: &str, shards: usize) -> RunFolder {
    let folder = planned(path, n, solver, shards);
    let units = folder.plan.cut.plan(Isa::Portable, path).unwrap();
    let mut worker = units.worker();
    let mut logs = [(); 2].map(|()| Log::begin(&folder.logs(), "box").unwrap());
    for shard in 0..shards {
        let counted = folder.plan.units_of(shard).map(|unit| worker.count(unit, &CancelToken::new()));
        let counts: Vec<u128> = counted.map(|tally| tally.unwrap().solutions).collect();
        logs[shard % 2].append(&line(&folder, shard, &counts)).unwrap();
    }
    folder
}

/// A sound line of these counts.
fn line(folder: &RunFolder, shard: usize, counts: &[u128]) -> String {
    let by = Contributor::default();
    let mut result = Line::begin(&folder.plan, shard, &by);
    for (unit, &solutions) in folder.plan.units_of(shard).zip(counts) {
        result.add(unit, Tally::new(solutions, Work::default()), 0.1).unwrap();
    }
    result.finish().text()
}

/// The logs of a run, in order.
fn logs(folder: &RunFolder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.logs()).unwrap();
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    logs.sort_unstable();
    logs
}

#[test]
fn a_run_takes_the_disk_that_is_forecast() {
    for (n, solver, shards) in [(12, "color", SHARDS), (10, "arrays", 5)] {
        let here = tempfile::tempdir().unwrap();
        let folder = finished(here.path(), n, solver, shards);
        let files: Vec<_> = logs(&folder).into_iter().chain([folder.plan_file()]).collect();
        let bytes: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let forecast = folder.plan.predicted_bytes();
        // Names of machines and processors are longer or shorter.
        assert!((0.7..1.5).contains(&(bytes as f64 / forecast as f64)), "{bytes} of {forecast}");
    }
}

/// A copy of a run, made by another machine.
fn copy(from: &RunFolder, to: &Path) -> RunFolder {
    fs::create_dir_all(to.join("logs")).unwrap();
    fs::copy(from.plan_file(), to.join("plan.json")).unwrap();
    for file in logs(from) {
        fs::copy(&file, to.join("logs").join(file.file_name().unwrap())).unwrap();
    }
    RunFolder::open(to).unwrap()
}

/// Damages a run in one of many ways; names the way. The second folder is another copy, to be merged too.
fn damage(random: &mut fastrand::Rng, one: &RunFolder, second: &RunFolder, others: &[RunFolder]) -> &'static str {
    let mut files = logs(one);
    let file = files.swap_remove(random.usize(..2));
    let file = if random.u8(..10) == 0 { one.plan_file() } else { file };
    let mut bytes = fs::read(&file).unwrap();
    let at = random.usize(..bytes.len());
    match random.u8(..8) {
        0 => {
            fs::write(&file, &bytes[..at]).unwrap();
            "truncated"
        }
        1 | 2 => {
            bytes[at] ^= 1 << random.u8(..8);
            fs::write(&file, bytes).unwrap();
            "a bit flipped"
        }
        3 => {
            fs::write(&file, b"").unwrap();
            "emptied"
        }
        4 => {
            bytes.drain(at..(at + random.usize(1..900)).min(bytes.len()));
            fs::write(&file, bytes).unwrap();
            "a piece lost"
        }
        5 => {
            let shard = random.usize(..SHARDS);
            let by = Contributor::default();
            let mut counts = Line::begin(&one.plan, shard, &by).counts;
            // No shard of this run has as many solutions.
            counts[0] = 3000 + 3 * random.u128(..9);
            Log::begin(&second.logs(), "wrong").unwrap().append(&line(second, shard, &counts)).unwrap();
            "counted twice"
        }
        6 => {
            let other = &others[random.usize(..others.len())];
            fs::copy(&logs(other)[0], &file).unwrap();
            "from another plan"
        }
        _ => {
            // For whoever may read everything, a file that nobody can read.
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
            "unreadable"
        }
    }
}

#[test]
fn a_thousand_damaged_runs_make_no_wrong_count() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let total = |folders: &[RunFolder]| -> Result<u128, String> {
        let mut results = Results::read(folders).map_err(|error| error.to_string())?;
        let units = results.plan.cut.plan(Isa::Portable, here.path()).map_err(|error| error.to_string())?;
        results.check_weights(&*units);
        match results.faults().join("; ") {
            fine if fine.is_empty() => results.total().map(|total| total.solutions).map_err(|error| error.to_string()),
            faults => Err(faults),
        }
    };
    assert_eq!(total(from_ref(&good)), Ok(724));
    let others: Vec<RunFolder> = [("n", 9, "bitmask", 12), ("solver", 10, "arrays", 12), ("shards", 10, "bitmask", 5)]
        .into_iter()
        .map(|(name, n, solver, shards)| finished(&here.path().join(name), n, solver, shards))
        .collect();
    let mut random = fastrand::Rng::with_seed(20);
    let mut ways = std::collections::BTreeMap::new();
    let (first, second) = (here.path().join("first"), here.path().join("second"));
    for trial in 0..1000 {
        let (one, two) = (copy(&good, &first), copy(&good, &second));
        let way = damage(&mut random, &one, &two, &others);
        *ways.entry(way).or_insert(0) += 1;
        match RunFolder::open(&first) {
            // The plan itself, named with its file.
            Err(error) => assert!(error.to_string().contains("plan.json"), "{trial}, {way}: {error}"),
            Ok(one) => {
                let alone = total(from_ref(&one));
                let both = total(&[one, two]);
                // A file that is cut between two lines has a part of the run, and no damage.
                let is_refused = alone.as_ref().is_err_and(|problem| {
                    ["logs", "plan.json", "this run lacks"].iter().any(|part| problem.contains(part))
                });
                assert!(is_refused || way == "counted twice" && alone == Ok(724), "{trial}, {way}: {alone:?}");
                // The other folder has what this one lost.
                let is_refused = way == "unreadable" || way == "counted twice";
                assert_eq!(both.is_ok(), !is_refused, "{trial}, {way}: {both:?}");
                assert!(both.is_err() || both == Ok(724), "{trial}, {way}: {both:?}");
            }
        }
        fs::remove_dir_all(&first).unwrap();
        fs::remove_dir_all(&second).unwrap();
    }
    assert!(ways.len() == 7 && ways.values().all(|&times| times > 50), "{ways:?}");
}

/// A line that is being written, as others see it: byte by byte.
#[test]
fn a_reader_of_a_growing_log_takes_each_line_once_it_is_whole() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let folder = planned(&here.path().join("r"), 10, "bitmask", SHARDS);
    let mut results = Results::read(from_ref(&folder)).unwrap();
    let text = fs::read(&logs(&good)[0]).unwrap();
    let log = folder.logs().join("growing.jsonl");
    for length in 0..=text.len() {
        fs::write(&log, &text[..length]).unwrap();
        results.look().unwrap();
        let lines = text[..length].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!((SHARDS - results.missing().len(), results.faults()), (lines, Vec::new()));
    }
    // Another machine may see the end of the last lines before their middle.
    let mut results = Results::read(from_ref(&planned(&here.path().join("empty"), 10, "bitmask", SHARDS))).unwrap();
    let log = here.path().join("empty/logs/growing.jsonl");
    let last = text.len() - 1;
    for first in [10, last / 2, last] {
        let mut seen = text.clone();
        seen[first..last].fill(0);
        fs::write(&log, seen).unwrap();
        results.look().unwrap();
    }
    assert_eq!(results.missing().len(), SHARDS - SHARDS / 2);
    // Damaged lines at the end of a log are not read before every shard.
    let folder = planned(&here.path().join("damaged"), 10, "bitmask", SHARDS);
    let mut results = Results::read(from_ref(&folder)).unwrap();
    let log = folder.logs().join("a.jsonl");
    for _ in 0..3 {
        fs::write(&log, vec![b'\n'; text.len()]).unwrap();
        results.look().unwrap();
    }
    fs::write(&log, &text).unwrap();
    results.look().unwrap();
    assert_eq!(results.missing().len(), SHARDS);
    let results = Results::read(from_ref(&folder)).unwrap();
    assert_eq!((results.missing().len(), results.faults()), (SHARDS - SHARDS / 2, Vec::new()));
}

#[test]
fn a_line_that_is_longer_than_any_of_the_run_is_not_read_as_a_whole() {
    let here = tempfile::tempdir().unwrap();
    let folder = finished(here.path(), 10, "bitmask", SHARDS);
    let good = fs::read(&logs(&folder)[0]).unwrap();
    let long = [b"{".as_slice(), &vec![b' '; 1 << 20], b"\n", &good].concat();
    fs::write(&logs(&folder)[0], long).unwrap();
    fs::remove_file(&logs(&folder)[1]).unwrap();
    let results = Results::read(from_ref(&folder)).unwrap();
    assert_eq!(results.missing().len(), SHARDS - SHARDS / 2);
    let faults = results.faults();
    assert!(
        faults.len() == 1 && faults[0].contains(", line 1: it has more bytes than any line of this run"),
        "{faults:?}"
    );
}

/// A file some of whose calls fail. A write that fails has written a part.
struct Wobbly {
    file: File,
    fails: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Storage for Wobbly {
    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if (self.fails)() {
            Storage::write(&mut self.file, at, &bytes[..bytes.len() / 2])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        Storage::write(&mut self.file, at, bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        if (self.fails)() { Err(io::ErrorKind::StaleNetworkFileHandle.into()) } else { self.file.cut(length) }
    }
}

/// A log whose calls fail if `fails` says so of their number. The first call makes its file.
fn wobbly(folder: &Path, machine: &str, fails: impl Fn(usize) -> bool + Send + Sync + 'static) -> anyhow::Result<Log> {
    let calls = AtomicUsize::new(0);
    let fails: Arc<dyn Fn() -> bool + Send + Sync> = Arc::new(move || fails(calls.fetch_add(1, Relaxed)));
    let create = move |path: &Path| -> io::Result<Box<dyn Storage>> {
        if fails() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Box::new(Wobbly { file: File::create_new(path)?, fails: Arc::clone(&fails) }))
    };
    Log::begin_with(folder, machine, Box::new(create))
}

#[test]
fn an_append_that_fails_leaves_nothing_before_the_next_line() {
    // Each pair of the first calls after that which makes the file.
    for (one, other) in (1..4).flat_map(|one| (one..8).map(move |other| (one, other))) {
        let here = tempfile::tempdir().unwrap();
        let mut log = wobbly(here.path(), "box", move |call| call == one || call == other).unwrap();
        let mut failed = 0;
        for number in 0..3 {
            while log.append(&format!("line {number}\n")).is_err() {
                failed += 1;
            }
        }
        let logs: Vec<PathBuf> = fs::read_dir(here.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let texts: Vec<String> = logs.iter().map(|log| fs::read_to_string(log).unwrap()).collect();
        let mut found: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive('\n')).collect();
        // A log that could not be cut ends with a part of a line.
        found.retain(|line| line.ends_with('\n'));
        found.sort_unstable();
        assert_eq!(found, ["line 0\n", "line 1\n", "line 2\n"], "{one}, {other}");
        assert!(failed > 0 && logs.len() <= 2, "{one}, {other}: {failed}, {logs:?}");
    }
}

/// Counts all shards of a run of n = 9, in a process whose log has two calls that fail. Returns the total.
fn count_with_faults(folder: &RunFolder, seed: u64) -> u128 {
    let mut random = fastrand::Rng::with_seed(seed);
    let fails = [random.usize(1..9), random.usize(1..9)];
    let units = &sleepy(folder.plan.cut.plan(Isa::Portable, &folder.path).unwrap());
    let log = wobbly(&folder.logs(), "box", move |call| fails.contains(&call)).unwrap();
    let walk = walk(folder, units, &format!("machine {seed}"), log);
    loop {
        let read = Results::read(from_ref(folder)).unwrap();
        assert_eq!(read.wrong.len(), 0, "{:?}", read.wrong);
        if read.missing().is_empty() {
            return read.total().unwrap().solutions;
        }
        let missing = read.missing();
        *walk.results.lock().unwrap() = read;
        walk.count_once(&missing, &CancelToken::new(), &Progress::new(), &AtomicUsize::new(0)).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn calls_that_fail_for_a_moment_cost_a_pause_and_nothing_else() {
    for seed in 0..3u64 {
        let here = tempfile::tempdir().unwrap();
        let folder = &planned(here.path(), 9, "bitmask", SHARDS);
        let totals: Vec<u128> = thread::scope(|scope| {
            let start = |process| scope.spawn(move || count_with_faults(folder, 3 * seed + process));
            [0, 1, 2u64].map(start).into_iter().map(|process| process.join().unwrap()).collect()
        });
        assert_eq!(totals, [352; 3], "{seed}");
    }
}

/// Counts all shards, as a process of its own. Returns the number of shards that it counted.
fn count(folder: &RunFolder, units: &dyn Plan) -> usize {
    let walk = walk(folder, units, "box", Log::begin(&folder.logs(), "box").unwrap());
    let (shards, unsaved) = (Vec::from_iter(0..folder.plan.shards()), AtomicUsize::new(0));
    let done = walk.count_once(&shards, &CancelToken::new(), &Progress::new(), &unsaved).unwrap();
    assert_eq!(unsaved.into_inner(), 0);
    done.shards
}

#[test]
fn without_locks_six_processes_make_one_run() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 11, "bitmask", 40);
    let units = folder.plan.cut.plan(Isa::Portable, here.path()).unwrap();
    // No claim can be made below a file.
    fs::remove_dir(here.path().join("claims")).unwrap();
    fs::write(here.path().join("claims"), "").unwrap();
    let counted: Vec<usize> = thread::scope(|scope| {
        let processes: Vec<_> = (0..6).map(|_| scope.spawn(|| count(&folder, &*units))).collect();
        processes.into_iter().map(|process| process.join().unwrap()).collect()
    });
    assert!(counted.iter().sum::<usize>() >= 40, "{counted:?}");
    assert_eq!(Results::read(from_ref(&folder)).unwrap().total().unwrap().solutions, 2680);
}

#[test]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
fn results_tell_the_time_at_work_and_not_the_time_that_passed() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 7, "bitmask", 1);
    let units = sleepy(folder.plan.cut.plan(Isa::Portable, here.path()).unwrap());
    let began = Instant::now();
    assert_eq!(count(&folder, &units), 1);
    let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
    let core = crate::run::core_seconds(&Results::read(from_ref(&folder)).unwrap().machines());
    assert!(core > 0.0 && core < passed - 0.9 * slept, "{core} of {passed}, of which it slept {slept}");
}

/// The variable that names the folder to [`a_process_of_a_run`], and the one with its seed.
#[cfg(unix)]
const VARIABLES: [&str; 2] = ["NQUEENS_TEST_RUN", "NQUEENS_TEST_SEED"];

#[test]
#[cfg(unix)]
#[ignore = "nothing_is_lost starts it"]
fn a_process_of_a_run() {
    let [Ok(path), Ok(seed)] = VARIABLES.map(std::env::var) else { return };
    let folder = RunFolder::open(Path::new(&path)).unwrap();
    assert_eq!(count_with_faults(&folder, seed.parse().unwrap()), 352);
}

/// What happens to the log of a process that was killed.
#[cfg(unix)]
fn damage_log(random: &mut fastrand::Rng, log: &Path) {
    let mut bytes = fs::read(log).unwrap();
    let (at, tail) = (random.usize(..bytes.len().max(1)), bytes.len().saturating_sub(random.usize(..200)));
    match random.u8(..4) {
        0 => return,
        1 => bytes.truncate(tail),
        2 => bytes.extend_from_within(tail..),
        _ if bytes.is_empty() => {}
        _ => bytes[at] ^= 1 << random.u8(..8),
    }
    fs::write(log, bytes).unwrap();
}

/// Runs of three processes: each has two calls that fail, and a wrong clock if LIBFAKETIME names that library. They are
/// stopped and killed, and the logs of killed ones are damaged. RUNS is the number of runs.
#[test]
#[cfg(unix)]
#[ignore = "it takes minutes: scripts/slow.sh tests"]
fn nothing_is_lost() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::{Child, Command};
    let start = |path: &Path, seed: u64| -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::run::a_process_of_a_run", "--ignored", "--nocapture"]);
        command.env(VARIABLES[0], path).env(VARIABLES[1], seed.to_string());
        if let Some(library) = std::env::var_os("LIBFAKETIME") {
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("LD_PRELOAD", library);
            command.env("FAKETIME", ["-400d", "+3h", "+30y"][seed as usize % 3]);
        }
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let runs = std::env::var("RUNS").map_or(300, |runs| runs.parse().unwrap());
    let (mut kills, mut partly) = (0, 0);
    for run in 0..runs {
        let mut random = fastrand::Rng::with_seed(run);
        let here = tempfile::tempdir().unwrap();
        let folder = planned(here.path(), 9, "bitmask", SHARDS);
        let mut seed = 1000 * run;
        let mut processes = [(); 3].map(|()| {
            seed += 1;
            start(here.path(), seed)
        });
        for _ in 0..random.usize(2..8) {
            thread::sleep(Duration::from_millis(random.u64(1..60)));
            let process = &mut processes[random.usize(..3)];
            if process.try_wait().unwrap().is_some() {
                continue;
            }
            let pid = Pid::from_child(process);
            if random.bool() {
                kill_process(pid, Signal::STOP).unwrap();
                thread::sleep(Duration::from_millis(random.u64(1..60)));
                kill_process(pid, Signal::CONT).unwrap();
                continue;
            }
            process.kill().unwrap();
            process.wait().unwrap();
            kills += 1;
            let name = format!("box-{}-", process.id());
            let is_its = |log: &PathBuf| log.file_name().unwrap().to_str().unwrap().starts_with(&name);
            logs(&folder).into_iter().filter(is_its).for_each(|log| damage_log(&mut random, &log));
            let done = SHARDS - Results::read(from_ref(&folder)).unwrap().missing().len();
            partly += usize::from((1..SHARDS).contains(&done));
            seed += 1;
            *process = start(here.path(), seed);
        }
        for mut process in processes {
            assert!(process.wait().unwrap().success(), "run {run}");
        }
        assert_eq!(count_with_faults(&folder, seed + 1), 352, "run {run}");
    }
    println!("{runs} runs, {kills} processes killed, in {partly} of these cases with a part of the run done");
    assert!(partly > runs as usize / 4);
}
