//! Lines with wrong counts and correct checksums, and the units that an audit counts again.

use std::fs;

use serde_json::{Value, json};

use super::{Place, flip, logs, raise, remove, with_checksum};

/// Counts that are too large, and counts that a unit's weight does not divide, in an incomplete and in a complete run.
#[test]
fn counts_that_no_unit_can_have_are_refused() {
    for (part, of_part) in
        [(true, "solutions, more than the published 14200"), (false, "but the published count is 14200")]
    {
        let place = Place::with_run(12, "color", 4);
        place.answer("count 12 --dir r --quiet");
        let run = &place.path("r");
        if part {
            remove(run, 3);
        }
        let log = &logs(run)[0];
        let good = fs::read(log).unwrap();
        for (more, says) in [(100_000_000_000_000_000_000, of_part), (1, "the unit's weight")] {
            raise(run, 1, more);
            // The sum is wrong even if all chosen units agree.
            let is_sum = says == of_part;
            let advice = if is_sum { "run 'nqueens audit r --sample 1000'" } else { "each wrong shard" };
            let audited = place.run("audit r --sample 1 --seed 1");
            audited.expect(3, says);
            assert!(audited.stderr.contains(advice), "{audited:?}");
            let audited = place.run("audit r --sample 9999 --thorough");
            audited.expect(3, " units of r has a different count here: run 'nqueens verify' here and on the machines");
            let repair = "find r/logs/ -name '*.jsonl' -exec sed -i.bak '/\"shard\":1,/d' {} +";
            assert!(audited.stderr.contains(") of shard 1 is ") && audited.stderr.contains(repair), "{audited:?}");
            assert!(!audited.stderr.contains("nqueens audit"), "{audited:?}");
            place.refuses(3, "merge r", says);
            if part {
                place.refuses(3, "count 12 --dir r --only 0", says);
                // Before and after this process counts, also if a line is damaged.
                remove(run, 0);
                flip(run, 2);
                let counted = place.run("count 12 --dir r --only 0");
                counted.expect(3, "");
                assert_eq!(counted.stderr.matches(of_part).count(), if is_sum { 2 } else { 0 }, "{counted:?}");
            }
            fs::write(log, &good).unwrap();
        }
        if part {
            raise(run, 1, 1);
            place.refuses(3, "count 12 --dir r", "1 shard cannot be right, so there will be no count");
        }
    }
}

#[test]
fn folders_that_disagree_are_told_from_damaged_ones() {
    let place = Place::new();
    for folder in ["a", "b"] {
        place.plan(folder, 10, "color", 4);
        place.answer(&format!("count 10 --dir {folder} --quiet"));
    }
    raise(&place.path("b"), 2, 8);
    let advice = "1 shard cannot be right: run 'nqueens verify' on the machines, end all processes of the run, remove \
                  all lines of each wrong shard, as with find a/logs/ b/logs/ -name '*.jsonl' -exec sed -i.bak \
                  '/\"shard\":2,/d' {} +, and";
    for says in ["error: shard 2 was counted twice with different counts: unit ", "b/logs/", advice] {
        place.refuses(3, "merge a b", says);
    }
    let shown = place.run("status a b");
    shown.expect(3, "");
    assert!(shown.stdout.contains("3 of 4 shards done, 1 disputed\n") && shown.stdout.contains(advice), "{shown:?}");
    assert!(!shown.stdout.contains("all shards are saved"), "{shown:?}");
    // Damaged lines are reported besides disputed shards.
    remove(&place.path("a"), 1);
    flip(&place.path("b"), 1);
    let both = "1 damaged line: 'nqueens count 10 --dir a' (after 'mkdir -p a/logs; cp -RL b/logs a/logs/b') counts the missing \
                shards; 1 shard cannot be right";
    place.refuses(3, "merge a b", both);
    // No count is printed for disputed lines in one folder either.
    for log in logs(&place.path("b")) {
        fs::copy(&log, place.path("a/logs").join(log.file_name().unwrap())).unwrap();
    }
    place.refuses(3, "count 10 --dir a", "there is no count: 1 shard cannot be right");
    let told = place.run("count 10 --dir a").stderr;
    assert_eq!(told.matches("shard 2 was counted twice").count(), 1, "{told}");
    // For `count` as for `status`, a disputed shard is not done.
    let progress = place.json("count 10 --dir a --for 0s --json --quiet");
    assert_eq!((&progress["done"], &progress["missing"]), (&Value::from(3), &Value::from(0)), "{progress}");
}

/// A line with a wrong count, which no checksum reveals: machine `bad` counted one solution too many in shard 9.
#[test]
fn units_are_sampled_all_the_same_where_the_total_is_wrong() {
    let place = Place::with_run(12, "arrays", 12);
    for (machine, shards) in [("good", "0..=7"), ("bad", "8..=11")] {
        place.answer(&format!("count 12 --dir r --quiet --only {shards} --machine {machine} --isa portable"));
    }
    raise(&place.path("r"), 9, 1);
    for (status, line, says) in [
        (3, "merge r", "counted 14201 for n = 12, but the published count is 14200"),
        (3, "audit r --sample 9999", ", but bad logged "),
        (3, "audit r --by bad --sample 9999", "error: 1 of "),
        (3, "audit r --by ugly", "error: 'ugly' counted no unit of r"),
        (3, "audit r --by ugly", ", but the published count is 14200"),
        (2, "audit r --thorough", "count images of units of color, but these are units of arrays"),
    ] {
        place.refuses(status, line, says);
    }
    // The total is wrong even if the sample contains no wrong unit.
    let good = place.run("audit r --by good --sample 3");
    good.expect(3, "but the published count is 14200");
    assert!(
        good.stdout.starts_with("3 of ") && good.stdout.contains(" units counted again: all agree; with 95 %"),
        "{good:?}"
    );
}

/// Each version of the program is a contributor of its own, which only the JSON shows.
#[test]
fn status_adds_up_what_several_programs_counted_on_a_machine() {
    let place = Place::with_run(12, "color", 4);
    place.answer("count 12 --dir r --quiet --machine box");
    let log = &logs(&place.path("r"))[0];
    let texts = fs::read_to_string(log).unwrap();
    let changed = texts.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value["by"]["program"] = format!("version {}", value["shard"]).into();
        with_checksum(value)
    });
    fs::write(log, changed.collect::<String>()).unwrap();
    assert_eq!(place.json("status r --json")["machines"].as_array().unwrap().len(), 4);
    let shown = place.answer("status r");
    assert!(shown.matches("box (").count() == 1 && shown.contains("): 4 shards in "), "{shown}");
}

/// Gives the lines of a file the fingerprint of a run of another version.
fn of_another_version(file: &std::path::Path) {
    let texts = fs::read_to_string(file).unwrap();
    let values = texts.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let changed = values.map(|mut value| {
        value["fingerprint"] = "0123456789abcdef".into();
        with_checksum(value)
    });
    fs::write(file, changed.collect::<String>()).unwrap();
}

/// Trap: to start another run would give up good lines.
#[test]
fn a_plan_of_another_version_over_good_lines_is_to_be_put_back() {
    let place = Place::with_run(12, "color", 4);
    place.answer("count 12 --dir r --quiet");
    of_another_version(&place.path("r/plan.json"));
    for line in ["merge r", "count 12 --dir r", "audit r", "status r"] {
        place.refuses(1, line, "put the right plan.json back");
    }
    // Trap: which of two runs is named first does not matter.
    place.plan("other", 12, "color", 4);
    for command in ["merge r other", "merge other r", "audit r other", "status other r"] {
        place.refuses(1, command, " are of different runs: n = 12 with color in 4 shards");
    }
}

/// The units of a newer version may differ although their names are equal.
#[test]
fn folders_of_older_versions_are_merged_and_those_of_newer_ones_are_not() {
    let place = Place::with_run(12, "color", 4);
    place.answer("count 12 --dir r --quiet");
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(place.path("r/plan.json")).unwrap()).unwrap();
    for (name, version) in [("older", 1), ("newer", 999)] {
        plan["plan_version"] = version.into();
        fs::create_dir(place.path(name)).unwrap();
        fs::write(place.path(&format!("{name}/plan.json")), with_checksum(plan.clone())).unwrap();
    }
    for line in ["merge r older", "merge older r"] {
        assert_eq!(place.answer(line), "14200\n");
    }
    for line in ["merge r newer", "merge newer r"] {
        place.refuses(1, line, "newer is of another version of nqueens");
    }
}

/// For a run of another version of the program, `status` recommends no command, because every command would refuse it.
#[test]
fn nothing_is_recommended_for_a_run_that_is_refused() {
    let place = Place::with_run(12, "color", 4);
    place.answer("count 12 --dir r --only 2..=3 --quiet");
    let says = "error: r is of another version of nqueens, which cuts n = 12 with color into other units";
    for is_complete in [false, true] {
        let good = fs::read(place.path("r/plan.json")).unwrap();
        if is_complete {
            place.answer("count 12 --dir r --quiet");
        }
        let files = [logs(&place.path("r")), vec![place.path("r/plan.json")]].concat();
        files.iter().for_each(|file| of_another_version(file));
        for line in ["merge r", "count 12 --dir r", "audit r"] {
            place.refuses(1, line, says);
        }
        let shown = place.run("status r");
        shown.expect(1, says);
        assert!(shown.stdout.contains(" of 4 shards done") && !shown.stdout.contains("'nqueens"), "{shown:?}");
        let advice = place.json("status r --json")["advice"].to_string();
        assert!(advice.contains("r is of another version of nqueens"), "{advice}");
        if !is_complete {
            fs::write(place.path("r/plan.json"), good).unwrap();
            logs(&place.path("r")).iter().for_each(|log| fs::remove_file(log).unwrap());
        }
    }
    // Trap: moving a log to its place would not help.
    for log in logs(&place.path("r")) {
        fs::rename(&log, place.path("r").join(log.file_name().unwrap())).unwrap();
    }
    for line in ["merge r", "count 12 --dir r", "audit r", "status r"] {
        place.refuses(1, line, says);
    }
}

/// The runs in docs/results consist of the units that this program counts.
#[test]
fn the_runs_that_are_shipped_can_be_checked() {
    let results = std::path::Path::new(crate::helpers::PROJECT).join("docs/results");
    let answer = |line: &str| crate::helpers::answer(&results, line);
    for (run, solutions, units, options) in [
        ("n23", 24_233_937_684_440u64, 12_834, " --image"),
        ("n24", 227_514_171_973_736, 17_369, ""),
        ("n25", 2_207_893_435_808_352, 55_079, ""),
    ] {
        assert_eq!(answer(&format!("merge {run}")), format!("{solutions}\n"));
        let agrees = answer(&format!("audit {run} --sample 2 --seed 1{options}"));
        assert!(agrees.starts_with(&format!("2 of {units} units counted again: all agree; ")), "{agrees}");
    }
    // The run of n = 26 may be complete one day, but its lines must never be damaged or of other units.
    let status: Value = serde_json::from_str(&answer("status n26 --json")).unwrap();
    assert!(status["done"].as_u64() > Some(0), "{status}");
    assert_eq!((&status["shards"], &status["problems"]), (&json!(2000), &json!([])));
}
