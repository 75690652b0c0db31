//! Limits that are set for the program from outside, and signals while it writes.
#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};

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
    for command in ["solutions 9", "man", "completions bash", &format!("export {records}/epyc.json --format csv")] {
        let output = limited("-f 1", &format!("{command} > '{}'", file.display()));
        assert_eq!(output.status.code(), Some(75), "{command}: {:?} {}", output.status, said(&output));
        assert!(said(&output).contains("cannot write to standard output: File too large"), "{}", said(&output));
    }
}

/// What does not fit the memory is refused in whatever form it is asked for.
#[test]
fn a_count_that_does_not_fit_is_refused_in_every_form() {
    for form in ["", " --classes", " --fundamental"] {
        let output = limited("-v 1000000", &format!("count 24 --solver color --threads 64{form}"));
        assert_eq!(output.status.code(), Some(1), "{form}: {}", said(&output));
        assert!(
            said(&output).contains("more than the") && said(&output).contains("give '--threads"),
            "{}",
            said(&output)
        );
    }
}

/// A signal ends `report` between its files and not amid one.
#[test]
fn a_report_that_is_hung_up_on_leaves_no_half_of_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, page) = (folder.path().join("record.json"), folder.path().join("page.html"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nqueens"))
            .arg("report")
            .arg(&pipe)
            .arg("--html")
            .arg(&page)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It waits for the record, which comes after the signal.
        let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let record = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records/epyc.json")).unwrap();
        let _ = std::io::Write::write_all(&mut writer, &record);
        drop(writer);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["record.json"], "{signal}");
    }
}
