//! What the commands do when nothing goes wrong but the user's typing, or a file is damaged.

use std::fs;

use crate::program::{answer, complaint, run, typed};

use super::{planned, record_file};

#[test]
fn from_a_plan_to_the_count_on_two_machines() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    // Wherever it is made, a plan is the same file; the folder that has it keeps it.
    for folder in ["a", "b"] {
        assert_eq!(answer(at, &format!("run plan 12 --dir {folder} --shards 20")), "20\n");
    }
    assert_eq!(fs::read(at.join("a/plan.json")).unwrap(), fs::read(at.join("b/plan.json")).unwrap());
    run(&mut typed(at, "run plan 12 --dir a --shards 20")).expect(0, "already planned in");
    for other in ["run plan 12 --dir a --shards 19", "run plan 11 --dir a"] {
        let said = complaint(at, 1, other);
        assert!(said.contains("a already has a plan for n = 12 with color in 20 shards"), "{said}");
    }
    // Nobody has counted yet; then one machine a part, another one the rest.
    assert!(complaint(at, 1, "run merge --dir a").contains("lacks 20 of 20 shards, the first is 0"));
    answer(at, "run count --dir a --shards 0..=11 --machine kitchen");
    answer(at, "run count --dir b --shards 12 --isa portable");
    assert!(complaint(at, 1, "run merge --dir a b").contains("lacks 7 of 20 shards, the first is 13"));
    answer(at, "run count --dir b --shards 10..=19 --threads 1");
    assert_eq!(answer(at, "run merge --dir a b"), "14200\n");
    assert_eq!(answer(at, "run merge --dir b a"), "14200\n");
    let status = answer(at, "run status --dir a");
    for part in ["############........\n", "done 12", "kitchen ("] {
        assert!(status.contains(part), "{status}");
    }
    let json = run(&mut typed(at, "run status --dir a --json")).json();
    assert_eq!((&json["done"], &json["missing"], &json["shards_missing"][0]), (&12.into(), &8.into(), &12.into()));
    assert!(json["seconds_left"].is_null() && json["machines"][0]["shards"] == 12);
    // What is there is not counted again, nor touched.
    let record = fs::read(at.join("a/records/000003.json")).unwrap();
    run(&mut typed(at, "run count --dir a")).expect(0, "8 shards counted and saved, 12 there before");
    assert_eq!(fs::read(at.join("a/records/000003.json")).unwrap(), record);
    assert_eq!(answer(at, "run merge --dir a"), "14200\n");
    assert_eq!(fs::read_dir(at.join("a/claims")).unwrap().count(), 0);
    planned(&at.join("c"), 12, "bitmask", 19);
    for command in ["merge", "status"] {
        let said = complaint(at, 1, &format!("run {command} --dir a c"));
        assert!(said.contains("c and a are of different runs"), "{said}");
    }
}

#[test]
fn what_is_damaged_is_set_aside_and_counted_again() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(at, 10, "bitmask", 12);
    answer(at, "run count --dir . --quiet");
    let (flipped, emptied) = (record_file(at, 2), record_file(at, 7));
    let mut bytes = fs::read(&flipped).unwrap();
    bytes[40] ^= 4;
    fs::write(&flipped, bytes).unwrap();
    fs::write(&emptied, "").unwrap();
    let said = complaint(at, 3, "run merge --dir .");
    for part in ["000002.json: its checksum does not fit", "000007.json: it is empty"] {
        assert!(said.contains(part), "{said}");
    }
    let status = answer(at, "run status --dir .");
    assert!(status.contains("##!####!####") && status.contains("damaged 2"), "{status}");
    run(&mut typed(at, "run count --dir .")).expect(0, "2 shards counted and saved, 10 there before");
    assert_eq!(answer(at, "run merge --dir ."), "724\n");
    assert!(at.join("records/000007.damaged-1").exists());
    // One shard by name, as a scheduler has it counted again.
    fs::write(&emptied, "").unwrap();
    answer(at, "run count --dir . --shards 7");
    assert_eq!(answer(at, "run merge --dir ."), "724\n");
}

/// Somebody puts another plan, or a record of another run, into the folder of a run.
#[test]
fn a_record_of_another_plan_is_refused_and_not_renamed() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "bitmask", 12);
    answer(at, "run count --dir r --quiet");
    let right = fs::read(at.join("r/plan.json")).unwrap();
    let names = || {
        let names = fs::read_dir(at.join("r/records")).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    for (n, solver, shards) in [(10, "bitmask", 11), (10, "arrays", 12), (11, "bitmask", 12)] {
        let other = at.join(format!("{n}-{solver}-{shards}"));
        planned(&other, n, solver, shards);
        fs::copy(other.join("plan.json"), at.join("r/plan.json")).unwrap();
        for command in ["count", "status", "merge", "audit"] {
            let said = complaint(at, 1, &format!("run {command} --dir r"));
            assert!(said.contains("is the record of another run than r/plan.json plans: it is of n = 10"), "{said}");
            assert!(said.contains(&format!("and the plan is for n = {n} with {solver} in {shards}")), "{said}");
        }
        assert_eq!(names(), before);
    }
    fs::write(at.join("r/plan.json"), right).unwrap();
    assert_eq!(answer(at, "run merge --dir r"), "724\n");
    // One record only: a damaged one is counted again, and this one is not.
    let other = at.join("10-bitmask-11");
    answer(&other, "run count --dir . --quiet");
    fs::copy(record_file(&other, 10), record_file(&at.join("r"), 10)).unwrap();
    assert!(complaint(at, 1, "run count --dir r").contains("r/records/000010.json is the record of another run"));
    assert_eq!(names(), before);
}

#[test]
fn a_run_is_not_started_among_other_files() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    fs::create_dir_all(at.join("letters/claims")).unwrap();
    fs::write(at.join("letters/claims/000000"), "a letter").unwrap();
    for command in ["run plan 8 --dir letters", "count 8 --checkpoint letters"] {
        let said = complaint(at, 1, command);
        assert!(said.contains("letters is not the folder of a run: it has no plan.json, but holds 'claims'"), "{said}");
        assert!(said.contains("such as 'letters/run'"), "{said}");
    }
    assert_eq!(fs::read_dir(at.join("letters")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(at.join("letters/claims/000000")).unwrap(), "a letter");
    answer(at, "run plan 8 --dir letters/run");
    // A process that was killed, or that makes its plan now.
    fs::create_dir(at.join("new")).unwrap();
    fs::write(at.join("new/.plan.json-1-0.part"), "").unwrap();
    answer(at, "run plan 8 --dir new");
}

#[test]
fn folders_that_disagree_are_told_from_damaged_ones() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    for folder in ["a", "b"] {
        planned(&at.join(folder), 10, "bitmask", 4);
        answer(at, &format!("run count --dir {folder} --quiet"));
    }
    super::forge(&record_file(&at.join("b"), 2), |record| {
        let counts: Vec<u64> =
            record["counts"].as_str().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
        let sum = counts.iter().sum::<u64>() + 8;
        let counts: Vec<String> =
            counts.iter().enumerate().map(|(at, n)| (n + 8 * u64::from(at == 0)).to_string()).collect();
        record["counts"] = counts.join(" ").into();
        record["sum"] = sum.to_string().into();
        record["residue"] = sum.to_string().into();
    });
    let advice =
        "the folders disagree about 1 shard: run 'nqueens verify' on both machines, remove the records of such";
    let said = complaint(at, 3, "run merge --dir a b");
    assert!(said.contains("b/records/000002.json: it and a/records/000002.json disagree: unit "), "{said}");
    assert!(said.contains(advice) && !said.contains("damaged"), "{said}");
    let shown = answer(at, "run status --dir a b");
    for part in ["##?#\n", "# done 3", "damaged 0   ? disputed 1", advice] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("all shards are there") && !shown.contains("run count"), "{shown}");
    let json = run(&mut typed(at, "run status --dir a b --json")).json();
    let told =
        [&json["done"], &json["damaged"], &json["disputed"], &json["missing"]].map(|number| number.as_u64().unwrap());
    assert_eq!((told, json["faults"].as_array().unwrap().len()), ([3, 0, 1, 0], 1), "{json}");
    // What is damaged besides is said, too.
    fs::write(record_file(&at.join("b"), 1), "").unwrap();
    let said = complaint(at, 3, "run merge --dir a b");
    assert!(said.contains("1 file is damaged; 'nqueens run count' counts such shards again; the folders"), "{said}");
}

/// Without a name, records of machines with equal processors could not be told apart.
#[test]
fn every_record_says_which_machine_counted_it() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "bitmask", 4);
    let counted_by = |shard: usize, variable: Option<&str>, options: &str| {
        let mut command = typed(at, &format!("run count --dir r --shards {shard}{options}"));
        command.env_remove("NQUEENS_MACHINE").envs(variable.map(|name| ("NQUEENS_MACHINE", name)));
        run(&mut command).expect(0, "");
        let record = fs::read_to_string(record_file(&at.join("r"), shard)).unwrap();
        serde_json::from_str::<serde_json::Value>(&record).unwrap()["machine"].as_str().unwrap().to_owned()
    };
    let by_default = counted_by(0, None, "");
    assert!(!by_default.is_empty());
    assert_eq!(counted_by(1, Some("attic"), ""), "attic");
    assert_eq!(counted_by(2, Some("attic"), " --machine kitchen"), "kitchen");
    // A variable without a value is as good as none.
    assert_eq!(counted_by(3, Some(""), ""), by_default);
    let said = complaint(at, 2, "run count --dir r --machine \u{1b}[2J");
    assert!(said.contains("is not a name of a machine: give 1 to 253 visible characters"), "{said}");
}

#[test]
fn every_solver_can_be_cut_and_merged() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    for (n, solver, solutions) in [
        (9, "check", 352),
        (9, "arrays", 352),
        (9, "bitmask", 352),
        (9, "mask", 352),
        (9, "color-plain", 352),
        (9, "color", 352),
        (0, "auto", 1),
        (1, "auto", 1),
        (2, "auto", 0),
        (4, "auto", 2),
    ] {
        let run = format!("{solver}-{n}");
        answer(at, &format!("run plan {n} --dir {run} --solver {solver}"));
        answer(at, &format!("run count --dir {run}"));
        assert_eq!(answer(at, &format!("run merge --dir {run}")), format!("{solutions}\n"), "{run}");
    }
}

#[test]
fn wrong_commands_say_what_to_type_instead() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "bitmask", 4);
    fs::write(at.join("file"), "").unwrap();
    for (status, line, says) in [
        (2, "run plan 8", "--dir"),
        (2, "run plan 8 --dir x --shards 0", "cannot cut 21 units of work into 0 shards"),
        (2, "run plan 8 --dir x --shards 22", "give a number from 1 to 21"),
        (74, "run plan 8 --dir file", "cannot write file"),
        (1, "run count --dir nowhere", "there is no run in nowhere"),
        (1, "run status --dir nowhere", "nqueens run plan N --dir nowhere"),
        (1, "run merge --dir nowhere", "there is no run in nowhere"),
        (2, "run count --dir r --shards 4", "there is no shard 4: the last is 3"),
        (2, "run count --dir r --shards 2..4", "'0..=99'"),
        (2, "run count --dir r --shards 2..=9", "there is no shard 9"),
        (2, "count 8 9 --checkpoint x", "saves the count of one size"),
        (1, "count 8 --checkpoint r", "r already has a plan for n = 10"),
        (1, "run audit --dir r", "r has no counted unit: "),
        (2, "run audit --dir r --plain --isa portable", "cannot be used with"),
        (2, "run audit --dir r --plain --image", "cannot be used with"),
        (2, "run audit --dir r --sample 0", "0 units verify nothing: give a number from 1"),
    ] {
        let said = complaint(at, status, line);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert!(!at.join("x").exists());
}

/// The results that README offers are of the units that this program counts.
#[test]
fn the_results_that_are_shipped_can_be_checked() {
    let results = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/results");
    for (name, units) in [("n23", 41_909), ("n24", 17_369), ("n25", 198_470)] {
        for options in ["", " --image"] {
            let agrees =
                answer(&results, &format!("run audit --published {name}.json.gz --sample 2 --seed 1{options}"));
            // Two kinds of machines counted n = 25. One of the two units may be the first of the rarer kind.
            let wrong = (f64::from(units) * if name == "n25" { 0.95 } else { 0.7764 }) as usize;
            assert!(agrees.starts_with(&format!("2 of {units} units agree; ")), "{agrees}");
            let fewer: usize =
                agrees.split_whitespace().skip_while(|word| *word != "than").nth(1).unwrap().parse().unwrap();
            assert!(fewer.abs_diff(wrong) < 100, "{agrees}: {wrong}");
        }
    }
}

#[test]
fn an_estimate_of_everything_is_the_count_and_of_less_is_near() {
    let here = tempfile::tempdir().unwrap();
    let estimate = |options: &str| run(&mut typed(here.path(), &format!("estimate {options}")));
    let all = estimate("13 --solver color --share 1 --json").json();
    assert_eq!((&all["sample"]["sum"], &all["sample"]["solutions_error"]), (&"73712".into(), &0.0.into()));
    let part = estimate("12 --solver bitmask --share 0.2 --seed 3 --json").json();
    let sampled = |name: &str| part["sample"][name].as_f64().unwrap();
    assert!((sampled("solutions") - 14_200.0).abs() <= 5.0 * sampled("solutions_error"), "{part}");
    assert!(part["predicted_bytes"].as_u64().unwrap() > 1 << 20 && part["shards"].as_u64().unwrap() > 0);
    // What cannot be sampled in the seconds given is said at once, with what is predicted.
    let large = estimate("28 --threads 64 --json").json();
    assert!(large["sample"].is_null() && large["predicted_bytes"].as_u64().unwrap() > 10 << 30, "{large}");
    let shown = estimate("14 --budget 0.2s").stdout;
    for name in ["time ", "core time ", "memory ", "solutions ", "shards "] {
        assert!(shown.lines().any(|line| line.starts_with(name)), "{shown}");
    }
    // More threads than cores would wait for one another: they are not started, and the time of the whole is told for
    // both.
    let cores = std::thread::available_parallelism().unwrap().get();
    let crowd = format!("12 --solver color --share 1 --threads {}", 64 * cores);
    let told = estimate(&format!("{crowd} --json")).json();
    assert_eq!((&told["threads"], &told["sample"]["threads"]), (&(64 * cores).into(), &cores.into()));
}
