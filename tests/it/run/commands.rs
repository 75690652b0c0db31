//! What the commands do when nothing goes wrong but the user's typing.

use std::fs;
use std::io::Write;

use super::{answer, complaint, output, text};

#[test]
fn from_a_plan_to_the_count_on_two_machines() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    assert_eq!(answer(at, &["run", "plan", "12", "--dir", "a", "--shards", "20"]), "20\n");
    // Wherever it is made, a plan is the same file; the folder that has it keeps it.
    assert_eq!(answer(at, &["run", "plan", "12", "--dir", "b", "--shards", "20"]), "20\n");
    assert_eq!(fs::read(at.join("a/plan.json")).unwrap(), fs::read(at.join("b/plan.json")).unwrap());
    let again = output(at, &["run", "plan", "12", "--dir", "a", "--shards", "20"]);
    assert!(again.status.success() && text(&again.stderr).contains("already planned in"), "{again:?}");
    for other in [&["run", "plan", "12", "--dir", "a", "--shards", "19"][..], &["run", "plan", "11", "--dir", "a"]] {
        let said = complaint(at, 1, other);
        assert!(said.contains("a already has a plan for n = 12 with bitmask in 20 shards"), "{said}");
    }
    // Nobody has counted yet; then one machine a part, another one the rest.
    assert!(complaint(at, 1, &["run", "merge", "--dir", "a"]).contains("20 of 20 shards are missing, the first is 0"));
    answer(at, &["run", "count", "--dir", "a", "--shards", "0..=11", "--machine", "kitchen"]);
    answer(at, &["run", "count", "--dir", "b", "--shards", "12", "--isa", "portable"]);
    assert!(
        complaint(at, 1, &["run", "merge", "--dir", "a", "b"]).contains("7 of 20 shards are missing, the first is 13")
    );
    answer(at, &["run", "count", "--dir", "b", "--shards", "10..=19", "--threads", "1"]);
    assert_eq!(answer(at, &["run", "merge", "--dir", "a", "b"]), "14200\n");
    assert_eq!(answer(at, &["run", "merge", "--dir", "b", "a"]), "14200\n");
    let status = answer(at, &["run", "status", "--dir", "a"]);
    assert!(
        status.contains("############........\n") && status.contains("done 12") && status.contains("kitchen ("),
        "{status}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&answer(at, &["run", "status", "--dir", "a", "--json"])).unwrap();
    assert_eq!((&json["done"], &json["missing"], &json["shards_missing"][0]), (&12.into(), &8.into(), &12.into()));
    assert!(json["seconds_left"].is_null() && json["machines"][0]["shards"] == 12);
    // What is there is not counted again, nor touched.
    let record = fs::read(at.join("a/records/000003.json")).unwrap();
    let again = output(at, &["run", "count", "--dir", "a"]);
    assert!(text(&again.stderr).contains("8 shards counted and saved, 12 there before"), "{}", text(&again.stderr));
    assert_eq!(fs::read(at.join("a/records/000003.json")).unwrap(), record);
    assert_eq!(answer(at, &["run", "merge", "--dir", "a"]), "14200\n");
    assert_eq!(fs::read_dir(at.join("a/claims")).unwrap().count(), 0);
}

/// Without a name, records of machines with equal processors could not be told apart.
#[test]
fn every_record_says_which_machine_counted_it() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "10", "--dir", "r", "--shards", "4"]);
    let counted_by = |shard: &str, variable: Option<&str>, options: &[&str]| {
        let mut command = super::nqueens(&[&["run", "count", "--dir", "r", "--shards", shard][..], options].concat());
        command.current_dir(at).env_remove("NQUEENS_MACHINE");
        let output = command.envs(variable.map(|name| ("NQUEENS_MACHINE", name))).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let record = fs::read_to_string(at.join(format!("r/records/00000{shard}.json"))).unwrap();
        let record: serde_json::Value = serde_json::from_str(&record).unwrap();
        record["machine"].as_str().unwrap().to_owned()
    };
    let by_default = counted_by("0", None, &[]);
    assert!(!by_default.is_empty());
    assert_eq!(counted_by("1", Some("attic"), &[]), "attic");
    assert_eq!(counted_by("2", Some("attic"), &["--machine", "kitchen"]), "kitchen");
    // A variable without a value is as good as none.
    assert_eq!(counted_by("3", Some(""), &[]), by_default);
    for wrong in ["", " ", "\u{1b}[2J"] {
        let said = complaint(at, 2, &["run", "count", "--dir", "r", "--machine", wrong]);
        assert!(said.contains("is not a name of a machine: give 1 to 253 visible characters"), "{said}");
    }
}

#[test]
fn every_solver_can_be_cut_and_merged() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    for solver in ["check", "arrays", "mask", "bitmask", "color-plain", "color"] {
        answer(at, &["run", "plan", "9", "--dir", solver, "--shards", "8", "--solver", solver]);
        answer(at, &["run", "count", "--dir", solver]);
        assert_eq!(answer(at, &["run", "merge", "--dir", solver]), "352\n", "{solver}");
    }
    for (n, solutions) in [(0, "1\n"), (1, "1\n"), (2, "0\n"), (4, "2\n")] {
        let n = n.to_string();
        answer(at, &["run", "plan", &n, "--dir", &n]);
        answer(at, &["run", "count", "--dir", &n]);
        assert_eq!(answer(at, &["run", "merge", "--dir", &n]), solutions);
    }
}

#[test]
fn wrong_commands_say_what_to_type_instead() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "10", "--dir", "r", "--shards", "4"]);
    for (status, arguments, says) in [
        (2, &["run", "plan", "8"][..], "--dir"),
        (2, &["run", "plan", "33", "--dir", "x"], "'33' is not a board size"),
        (2, &["run", "plan", "8", "--dir", "x", "--shards", "0"], "cannot cut 8 units of work into 0 shards"),
        (2, &["run", "plan", "8", "--dir", "x", "--shards", "9"], "give a number from 1 to 8"),
        (1, &["run", "count", "--dir", "nowhere"], "there is no run in nowhere"),
        (1, &["run", "status", "--dir", "nowhere"], "nqueens run plan N --dir nowhere"),
        (1, &["run", "merge", "--dir", "nowhere"], "there is no run in nowhere"),
        (
            2,
            &["run", "count", "--dir", "r", "--shards", "4"],
            "there is no shard 4: this run has 4, numbered from 0 to 3",
        ),
        (2, &["run", "count", "--dir", "r", "--shards", "2..4"], "'0..=99'"),
        (2, &["run", "count", "--dir", "r", "--shards", "2..=9"], "there is no shard 9"),
        (2, &["run", "count", "--dir", "r", "--max-runtime", "soon"], "'soon' is not a length of time"),
        (2, &["run", "count", "--dir", "r", "--threads", "0"], "cannot run on '0' threads"),
        (2, &["count", "8", "9", "--checkpoint", "x"], "saves the count of one size"),
        (1, &["count", "8", "--checkpoint", "r"], "r already has a plan for n = 10"),
        (2, &["estimate", "8", "--share", "0"], "'0' is not a share"),
        (2, &["estimate", "8", "--budget", "5"], "'5' is not a length of time"),
    ] {
        let said = complaint(at, status, arguments);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    assert!(!at.join("x").exists());
    fs::write(at.join("file"), "").unwrap();
    assert!(complaint(at, 74, &["run", "plan", "8", "--dir", "file"]).contains("cannot write file"));
}

#[test]
fn a_result_is_published_and_checked_by_others() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    answer(at, &["run", "plan", "13", "--dir", "r", "--shards", "9"]);
    answer(at, &["run", "count", "--dir", "r"]);
    let result = answer(at, &["run", "merge", "--dir", "r", "--json"]);
    fs::write(at.join("n13.json"), &result).unwrap();
    let mut packed =
        flate2::write::GzEncoder::new(fs::File::create(at.join("n13.json.gz")).unwrap(), Default::default());
    packed.write_all(result.as_bytes()).unwrap();
    packed.finish().unwrap();
    for check in [&["run", "audit", "--dir", "r"][..], &["run", "audit", "--published", "n13.json.gz"]] {
        let agrees = answer(at, &[check, &["--sample", "7"]].concat());
        assert!(agrees.starts_with("7 of ") && agrees.ends_with(" units agree\n"), "{agrees}");
    }
    // Two wrong subtotals that compensate each other.
    let mut value: serde_json::Value = serde_json::from_str(&result).unwrap();
    let mut counts: Vec<u128> =
        value["counts"].as_str().unwrap().split(' ').map(|count| count.parse().unwrap()).collect();
    let (one, other) = (counts.len() - 1, counts.iter().position(|&count| count > 8).unwrap());
    counts[one] += 8;
    counts[other] -= 8;
    value["counts"] = counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" ").into();
    fs::write(at.join("wrong.json"), value.to_string()).unwrap();
    // All of them, so that neither is missed.
    let all = counts.len().to_string();
    let said = complaint(at, 3, &["run", "audit", "--published", "wrong.json", "--sample", &all]);
    assert!(said.contains("2 of") && said.contains(&format!("unit {other} (")), "{said}");
    // And one that does not.
    counts[one] += 1;
    value["counts"] = counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" ").into();
    fs::write(at.join("wrong.json"), value.to_string()).unwrap();
    assert!(complaint(at, 3, &["run", "audit", "--published", "wrong.json"]).contains("its subtotals add up to"));
    // What the system says of a file is said once.
    let said = complaint(at, 1, &["run", "audit", "--published", "none.json"]);
    assert_eq!(said.trim_end(), format!("error: cannot read none.json: {}", fs::read("none.json").unwrap_err()));
}

/// The results that README offers are of the units that this program counts.
#[test]
fn the_results_that_are_shipped_can_be_checked() {
    let here = tempfile::tempdir().unwrap();
    for (name, units) in [("n23", 41_909), ("n24", 17_369)] {
        let file = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/results/{}.json.gz"), name);
        let agrees = answer(here.path(), &["run", "audit", "--published", &file, "--sample", "2", "--seed", "1"]);
        assert_eq!(agrees, format!("2 of {units} units agree\n"));
    }
}

#[test]
fn an_estimate_of_everything_is_the_count_and_of_less_is_near() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let all: serde_json::Value =
        serde_json::from_str(&answer(at, &["estimate", "13", "--solver", "color", "--share", "1", "--json"])).unwrap();
    assert_eq!((&all["sample"]["sum"], &all["sample"]["solutions_error"]), (&"73712".into(), &0.0.into()));
    let part = ["estimate", "12", "--solver", "bitmask", "--share", "0.2", "--seed", "3", "--json"];
    let part: serde_json::Value = serde_json::from_str(&answer(at, &part)).unwrap();
    let sampled = |name: &str| part["sample"][name].as_f64().unwrap();
    let distance = (sampled("solutions") - 14_200.0).abs();
    assert!(distance <= 5.0 * sampled("solutions_error"), "{part}");
    assert!(part["predicted_bytes"].as_u64().unwrap() > 1 << 20 && part["shards"].as_u64().unwrap() > 0);
    // What cannot be sampled in the seconds given is said at once, with what is predicted.
    let large = answer(at, &["estimate", "28", "--threads", "64", "--json"]);
    let large: serde_json::Value = serde_json::from_str(&large).unwrap();
    assert!(large["sample"].is_null() && large["predicted_bytes"].as_u64().unwrap() > 10 << 30, "{large}");
    let shown = answer(at, &["estimate", "14", "--budget", "0.2s"]);
    for name in ["time ", "core time ", "memory ", "solutions ", "shards "] {
        assert!(shown.lines().any(|line| line.starts_with(name)), "{shown}");
    }
    // More threads than cores would wait for one another: they are not started, and the time of the whole is told for
    // both.
    let cores = std::thread::available_parallelism().unwrap().get();
    let many = (64 * cores).to_string();
    let crowd = ["estimate", "12", "--solver", "color", "--share", "1", "--threads", &many];
    let told: serde_json::Value = serde_json::from_str(&answer(at, &[&crowd[..], &["--json"]].concat())).unwrap();
    assert_eq!((&told["threads"], &told["sample"]["threads"]), (&(64 * cores).into(), &cores.into()));
}
