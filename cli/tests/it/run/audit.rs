//! Whether a run that many machines counted can be believed: which records are counted again, by whom, with what code.

use std::fs;

use nqueens::registry;
use serde_json::Value;

use super::{Place, forge_line, planned, raise};

/// Counts shards under the name of a machine.
fn counted_by(place: &Place, machine: &str, shards: &str) {
    place.answer(&format!("count 12 --dir r --quiet --only {shards} --machine {machine} --isa portable"));
}

/// A sound line with a wrong count, which no checksum can tell: shard 9 of the machine `bad` has a board too many.
#[test]
fn units_are_sampled_all_the_same_where_the_total_is_wrong() {
    let place = Place::with_run(12, "arrays", 12);
    counted_by(&place, "good", "0..=7");
    counted_by(&place, "bad", "8..=11");
    forge_line(&place.path("r"), 9, |result| raise(result, 1));
    for (status, line, says) in [
        (3, "run merge r", "counted 14201 for n = 12, but the published count is 14200"),
        (3, "run audit r --sample 9999", ", as bad counted with portable"),
        (3, "run audit r --by bad --sample 9999", "error: 1 of "),
        (2, "run audit r --plain", "--plain counts units of color, but these are units of arrays"),
        (2, "run audit r --image", "--image counts units of color, but these are units of arrays"),
        (1, "run audit r --by ugly", "r has no counted unit by 'ugly'"),
    ] {
        place.refuses(status, line, says);
    }
    // Where no wrong unit is drawn the total is as wrong.
    let good = place.run("run audit r --by good --sample 3");
    good.expect(3, "but the published count is 14200");
    assert!(good.stdout.starts_with("3 of ") && good.stdout.contains(" units agree; with 95 %"), "{good:?}");
}

#[test]
fn a_run_in_two_folders_is_published_with_who_counted_what() {
    let place = Place::with_run(12, "color", 6);
    planned(&place.path("elsewhere"), 12, "color", 6);
    counted_by(&place, "attic", "1..=2");
    counted_by(&place, "cellar", "3..=5");
    place.refuses(1, "run merge r --json", "lacks 1 of 6 shards");
    place.answer("count 12 --dir elsewhere --quiet --only 0 --machine far");
    let status = place.answer("run status r elsewhere");
    assert!(status.contains("\n  ######\n") && status.contains("done 6 ") && status.contains("  far ("), "{status}");
    let result = place.answer("run merge r elsewhere --json");
    fs::write(place.path("r.json"), &result).unwrap();
    let json: Value = serde_json::from_str(&result).unwrap();
    let by = |shard: &Value| json["machines"][shard["machine"].as_u64().unwrap() as usize]["machine"].clone();
    let shards = json["shards"].as_array().unwrap();
    assert_eq!(shards.iter().map(by).collect::<Vec<_>>(), ["far", "attic", "attic", "cellar", "cellar", "cellar"]);
    // A unit of every machine.
    for (options, agree) in [("", "3 of "), (" --by cellar", "1 of ")] {
        let agrees = place.answer(&format!("run audit r.json --sample 1{options}"));
        assert!(agrees.starts_with(agree), "{agrees}");
    }
    // Forged: other units, another machine, another count.
    for (from, to, says) in [
        ("\"solutions\":\"14200\"", "\"solutions\":null", "invalid type: null"),
        (
            "\"shard\":1,\"first_unit\":",
            "\"shard\":1,\"first_unit\":9",
            "its shard 1 has no machine of its list, or is out",
        ),
        ("\"machine\":0,", "\"machine\":9,", "has no machine of its list"),
        ("\"solutions\":\"14200\"", "\"solutions\":\"14208\"", "do not make 14208 solutions"),
    ] {
        assert!(result.contains(from), "{from}");
        fs::write(place.path("forged.json"), result.replacen(from, to, 1)).unwrap();
        place.refuses(3, "run audit forged.json", says);
    }
}

/// If this machine has vector instructions, units are counted with others than the records name.
#[test]
fn other_code_counts_the_units() {
    let place = Place::with_run(12, "color", 4);
    counted_by(&place, "old", "0..=3");
    fs::write(place.path("r.json"), place.answer("run merge r --json")).unwrap();
    let best = registry::best_isa(registry::find("color").unwrap(), registry::machine_isa());
    let told = match best.name() {
        "portable" => ", which counted ".to_owned(),
        _ => format!("again with color ({best}); --seed "),
    };
    for what in ["r", "r.json"] {
        for (options, told) in [
            ("--sample 9999", &*told),
            ("--sample 3 --plain", "again with merged packs in plain code"),
            ("--sample 9999 --image", "mirror images)"),
        ] {
            let audit = place.run(&format!("run audit {what} {options}"));
            audit.expect(0, told);
            assert!(audit.stdout.contains(" units agree"), "{audit:?}");
        }
    }
}

/// The results that README offers are of the units that this program counts.
#[test]
fn the_results_that_are_shipped_can_be_checked() {
    let results = std::path::Path::new(crate::program::PROJECT).join("docs/results");
    for (name, units) in [("n23", 41_909), ("n24", 17_369), ("n25", 198_470)] {
        for options in ["", " --image"] {
            let line = format!("run audit {name}.json.gz --sample 2 --seed 1{options}");
            let agrees = crate::program::answer(&results, &line);
            // Two kinds of machines counted n = 25. One of the two units may be the first of the rarer kind.
            let wrong = (f64::from(units) * if name == "n25" { 0.95 } else { 0.7764 }) as usize;
            assert!(agrees.starts_with(&format!("2 of {units} units agree; ")), "{agrees}");
            let (_, fewer) = agrees.split_once("fewer than ").unwrap();
            let fewer: usize = fewer.split(' ').next().unwrap().parse().unwrap();
            assert!(fewer.abs_diff(wrong) < 100, "{agrees}: {wrong}");
        }
    }
}
