//! What snapshots cannot show: signals, closed pipes, full disks, input as a stream, memory.

#[cfg(unix)]
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::Stdio;
#[cfg(unix)]
use std::time::Duration;

use nqueens::solver::Isa;

#[cfg(unix)]
use crate::program::send;
use crate::program::{answer, nqueens, output, text};

#[test]
fn batch_answers_what_it_can_before_an_error() {
    let all = answer(&mut nqueens(&["batch"]), b"1 2\t3\r\n\n4 10");
    assert_eq!((text(&all.stdout), all.status.code()), ("1\n0\n0\n2\n724\n", Some(0)));
    let zero = answer(&mut nqueens(&["batch"]), b"8\n0\n6\nabc");
    assert_eq!((text(&zero.stdout), zero.status.code()), ("92\n", Some(0)));
    let beyond = answer(&mut nqueens(&["batch"]), b"8 15 6");
    assert_eq!((text(&beyond.stdout), beyond.status.code()), ("92\n", Some(1)));
    assert!(text(&beyond.stderr).contains("size 15") && text(&beyond.stderr).contains("--max 15"), "{beyond:?}");
    let larger = answer(&mut nqueens(&["batch", "--max", "11"]), b"11");
    assert_eq!((text(&larger.stdout), larger.status.code()), ("2680\n", Some(0)));
    let empty = answer(&mut nqueens(&["batch"]), b"");
    assert_eq!((text(&empty.stdout), text(&empty.stderr), empty.status.code()), ("", "", Some(0)));
}

#[cfg(unix)]
#[test]
fn batch_refuses_what_is_no_size() {
    let binary: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    for input in [&binary[..], b"8 -3", b"8 1e1", b"8 33", b"8 \xff\xfe", b"8 99999999999999999999999999999999"] {
        let refused = answer(&mut nqueens(&["batch"]), input);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("is not a board size: give whole numbers from 1 to 14"), "{refused:?}");
        assert!(input == &binary[..] || text(&refused.stdout) == "92\n");
    }
    let endless = nqueens(&["batch"]).stdin(File::open("/dev/zero").unwrap()).output().unwrap();
    assert_eq!(endless.status.code(), Some(1));
    let folder = nqueens(&["batch"]).stdin(File::open("/").unwrap()).output().unwrap();
    assert_eq!(folder.status.code(), Some(74));
    assert!(text(&folder.stderr).contains("cannot read standard input"));
}

#[test]
fn batch_answers_100_000_queries() {
    let questions = "4 5 6 7 8 9 10 1 2 3\n".repeat(10_000);
    let all = answer(&mut nqueens(&["batch"]), questions.as_bytes());
    assert_eq!(text(&all.stdout), "2\n10\n4\n40\n92\n352\n724\n1\n0\n0\n".repeat(10_000));
}

#[test]
fn batch_answers_before_it_waits_for_the_next_question() {
    let mut child = nqueens(&["batch"]).stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for (question, expected) in [("8\n", "92\n"), ("10\n", "724\n")] {
        stdin.write_all(question.as_bytes()).unwrap();
        let mut answer = vec![0; expected.len()];
        stdout.read_exact(&mut answer).unwrap();
        assert_eq!(text(&answer), expected);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_pipe_that_is_closed_after_the_first_bytes_ends_it_quietly() {
    for format in ["grid", "columns", "json"] {
        let mut child = nqueens(&["solutions", "13", "--format", format]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 16]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{format}");
    }
}

#[test]
fn a_wrong_command_line_has_its_status_even_if_nobody_listens() {
    let (listener, stderr) = std::io::pipe().unwrap();
    drop(listener);
    for arguments in [&["count", "abc"][..], &["count", "33"], &["nonsense"], &["count", "8", "--threads", "0"]] {
        let status = nqueens(arguments).stderr(stderr.try_clone().unwrap()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_a_panic() {
    for arguments in [&["count", "8"][..], &["solutions", "8"], &["completions", "zsh"], &["--help"], &["--version"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = nqueens(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{arguments:?}");
        assert!(text(&output.stderr).contains("error: cannot write to standard output: No space left"), "{output:?}");
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    let deaf = nqueens(&["count", "8"]).stderr(full).output().unwrap();
    assert_eq!((text(&deaf.stdout), deaf.status.code()), ("92\n", Some(0)));
}

/// Whoever wants to see nothing closes standard output, or says so by /dev/null, however it is opened.
#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_no_error() {
    for arguments in ["count 8", "solutions 4", "verify --max 3", "info", "--help", "completions bash", "batch"] {
        let command = format!("exec \"$0\" {arguments} >&- </dev/null");
        let status = std::process::Command::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_nqueens")]).status();
        assert_eq!(status.unwrap().code(), Some(0), "{arguments}");
    }
    let null = File::options().read(true).write(true).open("/dev/null").unwrap();
    assert_eq!(nqueens(&["count", "8"]).stdout(null).output().unwrap().status.code(), Some(0));
}

#[test]
fn the_variable_for_threads_is_named_where_it_is_wrong() {
    let with = |value: &str, arguments: &[&str]| nqueens(arguments).env("NQUEENS_THREADS", value).output().unwrap();
    let empty = with("", &["count", "12"]);
    assert_eq!((text(&empty.stdout), empty.status.code()), ("14200\n", Some(0)));
    assert!(text(&empty.stderr).contains("every core this process may use"), "{}", text(&empty.stderr));
    for arguments in [&["count", "8"][..], &["info"], &["batch"], &["verify"]] {
        let wrong = with("many", arguments);
        assert_eq!(wrong.status.code(), Some(2), "{arguments:?}");
        assert!(text(&wrong.stderr).contains("the variable NQUEENS_THREADS is 'many'"), "{}", text(&wrong.stderr));
    }
    // What is typed is not the variable's fault, and needs no variable.
    let typed = with("many", &["count", "8", "--threads", "many"]);
    assert_eq!(typed.status.code(), Some(2));
    assert!(text(&typed.stderr).contains("cannot run on 'many' threads"), "{}", text(&typed.stderr));
    assert_eq!(text(&with("many", &["count", "8", "--threads", "1"]).stdout), "92\n");
    assert!(text(&with("1", &["info"]).stdout).contains(", set by NQUEENS_THREADS"));
    assert_eq!(with("", &["info"]).status.code(), Some(0));
}

/// Letters that a terminal would obey, typed where a message repeats them.
#[cfg(unix)]
#[test]
fn no_message_moves_the_cursor() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";
    for arguments in [
        &["count", evil][..],
        &["count", "8", "--solver", evil],
        &["count", "8", "--threads", evil],
        &[evil],
        &["bench", "compare", evil, evil],
        &["bench", "export", evil, "--format", "csv"],
        &["bench", "machine", "--out", &format!("{evil}/x")],
        &["bench", "machine", "--workload", evil],
        &["bench", "gate", "--base", evil, "--head", "x"],
    ] {
        let output = output(arguments);
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("u{202e}"), "{said:?}");
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{said:?}");
    }
    let odd = nqueens(&["bench", "compare"]).arg(OsStr::from_bytes(b"\xff\x1b")).arg("x").output().unwrap();
    assert!(!odd.stderr.contains(&0x1b));
}

/// The same in names of folders.
#[cfg(unix)]
#[test]
fn no_result_moves_the_cursor() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\nall shards are there";
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let output = nqueens(arguments).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{said:?}");
        text(&output.stdout).to_owned()
    };
    said(&["run", "plan", "6", "--dir", evil]);
    assert!(
        said(&["run", "status", "--dir", evil]).contains("--dir \\u{1b}[2J\\u{9b}31m\\u{202e}\\u{200b}\\nall shards")
    );
    said(&["run", "status", "--dir", evil, "--json"]);
    said(&["run", "count", "--dir", evil]);
    said(&["run", "merge", "--dir", evil, "--json"]);
    // What is published of a count names no folder of the machine, neither this one nor the program's.
    let counted = said(&["count", "6", "--json", "--checkpoint", evil]);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_nqueens")).parent().unwrap().to_str().unwrap();
    assert!(!counted.contains("all shards") && !counted.contains(program), "{counted}");
}

/// Devices that do not end, and a file that is far larger than the memory.
#[cfg(target_os = "linux")]
#[test]
fn what_is_too_large_to_be_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    File::create(folder.path().join("huge.json")).unwrap().set_len(1 << 40).unwrap();
    let huge = folder.path().join("huge.json");
    let refused = |arguments: &[&str], status: i32, part: &str| {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains(part), "{arguments:?}: {output:?}");
    };
    for endless in ["/dev/zero", "/dev/full", huge.to_str().unwrap()] {
        refused(&["run", "audit", "--published", endless], 3, endless);
    }
    refused(&["bench", "report", huge.to_str().unwrap(), "--out", "-"], 1, "it has more than 64 MiB");
}

#[cfg(unix)]
#[test]
fn a_signal_stops_a_count_and_keeps_what_is_finished() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = nqueens(&["count", "6", "8", "28", "--solver", "bitmask", "--threads", "2"]).spawn().unwrap();
        // The second size is written: the third one is being counted.
        let mut finished =
            vec![0; " n              solutions\n 6                      4\n 8                     92\n".len()];
        child.stdout.as_mut().unwrap().read_exact(&mut finished).unwrap();
        assert!(text(&finished).ends_with(" 92\n"), "{}", text(&finished));
        std::thread::sleep(Duration::from_millis(100));
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let said = text(&output.stderr);
        assert!(said.contains("error: n = 28: stopped after") && said.contains("units of work"), "{said}");
    }
}

#[test]
fn an_instruction_set_that_the_machine_lacks_is_refused() {
    let missing = Isa::ALL.iter().find(|isa| !isa.is_available()).expect("no machine has them all").name();
    for arguments in [["count", "8", "--isa", missing], ["verify", "--quiet", "--isa", missing]] {
        let refused = output(&arguments);
        assert_eq!((text(&refused.stdout), refused.status.code()), ("", Some(2)));
        let said = text(&refused.stderr);
        assert!(said.contains(&format!("this machine cannot run '{missing}': it has portable")), "{said}");
        assert!(said.contains("give one of these or 'auto'"), "{said}");
    }
    let portable = output(&["count", "8", "--isa", "portable", "--json"]);
    assert!(text(&portable.stdout).contains("\"isa\":\"portable\""));
}

#[cfg(unix)]
#[test]
fn an_interrupted_verification_shows_what_it_has() {
    let mut child = nqueens(&["verify", "--max", "20"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    send("-INT", &child);
    let mut table = String::new();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(table.contains("reference") && table.contains("agrees") && !table.contains("DISAGREES"), "{table}");
}

#[test]
fn a_count_too_long_to_wait_for_is_announced() {
    let mut child = nqueens(&["count", "32", "--solver", "check"]).spawn().unwrap();
    // It warns before it counts.
    let said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let warning = said.take(2).find(|line| line.contains("warning: "));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(warning.as_ref().is_some_and(|line| line.contains("n = 32 is predicted to take about")), "{warning:?}");
}

/// The program's peak memory in KiB, while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_below_16_mib() {
    const LIMIT: u64 = 16 * 1024;
    let mut count = nqueens(&["count", "28", "--solver", "bitmask", "--threads", "2"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let used = peak_memory(&count);
    count.kill().unwrap();
    count.wait().unwrap();
    assert!(used < LIMIT, "count 28 took {used} KiB");

    let mut solutions = nqueens(&["solutions", "12", "--format", "grid"]).spawn().unwrap();
    let mut stdout = solutions.stdout.take().unwrap();
    // All but the last boards: it waits for its reader. A board is 12 lines of 12 squares, and an empty line.
    let mut read = vec![0; 157 * 13_000];
    stdout.read_exact(&mut read).unwrap();
    let used = peak_memory(&solutions);
    drop(stdout);
    solutions.wait().unwrap();
    assert!(used < LIMIT, "solutions 12 took {used} KiB");
}

/// A list that goes to a file is written as it is found; who stops it is left no half of a file.
#[cfg(target_os = "linux")]
#[test]
fn boards_go_to_a_file_in_constant_memory_and_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    // A name without an ending fits every format.
    let out = folder.path().join("boards");
    let out = out.to_str().unwrap();
    let child = nqueens(&["solutions", "16", "--format", "unicode", "--out", out]).spawn().unwrap();
    let size =
        || -> u64 { folder.path().read_dir().unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum() };
    let start = std::time::Instant::now();
    while size() < 24 << 20 && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (used, written) = (peak_memory(&child), size());
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert!(used < 16 * 1024 && written >= 24 << 20, "solutions 16 --out took {used} KiB for {written} bytes");
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("boards: no file was written"), "{output:?}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is left behind");
    // What is finished is what standard output has, whatever the format.
    for format in ["grid", "columns", "json", "unicode", "svg"] {
        let arguments = ["solutions", "6", "--format", format];
        let written = nqueens(&[&arguments[..], &["--out", out]].concat()).output().unwrap();
        assert_eq!((written.status.code(), written.stdout), (Some(0), Vec::new()), "{format}");
        assert_eq!(std::fs::read(out).unwrap(), nqueens(&arguments).output().unwrap().stdout, "{format}");
    }
    let full = nqueens(&["solutions", "9", "--out", "/dev/full"]).output().unwrap();
    assert_eq!(full.status.code(), Some(74));
    assert!(text(&full.stderr).contains("error: cannot write the boards to /dev/full: No space left"), "{full:?}");
}

#[test]
fn json_lines_can_be_parsed_and_hold_the_counts_as_strings() {
    let lines = output(&["count", "0..=8", "--json", "--quiet"]);
    assert_eq!(text(&lines.stderr), "");
    for (n, line) in text(&lines.stdout).lines().enumerate() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["schema"], 1);
        assert_eq!(record["size"], n);
        assert_eq!(record["solutions"], nqueens::count(n).unwrap().to_string());
        assert!(record["seconds"].as_f64().unwrap() >= 0.0);
    }
    let boards = output(&["solutions", "6", "--format", "json"]);
    for (line, solution) in text(&boards.stdout).lines().zip(nqueens::solutions(6).unwrap()) {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let columns: Vec<u64> =
            record["columns"].as_array().unwrap().iter().map(|column| column.as_u64().unwrap()).collect();
        assert_eq!(columns, solution.columns().iter().map(|&column| u64::from(column) + 1).collect::<Vec<_>>());
    }
}
