//! What the commands do when nothing goes wrong but the user's typing, or a file is damaged.

use std::fs;

use crate::program::{end, run, typed};

use super::{Place, flip, forge_line, lines, logs, planned, raise, remove};

#[test]
fn one_line_on_every_machine_plans_joins_counts_and_prints() {
    let place = Place::new();
    let count = |folder: &str, options: &str| {
        place.run(&format!("count 12 --dir {folder} --solver color --shards 20{options}"))
    };
    // One machine counts a part, another one the rest. A part prints no count.
    let kitchen = count("a", " --only 0..=11 --machine kitchen");
    kitchen.expect(0, "12 shards counted and saved, 0 there before");
    assert_eq!(kitchen.stdout, "");
    place.refuses(1, "run merge a", "lacks 8 of 20 shards, the first is 12");
    count("b", " --only 10..=19 --threads 1").expect(0, "");
    // Wherever it is made, a plan is the same file.
    assert_eq!(fs::read(place.path("a/plan.json")).unwrap(), fs::read(place.path("b/plan.json")).unwrap());
    assert_eq!([place.answer("run merge a b"), place.answer("run merge b a")], ["14200\n"; 2]);
    let status = place.answer("run status a");
    for part in ["############........\n", "done 12", "kitchen (", "start 'nqueens count 12 --dir a'"] {
        assert!(status.contains(part), "{status}");
    }
    let json = place.json("run status a --json");
    assert_eq!((&json["done"], &json["missing"], &json["shards_missing"][0]), (&12.into(), &8.into(), &12.into()));
    assert!(json["seconds_left"].is_null() && json["machines"][0]["shards"] == 12);
    // What is there is not counted again, nor touched. Solver and shards need not be named to join.
    let before = lines(&place.path("a"));
    for told in ["8 shards counted and saved, 12 there before", "0 shards counted and saved, 20 there before"] {
        let rest = place.run("count 12 --dir a");
        rest.expect(0, told);
        assert_eq!(rest.stdout, "14200\n");
    }
    let after = lines(&place.path("a"));
    assert!(after.len() == 20 && before.iter().all(|line| after.contains(line)), "{after:?}");
    assert!(place.names("a/claims").is_empty() && logs(&place.path("a")).len() == 2);
    // Merging is copying files. Lines that are there twice are one result.
    for log in logs(&place.path("b")) {
        fs::copy(&log, place.path("a/records").join(log.file_name().unwrap())).unwrap();
    }
    assert_eq!(place.answer("run merge a"), "14200\n");
    for other in ["count 12 --dir a --shards 19", "count 11 --dir a", "count 12 --dir a --solver arrays"] {
        place.refuses(1, other, "a has a run for n = 12 with color in 20 shards");
        place.refuses(1, other, "choose another folder for n = 1");
    }
    planned(&place.path("c"), 12, "color", 19);
    for command in ["run merge a c", "run status a c"] {
        place.refuses(1, command, "c and a are of different runs");
    }
}

/// A machine that lacks the mount finds an empty folder. The first line tells.
#[test]
fn the_first_line_says_planned_or_joined_and_join_plans_nothing() {
    let place = Place::new();
    fs::create_dir(place.path("mount")).unwrap();
    for folder in ["mount", "nowhere"] {
        let says = format!("there is no run in {folder} to join: it has no plan.json; is its file system mounted?");
        place.refuses(1, &format!("count 10 --dir {folder} --join"), &says);
    }
    assert!(place.names("mount").is_empty() && !place.path("nowhere").exists());
    let says = |options: &str| {
        let ended = place.run(&format!("count 10 --dir mount --solver color{options}"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        ended.stderr.lines().next().unwrap().to_owned()
    };
    assert_eq!(says(" --shards 8 --only 0..=2"), "nqueens: planned a new run in mount: 8 shards");
    // A damaged line is not done.
    flip(&place.path("mount"), 1);
    assert_eq!(says(" --join --only 1..=4"), "nqueens: joined mount, 1 of 4 shards of --only done");
    assert_eq!(says(" --join"), "nqueens: joined mount, 5 of 8 shards done");
    assert_eq!(says(""), "nqueens: joined mount, 8 of 8 shards done");
    place.refuses(1, "count 10 --dir mount --join --shards 7", "choose another folder for n = 10 in 7 shards");
    place.refuses(2, "count 10 --join", "--dir");
}

/// Each round, four processes find an empty folder at the same moment. Whoever comes second joins.
#[test]
fn processes_that_plan_one_folder_at_one_moment_end_in_one_plan() {
    for round in 0..10 {
        let place = Place::new();
        let start = |shards| place.spawn(&format!("count 10 --dir r --solver color --shards {shards} --threads 1"));
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
        assert_eq!(place.answer("run merge r"), "724\n");
        assert_eq!(place.names("r"), ["claims", "plan.json", "records"]);
    }
}

#[test]
fn what_is_damaged_is_counted_again() {
    let place = Place::with_run(10, "color", 12);
    place.answer("count 10 --dir r --quiet");
    let run = place.path("r");
    [2, 7].into_iter().for_each(|shard| flip(&run, shard));
    for says in [": its checksum does not fit: it was changed or damaged", "2 lines are damaged"] {
        place.refuses(3, "run merge r", says);
    }
    let status = place.run("run status r");
    status.expect(3, "damaged 2");
    status.expect(3, "##!####!####");
    place.run("run status r --json").expect(3, "\"damaged\":2");
    let again = place.run("count 10 --dir r");
    again.expect(0, "2 shards counted and saved, 10 there before");
    again
        .expect(0, ": its checksum does not fit: it was changed or damaged; shards that are missing are counted again");
    // The damaged lines are still there, and do no harm.
    assert_eq!(place.answer("run merge r"), "724\n");
    assert!(place.answer("run status r").contains("damaged 0"));
    for command in ["run merge r", "run status r"] {
        place.run(command).expect(0, "2 lines are damaged and are not needed: other lines have the shards");
    }
    assert_eq!(place.json("run status r --json")["damaged_lines_replaced"], 2);
    // One shard by name, as a scheduler has it counted again.
    fs::remove_dir_all(run.join("claims")).unwrap();
    remove(&run, 5);
    place.refuses(1, "run merge r", "this run lacks 1 of 12 shards, the first is 5");
    place.answer("count 10 --dir r --only 5");
    assert_eq!(place.answer("run merge r"), "724\n");
}

/// The last line of a killed process has no end. The process may also be writing it.
#[test]
fn a_torn_line_is_no_line_and_no_damage() {
    let place = Place::with_run(10, "color", 12);
    place.answer("count 10 --dir r --quiet");
    let log = &logs(&place.path("r"))[0];
    let text = fs::read_to_string(log).unwrap();
    for cut in [1, 20, 200] {
        fs::write(log, &text[..text.len() - cut]).unwrap();
        let json = place.json("run status r --json");
        assert_eq!((&json["done"], &json["damaged"], &json["missing"]), (&11.into(), &0.into(), &1.into()), "{json}");
        place.refuses(1, "run merge r", "this run lacks 1 of 12 shards");
        place.run("count 10 --dir r").expect(0, "1 shard counted and saved, 11 there before");
        // Nothing is written to the log of another process.
        assert_eq!(fs::read_to_string(log).unwrap(), text[..text.len() - cut]);
        logs(&place.path("r")).iter().filter(|other| *other != log).for_each(|other| fs::remove_file(other).unwrap());
    }
}

/// Somebody puts another plan, or a log of another run, into the folder of a run.
/// Tools that copy a text to Windows may change the ends of its lines.
#[test]
fn a_copy_with_the_line_ends_of_windows_is_read() {
    let place = Place::with_run(10, "color", 12);
    place.answer("count 10 --dir r --quiet");
    for file in logs(&place.path("r")).into_iter().chain([place.path("r/plan.json")]) {
        fs::write(&file, fs::read_to_string(&file).unwrap().replace('\n', "\r\n")).unwrap();
    }
    let merged = place.run("run merge r");
    assert_eq!((merged.stdout.as_str(), merged.stderr.contains("damaged")), ("724\n", false), "{}", merged.stderr);
}

#[test]
fn a_file_in_the_place_of_a_folder_leads_to_its_folder() {
    let place = Place::with_run(10, "color", 12);
    place.answer("count 10 --dir r --quiet");
    let log = logs(&place.path("r")).remove(0);
    let log = log.strip_prefix(place.path("")).unwrap().display();
    for file in ["r/plan.json".to_owned(), log.to_string()] {
        let says = format!("{file} is a file of a run: give the folder, r\n");
        for command in ["run status", "run merge", "count 10 --dir"] {
            place.refuses(1, &format!("{command} {file}"), &says);
        }
        place.refuses(3, &format!("run audit {file}"), "; to audit a run, give its folder, r\n");
    }
}

#[test]
fn a_log_of_another_plan_is_refused_and_stays() {
    let place = Place::with_run(10, "color", 12);
    place.answer("count 10 --dir r --quiet");
    let (right, before) = (fs::read(place.path("r/plan.json")).unwrap(), place.lines());
    for (n, solver, shards) in [(10, "color", 11), (10, "arrays", 10), (11, "color", 12)] {
        let other = place.path(&format!("{n}-{solver}-{shards}"));
        planned(&other, n, solver, shards);
        fs::copy(other.join("plan.json"), place.path("r/plan.json")).unwrap();
        for command in [&format!("count {n} --dir r"), "run status r", "run merge r", "run audit r"] {
            place.refuses(1, command, ".jsonl is of another run than r/plan.json plans: it has shard ");
            place.refuses(1, command, &format!("and the plan is for n = {n} with {solver} in {shards}"));
        }
        assert_eq!(place.lines(), before);
    }
    fs::write(place.path("r/plan.json"), right).unwrap();
    assert_eq!(place.answer("run merge r"), "724\n");
    // One log only.
    place.answer("count 10 --dir 10-color-11 --quiet");
    fs::copy(&logs(&place.path("10-color-11"))[0], place.path("r/records/other.jsonl")).unwrap();
    place.refuses(1, "count 10 --dir r", "r/records/other.jsonl is of another run");
}

#[test]
fn a_run_is_not_started_among_other_files() {
    let place = Place::new();
    fs::create_dir_all(place.path("letters/claims")).unwrap();
    fs::write(place.path("letters/claims/000000"), "a letter").unwrap();
    let says = "letters is not the folder of a run: it has no plan.json, but holds 'claims'; give the name of a new or an \
                empty folder, such as 'letters/run'";
    place.refuses(1, "count 8 --dir letters", says);
    assert_eq!(place.names("letters"), ["claims"]);
    assert_eq!(fs::read_to_string(place.path("letters/claims/000000")).unwrap(), "a letter");
    assert_eq!(place.answer("count 8 --dir letters/run"), "92\n");
    // A process that makes its plan now.
    planned(&place.path("other"), 8, "color", 4);
    fs::create_dir(place.path("new")).unwrap();
    fs::write(place.path("new/plan.json"), "{\"schema\":1,").unwrap();
    let joins = place.spawn("count 8 --dir new");
    std::thread::sleep(std::time::Duration::from_millis(500));
    fs::copy(place.path("other/plan.json"), place.path("new/plan.json")).unwrap();
    assert_eq!(end(joins).stdout, "92\n");
}

#[test]
fn folders_that_disagree_are_told_from_damaged_ones() {
    let place = Place::new();
    for folder in ["a", "b"] {
        planned(&place.path(folder), 10, "color", 4);
        place.answer(&format!("count 10 --dir {folder} --quiet"));
    }
    forge_line(&place.path("b"), 2, |result| raise(result, 8));
    let advice = "1 shard cannot be right: run 'nqueens verify' on the machines, end all processes of the run, remove \
                  all lines of such a shard, as with sed -i '/\"shard\":2,/d' a/records/*.jsonl b/records/*.jsonl, and";
    place.refuses(3, "run merge a b", ".jsonl: shard 2 was counted twice with different results: unit ");
    place.refuses(3, "run merge a b", &format!("cannot merge: {advice}"));
    let status = place.run("run status a b");
    assert_eq!(status.status, Some(3), "{status:?}");
    let shown = status.stdout;
    for part in ["##?#\n", "# done 3", "damaged 0   ? disputed 1", advice] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("all shards are there") && !shown.contains("nqueens count"), "{shown}");
    let json = place.json("run status a b --json");
    let told = ["done", "damaged", "disputed", "missing"].map(|field| json[field].as_u64().unwrap());
    assert_eq!((told, json["faults"].as_array().unwrap().len()), ([3, 0, 1, 0], 1), "{json}");
    // What is damaged besides is said, too.
    remove(&place.path("a"), 1);
    flip(&place.path("b"), 1);
    let both = "1 line is damaged: 'nqueens count 10 --dir a' counts their shards again; 1 shard cannot be right";
    place.refuses(3, "run merge a b", both);
    // In one folder, no count is printed.
    for log in logs(&place.path("b")) {
        fs::copy(&log, place.path("a/records").join(log.file_name().unwrap())).unwrap();
    }
    let counts = place.run("count 10 --dir a");
    assert_eq!(counts.stdout, "");
    counts.expect(3, "there is no count: 1 shard cannot be right");
}

/// Without a name, results of machines with equal processors could not be told apart.
#[test]
fn every_line_says_which_machine_counted_it() {
    let place = Place::with_run(10, "color", 4);
    let counted_by = |shard: usize, variable: Option<&str>, options: &str| {
        let mut command = typed(place.at(), &format!("count 10 --dir r --only {shard}{options}"));
        command.env_remove("NQUEENS_MACHINE").envs(variable.map(|name| ("NQUEENS_MACHINE", name)));
        run(&mut command).expect(0, "");
        let lines = place.lines();
        let line = lines.iter().find(|line| line.contains(&format!("\"shard\":{shard},"))).unwrap();
        serde_json::from_str::<serde_json::Value>(line).unwrap()["machine"].as_str().unwrap().to_owned()
    };
    let by_default = counted_by(0, None, "");
    assert!(!by_default.is_empty());
    assert_eq!(counted_by(1, Some("attic"), ""), "attic");
    assert_eq!(counted_by(2, Some("attic"), " --machine kitchen"), "kitchen");
    // A variable without a value is as good as none.
    assert_eq!(counted_by(3, Some(""), ""), by_default);
    let wrong = "is not a name of a machine: give 1 to 253 visible characters";
    place.refuses(2, "count 10 --dir r --machine \u{1b}[2J", wrong);
    let ended = run(typed(place.at(), "count 10 --dir r").env("NQUEENS_MACHINE", "\u{1b}[2J"));
    ended.expect(2, "the variable NQUEENS_MACHINE: ");
    ended.expect(2, wrong);
    // The variable may be set for other commands.
    run(typed(place.at(), "count 8").env("NQUEENS_MACHINE", "kitchen")).expect(0, "92\n");
}

#[test]
fn every_solver_can_be_cut_and_merged() {
    let place = Place::new();
    for (n, solver, solutions) in
        [(9, "naive", 352), (9, "arrays", 352), (9, "mask", 352), (9, "color", 352), (0, "auto", 1), (2, "auto", 0)]
    {
        let counted = place.answer(&format!("count {n} --dir {solver}-{n} --solver {solver}"));
        assert_eq!(counted, format!("{solutions}\n"), "{solver}");
        assert_eq!(place.answer(&format!("run merge {solver}-{n}")), counted, "{solver}");
    }
}

#[test]
fn wrong_commands_say_what_to_type_instead() {
    let place = Place::with_run(10, "color", 4);
    fs::write(place.path("file"), "").unwrap();
    for (status, line, says) in [
        (2, "count 8 --solver color --dir x --shards 0", "cannot cut 8 units of work into 0 shards"),
        (2, "count 8 --solver color --dir x --shards 9", "give a number from 1 to 8"),
        (1, "count 8 --dir file", "file is a file, and a run is a folder: give the name of a folder"),
        (1, "run status nowhere", "'nqueens count N --dir FOLDER' plans one in a new folder"),
        (1, "run merge nowhere", "there is no run in nowhere"),
        (2, "count 10 --dir r --only 2..4", "'0..=99'"),
        (2, "count 10 --dir r --only 2..=9", "there is no shard 9: the last is 3"),
        (2, "count 8 9 --dir x", "saves the count of one size"),
        (2, "run plan", "unrecognized subcommand 'plan'"),
        (1, "run audit r", "r has no counted unit: "),
        (2, "run audit r --plain --isa portable", "cannot be used with"),
        (2, "run audit r --plain --image", "cannot be used with"),
        (2, "run audit r --sample 0", "0 units verify nothing: give a number from 1"),
    ] {
        place.refuses(status, line, says);
    }
    assert!(!place.path("x").exists());
}

#[test]
fn an_estimate_is_of_this_machine_or_of_the_threads_that_are_named() {
    let place = Place::new();
    let large = place.json("estimate 28 --threads 64 --json");
    assert!(large["predicted_bytes"].as_u64().unwrap() > 10 << 30 && large["threads"] == 64, "{large}");
    assert!(large["shards"].as_u64().unwrap() > 1000 && large["predicted_core_seconds"].as_f64().unwrap() > 1e5);
    let bytes = large["predicted_disk_bytes"].as_u64().unwrap();
    assert!((50_000_000..100_000_000).contains(&bytes), "{large}");
    place.run("estimate 28").expect(0, "disk       about ");
    place.run("estimate 26").expect(0, "'nqueens run status RUN' forecasts a run in progress better");
    assert!(!place.run("estimate 14").stdout.contains("run status"));
}
