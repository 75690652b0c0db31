//! Blocks marked `console` in Markdown: a command after `$ `, and below it what it prints.

use crate::program::{PROJECT, run, shell};

/// A command of a page and the lines shown below it.
pub(crate) struct Shown {
    pub(crate) command: String,
    pub(crate) lines: Vec<String>,
}

/// Everything in blocks marked `console`.
pub(crate) fn shown(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        match (is_console, line) {
            (false, "```console") => is_console = true,
            (true, "```") => is_console = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command: command.to_owned(), lines: Vec::new() }),
                None => shown.last_mut().expect("a command first").lines.push(line.to_owned()),
            },
            _ => {}
        }
    }
    shown
}

/// Whether a line is as shown. `[..]` stands for any text.
pub(crate) fn is_line(line: &str, shown: &str) -> bool {
    let Some((before, after)) = shown.split_once("[..]") else { return line == shown };
    let Some(rest) = line.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_line(&rest[at..], after))
}

/// Whether the lines are as shown. `...` stands for any lines.
fn are_lines(lines: &[&str], shown: &[&str]) -> bool {
    match (shown, lines) {
        ([], []) => true,
        (["...", after @ ..], _) => (0..=lines.len()).any(|at| are_lines(&lines[at..], after)),
        ([first, after @ ..], [line, rest @ ..]) => is_line(line, first) && are_lines(rest, after),
        _ => false,
    }
}

/// Runs the commands of a page in one folder, which has the records `small.json` and `large.json`. Fails unless each ends
/// with the status after `? ` (0 if there is none) and says, then prints, what is shown.
pub(crate) fn expect_session(page: &str) {
    let shown = shown(page);
    assert!(!shown.is_empty(), "no command: {page}");
    let folder = tempfile::tempdir().unwrap();
    for record in ["small.json", "large.json"] {
        std::fs::copy(format!("{PROJECT}/cli/tests/it/records/{record}"), folder.path().join(record)).unwrap();
    }
    for Shown { command, lines } in shown {
        let ended = run(&mut shell(folder.path(), &command));
        let status = lines.first().and_then(|line| line.strip_prefix("? "));
        let expected = &lines[usize::from(status.is_some())..].join("\n");
        let printed = format!("{}{}", ended.stderr, ended.stdout);
        let [expected, printed] = [expected, &printed].map(|text| text.trim_end().lines().collect::<Vec<_>>());
        assert!(
            ended.status == Some(status.map_or(0, |status| status.parse().unwrap())) && are_lines(&printed, &expected),
            "'{command}' is not {expected:#?}, but {ended:#?}"
        );
    }
}

#[test]
fn three_points_stand_for_any_lines_and_two_in_brackets_for_any_text() {
    assert!(are_lines(&["a", "b", "c 1 d"], &["...", "c [..] d"]));
    assert!(are_lines(&["a"], &["a", "..."]));
    assert!(!are_lines(&["a", "b"], &["a"]) && !are_lines(&["a"], &["a", "b"]));
    assert!(!are_lines(&["c 1 e"], &["c [..] d"]) && !are_lines(&["ab"], &["a"]));
}
