//! Sessions: blocks marked `console` in Markdown, in which the output of a command follows its line `$ command`.
//!
//! `SESSIONS=overwrite cargo test sessions` replaces the output in sessions that differ. Review the change before you
//! commit it.

use crate::helpers::{PROJECT, run, shell};

/// A command of a page and the lines shown below it.
pub(crate) struct Shown {
    pub(crate) command: String,
    pub(crate) lines: Vec<String>,
    /// The number of the line after the command.
    pub(crate) below: usize,
}

/// Returns the commands in blocks marked `console`.
pub(crate) fn shown(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_console = false;
    for (at, line) in page.lines().enumerate() {
        match (is_console, line) {
            (false, "```console") => is_console = true,
            (true, "```") => is_console = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command: command.to_owned(), lines: Vec::new(), below: at + 1 }),
                None => shown.last_mut().expect("a command first").lines.push(line.to_owned()),
            },
            _ => {}
        }
    }
    shown
}

/// Whether a line matches the line that is shown, in which `[..]` stands for any text.
fn is_line(line: &str, shown: &str) -> bool {
    let Some((before, after)) = shown.split_once("[..]") else { return line == shown };
    let Some(rest) = line.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_line(&rest[at..], after))
}

/// Whether the lines match the lines that are shown, in which `...` stands for any lines.
fn are_lines(lines: &[&str], shown: &[&str]) -> bool {
    match (shown, lines) {
        ([], []) => true,
        (["...", after @ ..], _) => (0..=lines.len()).any(|at| are_lines(&lines[at..], after)),
        ([first, after @ ..], [line, rest @ ..]) => is_line(line, first) && are_lines(rest, after),
        _ => false,
    }
}

/// Runs the commands of a session in one folder, which contains the records `small.json` and `large.json`. Fails unless
/// each command ends with the status after `? `, or with 0 if none is given, and its standard error and standard output
/// match the lines below it.
pub(crate) fn expect_session(name: &str) {
    let file = format!("{PROJECT}/cli/tests/it/cli/{name}.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let shown = shown(&page);
    assert!(!shown.is_empty(), "no command: {file}");
    let folder = tempfile::tempdir().unwrap();
    for record in ["small.json", "large.json"] {
        std::fs::copy(format!("{PROJECT}/cli/tests/it/records/{record}"), folder.path().join(record)).unwrap();
    }
    let overwrite = std::env::var_os("SESSIONS").is_some_and(|what| what == "overwrite");
    let mut new: Vec<&str> = page.lines().collect();
    let mut printed_now = Vec::new();
    for shown in &shown {
        let ended = run(&mut shell(folder.path(), &shown.command));
        let status = shown.lines.first().and_then(|line| line.strip_prefix("? "));
        let expected = shown.lines[usize::from(status.is_some())..].join("\n");
        let printed = format!("{}{}", ended.stderr, ended.stdout);
        let is_status = ended.status == Some(status.map_or(0, |status| status.parse().unwrap()));
        let [expected, printed] = [&expected, &printed].map(|text| text.trim_end().lines().collect::<Vec<_>>());
        if is_status && are_lines(&printed, &expected) {
            continue;
        }
        assert!(overwrite, "{file}: '{}' is not {expected:#?}, but {ended:#?}", shown.command);
        let status = ended.status.filter(|status| *status != 0).map(|status| format!("? {status}"));
        let lines = status.into_iter().chain(printed.into_iter().map(str::to_owned)).collect::<Vec<_>>().join("\n");
        let blank = shown.lines.iter().rev().take_while(|line| line.is_empty()).count();
        printed_now.push((shown.below..shown.below + shown.lines.len() - blank, lines));
    }
    for (range, lines) in printed_now.iter().rev() {
        new.splice(range.clone(), lines.lines());
    }
    if !printed_now.is_empty() {
        std::fs::write(file, new.join("\n") + "\n").unwrap();
    }
}

#[test]
fn three_points_stand_for_any_lines_and_two_in_brackets_for_any_text() {
    assert!(are_lines(&["a", "b", "c 1 d"], &["...", "c [..] d"]));
    assert!(are_lines(&["a"], &["a", "..."]));
    assert!(!are_lines(&["a", "b"], &["a"]) && !are_lines(&["a"], &["a", "b"]));
    assert!(!are_lines(&["c 1 e"], &["c [..] d"]) && !are_lines(&["ab"], &["a"]));
}
