//! `bench machine` and `compare`, as a person types them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{LARGE, SMALL, answer, complaint, nqueens, run, typed};

/// A folder with the record of a machine, `a.json`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(SMALL, folder.path().join("a.json")).unwrap();
    folder
}

#[test]
fn a_benchmark_leaves_a_record_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let bench = run(&mut typed(folder.path(), "bench machine --machine My-machine"));
    let file = bench.stderr.lines().next().unwrap().strip_prefix("nqueens: the record goes to ").unwrap();
    assert!(file.starts_with("my-machine-20") && file.ends_with(".json"), "{file}");
    // This is no release build, so it is known before that there is no score.
    bench.expect(0, "there will be no score: it is not of a release build");
    assert!(bench.stdout.contains("\nbitmask n=12  ") && !bench.stdout.contains("points  "), "{bench:?}");
    // A second one does not replace the first.
    let second = file.replace(".json", "-2.json");
    run(&mut typed(folder.path(), "bench --machine My-machine --scaling --isa portable"))
        .expect(0, &format!("the record goes to {second}\n"));
    let read = |file: &str| -> Value { serde_json::from_slice(&fs::read(folder.path().join(file)).unwrap()).unwrap() };
    let (first, second) = (read(file), read(&second));
    let cpus = first["machine"]["usable_cpus"].as_u64().unwrap();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads)).take_while(|&threads| threads < cpus);
    let ends = 1 + usize::from(cpus > 1);
    for (record, threads) in [(&first, ends), (&second, ends + doubled.count())] {
        assert_eq!(record["name"], "My-machine");
        let workloads = record["workloads"].as_array().unwrap();
        assert_eq!(workloads.len(), 3 * threads);
        assert!(workloads.iter().all(|workload| workload["seconds"].as_array().unwrap().len() >= 5), "{record}");
    }
    assert_eq!(second["isa"], "portable");
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let left = || folder.path().read_dir().unwrap().count();
    let child = typed(folder.path(), "bench machine --scaling --out a.json").spawn().unwrap();
    // The file is begun before anything is measured.
    crate::program::wait_until("it does not begin", || left() == 1);
    crate::program::send("-INT", &child);
    crate::program::end(child).expect(130, "stopped before everything was measured: there is no record");
    assert_eq!(left(), 0);
}

/// Records of some machines with these names and different times.
fn crowd(folder: &Path, names: &[String]) -> Vec<String> {
    let one = |(index, name): (usize, &String)| {
        let mut record: Value = serde_json::from_slice(&fs::read(LARGE).unwrap()).unwrap();
        record["name"] = name.as_str().into();
        record["program"] = format!("commit {index:012}").into();
        let factor = 0.2 + 0.3 * ((index * 7) % 30) as f64;
        let workloads = record["workloads"].as_array_mut().unwrap().iter_mut();
        for seconds in workloads.flat_map(|workload| workload["seconds"].as_array_mut().unwrap()) {
            *seconds = (factor * seconds.as_f64().unwrap()).into();
        }
        let file = format!("{index}.json");
        fs::write(folder.join(&file), record.to_string()).unwrap();
        file
    };
    names.iter().enumerate().map(one).collect()
}

#[test]
fn thirty_machines_are_readable_in_a_terminal() {
    let folder = folder();
    let mut names: Vec<String> =
        (0..30).map(|index| format!("Machine {index} of the second rack at the left")).collect();
    // A name without an end or a space in it. Its machine has another version.
    names[29] = "endless".repeat(100);
    let files = crowd(folder.path(), &names);
    let odd = fs::read_to_string(folder.path().join(&files[29])).unwrap();
    fs::write(folder.path().join(&files[29]), odd.replacen("\"version\":2", "\"version\":7", 1)).unwrap();
    let line = format!("bench compare {} a.json", files.join(" "));
    for line in [line.clone(), format!("{line} --against {}", files[29])] {
        let said = answer(folder.path(), &line);
        let long: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:#?}");
        let (tables, warnings) = said.split_once("Warnings:\n\n").unwrap();
        assert_eq!(warnings.lines().filter(|line| line.starts_with("- ")).count(), 31, "one a machine: {warnings}");
        // The fastest first: factors 0.2, 0.5, ... are those of 0, 13, ...
        let first: Vec<&str> = said.lines().filter(|line| line.starts_with("Machine")).take(2).collect();
        assert!(first[0].starts_with("Machine 0 ") && first[1].starts_with("Machine 13 "), "{first:?}");
        for part in ["score ", "1.00 is", "Machine 7 o…t the left", "arrays@7 n=10"] {
            assert!(tables.contains(part), "{part}: {tables}");
        }
    }
}

#[test]
fn a_comparison_has_formats_for_pages_and_spreadsheets() {
    let folder = folder();
    fs::copy(LARGE, folder.path().join("b.json")).unwrap();
    let csv = answer(folder.path(), "bench compare a.json b.json --format csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let of = |workload: &str, threads: &str, machine: &str, name: &str| {
        let row = rows.iter().find(|row| row[..3] == [workload, threads, machine]).unwrap();
        row[rows[0].iter().position(|&column| column == name).unwrap()].to_owned()
    };
    let points: f64 = of("score", "all", "Sixteen cores", "points").parse().unwrap();
    assert!((12_000.0..15_000.0).contains(&points), "{points}");
    assert_eq!(of("score", "1", "Two cores", "rank"), "1");
    assert_eq!(of("color n=16", "all", "Two cores", "points"), "");
    assert_eq!(of("color n=16", "8", "Two cores", "seconds"), "");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "every row has every column");
    assert_eq!(of("score", "1", "Sixteen cores", "processor"), "Invented Processor 16");
    assert_eq!(of("score", "1", "Sixteen cores", "memory_bytes"), "68719476736");
    assert_eq!(of("color n=16", "all", "Two cores", "cores"), "2");
    assert!(of("color n=16", "all", "Two cores", "date").starts_with("2026-"));
    let page = run(&mut nqueens(&["bench", "compare", SMALL, "--format", "html", "--title", "Our <lab>"]));
    page.expect(0, "<title>Our &lt;lab&gt;</title>");
    page.expect(0, "<h1>Our &lt;lab&gt;</h1>");
    // What a terminal or GitHub's runner would obey is shown as text.
    let mut evil: Value = serde_json::from_slice(&fs::read(SMALL).unwrap()).unwrap();
    evil["name"] = "::error::x".into();
    evil["warnings"] = json!([{ "severity": "doubtful", "text": "\u{1b}[2J" }]);
    fs::write(folder.path().join("evil.json"), evil.to_string()).unwrap();
    for format in ["table", "html", "csv"] {
        let said = answer(folder.path(), &format!("bench compare evil.json a.json --format {format}"));
        assert!(said.contains("\\u{1b}") && !said.contains("\n::"), "{said}");
    }
    let json = run(&mut typed(folder.path(), "bench compare evil.json a.json --json")).json();
    assert_eq!((&json["schema"], &json["rows"][1]["cells"][1]["rank"]), (&2.into(), &1.into()));
    assert_eq!(json["machines"][0]["warnings"], evil["warnings"]);
    let told = ["machine", "isa", "program"].map(|field| &json["machines"][0][field]);
    assert_eq!(told, ["machine", "isa", "program"].map(|field| &evil[field]));
    assert!(told[0]["cpu_model"].is_string() && told[0]["cores"].is_number(), "{json}");
    assert_eq!(json["machines"][0]["created"], json!([evil["created"]]));
}

/// An editor or PowerShell may begin a file with a mark. PowerShell writes UTF-16.
#[test]
fn records_and_results_may_begin_with_a_byte_order_mark() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    answer(folder.path(), "count 8 --dir r --quiet");
    fs::write(at("result.json"), answer(folder.path(), "run merge r --json")).unwrap();
    let (record, result) = ("bench compare a.json --format csv", "run audit result.json --seed 1");
    let before = [record, result].map(|line| answer(folder.path(), line));
    let texts = ["a.json", "result.json"].map(|name| fs::read_to_string(at(name)).unwrap());
    let marked: [fn(&str) -> Vec<u8>; 3] = [
        |text| format!("\u{feff}{text}").into_bytes(),
        |text| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
        |text| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ];
    for marked in marked {
        fs::write(at("a.json"), marked(&texts[0])).unwrap();
        fs::write(at("result.json"), marked(&texts[1])).unwrap();
        assert_eq!([record, result].map(|line| answer(folder.path(), line)), before);
    }
}

#[test]
fn a_machine_that_lacks_a_workload_is_no_reference_for_it() {
    let folder = folder();
    let mut without: Value = serde_json::from_slice(&fs::read(SMALL).unwrap()).unwrap();
    without["name"] = "without".into();
    without["workloads"].as_array_mut().unwrap().retain(|workload| workload["solver"] != "color");
    fs::write(folder.path().join("without.json"), without.to_string()).unwrap();
    let line = "bench compare a.json without.json --against without.json";
    let table = answer(folder.path(), line);
    assert!(table.contains("why, also one about without.") || table.contains("about\nwithout"), "{table}");
    let color = table.split("\n\n").find(|block| block.starts_with("color n=16")).unwrap();
    let cells: Vec<&str> = color.lines().nth(1).unwrap().split_whitespace().skip(2).collect();
    assert!(cells.iter().all(|&cell| cell == "-"), "{table}");
    let csv = answer(folder.path(), &format!("{line} --format csv"));
    let row = csv.lines().find(|row| row.starts_with("color n=16,1,Two cores")).unwrap();
    let fields: Vec<&str> = row.split(',').collect();
    assert!(!fields[8].is_empty() && fields[11..14].iter().all(|speed| speed.is_empty()), "{row}");
    for row in run(&mut typed(folder.path(), &format!("{line} --json"))).json()["rows"].as_array().unwrap() {
        let is_color = row["name"] == "color n=16";
        let has_speed = row["cells"].as_array().unwrap().iter().any(|cell| cell["speed"].is_object());
        assert_eq!((row["reference"].is_null(), has_speed), (is_color, !is_color), "{row}");
    }
    assert!(answer(folder.path(), &format!("{line} --format html")).contains("–"));
}

#[test]
fn what_cannot_be_measured_or_compared_is_told_and_nothing_is_written() {
    let folder = folder();
    let at = folder.path();
    let good = fs::read_to_string(SMALL).unwrap();
    fs::write(at.join("half.json"), &good[..good.len() / 2]).unwrap();
    let before = at.read_dir().unwrap().count();
    // Each system has words of its own for what is not there.
    let missing = format!("error: cannot read none.json: {}\n", fs::read("none.json").unwrap_err());
    for (status, line, says) in [
        (2, "bench machine --isa sse9", "'sse9'"),
        (74, "bench machine --out no/b.json", "cannot write the record to no/b.json: there is no folder"),
        (2, "bench compare", "<RECORD>"),
        (2, "bench compare a.json --title x", "only a page has a title: leave out --title, or give --format html"),
        (2, "bench compare a.json a.json --against b.json", "--against b.json is not among the records"),
        (74, "bench compare none.json a.json", &missing),
        (1, "bench compare a.json half.json --format html", "error: half.json: not a record of "),
        // Every file that holds no record is named.
        (74, "bench compare none.json a.json half.json", "error: half.json: "),
        (74, "bench compare none.json a.json half.json", "error: 2 of 3 files cannot be compared"),
    ] {
        let said = complaint(at, status, line);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert_eq!(at.read_dir().unwrap().count(), before);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_its_links_and_its_readers() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    let limited = |limit: &str, out: &str| {
        let script = format!("{limit}; exec \"$0\" solutions 8 --out {out}");
        run(Command::new("bash").args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(folder.path()))
    };
    let boards = |name: &str| run(&mut typed(folder.path(), &format!("solutions 8 --out {name}")));
    // A new file has what the umask leaves; one that is replaced keeps what it has.
    limited("umask 027", "new").expect(0, "");
    assert_eq!(mode("new"), 0o640);
    fs::write(at("old"), "old").unwrap();
    fs::set_permissions(at("old"), fs::Permissions::from_mode(0o600)).unwrap();
    boards("old").expect(0, "");
    assert_eq!((mode("old"), fs::read(at("old")).unwrap()), (0o600, fs::read(at("new")).unwrap()));
    fs::set_permissions(at("old"), fs::Permissions::from_mode(0o444)).unwrap();
    boards("old").expect(74, "read-only");
    // A link stays a link, even one that leads to a file not there yet.
    fs::create_dir(at("there")).unwrap();
    symlink("there/boards", at("link")).unwrap();
    boards("link").expect(0, "");
    assert_eq!(fs::read(at("there/boards")).unwrap(), fs::read(at("new")).unwrap());
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    // Standard output by its names, and a pipe with a name.
    boards("-").expect(0, "Q");
    boards("/dev/stdout").expect(0, "Q");
    crate::program::make_pipe(&at("pipe"));
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
    boards("pipe").expect(0, "");
    assert_eq!(reader.join().unwrap(), fs::read(at("new")).unwrap());
    // A file that may not grow so far is an error, and leaves nothing behind.
    limited("ulimit -f 1", "there/large").expect(74, "");
    assert_eq!(fs::read_dir(at("there")).unwrap().count(), 1);
}
