//! The program attacked: thousands of hostile numbers, words, files, streams and signals. Whatever it is given,
//! it ends in time, with an exit status that the help documents, without a panic, without a wrong count, and without a
//! character that a terminal would obey. `scripts/slow.sh attack` runs it and shows the table of cases.

mod case;
mod files;
mod lines;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::program::{answer, complaint};
use case::Case;

/// The exit statuses that the help documents, each at the front of a line.
fn documented() -> Vec<i32> {
    let help = lines::help("");
    let (_, statuses) = help.split_once("Exit status:\n").expect("the help has them");
    statuses.lines().map_while(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

/// Runs the cases, some at a time. Returns what is wrong with each case that fails.
fn failures(cases: &[Case]) -> Vec<String> {
    let documented = documented();
    cases.par_iter().with_max_len(1).filter_map(|case| case.run(&documented).err()).collect()
}

/// A folder with a record, `small.json`, and a finished run for n = 10, `run`.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder of our own");
    fs::write(folder.path().join("small.json"), files::RECORD).expect("a folder of our own");
    answer(folder.path(), "count 10 --quiet --solver color --dir run");
    folder
}

/// Some minutes: run by `scripts/slow.sh`.
#[test]
#[ignore = "takes minutes"]
fn thousands_of_hostile_cases_do_no_harm() {
    let wanted = std::env::var("ATTACK").ok();
    let mut failed = Vec::new();
    println!("{:<12} {:>7} {:>7} {:>7}", "kind", "cases", "passed", "seconds");
    for cases in [
        lines::numbers,
        lines::arguments,
        lines::environment,
        lines::streams,
        lines::signals,
        files::records,
        files::names,
        files::runs,
    ] {
        let folder = workshop();
        let cases = cases(folder.path());
        let kind = cases[0].kind;
        if wanted.as_ref().is_none_or(|wanted| wanted == kind) {
            let began = Instant::now();
            let failures = failures(&cases);
            let passed = cases.len() - failures.len();
            println!("{kind:<12} {:>7} {passed:>7} {:>7}", cases.len(), began.elapsed().as_secs());
            failures.iter().for_each(|problem| println!("FAILED {problem}"));
            failed.extend(failures);
        }
    }
    assert!(failed.is_empty(), "{} cases failed", failed.len());
}

#[test]
fn every_command_of_the_help_is_attacked() {
    for group in ["", "run "] {
        let help = lines::help(group);
        let (_, listed) = help.split_once("Commands:\n").expect("the help has them");
        let (listed, _) = listed.split_once("\n\n").expect("an empty line ends them");
        // A line that begins far to the right continues the line above.
        let listed = listed.lines().filter(|line| !line.starts_with("    "));
        let listed: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
        assert!(listed.len() > 3, "{help}");
        for command in listed.iter().filter(|command| **command != "help") {
            let command = format!("{group}{command}");
            assert!(lines::LISTS.commands.iter().any(|line| line.starts_with(&command)), "{command} is not attacked");
        }
    }
}

/// A program that does what must not be done is found out, whatever it is.
#[test]
fn a_planted_fault_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder of our own");
    let documented = documented();
    let planted = |body: &str| {
        let (path, beside) = (folder.path().join("planted"), folder.path().join("beside"));
        fs::write(&beside, format!("#!/bin/sh\n{body}\n")).expect("a folder of our own");
        fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).expect("a file of our own");
        fs::rename(beside, &path).expect("a folder of our own");
        let mut cases = Case::each("planted", folder.path(), ["count 8 --format csv"], &[""]);
        (cases[0].program, cases[0].limit) = (path, Duration::from_secs(2));
        cases[0].answer = Some("92\n".to_owned());
        cases[0].run(&documented)
    };
    assert!(documented.len() > 5, "{documented:?}");
    assert_eq!(planted("echo 92"), Ok(()));
    assert_eq!(planted("echo 'error: no' >&2; exit 2"), Ok(()));
    for (body, problem) in [
        ("echo 93", "it answered wrong"),
        ("true", "it answered wrong"),
        ("echo 92; echo \"thread 'main' panicked at src/x.rs\" >&2; exit 1", "it panicked"),
        ("exit 101", "its exit status is 101"),
        ("kill -ABRT $$", "it was ended by signal Some(6)"),
        ("sleep 100", "it did not end"),
        ("sleep 100 & sleep 100", "it did not end"),
        ("printf 'a\\033[2J' >&2; exit 1", "the character '\\u{1b}' comes out"),
        ("printf 'a\\302\\233' >&2; exit 1", "the character '\\u{9b}' comes out"),
        ("printf 'a\\342\\200\\256'; exit 1", "the character '\\u{202e}' comes out"),
        ("printf 'a\\233'; exit 1", "what comes out is no UTF-8"),
        ("printf '\\n::error::x'; exit 1", "a command to GitHub comes out"),
        ("echo '### <script>alert(1)'; exit 1", "\"<script>alert(1)\" comes out"),
    ] {
        let found = planted(body).expect_err(body);
        assert!(found.lines().next().is_some_and(|line| line.contains(problem)), "{body}: {found}");
    }
}

/// A few numbers that take no time: what the whole attack runs is at least started on every change.
#[test]
fn a_sample_of_hostile_cases_does_no_harm() {
    let folder = workshop();
    let some: Vec<Case> = fastrand::Rng::with_seed(5).choose_multiple(lines::numbers(folder.path()), 60);
    assert_eq!(failures(&some), [""; 0]);
}

/// Each place is one where the program reads a number: the message names what is none.
#[test]
fn every_place_is_read() {
    for place in &lines::LISTS.places {
        let said = complaint(Path::new("."), 2, &place.replace("{}", "8x7"));
        assert!(said.contains("8x7"), "{place}: {said}");
    }
}
