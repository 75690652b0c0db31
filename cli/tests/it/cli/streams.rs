//! What sessions cannot show: input as a stream, signals, memory, instruction sets and variables of this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;

use nqueens::solver::Isa;

use crate::program::{complaint, nqueens, run, typed};

#[test]
fn batch_answers_before_it_waits_for_the_next_question() {
    let mut child = nqueens(&["batch"]).stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for (question, expected) in [("8\n", "92\n"), ("10\n", "724\n")] {
        stdin.write_all(question.as_bytes()).unwrap();
        let mut answer = vec![0; expected.len()];
        stdout.read_exact(&mut answer).unwrap();
        assert_eq!(answer, expected.as_bytes());
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Letters that a terminal would obey, typed where a message repeats them and in names of folders: [`run`] rejects them.
#[cfg(unix)]
#[test]
fn no_message_and_no_result_moves_the_cursor() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| run(&mut typed(folder.path(), &line.replace("{}", evil)));
    for line in ["count {}", "{}", "compare {} {}", "bench --machine {}"] {
        let ended = run(line);
        assert!(ended.stderr.contains("u{202e}") && ended.status != Some(0), "{line}: {ended:?}");
    }
    // What is published of a count names no folder of the machine.
    let counted = run("count 6 --json --dir {}");
    counted.expect(0, "\"solutions\":\"4\"");
    assert!(!counted.stdout.contains("202e"), "{counted:?}");
    for line in ["status {}", "status {} --json", "merge {} --json"] {
        run(line).expect(0, "");
    }
}

#[test]
fn an_instruction_set_that_the_machine_lacks_is_refused() {
    let missing = Isa::ALL.iter().find(|isa| !isa.is_available()).expect("no machine has them all").name();
    for line in ["count 8", "verify --quiet"] {
        let said = complaint(Path::new("."), 2, &format!("{line} --isa {missing}"));
        assert!(said.contains(&format!("this machine cannot run '{missing}': it has portable")), "{said}");
        assert!(said.contains("give one of these"), "{said}");
    }
}

/// The program's peak memory in KiB, while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(child: &std::process::Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_stops_a_count_of_little_memory_and_keeps_what_is_finished() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let line = "count 6 8 28 --solver bitmask --threads 2";
        let mut child = typed(Path::new("."), line).spawn().unwrap();
        // The second size is written: the third one is being counted.
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(said.any(|line| line.ends_with(" 92")));
        let used = peak_memory(&child);
        crate::program::send(signal, &child);
        let ended = crate::program::end(child);
        ended.expect(code, "error: n = 28: stopped after");
        ended.expect(code, "units of work");
        assert!(used < 16 * 1024, "count 28 took {used} KiB");
    }
}

/// A list is written as it is found, in constant memory.
#[cfg(target_os = "linux")]
#[test]
fn boards_are_listed_in_constant_memory() {
    let mut child = typed(Path::new("."), "solutions 16").stdout(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    assert_eq!(std::io::copy(&mut Read::by_ref(&mut out).take(24 << 20), &mut std::io::sink()).unwrap(), 24 << 20);
    let used = peak_memory(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(used < 16 * 1024, "solutions 16 took {used} KiB");
}
