//! Whether a run that many machines counted can be believed: which records are counted again, by whom, with what code.

use std::fs;
use std::path::Path;

use nqueens::solver::registry;
use serde_json::Value;

use crate::program::{answer, complaint, run, typed};

use super::{forge, planned, record_file};

/// Counts shards under the name of a machine.
fn counted_by(at: &Path, machine: &str, shards: &str) {
    answer(at, &format!("run count --dir r --quiet --shards {shards} --machine {machine} --isa portable"));
}

/// A sound record with a wrong count, which no checksum can tell: shard 9 of the machine `bad` has three boards too many.
#[test]
fn units_are_sampled_all_the_same_where_the_total_is_wrong() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "bitmask", 12);
    counted_by(at, "good", "0..=7");
    counted_by(at, "bad", "8..=11");
    forge(&record_file(&at.join("r"), 9), |record| {
        let more = |text: &str| (text.parse::<u64>().unwrap() + 3).to_string();
        let (first, rest) = record["counts"].as_str().unwrap().split_once(' ').unwrap();
        record["counts"] = format!("{} {rest}", more(first)).into();
        for field in ["sum", "residue"] {
            record[field] = more(record[field].as_str().unwrap()).into();
        }
    });
    let said = complaint(at, 3, "run merge --dir r");
    assert!(said.contains("counted 14203 for n = 12, but the published count is 14200"), "{said}");
    for (options, says) in
        [("--sample 9999", ", as bad counted with portable"), ("--machine bad --sample 9999", "error: 1 of ")]
    {
        let said = complaint(at, 3, &format!("run audit --dir r {options}"));
        assert!(said.contains(says), "{said}");
    }
    // Where no wrong unit is drawn the total is as wrong.
    let good = run(&mut typed(at, "run audit --dir r --machine good --sample 3"));
    good.expect(3, "but the published count is 14200");
    assert!(good.stdout.starts_with("3 of ") && good.stdout.contains(" units agree; with 95 %"), "{good:?}");
    let said = complaint(at, 2, "run audit --dir r --plain");
    assert!(said.contains("--plain counts units of color, but these are units of bitmask"), "{said}");
    let said = complaint(at, 2, "run audit --dir r --image");
    assert!(said.contains("--image counts units of color, but these are units of bitmask"), "{said}");
    let said = complaint(at, 1, "run audit --dir r --machine ugly");
    assert!(said.contains("r has no counted unit by 'ugly'"), "{said}");
}

#[test]
fn a_run_in_two_folders_is_published_with_who_counted_what() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 12, "bitmask", 6);
    planned(&at.join("elsewhere"), 12, "bitmask", 6);
    counted_by(at, "attic", "1..=2");
    counted_by(at, "cellar", "3..=5");
    assert!(complaint(at, 1, "run merge --dir elsewhere --partial").contains("no shard of this run is counted yet"));
    assert!(complaint(at, 1, "run merge --dir r --json").contains("lacks 1 of 6 shards"));
    let partial = run(&mut typed(at, "run merge --dir r --partial"));
    partial.expect(0, "5 of 6 shards are counted");
    let units = partial.json()["counts"].as_str().unwrap().split(' ').count();
    fs::write(at.join("partial.json"), &partial.stdout).unwrap();
    assert_eq!(
        answer(at, "run audit --published partial.json --sample 9999"),
        format!("{units} of {units} units agree\n")
    );
    answer(at, "run count --dir elsewhere --quiet --shards 0 --machine far");
    let status = answer(at, "run status --dir r elsewhere");
    assert!(status.contains("\n  ######\n") && status.contains("done 6 ") && status.contains("  far ("), "{status}");
    let result = answer(at, "run merge --dir r elsewhere --json");
    fs::write(at.join("r.json"), &result).unwrap();
    assert_eq!(answer(at, "run merge --dir r elsewhere --partial"), result);
    let json: Value = serde_json::from_str(&result).unwrap();
    let by = |shard: &Value| json["machines"][shard["machine"].as_u64().unwrap() as usize]["machine"].clone();
    let shards = json["shards"].as_array().unwrap();
    assert_eq!(shards.iter().map(by).collect::<Vec<_>>(), ["far", "attic", "attic", "cellar", "cellar", "cellar"]);
    let agrees = answer(at, "run audit --published r.json --sample 1");
    assert!(agrees.starts_with("3 of "), "a unit of every machine: {agrees}");
    let agrees = answer(at, "run audit --published r.json --machine cellar --sample 1");
    assert!(agrees.starts_with("1 of "), "{agrees}");
    // Forged: other units, another machine, another count.
    let null = "\"solutions\":null";
    for (result, from, to, says) in [
        (&partial.stdout, null, "\"solutions\":\"14200\"", "it has 14200 solutions, and only "),
        (&result, "\"solutions\":\"14200\"", null, "it has all units, and no number of solutions"),
        (
            &result,
            "\"shard\":1,\"first_unit\":",
            "\"shard\":1,\"first_unit\":9",
            "its shard 1 has no machine of its list, overlaps",
        ),
        (&result, "\"first_unit\":10", "\"first_unit\":9", "its shard 1 has no machine of its list, overlaps"),
        (&result, "\"machine\":0,", "\"machine\":9,", "its shard 0 has no machine of its list"),
        (&result, "\"solutions\":\"14200\"", "\"solutions\":\"14208\"", "do not make 14208 solutions"),
    ] {
        assert!(result.contains(from), "{from}");
        fs::write(at.join("forged.json"), result.replacen(from, to, 1)).unwrap();
        let said = complaint(at, 3, "run audit --published forged.json");
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
    fs::write(at.join("r.json"), answer(at, "run merge --dir r --json")).unwrap();
    let best = registry::best_isa(registry::find("color").unwrap(), registry::machine_isa());
    let told = match best.name() {
        "portable" => ", which counted ".to_owned(),
        _ => format!("again with color ({best}); --seed "),
    };
    for what in ["--dir r", "--published r.json"] {
        run(&mut typed(at, &format!("run audit {what} --sample 9999"))).expect(0, &told);
        let plain = run(&mut typed(at, &format!("run audit {what} --sample 3 --plain")));
        plain.expect(0, "again with color-plain's sum");
        assert!(plain.stdout.starts_with("3 of "), "{plain:?}");
        let image = run(&mut typed(at, &format!("run audit {what} --sample 9999 --image")));
        image.expect(0, "mirror images)");
        assert!(image.stdout.ends_with(" units agree\n"), "{image:?}");
    }
}
