//! `bench machine`, `compare` and `report`, as a person types them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{LARGE, SMALL, answer, complaint, run, typed};

/// A record that was written, every workload of it with enough samples.
fn read(file: &Path) -> Value {
    let record: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let workloads = record["workloads"].as_array().unwrap();
    assert!(workloads.iter().all(|workload| workload["seconds"].as_array().unwrap().len() >= 5), "{record}");
    record
}

/// A folder with the record of a machine, `a.json`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(SMALL, folder.path().join("a.json")).unwrap();
    folder
}

#[test]
fn a_benchmark_leaves_a_record_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let bench = run(&mut typed(folder.path(), "bench machine --budget 0.5s --name My-machine"));
    let first = bench.stderr.lines().next().unwrap();
    let file = first.strip_prefix("nqueens: the record goes to ").unwrap().to_owned();
    assert!(file.starts_with("my-machine-20") && file.ends_with(".json"), "{file}");
    // This is no release build, so it is known before that there is no score.
    bench.expect(0, "there will be no score: it is not of a release build");
    assert!(bench.stdout.starts_with("No score: "), "{bench:?}");
    for part in ["count/arrays/n=10/t=1@2", "count/bitmask/n=12/t=all@4", "14772512"] {
        bench.expect(0, part);
    }
    let written = read(&folder.path().join(&file));
    assert_eq!((&written["name"], written["workloads"].as_array().unwrap().len()), (&"My-machine".into(), 6));
    // A second one does not replace the first, and both are one machine.
    let lower = run(&mut typed(folder.path(), "bench machine --budget 0.5s --name My-machine --isa portable"));
    lower.expect(0, &format!("the record goes to {}-2.json\n", file.strip_suffix(".json").unwrap()));
    let lower = read(&folder.path().join(file.replace(".json", "-2.json")));
    assert_eq!((&lower["program"]["isa"], &lower["workloads"][4]["isa"]), (&"portable".into(), &"portable".into()));
    fs::copy(folder.path().join(&file), folder.path().join("again.json")).unwrap();
    let compared = run(&mut typed(folder.path(), &format!("bench compare again.json {file} --format json"))).json();
    let machines = compared["machines"].as_array().unwrap();
    assert_eq!((machines.len(), &machines[0]["files"][1]), (1, &file.into()));
}

#[test]
fn more_threads_are_measured_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let bench = run(&mut typed(folder.path(), "bench machine --budget 0.5s --scaling --out a.json"));
    bench.expect(0, "nqueens: the record goes to a.json\n");
    let written = read(&folder.path().join("a.json"));
    let cpus = written["machine"]["usable_cpus"].as_u64().unwrap();
    let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads)).take_while(|&threads| threads < cpus);
    assert_eq!(written["workloads"].as_array().unwrap().len(), 3 * (2 + doubled.count()));
}

/// Records of some machines with these names and different times.
fn crowd(folder: &Path, names: &[String]) -> Vec<String> {
    let one = |(index, name): (usize, &String)| {
        let mut record: Value = serde_json::from_slice(&fs::read(LARGE).unwrap()).unwrap();
        record["name"] = name.as_str().into();
        record["program"]["commit"] = format!("{index:012}").into();
        record["machine"]["cores"] = (1 << (index % 9)).into();
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
    let names: Vec<String> = (0..30).map(|index| format!("Machine {index} of the second rack at the left")).collect();
    let files = crowd(folder.path(), &names);
    // One machine has another version, and a name without an end or a space in it.
    let odd = fs::read_to_string(folder.path().join(&files[29])).unwrap();
    let odd = odd.replace("n=10/t=1@2", "n=10/t=1@7").replace(&names[29], &"endless".repeat(100));
    fs::write(folder.path().join(&files[29]), odd).unwrap();
    let line = format!("bench compare {} a.json", files.join(" "));
    for line in [line.clone(), format!("{line} --against {}", files[29])] {
        let said = answer(folder.path(), &line);
        let long: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:#?}");
        let (tables, remarks) = said.split_once("Remarks:\n\n").unwrap();
        assert_eq!(remarks.lines().filter(|line| line.starts_with("- ")).count(), 31, "one a machine: {remarks}");
        // The fastest first: factors 0.2, 0.5, ... are those of 0, 13, ...
        let first: Vec<&str> = said.lines().filter(|line| line.starts_with("Machine")).take(2).collect();
        assert!(first[0].starts_with("Machine 0 ") && first[1].starts_with("Machine 13 "), "{first:?}");
        for part in ["one thread", "all threads", "1.00 is", "Machine 7 o…t the left", "arrays@7, n = 10"] {
            assert!(tables.contains(part), "{part}: {tables}");
        }
    }
}

#[test]
fn a_comparison_has_formats_for_pages_and_spreadsheets() {
    let folder = folder();
    fs::copy(LARGE, folder.path().join("b.json")).unwrap();
    let page = answer(folder.path(), "bench compare a.json b.json --format markdown");
    assert!(
        page.starts_with("| machine | cores | CPUs | \\# | one thread | \\# | all threads |\n| --- | ---: |"),
        "{page}"
    );
    assert!(page.contains("\n- Two cores: no time: it has only 2 CPUs; virtual machine\n"), "{page}");
    let csv = answer(folder.path(), "bench compare a.json b.json --format csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|&column| column == name).unwrap();
    let of = |workload: &str, machine: &str, name: &str| {
        let is_row = |row: &&Vec<&str>| row[0] == workload && row[column("machine")] == machine;
        rows.iter().find(is_row).unwrap()[column(name)].to_owned()
    };
    let points: f64 = of("score/t=all", "Sixteen cores", "points").parse().unwrap();
    assert!((12_000.0..15_000.0).contains(&points), "{points}");
    assert_eq!(of("score/t=1", "Two cores", "rank"), "1");
    assert_eq!(of("count/color/n=16/t=all@2", "Two cores", "points"), "");
    // Every row has every column.
    assert!(rows.iter().filter(|row| !row.concat().contains('"')).all(|row| row.len() == rows[0].len()));
}

#[test]
fn what_cannot_be_measured_compared_or_reported_is_told_and_nothing_is_written() {
    let folder = folder();
    let at = folder.path();
    let good = fs::read_to_string(SMALL).unwrap();
    fs::write(at.join("half.json"), &good[..good.len() / 2]).unwrap();
    fs::write(at.join("wrong.json"), good.replace("\"724\"", "\"725\"")).unwrap();
    fs::write(at.join("old.json"), good.replace("n=12/t=1@4\"", "n=12/t=1@3\"").replace("0123456789ab", "0")).unwrap();
    let before = at.read_dir().unwrap().count();
    // Each system has words of its own for what is not there.
    let missing = format!("error: cannot read none.json: {}\n", fs::read("none.json").unwrap_err());
    for (status, line, says) in [
        (2, "bench machine --budget 10", "'10' is not a length of time: give one such as '90s'"),
        (2, "bench machine --isa sse9", "'sse9'"),
        (74, "bench machine --out no/b.json", "cannot write the record to no/b.json: there is no folder"),
        (2, "bench compare", "<RECORD>"),
        (2, "bench compare a.json a.json --against b.json", "--against b.json is not among the records"),
        (74, "bench compare none.json a.json", &missing),
        (1, "bench compare a.json half.json", "error: half.json: not a record of "),
        (3, "bench compare wrong.json a.json", "published"),
        (2, "bench report a.json", "  --out <FILE>\n"),
        (2, "bench report --out p.html", "  <RECORD>...\n"),
        (74, "bench report none.json --out p.html", &missing),
        (1, "bench report a.json half.json --out p.html", "error: half.json: not a record of "),
        (74, "bench report a.json --out no/p.html", "cannot write the page to no/p.html: there is no folder no; make"),
        (
            2,
            "bench report a.json --out ./a.json",
            "--out ./a.json is the name of a record: give one that ends in .html",
        ),
    ] {
        let said = complaint(at, status, line);
        assert!(said.contains(says), "{line}: {said}");
    }
    assert_eq!(at.read_dir().unwrap().count(), before);
    // Every file that holds no record is named. A wrong count is the worst.
    let several = run(&mut typed(at, "bench compare none.json a.json half.json wrong.json"));
    for says in [&missing, "error: half.json: ", "published", "error: 3 of 4 files cannot be compared"] {
        several.expect(3, says);
    }
    let versions = run(&mut typed(at, "bench compare a.json old.json old.json"));
    versions.expect(0, "\nbitmask@3, n = 12 ");
    let words = versions.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it has no count/bitmask/n=12/t=1@4; no time: bitmask is of version 3"), "{words}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_keeps_what_is_finished() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let line = "bench machine --quiet --budget 60s --out a.json";
    // How soon five samples are there depends on the machine: too soon an interruption leaves nothing, too late is none.
    for wait in (0..).map(|doublings| 500 << doublings) {
        let mut child = typed(folder.path(), line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        crate::program::send("-INT", &child);
        let code = crate::program::shown(child.wait().unwrap());
        assert!(matches!(code, Some(0 | 130)), "{code:?}");
        // No half of a record, and nothing beside it.
        let left = folder.path().read_dir().unwrap().count();
        assert!(left <= 1);
        if (code, left) == (Some(130), 0) {
            continue;
        }
        let record = read(&folder.path().join("a.json"));
        assert!(code == Some(0) || record["warnings"][0]["kind"] == "interrupted", "{record}");
        return;
    }
}

/// What a terminal or GitHub's runner would obey is shown as text.
#[test]
fn texts_of_others_are_only_text() {
    let folder = folder();
    let record = fs::read_to_string(SMALL).unwrap();
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["name"] = "::error::x".into();
    record["warnings"] = serde_json::json!([{ "kind": "load", "message": "\u{1b}[2J" }]);
    fs::write(folder.path().join("evil.json"), record.to_string()).unwrap();
    let said = answer(folder.path(), "bench compare evil.json a.json");
    assert!(said.contains("\\u{1b}[2J") && !said.contains('\u{1b}') && !said.contains("\n::"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_its_links_and_its_readers() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    let limited = |limit: &str, out: &str| {
        let script = format!("{limit}; exec \"$0\" bench report a.json --out {out}");
        run(Command::new("bash").args(["-c", &script, env!("CARGO_BIN_EXE_nqueens")]).current_dir(folder.path()))
    };
    let page = |name: &str| run(&mut typed(folder.path(), &format!("bench report a.json --out {name}")));
    // A new file has what the umask leaves; one that is replaced keeps what it has.
    limited("umask 027", "new.html").expect(0, "nqueens: wrote new.html\n");
    assert_eq!(mode("new.html"), 0o640);
    fs::write(at("old.html"), "old").unwrap();
    fs::set_permissions(at("old.html"), fs::Permissions::from_mode(0o600)).unwrap();
    page("old.html").expect(0, "");
    assert_eq!(mode("old.html"), 0o600);
    // The same records make the same page.
    assert_eq!(fs::read(at("old.html")).unwrap(), fs::read(at("new.html")).unwrap());
    fs::set_permissions(at("old.html"), fs::Permissions::from_mode(0o444)).unwrap();
    page("old.html").expect(74, "read-only");
    // A link stays a link, even one that leads to a file not there yet.
    fs::create_dir(at("there")).unwrap();
    symlink("there/page.html", at("link.html")).unwrap();
    page("link.html").expect(0, "");
    assert!(fs::read_to_string(at("there/page.html")).unwrap().ends_with("</html>"));
    assert!(fs::symlink_metadata(at("link.html")).unwrap().is_symlink());
    // Standard output by its names, and a pipe with a name.
    page("-").expect(0, "</html>");
    page("/dev/stdout").expect(0, "</html>");
    crate::program::make_pipe(&at("pipe"));
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    page("pipe").expect(0, "");
    assert!(reader.join().unwrap().ends_with("</html>"));
    // A file that may not grow so far is an error, and leaves nothing behind.
    limited("ulimit -f 1", "there/large.html").expect(74, "");
    assert_eq!(fs::read_dir(at("there")).unwrap().count(), 1);
}
