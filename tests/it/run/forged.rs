//! Plans and results that somebody has changed on purpose, their checksums made anew.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::program::{answer, complaint, run, typed};

use super::{forge, planned, record_file};

/// Nobody knows how many solutions n = 28 has: a run cut to one unit would make any number a count.
#[test]
fn plans_that_this_program_does_not_make_are_refused() {
    let shorter = |plan: &mut Value| {
        plan["units"] = 1.into();
        plan["shard_ends"] = json!([1]);
        plan["shard_milliseconds"] = json!([1]);
    };
    type Change = fn(&mut Value);
    let changes: [(Change, i32, &str); 7] = [
        (shorter, 3, "was changed or damaged"),
        (|plan| plan["divisor"] = 3.into(), 3, "divisor 3"),
        (|plan| plan["plan_version"] = 9.into(), 1, "plan version 9"),
        (|plan| plan["fingerprint"] = "0".into(), 1, "fingerprint 0;"),
        (|plan| plan["fingerprint"] = "\u{1b}]0;x\u{7}".into(), 1, "fingerprint \\u{1b}]0;x"),
        (|plan| plan["solver"] = "auto".into(), 1, "there is no solver 'auto'"),
        (|plan| plan["solver"] = "color".into(), 1, "fingerprint"),
    ];
    for (change, status, says) in changes {
        let here = tempfile::tempdir().unwrap();
        planned(here.path(), 28, "arrays", 2);
        forge(&here.path().join("plan.json"), change);
        for command in ["run merge .", "run merge . --json", "run audit ."] {
            let said = complaint(here.path(), status, command);
            assert!(said.contains(says), "{command}: {said}");
        }
    }
}

/// A result of n = 12 that this program makes.
fn result(at: &Path) -> Value {
    planned(&at.join("r"), 12, "arrays", 3);
    answer(at, "count 12 --dir r --quiet");
    serde_json::from_str(&answer(at, "run merge r --json")).unwrap()
}

/// A result with a field changed.
fn with(good: &Value, field: &str, value: impl Into<Value>) -> String {
    let mut result = good.clone();
    result[field] = value.into();
    result.to_string()
}

/// A result with its counts changed.
fn with_counts(good: &Value, change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut counts: Vec<String> = good["counts"].as_str().unwrap().split(' ').map(str::to_owned).collect();
    change(&mut counts);
    let mut result = good.clone();
    result["units"] = counts.len().into();
    result["counts"] = counts.join(" ").into();
    result.to_string()
}

#[test]
fn results_that_cannot_be_right_are_refused_before_anything_is_counted() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let good = result(at);
    let forged = [
        (with_counts(&good, |counts| counts.push("0".to_owned())), "was changed or damaged"),
        (with_counts(&good, |counts| counts.truncate(1)), "was changed or damaged"),
        (with_counts(&good, |counts| counts[0] = "-1".to_owned()), "'-1' is not a count"),
        (with_counts(&good, |counts| counts[0] = u128::MAX.to_string()), "128 bits"),
        (with_counts(&good, |counts| counts[0] += "9"), "its subtotals add up to"),
        (with(&good, "divisor", 0), "divisor 0"),
        (with(&good, "size", 33), "'33' is not a board size"),
        (with(&good, "units", 1e300), "invalid"),
        (with(&good, "solver", "auto"), "there is no solver 'auto'"),
        (json!({ "units": 1, "counts": "14200" }).to_string(), "missing field"),
        (good.to_string().replacen("\"units\"", "\"units\":1,\"units\"", 1), "duplicate field"),
        (good.to_string() + "{}", "trailing characters"),
    ];
    for (text, says) in forged {
        fs::write(at.join("forged.json"), text).unwrap();
        let said = complaint(at, 3, "run audit forged.json");
        assert!(said.contains("forged.json") && said.contains(says), "{says}: {said}");
    }
    // What another program makes may be right.
    for (field, value) in [("plan_version", json!(4)), ("fingerprint", json!("0123456789abcdef"))] {
        fs::write(at.join("other.json"), with(&good, field, value)).unwrap();
        let said = complaint(at, 1, "run audit other.json");
        let other = "other.json is of another version of nqueens, which cuts n = 12 with arrays into other units";
        assert!(said.contains(other), "{said}");
    }
    let said = complaint(at, 74, "run audit none.json");
    assert_eq!(said.trim_end(), format!("error: cannot read none.json: {}", fs::read("none.json").unwrap_err()));
    if cfg!(target_os = "linux") {
        complaint(at, 3, "run audit /dev/zero");
    }
}

/// Two wrong subtotals that compensate each other are found if all units are counted again.
#[test]
fn no_two_wrong_subtotals_make_a_right_result() {
    let here = tempfile::tempdir().unwrap();
    let wrong = with_counts(&result(here.path()), |counts| {
        for (unit, count) in [(0, 8), (1, -8)] {
            counts[unit] = (counts[unit].parse::<i64>().unwrap() + count).to_string();
        }
    });
    fs::write(here.path().join("wrong.json"), wrong).unwrap();
    let said = complaint(here.path(), 3, "run audit wrong.json --sample 9999");
    assert!(said.contains("2 of ") && said.contains("unit 0 (") && said.contains("unit 1 ("), "{said}");
}

/// Counts that are too large or that the weights of the units do not divide, in an unfinished run and in a result.
#[test]
fn counts_that_no_unit_can_have_are_refused() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "color", 4);
    answer(at, "count 12 --dir r --quiet");
    let record = record_file(&at.join("r"), 1);
    let good = fs::read(&record).unwrap();
    let whole = answer(at, "run merge r --json");
    fs::remove_file(record_file(&at.join("r"), 3)).unwrap();
    for (more, too_large) in [(100_000_000_000_000_000_000, true), (1, false)] {
        // Adds to the last count of a record or a result, and to its sums.
        let raise = |value: &mut Value| {
            let number = |text: &str| text.parse::<u128>().unwrap() + more;
            let counts = value["counts"].as_str().unwrap().to_owned();
            let (rest, last) = counts.rsplit_once(' ').unwrap();
            value["counts"] = format!("{rest} {}", number(last)).into();
            value["sum"] = number(value["sum"].as_str().unwrap()).to_string().into();
        };
        let says = if too_large { "solutions, more than the published 14200" } else { "the unit's weight" };
        forge(&record, raise);
        // Where all units agree that are drawn, the sum is as wrong.
        let ended = run(&mut typed(at, "run audit r --sample 1 --seed 1"));
        ended.expect(3, says);
        let said = complaint(at, 3, "run audit r --sample 9999");
        assert!(said.contains("1 of ") && said.contains("has another count here"), "{said}");
        fs::write(&record, &good).unwrap();
        let mut result: Value = serde_json::from_str(&whole).unwrap();
        raise(&mut result);
        let solutions: u128 =
            result["sum"].as_str().unwrap().parse::<u128>().unwrap() / u128::from(result["divisor"].as_u64().unwrap());
        result["solutions"] = solutions.to_string().into();
        fs::write(at.join("result.json"), result.to_string()).unwrap();
        let says = if too_large { "but the published count is 14200" } else { "the unit's weight" };
        run(&mut typed(at, "run audit result.json --sample 1 --seed 1")).expect(3, says);
    }
}

#[test]
fn a_packed_result_is_read_whole_or_not_at_all() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let text = result(at).to_string();
    let packed = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Default::default());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let whole = packed(&text);
    // As `pigz` and `cat` make them: several parts.
    let parts = [packed(&text[..100]), packed(&text[100..])].concat();
    for (name, bytes) in [("whole", &whole), ("parts", &parts)] {
        fs::write(at.join(name), bytes).unwrap();
        assert!(answer(at, &format!("run audit {name} --sample 2")).starts_with("2 of "), "{name}");
    }
    let mut flipped = whole.clone();
    flipped[40] ^= 255;
    let half = whole[..whole.len() / 2].to_vec();
    for (number, bytes) in [half, flipped, [parts, b"more".to_vec()].concat()].into_iter().enumerate() {
        fs::write(at.join("damaged"), bytes).unwrap();
        let said = complaint(at, 3, "run audit damaged");
        assert!(said.contains("damaged is not a result that can be checked"), "{number}: {said}");
    }
}
