//! Damaged folders, and logs that grow while they are read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;

/// A copy of a run, made by another machine.
fn copy(from: &RunFolder, to: &Path) -> RunFolder {
    fs::create_dir_all(to.join("logs")).unwrap();
    fs::copy(from.plan_file(), to.join("plan.json")).unwrap();
    for file in logs(&from.logs()) {
        fs::copy(&file, to.join("logs").join(file.file_name().unwrap())).unwrap();
    }
    RunFolder::open(to).unwrap()
}

/// A file that is cut short or emptied, that lost a piece or has one twice, or a bit of which changed.
pub(super) fn damaged(random: &mut fastrand::Rng, mut bytes: Vec<u8>) -> Vec<u8> {
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

/// Damages a run in one of many ways; names the way. The second folder is another copy, to be merged too.
fn damage(random: &mut fastrand::Rng, one: &RunFolder, second: &RunFolder, others: &[RunFolder]) -> &'static str {
    let one_log = logs(&one.logs()).swap_remove(random.usize(..2));
    let file = if random.u8(..10) == 0 { one.plan_file() } else { one_log };
    let way = ["damaged", "damaged", "damaged", "counted twice", "from another plan", "unreadable"][random.usize(..6)];
    match way {
        "damaged" => fs::write(&file, damaged(random, fs::read(&file).unwrap())).unwrap(),
        "counted twice" => {
            let shard = random.usize(..SHARDS);
            let mut counts = vec![0; one.plan.units_of(shard).len()];
            // No shard of this run has as many solutions.
            counts[0] = 3000 + 3 * random.u128(..9);
            log(second).append(&line(second, shard, &counts)).unwrap();
        }
        "from another plan" => drop(fs::copy(&logs(&others[random.usize(..others.len())].logs())[0], &file).unwrap()),
        _ => {
            // For whoever may read everything, a file that nobody can read.
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
        }
    }
    way
}

#[test]
fn a_thousand_damaged_runs_make_no_wrong_count() {
    let here = tempfile::tempdir().unwrap();
    let good = finished(&here.path().join("good"), 10, "bitmask", SHARDS);
    let total = |folders: &[RunFolder]| -> Result<u128, String> {
        let mut results = Results::read(folders).map_err(|error| format!("{error:#}"))?;
        results.check_weights(&*units(&folders[0]));
        let faults: Vec<String> = results.faults().into_iter().cloned().collect();
        if faults.is_empty() {
            results.total().map(|total| total.solutions).map_err(|error| error.to_string())
        } else {
            Err(faults.join("; "))
        }
    };
    assert_eq!(total(from_ref(&good)), Ok(724));
    let others = [("n", 9, "bitmask", 12), ("solver", 10, "arrays", 12), ("shards", 10, "bitmask", 5)];
    let others = others.map(|(name, n, solver, shards)| finished(&here.path().join(name), n, solver, shards));
    let (mut random, mut ways) = (fastrand::Rng::with_seed(20), BTreeMap::new());
    let (first, second) = (here.path().join("first"), here.path().join("second"));
    for trial in 0..1000 {
        let (one, two) = (copy(&good, &first), copy(&good, &second));
        let way = damage(&mut random, &one, &two, &others);
        *ways.entry(way).or_insert(0) += 1;
        match RunFolder::open(&first) {
            // The plan itself, named with its file.
            Err(error) => assert!(error.to_string().contains("plan.json"), "{trial}, {way}: {error}"),
            Ok(one) => {
                let alone = total(from_ref(&one));
                let both = total(&[one, two]);
                // A file that is cut between two lines has a part of the run, and no damage. A line that is there twice does
                // no harm, nor does damage behind it.
                let is_refused = alone.as_ref().is_err_and(|problem| {
                    ["logs", "plan.json", "this run lacks"].iter().any(|part| problem.contains(part))
                });
                let may_pass = alone == Ok(724) && ["counted twice", "damaged"].contains(&way);
                assert!(is_refused || may_pass, "{trial}, {way}: {alone:?}");
                // The other folder has what this one lost.
                let is_refused = way == "unreadable" || way == "counted twice";
                assert_eq!(both.is_ok(), !is_refused, "{trial}, {way}: {both:?}");
                assert!(both.is_err() || both == Ok(724), "{trial}, {way}: {both:?}");
            }
        }
        fs::remove_dir_all(&first).unwrap();
        fs::remove_dir_all(&second).unwrap();
    }
    assert!(ways.len() == 4 && ways.values().all(|&times| times > 50), "{ways:?}");
}

/// A line that is being written, as others see it: byte by byte. Another machine may see the end of the last lines before
/// their middle.
#[test]
fn a_reader_of_a_growing_log_takes_each_line_once_it_is_whole() {
    let here = tempfile::tempdir().unwrap();
    let text = fs::read(&logs(&finished(&here.path().join("good"), 10, "bitmask", SHARDS).logs())[0]).unwrap();
    let folder = planned(&here.path().join("r"), 10, "bitmask", SHARDS);
    let (mut results, log) = (read(&folder), folder.logs().join("growing.jsonl"));
    for length in 0..=text.len() {
        fs::write(&log, &text[..length]).unwrap();
        results.look().unwrap();
        let lines = text[..length].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!((SHARDS - results.missing().len(), results.faults().len()), (lines, 0));
    }
    let (mut results, last) = (read(&planned(&here.path().join("none"), 10, "bitmask", SHARDS)), text.len() - 1);
    for first in [10, last / 2, last] {
        let mut seen = text.clone();
        seen[first..last].fill(0);
        fs::write(here.path().join("none/logs/growing.jsonl"), seen).unwrap();
        results.look().unwrap();
    }
    assert_eq!((results.missing().len(), results.faults().len()), (SHARDS / 2, 0));
}

#[test]
fn an_audit_is_recommended_from_a_quarter_of_an_unknown_count_on() {
    let here = tempfile::tempdir().unwrap();
    for (n, is_known) in [(28, false), (12, true)] {
        let folder = planned(&here.path().join(n.to_string()), n, "arrays", 4);
        assert_eq!(read(&folder).audit_advice(), None);
        log(&folder).append(&line(&folder, 0, &[0])).unwrap();
        assert_eq!(read(&folder).audit_advice().is_none(), is_known);
    }
}
