//! One signal stops the program, a second one ends it at once, and a shell sees that it was a signal.

use std::io::{BufRead, BufReader, Read};

use crate::program::{Ended, PROJECT, end, nqueens, send, shell, wait_until};

/// A count of ten seconds and more says beforehand how long it takes. What is finished is printed, and nothing is left
/// behind.
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
        (audit, "nqueens: counting 5000 units again", "-TERM", 143, " of 5000 chosen units agree"),
    ] {
        // Jobs in the background of a shell ignore SIGINT.
        let line = format!("exec env --default-signal nqueens {line}");
        let mut child = shell(folder.path(), &line).spawn().unwrap();
        let (mut said, mut stderr) = (BufReader::new(child.stderr.take().unwrap()), String::new());
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

#[test]
fn the_second_signal_ends_it_where_nobody_reads_its_output() {
    let questions = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(questions.path(), "15\n".repeat(100_000)).unwrap();
    let mut child = nqueens(&["batch", "--solver", "bitmask"]).stdin(questions.reopen().unwrap()).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    send("-TERM", &child);
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None, "it waits for its reader");
    wait_until("it is deaf", || {
        send("-TERM", &child);
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(end(child).status, Some(143));
}
