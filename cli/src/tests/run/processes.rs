//! Processes that share a run, or are killed.

use std::thread;
use std::time::{Duration, Instant};

use super::super::{NAP, sleepy};
use super::damage::damaged;
use super::failures::count_with_faults;
use super::*;

#[test]
fn without_locks_six_processes_make_one_run() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 11, "bitmask", 40);
    let units = units(&folder);
    // No claim can be made below a file.
    fs::remove_dir(here.path().join("claims")).unwrap();
    fs::write(here.path().join("claims"), "").unwrap();
    let counted: Vec<usize> = thread::scope(|scope| {
        let processes: Vec<_> =
            (0..6).map(|_| scope.spawn(|| count(&walk(&folder, &*units, "box", log(&folder))))).collect();
        processes.into_iter().map(|process| process.join().unwrap()).collect()
    });
    assert!(counted.iter().sum::<usize>() >= 40, "{counted:?}");
    assert_eq!(read(&folder).total().unwrap().solutions, 2680);
}

#[test]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), ignore = "it tells no processor time")]
fn results_tell_the_time_at_work_and_not_the_time_that_passed() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 7, "bitmask", 1);
    let units = sleepy(units(&folder));
    let began = Instant::now();
    assert_eq!(count(&walk(&folder, &units, "box", log(&folder))), 1);
    let (passed, slept) = (began.elapsed().as_secs_f64(), units.units() as f64 * NAP.as_secs_f64());
    let core = crate::run::core_seconds(&read(&folder).machines());
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

/// Runs of three processes: each has two calls that fail. They are stopped and killed, and the logs of killed ones are damaged. RUNS is the number of runs.
#[test]
#[cfg(unix)]
#[ignore = "it takes minutes: scripts/slow.sh tests"]
fn nothing_is_lost() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::{Child, Command};
    let start = |path: &Path, seed: u64| -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::run::processes::a_process_of_a_run", "--ignored", "--nocapture"]);
        command.env(VARIABLES[0], path).env(VARIABLES[1], seed.to_string());
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
            for log in logs(&folder.logs()).into_iter().filter(is_its) {
                fs::write(&log, damaged(&mut random, fs::read(&log).unwrap())).unwrap();
            }
            let done = SHARDS - read(&folder).missing().len();
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
