//! `bench machine`, `compare` and `report`, as a person types them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{EPYC, answer, complaint, run, typed};

/// A record that was written, every workload of it with enough samples.
fn read(file: &Path) -> Value {
    let record: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let workloads = record["workloads"].as_array().unwrap();
    assert!(workloads.iter().all(|workload| workload["seconds"].as_array().unwrap().len() >= 5), "{record}");
    record
}

/// A folder with the record of a real machine, `a.json`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(EPYC, folder.path().join("a.json")).unwrap();
    folder
}

#[test]
fn a_benchmark_leaves_a_record_of_its_repetitions_and_of_a_lasting_load() {
    let folder = tempfile::tempdir().unwrap();
    let workloads = "--workload count/bitmask/n=8/t=1 --workload count/bitmask/n=11/t=all@3";
    let line = format!("bench machine --budget 1s --repeat 2 --sustain 1s --name mine --out a.json {workloads}");
    let bench = run(&mut typed(folder.path(), &line));
    bench.expect(0, "2 workloads, 2 times, about 3 s");
    for part in ["count/bitmask/n=8/t=1@3", "count/bitmask/n=11/t=all@3", "2680"] {
        bench.expect(0, part);
    }
    let shown = bench.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("repeated: after 1 s it runs at"), "{shown}");
    let written = read(&folder.path().join("a.json"));
    assert_eq!((&written["name"], &written["suite"]), (&"mine".into(), &"custom@2".into()));
    for workload in written["workloads"].as_array().unwrap() {
        let repetitions: Vec<usize> = serde_json::from_value(workload["repetitions"].clone()).unwrap();
        assert!(repetitions.len() == 2 && repetitions.iter().all(|&samples| samples >= 5));
        assert_eq!(repetitions.iter().sum::<usize>(), workload["seconds"].as_array().unwrap().len());
    }
    assert_eq!(written["sustained"]["workload"], "count/bitmask/n=11/t=all@3");
    let points = written["sustained"]["points"].as_array().unwrap();
    assert!(!points.is_empty() && points.iter().all(|point| point["seconds"].as_f64().unwrap() > 0.0));
    // A machine is as fast as itself.
    let compared = run(&mut typed(folder.path(), "bench compare a.json a.json --format json")).json();
    assert_eq!(compared["rows"].as_array().unwrap().len(), written["workloads"].as_array().unwrap().len());
    assert_eq!(compared["rows"][0]["cells"][1]["speed"]["value"], 1.0);
}

/// Records of so many machines, made of the anchor's, which has every kind of workload, with other names and times.
fn crowd(folder: &Path, names: &[String]) -> Vec<String> {
    let anchor = include_str!("../../../src/bin/nqueens/bench/baseline.json");
    let one = |(index, name): (usize, &String)| {
        let mut record: Value = serde_json::from_str(anchor).unwrap();
        record["name"] = name.as_str().into();
        record["warnings"] = Value::Array(Vec::new());
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
    // One machine has other versions, and a name without an end or a space in it.
    let odd = fs::read_to_string(folder.path().join(&files[29])).unwrap();
    let odd = odd.replace("n=12/t=1@1", "n=12/t=1@7").replace(&names[29], &"endless".repeat(100));
    fs::write(folder.path().join(&files[29]), odd).unwrap();
    let line = format!("bench compare {} a.json", files.join(" "));
    for line in [line.clone(), format!("{line} --against {}", files[29])] {
        let said = answer(folder.path(), &line);
        let long: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:#?}");
        let (tables, doubts) = said.split_once("Doubts about this comparison:\n\n").unwrap();
        assert_eq!(doubts.lines().filter(|line| line.starts_with("- ")).count(), 31, "one a machine: {doubts}");
        // The fastest first in each ranking: factors 0.2, 0.5, ... are those of 0, 13, ...
        let first: Vec<&str> = said.lines().filter(|line| line.starts_with("Machine")).take(2).collect();
        assert!(first[0].starts_with("Machine 0 ") && first[1].starts_with("Machine 13 "), "{first:?}");
        for part in ["one thread", "all threads", "1.00 is", "Machine 7 o…t the left"] {
            assert!(tables.contains(part), "{part}: {tables}");
        }
    }
}

#[test]
fn what_cannot_be_measured_compared_or_reported_is_told_and_nothing_is_written() {
    let folder = folder();
    let at = folder.path();
    let epyc = fs::read_to_string(EPYC).unwrap();
    fs::write(at.join("half.json"), &epyc[..epyc.len() / 2]).unwrap();
    fs::write(at.join("wrong.json"), epyc.replace("\"92\"", "\"93\"")).unwrap();
    fs::write(at.join("old.json"), epyc.replace("n=8/t=1@1\"", "n=8/t=1@2\"")).unwrap();
    let before = at.read_dir().unwrap().count();
    // Each system has words of its own for what is not there.
    let missing = format!("error: cannot read none.json: {}\n", fs::read("none.json").unwrap_err());
    for (status, line, says) in [
        (2, "bench machine --suite full", "'full'"),
        (2, "bench machine --sustain 10", "'10' is not a length of time: give one such as '90s'"),
        (2, "bench machine --workload count/nobody/n=8/t=1", "there is no solver 'nobody'"),
        (74, "bench machine --out no/b.json", "cannot write the record to no/b.json: there is no folder"),
        (2, "bench compare a.json", "<RECORD>"),
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
    versions.expect(0, "\nmask@2 ");
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_keeps_what_is_finished() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let line = "bench machine --quiet --budget 60s --workload count/bitmask/n=8/t=1 --workload count/bitmask/n=13/t=1 --out a.json";
    // How soon five samples are there depends on the machine: too soon an interruption leaves nothing, too late is none.
    for wait in [500, 1000, 2000, 4000, 8000, 16_000] {
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
    panic!("nothing was kept of 16 seconds");
}

/// What a terminal or GitHub's runner would obey is shown as text.
#[test]
fn texts_of_others_are_only_text() {
    let folder = folder();
    let record = fs::read_to_string(EPYC).unwrap();
    let mut record: Value = serde_json::from_str(&record).unwrap();
    record["name"] = "::error::x".into();
    record["machine"]["hypervisor"] = "\u{1b}[2J".into();
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
