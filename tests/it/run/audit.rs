//! Whether a run that many machines counted can be believed: which records are counted again, by whom, with what code.

use std::fs;
use std::path::Path;

use nqueens::solver::registry;
use serde_json::Value;

use crate::program::{answer, complaint, run, typed};

use super::{forge, planned, record_file};

/// Counts shards under the name of a machine.
fn counted_by(at: &Path, machine: &str, shards: &str) {
    answer(at, &format!("count 12 --dir r --quiet --only {shards} --machine {machine} --isa portable"));
}

/// A sound record with a wrong count, which no checksum can tell: shard 9 of the machine `bad` has a board too many.
#[test]
fn units_are_sampled_all_the_same_where_the_total_is_wrong() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "arrays", 12);
    counted_by(at, "good", "0..=7");
    counted_by(at, "bad", "8..=11");
    forge(&record_file(&at.join("r"), 9), |record| {
        let more = |text: &str| (text.parse::<u64>().unwrap() + 1).to_string();
        let (first, rest) = record["counts"].as_str().unwrap().split_once(' ').unwrap();
        record["counts"] = format!("{} {rest}", more(first)).into();
        record["sum"] = more(record["sum"].as_str().unwrap()).into();
    });
    let said = complaint(at, 3, "run merge r");
    assert!(said.contains("counted 14201 for n = 12, but the published count is 14200"), "{said}");
    for (options, says) in
        [("--sample 9999", ", as bad counted with portable"), ("--by bad --sample 9999", "error: 1 of ")]
    {
        let said = complaint(at, 3, &format!("run audit r {options}"));
        assert!(said.contains(says), "{said}");
    }
    // Where no wrong unit is drawn the total is as wrong.
    let good = run(&mut typed(at, "run audit r --by good --sample 3"));
    good.expect(3, "but the published count is 14200");
    assert!(good.stdout.starts_with("3 of ") && good.stdout.contains(" units agree; with 95 %"), "{good:?}");
    let said = complaint(at, 2, "run audit r --plain");
    assert!(said.contains("--plain counts units of color, but these are units of arrays"), "{said}");
    let said = complaint(at, 2, "run audit r --image");
    assert!(said.contains("--image counts units of color, but these are units of arrays"), "{said}");
    let said = complaint(at, 1, "run audit r --by ugly");
    assert!(said.contains("r has no counted unit by 'ugly'"), "{said}");
}

#[test]
fn a_run_in_two_folders_is_published_with_who_counted_what() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "color", 6);
    planned(&at.join("elsewhere"), 12, "color", 6);
    counted_by(at, "attic", "1..=2");
    counted_by(at, "cellar", "3..=5");
    assert!(complaint(at, 1, "run merge r --json").contains("lacks 1 of 6 shards"));
    answer(at, "count 12 --dir elsewhere --quiet --only 0 --machine far");
    let status = answer(at, "run status r elsewhere");
    assert!(status.contains("\n  ######\n") && status.contains("done 6 ") && status.contains("  far ("), "{status}");
    let result = answer(at, "run merge r elsewhere --json");
    fs::write(at.join("r.json"), &result).unwrap();
    let json: Value = serde_json::from_str(&result).unwrap();
    let by = |shard: &Value| json["machines"][shard["machine"].as_u64().unwrap() as usize]["machine"].clone();
    let shards = json["shards"].as_array().unwrap();
    assert_eq!(shards.iter().map(by).collect::<Vec<_>>(), ["far", "attic", "attic", "cellar", "cellar", "cellar"]);
    let agrees = answer(at, "run audit r.json --sample 1");
    assert!(agrees.starts_with("3 of "), "a unit of every machine: {agrees}");
    let agrees = answer(at, "run audit r.json --by cellar --sample 1");
    assert!(agrees.starts_with("1 of "), "{agrees}");
    // Forged: other units, another machine, another count.
    for (from, to, says) in [
        ("\"solutions\":\"14200\"", "\"solutions\":null", "invalid type: null"),
        (
            "\"shard\":1,\"first_unit\":",
            "\"shard\":1,\"first_unit\":9",
            "its shard 1 has no machine of its list, or is out",
        ),
        ("\"machine\":0,", "\"machine\":9,", "its shard 0 has no machine of its list"),
        ("\"solutions\":\"14200\"", "\"solutions\":\"14208\"", "do not make 14208 solutions"),
    ] {
        assert!(result.contains(from), "{from}");
        fs::write(at.join("forged.json"), result.replacen(from, to, 1)).unwrap();
        let said = complaint(at, 3, "run audit forged.json");
        assert!(said.contains(says), "{said}");
    }
}

/// If this machine has vector instructions, units are counted with others than the records name.
#[test]
fn other_code_counts_the_units() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "color", 4);
    counted_by(at, "old", "0..=3");
    fs::write(at.join("r.json"), answer(at, "run merge r --json")).unwrap();
    let best = registry::best_isa(registry::find("color").unwrap(), registry::machine_isa());
    let told = match best.name() {
        "portable" => ", which counted ".to_owned(),
        _ => format!("again with color ({best}); --seed "),
    };
    for what in ["r", "r.json"] {
        run(&mut typed(at, &format!("run audit {what} --sample 9999"))).expect(0, &told);
        let plain = run(&mut typed(at, &format!("run audit {what} --sample 3 --plain")));
        plain.expect(0, "again with merged packs in plain code");
        assert!(plain.stdout.starts_with("3 of "), "{plain:?}");
        let image = run(&mut typed(at, &format!("run audit {what} --sample 9999 --image")));
        image.expect(0, "mirror images)");
        assert!(image.stdout.ends_with(" units agree\n"), "{image:?}");
    }
}
