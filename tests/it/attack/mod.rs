//! The program attacked: thousands of hostile numbers, words, files, programs, streams and signals. Whatever it is given,
//! it ends in time, with an exit status that the help documents, without a panic, without a wrong count, and without a
//! character that a terminal would obey. `scripts/slow.sh attack` runs it and shows the table of cases.

mod arguments;
mod case;
mod files;
mod numbers;
mod pointers;
mod programs;
mod streams;
mod text;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use case::{Case, PROGRAM};

/// The exit statuses that the help documents, each at the front of a line.
fn documented() -> Vec<i32> {
    let help = crate::program::output(&["--help"]);
    let statuses = crate::program::text(&help.stdout).split("Exit status:\n").nth(1).expect("the help has them");
    let statuses = statuses.lines().map_while(|line| line.split_whitespace().next()?.parse().ok()).collect::<Vec<_>>();
    assert!(statuses.len() > 5, "{help:?}");
    statuses
}

/// Runs all these cases, some at a time; for each that fails what it was and what is wrong.
fn failures(cases: &[Case]) -> Vec<(usize, String)> {
    let documented = documented();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 1;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((number, case)) = {
                    let at = next.fetch_add(1, Relaxed);
                    cases.get(at).map(|case| (at, case))
                } {
                    if let Err(problem) = case.run(&documented) {
                        failed.lock().expect("no case panics").push((number, problem));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().expect("no case panics");
    failed.sort();
    failed
}

/// A folder with a record, `epyc.json`, and a finished run for n = 10, `run`.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder of our own");
    fs::write(folder.path().join("epyc.json"), include_str!("../records/epyc.json")).expect("a folder of our own");
    let counted = Command::new(PROGRAM)
        .args(["count", "10", "--quiet", "--solver", "bitmask", "--checkpoint", "run"])
        .current_dir(folder.path())
        .output()
        .expect("the program can be started");
    assert_eq!(counted.stdout, b"724\n");
    folder
}

/// Some minutes: run by `scripts/slow.sh`.
#[test]
#[ignore = "takes minutes"]
fn thousands_of_hostile_cases_do_no_harm() {
    let folder = workshop();
    let (at, record, run) = (folder.path(), folder.path().join("epyc.json"), folder.path().join("run"));
    let below = |name: &str| {
        let path = at.join(name);
        fs::create_dir(&path).expect("a folder of our own");
        path
    };
    let kinds = [
        numbers::cases(&run),
        arguments::cases(at),
        arguments::environment(at),
        files::records(&below("records"), &record),
        files::names(&below("names"), &record),
        files::runs(&below("runs"), &run),
        programs::cases(&below("programs")),
        streams::streams(at),
        streams::signals(at),
    ];
    let wanted = std::env::var("ATTACK").ok();
    let cases: Vec<Case> =
        kinds.concat().into_iter().filter(|case| wanted.as_ref().is_none_or(|kind| kind == case.kind)).collect();
    let failures = failures(&cases);
    let mut table: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in &cases {
        table.entry(case.kind).or_default().0 += 1;
    }
    for (number, problem) in &failures {
        let case = &cases[*number];
        table.entry(case.kind).or_default().1 += 1;
        println!("FAILED {}: {}\n    {problem}", case.kind, case.in_words());
    }
    println!("{:<12} {:>7} {:>7}", "kind", "cases", "passed");
    for (kind, (all, failed)) in table {
        println!("{kind:<12} {all:>7} {:>7}", all - failed);
    }
    println!("{:<12} {:>7} {:>7}", "all", cases.len(), cases.len() - failures.len());
    assert!(failures.is_empty(), "{} of {} cases failed", failures.len(), cases.len());
}

/// A program that does what must not be done is found out, whatever it is.
#[test]
fn a_planted_fault_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder of our own");
    let planted = |body: &str| {
        let path = folder.path().join("planted");
        let beside = folder.path().join("beside");
        fs::write(&beside, format!("#!/bin/sh\n{body}\n")).expect("a folder of our own");
        fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).expect("a file of our own");
        fs::rename(beside, &path).expect("a folder of our own");
        let case = Case::new("planted", ["count", "8"]).program(&path).answer("92\n").csv().forbidden(&["<script>"]);
        case.limit(Duration::from_secs(2))
            .run(&documented())
            .map_err(|problem| problem.lines().next().unwrap_or_default().to_owned())
    };
    assert_eq!(planted("echo 92"), Ok(()));
    assert_eq!(planted("echo 'error: no' >&2; exit 2"), Ok(()));
    for (body, problem) in [
        ("echo 93", "it answered wrong"),
        ("echo 92; echo \"thread 'main' panicked at src/x.rs\" >&2; exit 1", "it panicked"),
        ("exit 101", "its exit status is 101"),
        ("kill -ABRT $$", "it was ended by signal Some(6)"),
        ("sleep 100", "it did not end"),
        ("sleep 100 & sleep 100", "it did not end"),
        ("printf 'a\\033[2J' >&2; exit 1", "the character '\\u{1b}' comes out"),
        ("printf 'a\\302\\233' >&2; exit 1", "the character '\\u{9b}' comes out"),
        ("printf 'a\\342\\200\\256'; exit 1", "the character '\\u{202e}' comes out"),
        ("printf 'a\\233'; exit 1", "what comes out is no UTF-8"),
        ("echo '<script>'; exit 1", "\"<script>\" comes out"),
        ("echo '1,=cmd,2'; exit 1", "a spreadsheet takes \"=cmd\" for a formula"),
    ] {
        let found = planted(body).expect_err(body);
        assert!(found.contains(problem), "{body}: {found}");
    }
}

/// A few of each kind that take no time: what the whole attack runs is at least started on every change.
#[test]
fn a_sample_of_hostile_cases_does_no_harm() {
    let folder = workshop();
    let at: &Path = folder.path();
    let cases = numbers::cases(&at.join("run"));
    let mut random = fastrand::Rng::with_seed(5);
    let some: Vec<Case> = random.choose_multiple(cases, 60);
    let failures = failures(&some);
    let said: Vec<String> =
        failures.iter().map(|(number, problem)| format!("{}\n    {problem}", some[*number].in_words())).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}
