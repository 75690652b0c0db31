//! Limits that are set for the program from outside, and signals while it writes.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use crate::program::{nqueens, send};

/// Runs the program in a bash that has set a limit.
fn limited(limit: &str, arguments: &str) -> Output {
    Command::new("bash")
        .args(["-c", &format!("ulimit {limit}; exec \"$0\" {arguments}"), env!("CARGO_BIN_EXE_nqueens")])
        .env_remove("NQUEENS_THREADS")
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A standard output that is a file which may not grow further is an error of writing for every command.
#[test]
fn a_limit_on_files_is_an_error_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records");
    for command in ["solutions 9", "completions bash", &format!("bench export {records}/epyc.json --format csv")] {
        let output = limited("-f 1", &format!("{command} > '{}'", file.display()));
        assert_eq!(output.status.code(), Some(74), "{command}: {:?} {}", output.status, said(&output));
        assert!(said(&output).contains("cannot write to standard output: File too large"), "{}", said(&output));
    }
}

/// What does not fit the memory is refused in whatever form it is asked for.
#[test]
fn a_count_that_does_not_fit_is_refused_in_every_form() {
    for form in ["", " --classes", " --fundamental"] {
        let output = limited("-v 1000000", &format!("count 24 --solver color --threads 64 --oversubscribe{form}"));
        assert_eq!(output.status.code(), Some(1), "{form}: {}", said(&output));
        assert!(
            said(&output).contains("more than the") && said(&output).contains("give '--threads"),
            "{}",
            said(&output)
        );
    }
}

/// A sample takes its memory from the first of its parts on, however few these are.
#[test]
fn a_sample_that_does_not_fit_is_not_begun() {
    let output = limited("-v 400000", "estimate 26 --solver color --share 1e-9");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains(", predicted") && !told.contains("sample"), "{told}");
    let why = said(&output);
    assert!(why.contains("nothing was sampled: n = 26 takes about ") && why.contains("may take (ulimit -v)"), "{why}");
}

/// Whatever is left of the address space, a command does its work or says that this is too little: it never ends by a
/// signal, as a program does to which Rust's allocator refuses a few bytes. Below the first of these limits the system
/// cannot load the program.
#[test]
fn a_small_address_space_is_an_error_and_no_abort() {
    let loads = (1..=128).map(|step| step * 1000).find(|limit| {
        let output = limited(&format!("-v {limit}"), "--version");
        matches!(output.status.code(), Some(0 | 1))
    });
    let loads = loads.expect("128 MB are enough");
    let mut refused = 0;
    for limit in (loads..loads + 24_000).step_by(3000) {
        for command in ["count 13 --solver color --threads 2 --oversubscribe", "verify --max 4", "solutions 6"] {
            let output = limited(&format!("-c 0 -v {limit}"), command);
            let (code, said) = (output.status.code(), said(&output));
            assert!(matches!(code, Some(0 | 1)), "{command}, {limit}: {:?} {said}", output.status);
            refused += usize::from(code == Some(1));
            assert!(code == Some(0) || said.contains("may take (ulimit -v)"), "{command}, {limit}: {said}");
        }
    }
    assert!(refused >= 3, "{refused}");
}

/// More threads than can run at a time are not started unless it is insisted on.
#[test]
fn threads_are_at_most_the_cores() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let used = |arguments: &str| {
        let output = limited("-c 0", &format!("count 12 --json {arguments}"));
        assert!(output.status.success(), "{}", said(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (json["threads"].as_u64().unwrap() as usize, said(&output))
    };
    let (threads, why) = used("--threads 4096");
    assert_eq!(threads, cores.min(4096));
    assert!(why.contains("instead of 4096: one for each core"), "{why}");
    let more = cores + 3;
    assert_eq!(used(&format!("--threads {more} --oversubscribe")).0, more);
    assert_eq!(used("--threads 1").0, 1);
}

/// `estimate` forecasts what `count` uses, and both say who asked for more.
#[test]
fn a_variable_that_asks_for_more_threads_than_cores_changes_no_forecast() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let with =
        |arguments: &[&str]| nqueens(arguments).env("NQUEENS_THREADS", (cores + 3).to_string()).output().unwrap();
    let used = format!("on {cores} thread{}", if cores == 1 { "" } else { "s" });
    let info = with(&["estimate", "16", "--predict"]);
    assert!(String::from_utf8_lossy(&info.stdout).contains(&used), "{info:?}");
    let counted = said(&with(&["count", "11", "--solver", "bitmask"]));
    assert!(counted.contains(&used), "{counted}");
    assert!(counted.contains(&format!("instead of {} (NQUEENS_THREADS)", cores + 3)), "{counted}");
}

/// Nobody waits for a table without being told how long.
#[test]
fn a_long_table_says_beforehand_how_long_it_takes() {
    use std::io::{BufRead, BufReader};
    let mut child = nqueens(&["batch", "--max", "24"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("nqueens: the table up to n = 24 takes about "), "{line}");
}

/// A signal ends `report` before it writes its page and not amid that.
#[test]
fn a_report_that_is_hung_up_on_leaves_no_half_of_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, page) = (folder.path().join("record.json"), folder.path().join("page.html"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let mut child = nqueens(&["bench", "report"]).arg(&pipe).arg("--out").arg(&page).spawn().unwrap();
        // It waits for the record, which comes after the signal.
        let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        send(signal, &child);
        let record = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records/epyc.json")).unwrap();
        let _ = std::io::Write::write_all(&mut writer, &record);
        drop(writer);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["record.json"], "{signal}");
    }
}
