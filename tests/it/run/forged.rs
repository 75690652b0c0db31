//! Plans and results that somebody has changed on purpose, their checksums made anew.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::{answer, complaint, sealed};

/// The plan of a run of n = 28 with `mask`, changed, in a folder of its own.
fn forged_plan(path: &Path, change: impl FnOnce(&mut Value)) {
    super::planned(path, 28, "mask", 2);
    let file = path.join("plan.json");
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut plan);
    fs::write(file, sealed(&plan)).unwrap();
}

/// Nobody knows how many solutions n = 28 has: a run cut to one unit would make any number a count.
#[test]
fn a_plan_that_was_made_shorter_is_not_merged() {
    let here = tempfile::tempdir().unwrap();
    forged_plan(here.path(), |plan| {
        plan["units"] = 1.into();
        plan["shard_ends"] = json!([1]);
        plan["shard_milliseconds"] = json!([1]);
    });
    for command in [
        &["run", "merge", "--dir", "."][..],
        &["run", "merge", "--dir", ".", "--json"],
        &["run", "audit", "--dir", "."],
    ] {
        assert!(complaint(here.path(), 3, command).contains("was changed or damaged"), "{command:?}");
    }
}

#[test]
fn plans_that_this_program_does_not_make_are_refused() {
    type Change = fn(&mut Value);
    let changes: [(Change, i32, &str); 5] = [
        (|plan| plan["divisor"] = 3.into(), 3, "divisor 3"),
        (|plan| plan["plan_version"] = 9.into(), 1, "plan version 9"),
        (|plan| plan["fingerprint"] = "0".into(), 1, "fingerprint 0;"),
        (|plan| plan["solver"] = "auto".into(), 1, "there is no solver 'auto'"),
        (|plan| plan["solver"] = "bitmask".into(), 1, "fingerprint"),
    ];
    for (change, status, says) in changes {
        let here = tempfile::tempdir().unwrap();
        forged_plan(here.path(), change);
        for command in ["merge", "audit"] {
            let said = complaint(here.path(), status, &["run", command, "--dir", "."]);
            assert!(said.contains(says), "{command}: {said}");
        }
    }
}

/// A result of n = 12 that this program makes.
fn result(at: &Path) -> Value {
    answer(at, &["run", "plan", "12", "--dir", "r", "--shards", "3"]);
    answer(at, &["run", "count", "--dir", "r", "--quiet"]);
    serde_json::from_str(&answer(at, &["run", "merge", "--dir", "r", "--json"])).unwrap()
}

fn with(value: &Value, change: impl FnOnce(&mut Value)) -> String {
    let mut value = value.clone();
    change(&mut value);
    value.to_string()
}

/// The counts of a result with others after them, or without the last ones.
fn counts(value: &mut Value, change: impl FnOnce(&mut Vec<String>)) {
    let mut counts: Vec<String> = value["counts"].as_str().unwrap().split(' ').map(str::to_owned).collect();
    change(&mut counts);
    value["units"] = counts.len().into();
    value["counts"] = counts.join(" ").into();
}

#[test]
fn results_that_cannot_be_right_are_refused_before_anything_is_counted() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let good = result(at);
    let forged = [
        (with(&good, |r| counts(r, |c| c.push("0".to_owned()))), "was changed or damaged"),
        (with(&good, |r| counts(r, |c| c.extend(vec!["0".to_owned(); 1000]))), "was changed or damaged"),
        (with(&good, |r| *r = json!({ "units": 1, "counts": "14200" })), "missing field"),
        (with(&good, |r| r["divisor"] = 0.into()), "divisor 0"),
        (with(&good, |r| r["size"] = 33.into()), "'33' is not a board size"),
        (with(&good, |r| r["size"] = (-1).into()), "invalid value"),
        (with(&good, |r| r["units"] = 1e300.into()), "invalid"),
        (with(&good, |r| r["solver"] = "auto".into()), "there is no solver 'auto'"),
        (with(&good, |r| counts(r, |c| c[0] = "-1".to_owned())), "'-1' is not a count"),
        (with(&good, |r| counts(r, |c| c[0] = u128::MAX.to_string())), "128 bits"),
        (with(&good, |r| counts(r, |c| c[0] = "9".repeat(50))), "is not a count"),
        (with(&good, |r| r["counts"] = "1 ".repeat((1 << 24) + 1).into()), "more than 16777216 counts"),
        (good.to_string().replacen("\"units\"", "\"units\":1,\"units\"", 1), "duplicate field"),
        (good.to_string() + "{}", "trailing characters"),
    ];
    for (text, says) in forged {
        fs::write(at.join("forged.json"), text).unwrap();
        let said = complaint(at, 3, &["run", "audit", "--published", "forged.json"]);
        assert!(said.contains("forged.json") && said.contains(says), "{says}: {said}");
    }
    // What another program makes may be right.
    for (field, value) in [("plan_version", json!(3)), ("fingerprint", json!("0123456789abcdef"))] {
        fs::write(at.join("other.json"), with(&good, |r| r[field] = value)).unwrap();
        let said = complaint(at, 1, &["run", "audit", "--published", "other.json"]);
        assert!(
            said.contains(
                "other.json is of another version of nqueens, which cuts n = 12 with bitmask into other units"
            ),
            "{said}"
        );
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
        assert!(answer(at, &["run", "audit", "--published", name, "--sample", "2"]).starts_with("2 of "), "{name}");
    }
    let flipped: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| if at == 40 { !byte } else { *byte }).collect();
    let damaged =
        [whole[..whole.len() / 2].to_vec(), flipped, [&parts[..], &b"more"[..]].concat(), whole[..3].to_vec()];
    for (number, bytes) in damaged.into_iter().enumerate() {
        fs::write(at.join("damaged"), bytes).unwrap();
        let said = complaint(at, 3, &["run", "audit", "--published", "damaged"]);
        assert!(said.contains("damaged is not a result that can be checked"), "{number}: {said}");
    }
}
