//! What becomes of an exit status when nobody reads the output, or it cannot be written.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::program::nqueens;

/// Runs a command whose standard output has lost its reader before the first byte.
fn unheard(command: &mut Command) -> Output {
    let (reader, stdout) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(stdout).output().unwrap()
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Commands that end with a verdict, in a folder with what they need: their arguments, input, and status.
fn verdicts(folder: &std::path::Path) -> Vec<(Vec<String>, String, i32)> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let build = |name: &str, count: &str| {
        let answer = format!(
            r#"{{"program":"nqueens","protocol":1,"version":"0.1.0","commit":"c","workload":"count/mask/n=8/t=1@1","threads":1,"isa":"portable","count":"{count}","work":{{"nodes":"2056"}},"runs":1,"seconds":[0.02]}}"#
        );
        write(name, &format!("#!/bin/sh\necho '{answer}'\n"))
    };
    let (right, wrong, failing) = (build("right", "92"), build("wrong", "93"), write("failing", "#!/bin/sh\nexit 7\n"));
    let regress = |head: &str| {
        let on = ["--workload", "count/mask/n=8/t=1", "--instructions", "off"];
        ["bench", "gate", "--base", &right, "--head", head].into_iter().chain(on).map(str::to_owned).collect()
    };
    // The one wrong board comes after far more lines than a pipe holds.
    let boards = "2 4 1 3\n".repeat(5000);
    let check = vec!["check".to_owned()];
    vec![
        (regress(&wrong), String::new(), 3),
        (regress(&failing), String::new(), 1),
        (check.clone(), format!("{boards}1 2 3 4\n"), 3),
        (check, boards, 0),
    ]
}

#[test]
fn a_closed_pipe_hides_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, input, status) in verdicts(folder.path()) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let file = folder.path().join("input");
        std::fs::write(&file, input).unwrap();
        let output = unheard(nqueens(&arguments).stdin(File::open(file).unwrap()));
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", said(&output));
        assert!(!said(&output).contains("standard output"), "{}", said(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_hides_no_verdict_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, input, status) in verdicts(folder.path()) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let file = folder.path().join("input");
        std::fs::write(&file, input).unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = nqueens(&arguments).stdin(File::open(file).unwrap()).stdout(full).output().unwrap();
        let expected = if status == 0 { 74 } else { status };
        assert_eq!(output.status.code(), Some(expected), "{arguments:?}: {}", said(&output));
        let told = said(&output).matches("error: cannot write to standard output: No space left").count();
        assert_eq!(told, 1, "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn data_that_nobody_reads_are_no_error() {
    for arguments in
        [&["solutions", "8"][..], &["count", "8", "--quiet"], &["info"], &["completions", "bash"], &["--help"]]
    {
        let output = unheard(&mut nqueens(arguments));
        assert_eq!((output.status.code(), said(&output)), (Some(0), ""), "{arguments:?}");
    }
}

/// A file is wanted by somebody, also where it is a pipe with a name: only standard output may lose its reader.
#[test]
fn a_pipe_with_a_name_that_lost_its_reader_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = nqueens(&[
        "bench",
        "machine",
        "--workload",
        "count/mask/n=4/t=1",
        "--budget",
        "1s",
        "--out",
        pipe.to_str().unwrap(),
    ])
    .spawn()
    .unwrap();
    // It waits for the reader, who leaves at once.
    drop(File::open(&pipe).unwrap());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(74), "{}", said(&output));
    let problem = format!("error: cannot write the record to {}: Broken pipe", pipe.display());
    assert!(said(&output).contains(&problem), "{}", said(&output));
    // What was measured is not lost with it.
    assert!(String::from_utf8_lossy(&output.stdout).contains("count/mask/n=4/t=1@1"), "{output:?}");
}
