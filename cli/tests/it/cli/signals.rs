//! The first signal stops the program cleanly, the second one ends it at once, and the shell sees that a signal ended
//! it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::helpers::{Ended, PROJECT, end, nqueens, send, shell, wait_until};

/// A count of more than ten seconds prints its forecast first. After a signal, finished results are printed and no file
/// is left behind.
#[test]
fn the_first_signal_stops_it() {
    let folder = tempfile::tempdir().unwrap();
    let audit = &format!("audit {PROJECT}/docs/results/n24 --sample 5000 --isa portable");
    for (line, before, signal, status, after) in [
        ("count 25", "; n = 25 takes ", "-INT", 130, "error: n = 25: stopped"),
        ("count 8 28 --solver bitmask", "; n = 28 takes ", "-TERM", 143, " 92\n"),
        ("count 32 --solver naive", "; n = 32 takes ", "-HUP", 129, " units of work"),
        ("count 25 --dir run", "nqueens: the missing shards take ", "-INT", 130, "error: n = 25: stopped: "),
        ("bench --scaling --out a.json", "the record goes to a.json\n", "-INT", 130, "there is no record\n"),
        ("estimate 28 --measure 10m", "timing units for about 10 min", "-INT", 130, ", too few to use\n"),
        (
            "verify --max 15",
            "nqueens: checking ",
            "-INT",
            130,
            ": stopped: the table shows the checks that were completed",
        ),
        (audit, "nqueens: counting again 5000 units", "-TERM", 143, " of 5000 chosen units counted again so far"),
        (
            audit,
            "nqueens: counting again 5000 units",
            "-INT",
            130,
            ": stopped: the verdict covers the units that were counted before",
        ),
    ] {
        // Background jobs of a shell ignore SIGINT.
        let line = format!("exec env --default-signal nqueens {line}");
        let mut child = shell(folder.path(), &line).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut stderr = String::new();
        while !stderr.contains(before) {
            assert!(said.read_line(&mut stderr).unwrap() > 0, "{line}: {stderr}");
        }
        send(signal, &child);
        said.read_to_string(&mut stderr).unwrap();
        assert!(!stderr.contains("takes 0."), "{line}: {stderr}");
        Ended { stderr, ..end(child) }.expect(status, after);
    }
    assert!(!folder.path().join("a.json").exists());
}

/// None of these counts lasts until the first look for signals during a count.
#[test]
fn the_first_signal_stops_a_series_of_short_counts() {
    let line = "exec env --default-signal nqueens count $(yes 11 | head -n 5000) -t 1 --quiet";
    let mut child = shell(Path::new("."), line).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 3]).unwrap();
    send("-TERM", &child);
    end(child).expect(143, "error: n = 11: stopped");
}

/// A program that waits for the reader of its results cannot look for signals.
#[test]
fn a_second_signal_ends_it_at_once() {
    // These are more lines than a pipe holds. When the first one arrives, signals are already caught.
    let line = "exec env --default-signal nqueens count $(yes 4 | head -n 3000) --classes --quiet";
    let mut child = shell(Path::new("."), line).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 3]).unwrap();
    // While it counts, Linux switches to it and away from it many times in a tenth of a second.
    let status = || std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    wait_until("it never waits", || {
        let before = status();
        thread::sleep(Duration::from_millis(100));
        before.contains("(sleeping)") && status() == before
    });
    ["-TERM", "-INT"].into_iter().for_each(|signal| send(signal, &child));
    wait_until("two signals end nothing", || child.try_wait().unwrap().is_some());
    let ended = end(child);
    assert!(matches!(ended.status, Some(130 | 143)) && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn one_signal_ends_it_where_it_waits_for_a_line() {
    let mut child = nqueens(&["batch"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"8\n").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 3]).unwrap();
    send("-TERM", &child);
    assert_eq!(end(child).status, Some(143));
}
