//! `nqueens bench report`, as a person types it.

use std::path::Path;
use std::process::{Command, Output};

const EPYC: &str = include_str!("records/epyc.json");

fn nqueens(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nqueens")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with a record in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.json"), EPYC).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_page_is_written_whole_and_replaces_an_old_one() {
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("page.html"), "an old page").unwrap();
    let written = nqueens(folder, &["bench", "report", "a.json", "--out", "page.html"]);
    assert_eq!((written.status.code(), text(&written.stdout)), (Some(0), String::new()), "{}", text(&written.stderr));
    assert!(text(&written.stderr).contains("nqueens: wrote page.html\n"), "{}", text(&written.stderr));
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert_eq!(names(folder), ["a.json", "page.html"]);
    // The same records make the same page, and being quiet is possible.
    let again = nqueens(folder, &["bench", "report", "a.json", "--out", "page.html", "--quiet"]);
    assert_eq!((again.status.code(), text(&again.stderr)), (Some(0), String::new()));
    assert_eq!(std::fs::read_to_string(folder.join("page.html")).unwrap(), page);
}

#[test]
fn what_cannot_be_reported_is_told() {
    let folder = folder();
    let folder = folder.path();
    std::fs::write(folder.join("half.json"), &EPYC[..EPYC.len() / 2]).unwrap();
    std::fs::write(folder.join("other.json"), "{\"results\": []}").unwrap();
    std::fs::write(folder.join("empty.json"), "").unwrap();
    std::fs::write(folder.join("old.json"), EPYC.replace("n=8/t=1@1\"", "n=8/t=1@2\"")).unwrap();
    let before = names(folder);
    // Each system has words of its own for what is not there.
    let system = std::fs::read(folder.join("none.json")).unwrap_err();
    let no_record = format!("error: cannot read none.json: {system}\nerror: there is no record among these files\n");
    for (arguments, status, message) in [
        (&["bench", "report"][..], 2, "  --out <FILE>\n"),
        (&["bench", "report", "a.json"], 2, "  --out <FILE>\n"),
        (&["bench", "report", "--out", "p.html"], 2, "  <RECORD>...\n"),
        (&["bench", "report", "none.json", "--out", "p.html"], 1, &no_record),
        (&["bench", "report", "half.json", "--out", "p.html"], 1, "error: half.json is not a whole JSON file"),
        (
            &["bench", "report", "empty.json", "--out", "p.html"],
            1,
            "error: empty.json is not a whole JSON file: it is empty",
        ),
        (
            &["bench", "report", "a.json", "--against", "b.json", "--out", "p.html"],
            2,
            "0 of the records are from 'b.json': give",
        ),
        (
            &["bench", "report", "a.json", "--out", "no/p.html"],
            1,
            "error: cannot write the page to no/p.html: there is no folder no; make it first",
        ),
        (
            &["bench", "report", "old.json", "a.json", "--out", "./a.json"],
            2,
            "error: --out ./a.json does not end in .html: give --out ./a.json.html",
        ),
    ] {
        let output = nqueens(folder, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
        assert_eq!(text(&output.stdout), "");
    }
    // Nothing was written, nothing left behind.
    assert_eq!(names(folder), before);
    // One bad record does not stop the others.
    let output = nqueens(folder, &["bench", "report", "a.json", "other.json", "none.json", "--out", "p.html"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: other.json is not a record") && said.contains("cannot read none.json"), "{said}");
    assert!(std::fs::read_to_string(folder.join("p.html")).unwrap().contains("from 1 record."));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_may_pass() {
    let folder = folder();
    let output = nqueens(folder.path(), &["bench", "report", "a.json", "--out", "/dev/full"]);
    assert_eq!(output.status.code(), Some(74));
    assert!(text(&output.stderr).contains("error: cannot write the page to /dev/full: No space left"), "{output:?}");
}
