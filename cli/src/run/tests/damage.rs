//! Damaged folders, and logs that grow while others read them.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;
use crate::run::logs::QUIET_AFTER;
use crate::terminal::files::MAX_BYTES;

/// Returns a copy of a run, as if made on another machine.
fn copy(from: &RunFolder, to: &Path) -> RunFolder {
    fs::create_dir_all(to.join("logs")).unwrap();
    fs::copy(from.plan_file(), to.join("plan.json")).unwrap();
    for file in log_files(&from.logs()).unwrap() {
        fs::copy(&file, to.join("logs").join(file.file_name().unwrap())).unwrap();
    }
    RunFolder::open(to).unwrap()
}

/// Returns the bytes of a file after damage: truncated, emptied, without a piece, with a repeated piece, or with a
/// flipped bit.
fn damaged(random: &mut fastrand::Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    let at = random.usize(..bytes.len().max(1));
    match random.u8(..5) {
        0 => bytes.truncate(at),
        1 => bytes.clear(),
        2 => drop(bytes.drain(at..(at + random.usize(1..900)).min(bytes.len()))),
        3 => bytes.extend_from_within(at..),
        _ if bytes.is_empty() => {}
        _ => bytes[at] ^= 1 << random.u8(..8),
    }
    bytes
}

#[test]
fn a_thousand_damaged_runs_make_no_wrong_count() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let total = |folders: &[RunFolder]| -> Result<u128, String> {
        let mut results = Results::read(folders).map_err(|error| format!("{error:#}"))?;
        let plan = plan(&folders[0]);
        let results = results.verify(results.check_plan(&*plan).map_err(|error| error.to_string())?);
        match results.sound() {
            Some(sound) => sound.total().map(|total| total.solutions).map_err(|error| error.to_string()),
            None => Err(results.problems().join("; ")),
        }
    };
    assert_eq!(total(from_ref(&good)), Ok(724));
    let mut random = fastrand::Rng::with_seed(20);
    let mut refused = 0;
    let path = here.path().join("damaged");
    for trial in 0..1000 {
        let one = copy(&good, &path);
        let log = log_files(&one.logs()).unwrap().swap_remove(random.usize(..2));
        let file = if random.u8(..10) == 0 { one.plan_file() } else { log };
        fs::write(&file, damaged(&mut random, fs::read(&file).unwrap())).unwrap();
        match RunFolder::open(&path) {
            // The plan itself is damaged, and the error names its file.
            Err(error) => assert!(error.to_string().contains("plan.json"), "{trial}: {error}"),
            Ok(one) => {
                // A log that is cut between two lines is not damaged, but the run lacks shards. A repeated line does
                // no harm, and neither does damage after it.
                let alone = total(from_ref(&one));
                let is_named = |problem: &str| ["logs", "this run lacks"].iter().any(|part| problem.contains(part));
                assert!(
                    alone == Ok(724) || alone.as_ref().is_err_and(|problem| is_named(problem)),
                    "{trial}: {alone:?}"
                );
                refused += usize::from(alone.is_err());
                // The other folder contains everything that this one lost.
                let both = total(&[one, RunFolder::open(&good.path).unwrap()]);
                assert_eq!(both, Ok(724), "{trial}");
            }
        }
        fs::remove_dir_all(&path).unwrap();
    }
    assert!(refused > 500, "{refused}");
}

/// Returns the text of one of the two logs of a finished run.
fn text_of_log(path: &Path) -> Vec<u8> {
    fs::read(&log_files(&finished(path, 10, "bitmask", SHARDS).logs()).unwrap()[0]).unwrap()
}

/// Others may see a line grow byte by byte. On another machine, its end may even appear before its middle.
#[test]
fn a_reader_of_a_growing_log_takes_each_line_once_it_is_whole() {
    let here = tempfile::tempdir().unwrap();
    let text = text_of_log(&here.path().join("good"));
    let folder = planned(&here.path().join("r"), 10, "bitmask", SHARDS);
    let mut results = read(&folder);
    let log = folder.logs().join("growing.jsonl");
    for length in 0..=text.len() {
        fs::write(&log, &text[..length]).unwrap();
        results.look().unwrap();
        let lines = text[..length].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!((SHARDS - results.missing().len(), results.problems().len()), (lines, 0));
    }
    let folder = planned(&here.path().join("none"), 10, "bitmask", SHARDS);
    let last = text.len() - 1;
    let mut results = read(&folder);
    for first in [10, last / 2, last] {
        let mut seen = text.clone();
        seen[first..last].fill(0);
        fs::write(here.path().join("none/logs/growing.jsonl"), seen).unwrap();
        results.look().unwrap();
    }
    assert_eq!((results.missing().len(), results.problems().len()), (SHARDS / 2, 0));
}

/// A log that nobody has changed for an hour is opened again once its length changes, and not before.
#[test]
fn a_quiet_log_is_opened_once_it_grows() {
    let here = tempfile::tempdir().unwrap();
    let text = text_of_log(&here.path().join("good"));
    let folder = planned(&here.path().join("r"), 10, "bitmask", SHARDS);
    let log = folder.logs().join("quiet.jsonl");
    let mut lengths = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::len);
    let second = lengths.next().unwrap();
    let third = second + lengths.next().unwrap();
    let mut zeros = text[..third].to_vec();
    zeros[second..third - 1].fill(0);
    fs::write(&log, &zeros).unwrap();
    let mut results = read(&folder);
    let mut look_at = |bytes: &[u8], age: Duration| {
        fs::write(&log, bytes).unwrap();
        fs::File::options().append(true).open(&log).unwrap().set_modified(SystemTime::now() - age).unwrap();
        results.look().unwrap();
        (SHARDS - results.missing().len(), results.problems().len())
    };
    let [young, old] = [Duration::ZERO, 2 * QUIET_AFTER];
    assert_eq!(look_at(&zeros, young), (1, 1));
    assert_eq!(look_at(&text[..third], old), (1, 1), "the length is the same");
    assert_eq!(look_at(&text[..third], young), (2, 0));
    assert_eq!(look_at(&text, old), (SHARDS / 2, 0));
}

/// A large file of another kind, saved under the name of a log by mistake, does not fill the memory.
#[test]
fn no_more_than_a_hundred_thousand_damaged_lines_are_remembered() {
    let here = tempfile::tempdir().unwrap();
    let folder = planned(here.path(), 8, "bitmask", 2);
    fs::write(folder.logs().join("other.jsonl"), "\n".repeat(100_001)).unwrap();
    assert_eq!(read(&folder).problems().len(), 100_000);
}

/// Trap: a sparse file of many gigabytes takes no space on the disk, and is one line.
#[test]
fn a_line_that_is_too_long_for_a_log_does_not_fill_the_memory() {
    let here = tempfile::tempdir().unwrap();
    let folder = finished(here.path(), 8, "bitmask", 4);
    let first = &log_files(&folder.logs()).unwrap()[0];
    let lines = fs::read_to_string(first).unwrap();
    let mut log = fs::File::create(first).unwrap();
    log.seek(SeekFrom::Start(3 * MAX_BYTES)).unwrap();
    log.write_all(format!("\n{lines}").as_bytes()).unwrap();
    let results = read(&folder);
    // The lines after it are not read either.
    assert_eq!((results.missing().len(), results.problems().len()), (2, 1));
}

/// The advice contains `--thorough` only for `color`, because `audit` refuses it for other solvers.
#[test]
fn an_audit_is_recommended_from_a_quarter_of_an_unknown_count_on() {
    let here = tempfile::tempdir().unwrap();
    for (name, n, solver, says) in [
        ("known", 12, "arrays", None),
        ("arrays", 28, "arrays", Some("arrays --sample 1000' may find wrong units")),
        ("color", 28, "color", Some("color --thorough --sample 1000' may find wrong units")),
    ] {
        let folder = planned(&here.path().join(name), n, solver, 4);
        assert_eq!(read(&folder).audit_advice(), None);
        log(&folder).append(&line(&folder, 0, &[0])).unwrap();
        let advice = read(&folder).audit_advice();
        assert_eq!(advice.is_some(), says.is_some(), "{advice:?}");
        assert!(advice.unwrap_or_default().ends_with(says.unwrap_or_default()), "{name}");
    }
}

/// A plan that was checked for one run proves nothing about another.
#[test]
#[should_panic(expected = "the plan was checked for another run")]
fn a_plan_that_was_checked_for_another_run_verifies_nothing() {
    let here = tempfile::tempdir().unwrap();
    let [one, other] = [2, 3].map(|shards| planned(&here.path().join(shards.to_string()), 8, "bitmask", shards));
    let plan = plan(&one);
    let (of_one, mut of_other) = (read(&one), read(&other));
    of_other.verify(of_one.check_plan(&*plan).unwrap());
}
