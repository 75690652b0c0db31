//! `bench`, `compare` and `export`, as a person types them.

use std::process::{Command, Output};

use serde_json::Value;

fn nqueens(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nqueens")).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A record that was written, every workload of it with enough samples.
fn read(file: impl AsRef<std::path::Path>) -> Value {
    let record: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let workloads = record["workloads"].as_array().unwrap();
    assert!(workloads.iter().all(|workload| workload["seconds"].as_array().unwrap().len() >= 5), "{record}");
    record
}

/// The record fixtures.
fn fixture(name: &str) -> String {
    format!("{}/tests/it/records/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_benchmark_leaves_a_record_that_can_be_read_compared_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.json");
    let record = record.to_str().unwrap();
    let bench = nqueens(
        &[
            &["bench", "machine", "--budget", "1s", "--name", "this one", "--out", record][..],
            &["--workload", "count/mask/n=8/t=1", "--workload", "count/bitmask/n=12/t=all@2"],
        ]
        .concat(),
    );
    assert!(bench.status.success(), "{}", text(&bench.stderr));
    let table = text(&bench.stdout);
    for part in ["workload", "count/mask/n=8/t=1@1", "count/bitmask/n=12/t=all@2", "14200"] {
        assert!(table.contains(part), "{table}");
    }
    let written = read(record);
    assert_eq!((&written["name"], &written["suite"]), (&"this one".into(), &"custom@1".into()));
    // A machine is as fast as itself.
    let compared = nqueens(&["bench", "compare", record, record, "--format", "json"]);
    assert!(compared.status.success(), "{}", text(&compared.stderr));
    let compared: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert_eq!(compared["rows"].as_array().unwrap().len(), written["workloads"].as_array().unwrap().len());
    assert_eq!(compared["rows"][0]["cells"][1]["speed"]["value"], 1.0);
}

#[test]
fn machines_are_compared_in_every_format() {
    let records = [fixture("epyc.json"), fixture("epyc-portable.json")];
    for (format, part) in [
        ("table", "one thread"),
        ("csv", "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,"),
        ("json", "\"kind\": \"nqueens-compare\""),
    ] {
        let output = nqueens(&["bench", "compare", &records[0], &records[1], "--format", format]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(part), "{format}: {}", text(&output.stdout));
    }
}

/// Records of so many machines, made of the anchor's, which has every kind of workload, with other names and times.
fn crowd(folder: &std::path::Path, names: &[String]) -> Vec<String> {
    let anchor = include_str!("../../../src/bin/nqueens/bench/baseline.json");
    let one = |(index, name): (usize, &String)| {
        let mut record: serde_json::Value = serde_json::from_str(anchor).unwrap();
        record["name"] = name.as_str().into();
        record["program"]["commit"] = format!("{index:012}").into();
        record["machine"]["cores"] = (1 << (index % 9)).into();
        let factor = 0.2 + 0.3 * ((index * 7) % 30) as f64;
        for seconds in record["workloads"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .flat_map(|workload| workload["seconds"].as_array_mut().unwrap())
        {
            *seconds = (factor * seconds.as_f64().unwrap()).into();
        }
        let path = folder.join(format!("{index}.json"));
        std::fs::write(&path, record.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    names.iter().enumerate().map(one).collect()
}

#[test]
fn thirty_machines_are_readable_in_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..30).map(|index| format!("Machine {index} of the second rack at the left")).collect();
    let mut files = crowd(folder.path(), &names);
    // One machine has other versions, and a name without an end or a space in it.
    let odd = std::fs::read_to_string(&files[29]).unwrap();
    std::fs::write(&files[29], odd.replace("n=12/t=1@1", "n=12/t=1@7").replace(&names[29], &"endless".repeat(100)))
        .unwrap();
    files.push(fixture("epyc.json"));
    let arguments: Vec<&str> = ["bench", "compare"].into_iter().chain(files.iter().map(String::as_str)).collect();
    for against in [&[][..], &["--against", files[29].as_str()]] {
        let output = nqueens(&[&arguments[..], against].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let long: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:#?}");
        let (tables, doubts) = said.split_once("Doubts about this comparison:\n\n").unwrap();
        assert_eq!(doubts.lines().filter(|line| line.starts_with("- ")).count(), 31, "one a machine: {doubts}");
        assert!(tables.contains("Machine 7 o…t the left"), "{tables}");
        // The fastest first in each ranking: factors 0.2, 0.5, ... are those of 0, 13, ...
        let first: Vec<&str> = said.lines().filter(|line| line.starts_with("Machine")).take(2).collect();
        assert!(first[0].starts_with("Machine 0 ") && first[1].starts_with("Machine 13 "), "{first:?}");
        for part in ["one thread", "all threads", "1.00 is"] {
            assert!(tables.contains(part), "{part}: {tables}");
        }
    }
}

/// What somebody may hide in a name that every reader of records accepts: nothing but letters that show.
#[test]
fn names_and_notes_of_others_are_only_text_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "=cmd|' /C calc'!A0",
        "a|b`c`<img src=x onerror=alert(1)>[x](javascript:y) @all",
        "\"quoted\", and; more",
        "|||||||||||||||||||||||||||||||||||||||||||||||||||||||",
    ];
    let files = crowd(folder.path(), &names.map(str::to_owned));
    for (file, index) in files.iter().zip(0..) {
        let mut record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let evil = format!("{index}<script>|@all,\"=1+1");
        record["program"]["version"] = evil.as_str().into();
        record["program"]["rustc"] = evil.as_str().into();
        record["machine"]["hypervisor"] = evil.as_str().into();
        record["warnings"] = serde_json::json!([{"kind": "odd", "message": evil}]);
        std::fs::write(file, record.to_string()).unwrap();
    }
    let compare = |format: &str| {
        let files = files.iter().map(String::as_str);
        let output = nqueens(&["bench", "compare", "--format", format].into_iter().chain(files).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    // Each line of CSV has its sixteen fields, and none is a formula.
    let table = compare("csv");
    let mut machines = std::collections::BTreeSet::new();
    for line in table.lines().skip(1) {
        let fields = fields(line);
        assert_eq!(fields.len(), 16, "{line}");
        for field in &fields {
            assert!(
                !field.starts_with(['=', '@', '+']) && (!field.starts_with('-') || field.parse::<f64>().is_ok()),
                "{line}"
            );
        }
        machines.insert(fields[4].clone());
    }
    assert!(machines.contains("'=cmd|' /C calc'!A0") && machines.contains(names[2]), "{machines:?}");
    let json: serde_json::Value = serde_json::from_str(&compare("json")).unwrap();
    assert_eq!(json["machines"], serde_json::json!(names));
    // What a terminal would obey does not get so far: the reader refuses it.
    let shown = compare("table");
    assert!(shown.contains(names[0]) && shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let record = std::fs::read_to_string(&files[0]).unwrap();
    std::fs::write(&files[0], record.replace("0<script>", "\\u001b[2J")).unwrap();
    let refused = nqueens(&["bench", "compare", &files[0], &files[1]]);
    assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(1), String::new()));
    assert!(!text(&refused.stderr).contains('\u{1b}'));
}

/// The fields of a line of CSV (RFC 4180).
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().unwrap();
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => field.push(letters.next().unwrap()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => field.push(letter),
        }
    }
    fields
}

#[test]
fn what_cannot_be_compared_is_told_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let epyc = std::fs::read_to_string(fixture("epyc.json")).unwrap();
    std::fs::write(&old, epyc.replace("n=8/t=1@1\"", "n=8/t=1@2\"")).unwrap();
    let (old, new) = (old.to_str().unwrap(), fixture("epyc.json"));
    let versions = nqueens(&["bench", "compare", &new, old, old]);
    assert_eq!(versions.status.code(), Some(0), "{}", text(&versions.stderr));
    assert!(text(&versions.stdout).contains("\nmask@2 "), "{}", text(&versions.stdout));
    let nobody = nqueens(&["bench", "compare", &new, &new, "--against", "nobody"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("0 of the records are from 'nobody'"), "{}", text(&nobody.stderr));
    let missing = nqueens(&["bench", "compare", "nowhere.json", &new]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).starts_with("error: cannot read nowhere.json: "), "{}", text(&missing.stderr));
    let wrong = folder.path().join("wrong.json");
    std::fs::write(&wrong, epyc.replace("\"92\"", "\"93\"")).unwrap();
    let wrong = nqueens(&["bench", "compare", wrong.to_str().unwrap(), &new]);
    assert_eq!(wrong.status.code(), Some(3), "{}", text(&wrong.stderr));
    let alone = nqueens(&["bench", "compare", &new]);
    assert_eq!(alone.status.code(), Some(2));
    let nowhere = nqueens(&["bench", "machine", "--out", "no/such/folder/a.json"]);
    assert_eq!(nowhere.status.code(), Some(1), "{}", text(&nowhere.stderr));
    assert!(text(&nowhere.stderr).contains("cannot write the record to no/such/folder/a.json: there is no folder"));
    let unknown = nqueens(&["bench", "machine", "--workload", "count/nobody/n=8/t=1"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
    assert!(text(&unknown.stderr).contains("there is no solver 'nobody'"));
}

#[test]
fn lasting_load_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.json");
    let record = record.to_str().unwrap();
    let bench = nqueens(
        &[
            &["bench", "machine", "--workload", "count/bitmask/n=11/t=all", "--budget", "1s"][..],
            &["--sustain", "1s", "--out", record],
        ]
        .concat(),
    );
    assert!(bench.status.success(), "{}", text(&bench.stderr));
    let said = text(&bench.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("repeated: after 1 s it runs at"), "{said}");
    let written = read(record);
    let sustained = &written["sustained"];
    assert_eq!(sustained["workload"], "count/bitmask/n=11/t=all@2");
    let points = sustained["points"].as_array().unwrap();
    assert!(!points.is_empty() && points.iter().all(|point| point["seconds"].as_f64().unwrap() > 0.0));
    for (arguments, message) in [
        (&["bench", "machine", "--sustain", "10"][..], "'10' is not a length of time: give one such as '90s'"),
        (&["bench", "machine", "--suite", "full"], "'full'"),
    ] {
        let wrong = nqueens(arguments);
        assert_eq!(wrong.status.code(), Some(2), "{arguments:?}");
        assert!(text(&wrong.stderr).contains(message), "{arguments:?}: {}", text(&wrong.stderr));
    }
}

#[test]
fn a_repeated_benchmark_is_one_record_of_its_repetitions() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.json");
    let bench = nqueens(
        &[
            &["bench", "machine", "--workload", "count/mask/n=4/t=1", "--budget", "1s", "--repeat", "2"][..],
            &["--out", out.to_str().unwrap()],
        ]
        .concat(),
    );
    assert!(bench.status.success(), "{}", text(&bench.stderr));
    assert!(text(&bench.stderr).contains("1 workloads, 2 times, about 2 s"), "{}", text(&bench.stderr));
    let workload = &read(&out)["workloads"][0];
    let repetitions: Vec<u64> =
        workload["repetitions"].as_array().unwrap().iter().map(|samples| samples.as_u64().unwrap()).collect();
    assert!(repetitions.len() == 2 && repetitions.iter().all(|&samples| samples >= 5));
    assert_eq!(repetitions.iter().sum::<u64>(), workload["seconds"].as_array().unwrap().len() as u64);
}

#[test]
fn a_name_that_no_reader_accepts_is_refused_before_measuring() {
    for name in ["a\tb", " ", "\u{1b}[2J", "a\u{202e}b", "\u{200b}"] {
        let refused = nqueens(&["bench", "machine", "--suite", "standard", "--name", name]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
        let said = text(&refused.stderr);
        assert!(said.contains("the name cannot be used"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\t']), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_keeps_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.json");
    // How soon five samples are there depends on the machine: too soon an interruption leaves nothing, too late is none.
    for wait in [500, 1000, 2000, 4000, 8000, 16_000] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nqueens"))
            .args(["bench", "machine", "--quiet", "--budget", "60s", "--workload", "count/mask/n=8/t=1", "--out"])
            .arg(&out)
            .args(["--workload", "count/mask/n=13/t=1"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 130)), "{code:?}");
        // No half of a record, and nothing beside it.
        assert!(std::fs::read_dir(folder.path()).unwrap().count() <= 1);
        match (code, out.exists()) {
            (Some(130), false) => continue,
            (Some(130), true) => {
                assert_eq!(read(&out)["warnings"][0]["kind"], "interrupted");
            }
            _ => println!("the benchmark was done before it was interrupted"),
        }
        return;
    }
    panic!("nothing was kept of 16 seconds");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_its_links_and_its_readers() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (record, epyc) = (at("record.json"), fixture("epyc.json"));
    std::fs::copy(&epyc, &record).unwrap();
    let mode = |name: &str| std::fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    let report = |out: &str| nqueens(&["bench", "report", record.to_str().unwrap(), "--out", out]);
    let page = |name: &str| report(at(name).to_str().unwrap());
    // A new file has what the umask leaves; one that is replaced keeps what it has.
    let new = Command::new("sh")
        .args(["-c", "umask 027; exec \"$0\" bench report \"$1\" --out \"$2\"", env!("CARGO_BIN_EXE_nqueens")])
        .args([record.to_str().unwrap(), at("new.html").to_str().unwrap()])
        .output()
        .unwrap();
    assert!(new.status.success(), "{}", text(&new.stderr));
    assert_eq!(mode("new.html"), 0o640);
    std::fs::write(at("old.html"), "old").unwrap();
    std::fs::set_permissions(at("old.html"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(page("old.html").status.success());
    assert_eq!(mode("old.html"), 0o600);
    std::fs::set_permissions(at("old.html"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = page("old.html");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("read-only"), "{}", text(&refused.stderr));
    // A link stays a link, even one that leads to a file not there yet.
    std::fs::create_dir(at("there")).unwrap();
    symlink("there/page.html", at("link.html")).unwrap();
    assert!(page("link.html").status.success());
    assert!(std::fs::read_to_string(at("there/page.html")).unwrap().contains("<html"));
    assert!(std::fs::symlink_metadata(at("link.html")).unwrap().is_symlink());
    // Standard output by its names, and a pipe with a name.
    for name in ["-", "/dev/stdout"] {
        let out = report(name);
        assert!(out.status.success() && text(&out.stdout).contains("<html"), "{}", text(&out.stderr));
    }
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap());
    assert!(page("pipe").status.success());
    assert!(reader.join().unwrap().contains("<html"));
    // A file that may not grow so far is an error, and leaves nothing behind.
    let limited = Command::new("bash")
        .args(["-c", "ulimit -f 1; exec \"$0\" bench report \"$1\" --out \"$2\"", env!("CARGO_BIN_EXE_nqueens")])
        .args([record.to_str().unwrap(), at("there/large.html").to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(74), "{}", text(&limited.stderr));
    assert_eq!(std::fs::read_dir(at("there")).unwrap().count(), 1);
}

#[test]
fn bad_records_are_all_named_and_the_rest_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let files = crowd(folder.path(), &["one".to_owned(), "two".to_owned(), "three".to_owned()]);
    let [one, two, wrong] = [&files[0], &files[1], &files[2]];
    let record = std::fs::read_to_string(wrong).unwrap();
    std::fs::write(wrong, record.replace("\"92\"", "\"93\"")).unwrap();
    let half = folder.path().join("half.json");
    std::fs::write(&half, &record[..record.len() / 2]).unwrap();
    let half = half.to_str().unwrap();
    let compare = |files: &[&str]| {
        let output = nqueens(&[&["bench", "compare"], files].concat());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, shown, said) = compare(&["none.json", one, half, two]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("error: cannot read none.json: ") && said.contains("half.json is not a whole"), "{said}");
    assert!(shown.contains("\none ") && shown.contains("\ntwo "), "{shown}");
    // A wrong count among them is the worst.
    let (status, shown, said) = compare(&["none.json", one, wrong, two]);
    assert!(status == Some(3) && said.contains("published") && shown.contains("\ntwo "), "{said}");
    let (status, shown, said) = compare(&[one, half]);
    assert_eq!((status, shown.as_str()), (Some(1), ""));
    assert!(said.contains("error: only one of these files holds a record"), "{said}");
}
