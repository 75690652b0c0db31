//! File systems that fail for a while, or for ever. `faults.c` makes them fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::program::{Ended, end, run, send, skipped, typed, wait_until};

use super::{Place, forge, planned, record_file};

/// EIO, ESTALE, ENOSPC, EDQUOT, ETIMEDOUT.
const ERRORS: [i32; 5] = [5, 116, 28, 122, 110];
const ENOSPC: i32 = 28;
const EPERM: i32 = 1;
const EINVAL: i32 = 22;
/// No error: the call has no answer.
const NO_ANSWER: i32 = 0;

/// Which calls fail, and how. `calls` is empty for calls of every name.
struct Faults {
    calls: &'static str,
    from: usize,
    number: usize,
    error: i32,
}

/// The library; `None` if it cannot work here, as under an emulator.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}.so", std::process::id()));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/run/faults.c");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&file).arg(source).status();
        let is_built = built.is_ok_and(|status| status.success());
        let probe = || typed(Path::new("/"), "--version").env("LD_PRELOAD", &file).env("FAULTS_IN", "/none").status();
        let works = is_built && probe().is_ok_and(|status| status.success());
        if !works {
            skipped(if is_built { "the kernel does not let calls fail" } else { "no C compiler" });
        }
        works.then_some(file)
    };
    LIBRARY.get_or_init(build).as_deref()
}

/// A place with a planned run `wobbly`, for whose files calls fail.
fn wobbly(n: usize, shards: usize) -> Place {
    let place = Place::new();
    planned(&place.path("wobbly"), n, "color", shards);
    place
}

fn record(place: &Place, shard: usize) -> PathBuf {
    record_file(&place.path("wobbly"), shard)
}

/// The program, with calls for files of the run that fail as `faults` says until there is a file `end`. The number of
/// calls is written to the file `calls`.
fn failing(place: &Place, line: &str, faults: &Faults) -> Command {
    let mut command = typed(place.at(), line);
    command.env("LD_PRELOAD", library().unwrap()).env("FAULTS_IN", "wobbly").env("FAULTS_END", place.path("end"));
    command.env("FAULTS_FROM", faults.from.to_string()).env("FAULTS", faults.number.to_string());
    command.env("FAULTS_ERROR", faults.error.to_string()).env("FAULTS_COUNT", place.path("calls"));
    if !faults.calls.is_empty() {
        command.env("FAULTS_OF", faults.calls);
    }
    command
}

/// Runs the program without faults, and returns what it did and the number of calls for files of the run.
fn counted_calls(place: &Place, line: &str) -> (Ended, usize) {
    let ended = run(&mut failing(place, line, &Faults { calls: "", from: 0, number: 0, error: 0 }));
    (ended, fs::read_to_string(place.path("calls")).unwrap().parse().unwrap())
}

/// Every `step`th call fails, a few times in a row, in a run of its own.
fn fail_every(step: usize) {
    if library().is_none() {
        return;
    }
    let line = "count 8 --dir wobbly --solver color --shards 3 --threads 1";
    let with_damage = || {
        let place = wobbly(8, 3);
        // It gets another name.
        fs::write(record(&place, 1), "damaged").unwrap();
        place
    };
    for fresh in [with_damage, Place::new] {
        let calls = counted_calls(&fresh(), line).1;
        assert!(calls > 30, "{calls}");
        for from in (0..calls).step_by(step) {
            let place = fresh();
            let faults = Faults { calls: "", from, number: 1 + from % 3, error: ERRORS[from % 5] };
            let ended = run(&mut failing(&place, line, &faults));
            assert_eq!((ended.status, &*ended.stdout), (Some(0), "92\n"), "call {from}: {ended:?}");
            assert_eq!(place.answer("run merge wobbly"), "92\n", "call {from}: {ended:?}");
            let begun = ended.stderr.matches("trying again for up to an hour").count();
            assert_eq!(begun, ended.stderr.matches("the file system works again").count(), "{ended:?}");
        }
    }
}

#[test]
fn some_calls_that_fail_for_a_moment_cost_a_pause_and_nothing_else() {
    fail_every(11);
}

#[test]
#[ignore = "it starts hundreds of processes: scripts/slow.sh tests"]
fn each_call_that_fails_for_a_moment_costs_a_pause_and_nothing_else() {
    fail_every(1);
}

/// A process that counts 20 shards while the disk is full, or while no call that flushes a file has an answer.
fn without_disk(error: i32, options: &str) -> Option<(Place, Child)> {
    library()?;
    let place = wobbly(12, 20);
    // The probe needs the first two.
    let faults = Faults { calls: "fsync", from: 2, number: usize::MAX >> 1, error };
    let child = failing(&place, &format!("count 12 --dir wobbly --threads 1{options}"), &faults).spawn().unwrap();
    Some((place, child))
}

/// Waits until all shards are counted. A shard is claimed until its record is saved.
fn all_are_counted(place: &Place) {
    wait_until("not all are counted", || place.json("run status wobbly --json")["running"] == 20);
}

#[test]
fn while_the_disk_is_full_or_does_not_answer_counting_goes_on() {
    let full = ["No space left on device (os error 28); trying again for up to an hour", "the file system works again"];
    let silent = [
        "no answer from the file system for 3.0 s: counting goes on, and finished records wait in memory",
        "the file system answers again",
    ];
    for (error, says) in [(ENOSPC, full), (NO_ANSWER, silent)] {
        let Some((place, child)) = without_disk(error, "") else { return };
        all_are_counted(&place);
        fs::write(place.path("end"), "").unwrap();
        let ended = end(child);
        ended.expect(0, "20 shards counted and saved, 0 there before\n");
        // Said once, and nothing else.
        for part in says {
            assert_eq!(ended.stderr.matches(part).count(), 1, "{ended:?}");
        }
        assert_eq!(ended.stderr.matches("file system").count(), if error == ENOSPC { 1 } else { 2 }, "{ended:?}");
        assert_eq!(place.answer("run merge wobbly"), "14200\n");
    }
}

/// No call has an answer, as when a server of files is stopped. So nobody can see a claim or a record before the end.
#[test]
fn while_no_call_has_an_answer_counting_goes_on() {
    if library().is_none() {
        return;
    }
    let place = wobbly(12, 20);
    let all = counted_calls(&wobbly(12, 20), "count 12 --dir wobbly --threads 1").1;
    let faults = Faults { calls: "", from: all / 2, number: usize::MAX >> 1, error: NO_ANSWER };
    let child = failing(&place, "count 12 --dir wobbly --threads 1", &faults).spawn().unwrap();
    sleep(Duration::from_secs(10));
    let before_end = SystemTime::now();
    // The times in records have whole seconds.
    sleep(Duration::from_secs(2));
    fs::write(place.path("end"), "").unwrap();
    let ended = end(child);
    for part in ["no answer from the file system for 3.0 s: ", "the file system answers again, after 1"] {
        ended.expect(0, part);
    }
    for shard in 0..20 {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(record(&place, shard)).unwrap()).unwrap();
        let finished = humantime::parse_rfc3339(record["finished"].as_str().unwrap()).unwrap();
        assert!(finished <= before_end, "shard {shard} was counted after the end: {ended:?}");
    }
    assert_eq!(place.answer("run merge wobbly"), "14200\n");
}

#[test]
fn a_stop_while_the_disk_is_full_says_what_is_lost() {
    for (options, status) in [("", 130), (" --for 2s", 75)] {
        let Some((place, child)) = without_disk(ENOSPC, options) else { return };
        if status == 130 {
            all_are_counted(&place);
            send("-INT", &child);
        }
        let ended = end(child);
        for part in [
            // Where the signal comes, all are counted.
            if status == 130 { "are lost: 0..=19: " } else { "error: these shards were counted and are lost: " },
            ": cannot write wobbly/records/0000",
            "0 shards counted and saved",
        ] {
            ended.expect(status, part);
        }
    }
}

#[test]
fn a_folder_that_takes_no_records_is_known_before_anything_is_counted() {
    if library().is_none() {
        return;
    }
    let place = wobbly(8, 3);
    // As a file system does that has no links.
    let faults = Faults { calls: "renameat2", from: 0, number: 1, error: EPERM };
    let ended = run(&mut failing(&place, "count 8 --dir wobbly", &faults));
    let says = "nqueens: joined wobbly, 0 of 3 shards done\n\
                error: no record can be saved: cannot write wobbly/records: Operation not permitted (os error 1)\n";
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(74), says), "{ended:?}");
    // Not every file system can flush a folder.
    let faults = Faults { calls: "fsync-folder", from: 0, number: usize::MAX >> 1, error: EINVAL };
    run(&mut failing(&place, "count 8 --dir wobbly", &faults)).expect(0, "3 shards counted");
    assert_eq!(place.answer("run merge wobbly"), "92\n");
}

/// As sshfs does, where two processes begin at one moment, or where locks do not work.
#[test]
fn a_name_that_exists_may_be_told_as_a_missing_right() {
    if library().is_none() {
        return;
    }
    for (calls, from) in [("mkdirat", 0), ("renameat2", 1)] {
        let place = wobbly(8, 1);
        // The second name is that of the record, after the probe.
        fs::write(record(&place, 0), "damaged").unwrap();
        let faults = Faults { calls, from, number: if from == 0 { 2 } else { 1 }, error: EPERM };
        run(&mut failing(&place, "count 8 --dir wobbly", &faults)).expect(0, "1 shard counted and saved");
        assert_eq!(place.answer("run merge wobbly"), "92\n");
        assert!(place.path("wobbly/records/000000.damaged-1").exists());
    }
}

/// A finished run whose records changed a while ago: a file that changed a moment ago is not in the index, because it
/// could change again without another time.
fn settled(shards: usize) -> Place {
    let place = wobbly(16, shards);
    place.answer("count 16 --dir wobbly --quiet");
    (0..shards).for_each(|shard| touch(&place, shard, 60));
    place
}

fn touch(place: &Place, shard: usize, seconds_ago: u64) {
    let file = fs::File::options().append(true).open(record(place, shard)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).unwrap();
}

/// A look reads what changed, and one fact of each other file.
#[test]
fn a_second_look_reads_only_what_changed() {
    const SHARDS: usize = 128;
    if library().is_none() {
        return;
    }
    let place = settled(SHARDS);
    let looks = ["run status wobbly --json", "run status wobbly --json", "count 16 --dir wobbly --only 0..=126"];
    let [(first, all), (second, known), (_, start)] = looks.map(|line| counted_calls(&place, line));
    assert_eq!(first.stdout, second.stdout);
    assert!(all > 4 * SHARDS && known < SHARDS + 40 && start < SHARDS + 40, "{all}, {known}, {start}");
    // What changed is read.
    fs::write(record(&place, 7), "damaged").unwrap();
    touch(&place, 8, 50);
    let (third, some) = counted_calls(&place, "run status wobbly --json");
    assert_eq!((&third.json()["damaged"], &third.json()["done"]), (&1.into(), &(SHARDS - 1).into()));
    assert!(some < known + 20, "{some}");
    // A damaged index is no index.
    fs::write(place.path("wobbly/records/.index.json"), "damaged").unwrap();
    assert_eq!(place.run("run status wobbly --json").stdout, third.stdout);
    place.run("count 16 --dir wobbly").expect(0, "1 shard counted and saved, 127 there before");
}

/// A file can rot without a new time. `run merge` finds it, and `count --dir` must then count the shard again.
#[test]
fn what_merge_finds_damaged_is_counted_again() {
    let place = settled(100);
    let damaged = || place.json("run status wobbly --json")["damaged"].clone();
    assert_eq!(damaged(), 0);
    for file in [7, 8].map(|shard| record(&place, shard)) {
        let (time, mut bytes) = (fs::metadata(&file).unwrap().modified().unwrap(), fs::read(&file).unwrap());
        bytes[40] ^= 4;
        fs::write(&file, bytes).unwrap();
        fs::File::options().append(true).open(&file).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(damaged(), 0, "the index is trusted");
    // Another program may check more, so its index is not read.
    let index = place.path("wobbly/records/.index.json");
    let own = fs::read(&index).unwrap();
    forge(&index, |index| index["program"] = "another".into());
    assert_eq!(damaged(), 2);
    fs::write(&index, own).unwrap();
    place.run("run merge wobbly").expect(3, "000007.json: its checksum does not fit");
    place.run("count 16 --dir wobbly").expect(0, "2 shards counted and saved, 98 there before");
    assert_eq!(place.answer("run merge wobbly"), "14772512\n");
}
