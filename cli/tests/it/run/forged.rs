//! Plans and results that somebody has changed on purpose, their checksums made anew.

use std::fs;
use std::io::Write;

use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::{Place, forge, forge_line, logs, raise, remove};

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
    let place = Place::with_run(28, "arrays", 2);
    let right = fs::read(place.path("r/plan.json")).unwrap();
    for (change, status, says) in changes {
        fs::write(place.path("r/plan.json"), &right).unwrap();
        forge(&place.path("r/plan.json"), change);
        for command in ["run merge r", "run merge r --json", "run audit r"] {
            place.refuses(status, command, says);
        }
    }
}

/// A place with a finished run `r` of n = 12, and its result.
fn published(solver: &str, shards: usize) -> (Place, Value) {
    let place = Place::with_run(12, solver, shards);
    place.answer("count 12 --dir r --quiet");
    let result = place.json("run merge r --json");
    (place, result)
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
    let (place, good) = published("arrays", 3);
    let other = "other.json is of another version of nqueens, which cuts n = 12 with arrays into other units";
    for (status, name, text, says) in [
        (3, "forged.json", with_counts(&good, |counts| counts.push("0".to_owned())), "was changed or damaged"),
        (3, "forged.json", with_counts(&good, |counts| counts.truncate(1)), "was changed or damaged"),
        (3, "forged.json", with_counts(&good, |counts| counts[0] = "-1".to_owned()), "'-1' is not a count"),
        (3, "forged.json", with_counts(&good, |counts| counts[0] = u128::MAX.to_string()), "128 bits"),
        (3, "forged.json", with_counts(&good, |counts| counts[0] += "9"), "its subtotals add up to"),
        (3, "forged.json", with(&good, "divisor", 0), "divisor 0"),
        (3, "forged.json", with(&good, "size", 33), "'33' is not a board size"),
        (3, "forged.json", with(&good, "units", 1e300), "invalid"),
        (3, "forged.json", with(&good, "solver", "auto"), "there is no solver 'auto'"),
        (3, "forged.json", json!({ "units": 1, "counts": "14200" }).to_string(), "missing field"),
        (3, "forged.json", good.to_string().replacen("\"units\"", "\"units\":1,\"units\"", 1), "duplicate field"),
        (3, "forged.json", good.to_string() + "{}", "trailing characters"),
        // What another program makes may be right.
        (1, "other.json", with(&good, "plan_version", 4), other),
        (1, "other.json", with(&good, "fingerprint", "0123456789abcdef"), other),
    ] {
        fs::write(place.path(name), text).unwrap();
        place.refuses(status, &format!("run audit {name}"), says);
        place.refuses(status, &format!("run audit {name}"), name);
    }
    place.refuses(74, "run audit none.json", "cannot read none.json: ");
    if cfg!(target_os = "linux") {
        place.refuses(3, "run audit /dev/zero", "");
    }
    // Two wrong subtotals that compensate each other are found if all units are counted again.
    let wrong = with_counts(&good, |counts| {
        for (unit, count) in [(0, 8), (1, -8)] {
            counts[unit] = (counts[unit].parse::<i64>().unwrap() + count).to_string();
        }
    });
    fs::write(place.path("wrong.json"), wrong).unwrap();
    for says in ["2 of ", "unit 0 (", "unit 1 ("] {
        place.refuses(3, "run audit wrong.json --sample 9999", says);
    }
}

/// Counts that are too large or that the weights of the units do not divide, in an unfinished run and in a result.
#[test]
fn counts_that_no_unit_can_have_are_refused() {
    let (place, whole) = published("color", 4);
    let run = &place.path("r");
    remove(run, 3);
    let log = &logs(run)[0];
    let good = fs::read(log).unwrap();
    for (more, of_part, of_whole) in [
        (100_000_000_000_000_000_000, "solutions, more than the published 14200", "but the published count is 14200"),
        (1, "the unit's weight", "the unit's weight"),
    ] {
        forge_line(run, 1, |result| raise(result, more));
        // Where all units agree that are drawn, the sum is as wrong.
        place.run("run audit r --sample 1 --seed 1").expect(3, of_part);
        place.refuses(3, "run audit r --sample 9999", "has another count here");
        fs::write(log, &good).unwrap();
        let mut result = whole.clone();
        raise(&mut result, more);
        let sum: u128 = result["sum"].as_str().unwrap().parse().unwrap();
        result["solutions"] = (sum / u128::from(result["divisor"].as_u64().unwrap())).to_string().into();
        fs::write(place.path("result.json"), result.to_string()).unwrap();
        place.run("run audit result.json --sample 1 --seed 1").expect(3, of_whole);
    }
}

#[test]
fn a_packed_result_is_read_whole_or_not_at_all() {
    let (place, result) = published("arrays", 3);
    let text = result.to_string();
    let packed = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Default::default());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let whole = packed(&text);
    // As `pigz` and `cat` make them: several parts.
    let parts = [packed(&text[..100]), packed(&text[100..])].concat();
    for bytes in [&whole, &parts] {
        fs::write(place.path("packed"), bytes).unwrap();
        assert!(place.answer("run audit packed --sample 2").starts_with("2 of "));
    }
    let mut flipped = whole.clone();
    flipped[40] ^= 255;
    let half = whole[..whole.len() / 2].to_vec();
    for bytes in [half, flipped, [parts, b"more".to_vec()].concat()] {
        fs::write(place.path("damaged"), bytes).unwrap();
        place.refuses(3, "run audit damaged", "damaged is not a result that can be checked");
    }
}
