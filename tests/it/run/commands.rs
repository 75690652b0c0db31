//! What the commands do when nothing goes wrong but the user's typing, or a file is damaged.

use std::fs;

use crate::program::{answer, complaint, end, run, typed};

use super::{planned, record_file};

#[test]
fn one_line_on_every_machine_plans_joins_counts_and_prints() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    let count = |folder: &str, options: &str| {
        let line = format!("count 12 --dir {folder} --solver color --shards 20{options}");
        run(&mut typed(at, &line))
    };
    // Nobody has counted yet; then one machine a part, another one the rest. A part prints no count.
    let kitchen = count("a", " --only 0..=11 --machine kitchen");
    kitchen.expect(0, "12 shards counted and saved, 0 there before");
    assert_eq!(kitchen.stdout, "");
    assert!(complaint(at, 1, "run merge a").contains("lacks 8 of 20 shards, the first is 12"));
    count("b", " --only 12 --isa portable").expect(0, "");
    // Wherever it is made, a plan is the same file; the folder that has it keeps it.
    assert_eq!(fs::read(at.join("a/plan.json")).unwrap(), fs::read(at.join("b/plan.json")).unwrap());
    assert!(complaint(at, 1, "run merge a b").contains("lacks 7 of 20 shards, the first is 13"));
    count("b", " --only 10..=19 --threads 1").expect(0, "");
    assert_eq!(answer(at, "run merge a b"), "14200\n");
    assert_eq!(answer(at, "run merge b a"), "14200\n");
    let status = answer(at, "run status a");
    for part in ["############........\n", "done 12", "kitchen (", "start 'nqueens count 12 --dir a'"] {
        assert!(status.contains(part), "{status}");
    }
    let json = run(&mut typed(at, "run status a --json")).json();
    assert_eq!((&json["done"], &json["missing"], &json["shards_missing"][0]), (&12.into(), &8.into(), &12.into()));
    assert!(json["seconds_left"].is_null() && json["machines"][0]["shards"] == 12);
    // What is there is not counted again, nor touched. Solver and shards need not be named to join.
    let record = fs::read(at.join("a/records/000003.json")).unwrap();
    let rest = run(&mut typed(at, "count 12 --dir a"));
    rest.expect(0, "8 shards counted and saved, 12 there before");
    assert_eq!(rest.stdout, "14200\n");
    assert_eq!(fs::read(at.join("a/records/000003.json")).unwrap(), record);
    for _ in 0..2 {
        let again = count("a", "");
        again.expect(0, "0 shards counted and saved, 20 there before");
        assert_eq!(again.stdout, "14200\n");
    }
    assert_eq!(fs::read_dir(at.join("a/claims")).unwrap().count(), 0);
    for other in ["count 12 --dir a --shards 19", "count 11 --dir a", "count 12 --dir a --solver arrays"] {
        let said = complaint(at, 1, other);
        assert!(said.contains("a has a run for n = 12 with color in 20 shards"), "{said}");
        assert!(said.contains("choose another folder for n = 1"), "{said}");
    }
    planned(&at.join("c"), 12, "color", 19);
    for command in ["merge", "status"] {
        let said = complaint(at, 1, &format!("run {command} a c"));
        assert!(said.contains("c and a are of different runs"), "{said}");
    }
}

/// Each round, four processes find an empty folder at the same moment. Whoever comes second joins.
#[test]
fn processes_that_plan_one_folder_at_one_moment_end_in_one_plan() {
    let here = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let at = here.path().join(round.to_string());
        fs::create_dir(&at).unwrap();
        let start = |shards: usize| {
            typed(&at, &format!("count 10 --dir r --solver color --shards {shards} --threads 1")).spawn().unwrap()
        };
        // Equal plans, or different ones.
        let shards = if round % 2 == 0 { [16; 4] } else { [13, 14, 15, 16] };
        let ended: Vec<_> = shards.map(start).into_iter().map(end).collect();
        let joined = ended.iter().filter(|ended| ended.status == Some(0)).count();
        assert_eq!(joined, if round % 2 == 0 { 4 } else { 1 }, "{ended:#?}");
        for ended in ended {
            match ended.status {
                Some(0) => assert_eq!(ended.stdout, "724\n", "{ended:?}"),
                _ => ended.expect(1, "r has a run for n = 10 with color in 1"),
            }
        }
        assert_eq!(answer(&at, "run merge r"), "724\n");
        let mut names: Vec<_> = fs::read_dir(at.join("r")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, ["claims", "plan.json", "records"]);
    }
}

#[test]
fn what_is_damaged_is_set_aside_and_counted_again() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(at, 10, "color", 12);
    answer(at, "count 10 --dir . --quiet");
    let (flipped, emptied) = (record_file(at, 2), record_file(at, 7));
    let mut bytes = fs::read(&flipped).unwrap();
    bytes[40] ^= 4;
    fs::write(&flipped, bytes).unwrap();
    fs::write(&emptied, "").unwrap();
    let said = complaint(at, 3, "run merge .");
    for part in ["000002.json: its checksum does not fit", "000007.json: it is empty"] {
        assert!(said.contains(part), "{said}");
    }
    let status = answer(at, "run status .");
    assert!(status.contains("##!####!####") && status.contains("damaged 2"), "{status}");
    run(&mut typed(at, "count 10 --dir .")).expect(0, "2 shards counted and saved, 10 there before");
    assert_eq!(answer(at, "run merge ."), "724\n");
    assert!(at.join("records/000007.damaged-1").exists());
    // One shard by name, as a scheduler has it counted again.
    fs::write(&emptied, "").unwrap();
    answer(at, "count 10 --dir . --only 7");
    assert_eq!(answer(at, "run merge ."), "724\n");
}

/// Somebody puts another plan, or a record of another run, into the folder of a run.
#[test]
fn a_record_of_another_plan_is_refused_and_not_renamed() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "color", 12);
    answer(at, "count 10 --dir r --quiet");
    let right = fs::read(at.join("r/plan.json")).unwrap();
    let names = || {
        let names = fs::read_dir(at.join("r/records")).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    for (n, solver, shards) in [(10, "color", 11), (10, "arrays", 10), (11, "color", 12)] {
        let other = at.join(format!("{n}-{solver}-{shards}"));
        planned(&other, n, solver, shards);
        fs::copy(other.join("plan.json"), at.join("r/plan.json")).unwrap();
        for command in [&format!("count {n} --dir r"), "run status r", "run merge r", "run audit r"] {
            let said = complaint(at, 1, command);
            assert!(said.contains("is the record of another run than r/plan.json plans: it is of n = 10"), "{said}");
            assert!(said.contains(&format!("and the plan is for n = {n} with {solver} in {shards}")), "{said}");
        }
        assert_eq!(names(), before);
    }
    fs::write(at.join("r/plan.json"), right).unwrap();
    assert_eq!(answer(at, "run merge r"), "724\n");
    // One record only: a damaged one is counted again, and this one is not.
    let other = at.join("10-color-11");
    answer(&other, "count 10 --dir . --quiet");
    fs::copy(record_file(&other, 10), record_file(&at.join("r"), 10)).unwrap();
    assert!(complaint(at, 1, "count 10 --dir r").contains("r/records/000010.json is the record of another run"));
    assert_eq!(names(), before);
}

#[test]
fn a_run_is_not_started_among_other_files() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    fs::create_dir_all(at.join("letters/claims")).unwrap();
    fs::write(at.join("letters/claims/000000"), "a letter").unwrap();
    let said = complaint(at, 1, "count 8 --dir letters");
    assert!(said.contains("letters is not the folder of a run: it has no plan.json, but holds 'claims'"), "{said}");
    assert!(said.contains("such as 'letters/run'"), "{said}");
    assert_eq!(fs::read_dir(at.join("letters")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(at.join("letters/claims/000000")).unwrap(), "a letter");
    assert_eq!(answer(at, "count 8 --dir letters/run"), "92\n");
    // A process that was killed, or that makes its plan now.
    fs::create_dir(at.join("new")).unwrap();
    fs::write(at.join("new/.plan.json-1-0.part"), "").unwrap();
    assert_eq!(answer(at, "count 8 --dir new"), "92\n");
}

#[test]
fn folders_that_disagree_are_told_from_damaged_ones() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    for folder in ["a", "b"] {
        planned(&at.join(folder), 10, "color", 4);
        answer(at, &format!("count 10 --dir {folder} --quiet"));
    }
    super::forge(&record_file(&at.join("b"), 2), |record| {
        let counts: Vec<u64> =
            record["counts"].as_str().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
        let sum = counts.iter().sum::<u64>() + 8;
        let counts: Vec<String> =
            counts.iter().enumerate().map(|(at, n)| (n + 8 * u64::from(at == 0)).to_string()).collect();
        record["counts"] = counts.join(" ").into();
        record["sum"] = sum.to_string().into();
    });
    let advice =
        "the folders disagree about 1 shard: run 'nqueens verify' on both machines, remove the records of such";
    let said = complaint(at, 3, "run merge a b");
    assert!(said.contains("b/records/000002.json: it and a/records/000002.json disagree: unit "), "{said}");
    assert!(said.contains(advice) && !said.contains("damaged"), "{said}");
    let shown = answer(at, "run status a b");
    for part in ["##?#\n", "# done 3", "damaged 0   ? disputed 1", advice] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("all shards are there") && !shown.contains("nqueens count"), "{shown}");
    let json = run(&mut typed(at, "run status a b --json")).json();
    let told =
        [&json["done"], &json["damaged"], &json["disputed"], &json["missing"]].map(|number| number.as_u64().unwrap());
    assert_eq!((told, json["faults"].as_array().unwrap().len()), ([3, 0, 1, 0], 1), "{json}");
    // What is damaged besides is said, too.
    fs::write(record_file(&at.join("b"), 1), "").unwrap();
    let said = complaint(at, 3, "run merge a b");
    assert!(
        said.contains("1 file is damaged; 'nqueens count N --dir RUN' counts such shards again; the folders"),
        "{said}"
    );
}

/// Without a name, records of machines with equal processors could not be told apart.
#[test]
fn every_record_says_which_machine_counted_it() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "color", 4);
    let counted_by = |shard: usize, variable: Option<&str>, options: &str| {
        let mut command = typed(at, &format!("count 10 --dir r --only {shard}{options}"));
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
    let wrong = "is not a name of a machine: give 1 to 253 visible characters";
    let said = complaint(at, 2, "count 10 --dir r --machine \u{1b}[2J");
    assert!(said.contains(wrong), "{said}");
    let ended = run(typed(at, "count 10 --dir r").env("NQUEENS_MACHINE", "\u{1b}[2J"));
    ended.expect(2, "the variable NQUEENS_MACHINE: ");
    ended.expect(2, wrong);
    // A name without a folder names nothing. The variable may be set for other commands.
    complaint(at, 2, "count 8 --machine kitchen");
    run(typed(at, "count 8").env("NQUEENS_MACHINE", "kitchen")).expect(0, "92\n");
}

#[test]
fn every_solver_can_be_cut_and_merged() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    for (n, solver, solutions) in [
        (9, "naive", 352),
        (9, "arrays", 352),
        (9, "bitmask", 352),
        (9, "mask", 352),
        (9, "color", 352),
        (0, "auto", 1),
        (1, "auto", 1),
        (2, "auto", 0),
        (4, "auto", 2),
    ] {
        let run = format!("{solver}-{n}");
        assert_eq!(answer(at, &format!("count {n} --dir {run} --solver {solver}")), format!("{solutions}\n"), "{run}");
        assert_eq!(answer(at, &format!("run merge {run}")), format!("{solutions}\n"), "{run}");
    }
}

#[test]
fn wrong_commands_say_what_to_type_instead() {
    let here = tempfile::tempdir().unwrap();
    let at = here.path();
    planned(&at.join("r"), 10, "color", 4);
    fs::write(at.join("file"), "").unwrap();
    for (status, line, says) in [
        (2, "count 8 --only 3", "--dir"),
        (2, "count 8 --solver color --dir x --shards 0", "cannot cut 8 units of work into 0 shards"),
        (2, "count 8 --solver color --dir x --shards 9", "give a number from 1 to 8"),
        (74, "count 8 --dir file", "cannot read file/plan.json"),
        (1, "run status nowhere", "'nqueens count N --dir nowhere' plans and counts one"),
        (1, "run merge nowhere", "there is no run in nowhere"),
        (2, "count 10 --dir r --only 4", "there is no shard 4: the last is 3"),
        (2, "count 10 --dir r --only 2..4", "'0..=99'"),
        (2, "count 10 --dir r --only 2..=9", "there is no shard 9"),
        (2, "count 8 9 --dir x", "saves the count of one size"),
        (1, "count 8 --dir r", "r has a run for n = 10"),
        (2, "run plan", "unrecognized subcommand 'plan'"),
        (2, "status r", "run status"),
        (1, "run audit r", "r has no counted unit: "),
        (2, "run audit r --plain --isa portable", "cannot be used with"),
        (2, "run audit r --plain --image", "cannot be used with"),
        (2, "run audit r --sample 0", "0 units verify nothing: give a number from 1"),
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
            let agrees = answer(&results, &format!("run audit {name}.json.gz --sample 2 --seed 1{options}"));
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
fn an_estimate_is_of_this_machine_or_of_the_threads_that_are_named() {
    let here = tempfile::tempdir().unwrap();
    let estimate = |options: &str| run(&mut typed(here.path(), &format!("estimate {options}")));
    let large = estimate("28 --threads 64 --json").json();
    assert!(large["predicted_bytes"].as_u64().unwrap() > 10 << 30 && large["threads"] == 64, "{large}");
    assert!(large["shards"].as_u64().unwrap() > 1000 && large["predicted_core_seconds"].as_f64().unwrap() > 1e5);
    let small = estimate("14");
    for name in ["time ", "core time ", "memory ", "shards "] {
        assert!(small.stdout.lines().any(|line| line.starts_with(name)), "{small:?}");
    }
    assert!(!small.stdout.contains("run status"), "{small:?}");
    estimate("26").expect(0, "'nqueens run status RUN' forecasts a run in progress better");
}
