//! Output on real terminals and in notebooks, and non-blocking streams.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::helpers::{Ended, PROJECT, nqueens, run, send, shell, typed};
use crate::pseudo_terminal::{Screen, Terminal, in_a_notebook};

/// Runs every command that shows a bar. No line may contain `of_bar`, which occurs only in its bar, and the lines that
/// consist of figures must be the results.
#[test]
fn nothing_is_left_of_a_bar() {
    const COUNT: &str = "365596";
    let folder = tempfile::tempdir().unwrap();
    let audit = &format!("nqueens audit {PROJECT}/docs/results/n23 --sample 4 --isa portable -t 1");
    for (line, of_bar, figures) in [
        ("nqueens count 14 --solver arrays -t 1", "% done", &[COUNT][..]),
        ("nqueens count 8 14 --solver arrays -t 1", "% done", &["8 92", &format!("14 {COUNT}")]),
        ("nqueens count 14 --dir run --solver arrays -t 1", "% done", &[COUNT]),
        ("nqueens count 24 --symmetry half-turn -t 1", "% done", &["11675080"]),
        ("echo 14 | nqueens batch --solver arrays -t 1", "% done", &[COUNT]),
        ("nqueens verify --max 14 -t 1", "n = 14, ", &[]),
        ("nqueens estimate 20 --measure 2s", " timings so far", &[]),
        ("nqueens bench --out here.json", ", sample ", &[]),
        (audit, "% done", &[]),
    ] {
        let (text, is_done) = Terminal::start(shell(folder.path(), line), 24, 80).end();
        assert!(is_done && text.contains(of_bar), "{line}: {text:?}");
        let shown = in_a_notebook(&text);
        assert!(!shown.iter().any(|shown| shown.contains(of_bar) || shown.contains("[=")), "{line}: {shown:#?}");
        let is_figures = |words: &String| !words.is_empty() && words.chars().all(|c| matches!(c, '0'..='9' | ' '));
        let words = shown.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(words.filter(is_figures).collect::<Vec<_>>(), figures, "{line}: {shown:#?}");
        // A terminal shows the same lines.
        let mut screen = Screen::new(24, 1000);
        screen.write(&text);
        assert_eq!([screen.scrollback(), screen.shown()].concat(), shown, "{line}");
    }
}

#[test]
fn a_bar_leaves_nothing_on_a_terminal_that_was_made_narrower() {
    for columns in [60, 40, 20, 7] {
        let mut terminal =
            Terminal::start(nqueens(&["count", "27", "--solver", "color", "--isa", "portable", "-t", "1"]), 60, 80);
        let mut screen = Screen::new(60, 80);
        screen.write(&terminal.read_until(|text| text.contains("% done")));
        terminal.resize(columns);
        screen.resize(columns.into());
        screen.write(&terminal.read_until(|text| text.matches("\rn").count() >= 2));
        send("-TERM", &terminal.child);
        screen.write(&terminal.end().0);
        // These are the note before the count and the error after it.
        let shown = screen.shown().concat().replace(' ', "");
        assert_eq!(shown.matches("n=27").count(), 2, "{columns} columns: {shown}");
        assert!(shown.ends_with("thereisnoresult") && !shown.contains("%done"), "{columns} columns: {shown}");
    }
}

/// All these boards fit in one block of a pipe. The last one is found a few tenths of a second after the first.
#[test]
fn a_terminal_shows_a_board_before_the_last_one_is_found() {
    let list = nqueens(&["solutions", "29", "--limit", "44", "--format", "columns"]);
    let mut terminal = Terminal::start(list, 24, 100);
    let first = terminal.read_until(|text| text.contains('\n'));
    let since = Instant::now();
    let (rest, is_done) = terminal.end();
    let later = since.elapsed();
    assert!(is_done && (first + &rest).lines().count() == 44 && later > Duration::from_millis(20), "{later:?}");
}

/// Each step replaces the previous one, so that no part of a search is ever in the scrollback. If a step is too high
/// for the screen, its masks are left out.
#[test]
fn a_search_stays_on_its_screen() {
    for (rows, columns, size, has_masks) in [
        (12, 80, "8", false),
        (17, 80, "6", true),
        (17, 80, "13", false),
        (24, 80, "8", true),
        (24, 80, "13", true),
        (24, 80, "14", false),
        (24, 80, "20", false),
        (40, 80, "16", true),
        (40, 120, "29", true),
        (40, 120, "32", false),
        (24, 40, "6", true),
        (24, 40, "12", false),
        (40, 40, "12", false),
    ] {
        let mut screen = Screen::new(rows.into(), columns.into());
        // The program starts below the output of the shell.
        screen.write(&"$ \r\n".repeat(100));
        let mut terminal = Terminal::start(nqueens(&["trace", size, "--delay", "1ms"]), rows, columns);
        let text = terminal.read_until(|text| text.matches("placed so far").count() > 200);
        terminal.child.kill().unwrap();
        terminal.child.wait().unwrap();
        // The last step may be incomplete.
        screen.write(&text[..text.rfind("\x1b[K").unwrap()]);
        let above = screen.scrollback();
        assert!(above.iter().all(|line| line == "$"), "n = {size} on {rows} rows of {columns}: {above:#?}");
        let shown = screen.shown().join("\n");
        assert_eq!(shown.contains("free & -free"), has_masks, "n = {size} on {rows} rows of {columns}:\n{shown}");
        // Its board is complete, with the numbers of all rows.
        let size: usize = size.parse().unwrap();
        let is_shown = |row: usize| shown.lines().any(|line| line.starts_with(&format!("{row:>4}  ")));
        assert!((1..=size).all(is_shown) && shown.contains("step "), "{shown}");
    }
}

#[test]
fn a_search_that_its_screen_cannot_hold_is_refused() {
    for (rows, columns, size, says) in [
        (12, 80, "9", "this terminal of 12 rows and 80 columns"),
        (24, 80, "21", "this terminal of 24 rows and 80 columns"),
        (24, 40, "13", "this terminal of 24 rows and 40 columns"),
    ] {
        let (text, is_done) = Terminal::start(nqueens(&["trace", size]), rows, columns).end();
        let text = text.replace(['\r', '\n'], "");
        assert!(!is_done && text.starts_with("error: ") && text.contains(says), "{text}");
        // The commands in its advice work.
        for advised in text.split('\'').skip(1).step_by(2) {
            let line = advised.replace("less -S", "head -n 1");
            run(&mut shell(Path::new("."), &line)).expect(0, "step ");
        }
    }
}

/// If a program that shares a stream has made it non-blocking, output waits for its reader and input for its writer.
#[test]
fn streams_that_do_not_block_are_waited_for() {
    let does_not_block = |stream: &dyn std::os::fd::AsFd| fcntl(stream, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    let pause = || std::thread::sleep(Duration::from_millis(300));
    for line in ["solutions 10", "trace 6 --svg", "help"] {
        let expected = run(&mut typed(Path::new("."), line)).stdout;
        let (mut reader, writer) = std::io::pipe().unwrap();
        does_not_block(&writer);
        fill(&writer);
        let mut command = typed(Path::new("."), line);
        let child = command.stdout(writer).spawn().unwrap();
        // `command` still holds the writing end, which would keep the pipe open.
        drop(command);
        pause();
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        Ended::from(child.wait_with_output().unwrap()).expect(0, "");
        assert!(printed.trim_start_matches('.') == expected, "{line}");
    }
    // Standard error waits, too.
    let (mut reader, writer) = std::io::pipe().unwrap();
    does_not_block(&writer);
    fill(&writer);
    let mut command = typed(Path::new("."), "count abc");
    let mut child = command.stderr(writer).spawn().unwrap();
    drop(command);
    pause();
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().code() == Some(2) && said.contains("error: invalid value 'abc'"), "{said}");

    for (line, input, expected) in
        [("batch", "8\n", "92\n"), ("check", "2 4 1 3\n", "board 1 (line 1): a solution for n = 4\n")]
    {
        let (reader, mut writer) = std::io::pipe().unwrap();
        does_not_block(&reader);
        let mut command = typed(Path::new("."), line);
        let child = command.stdin(reader).stdout(Stdio::piped()).spawn().unwrap();
        drop(command);
        pause();
        writer.write_all(input.as_bytes()).unwrap();
        drop(writer);
        Ended::from(child.wait_with_output().unwrap()).expect(0, expected);
    }
}

/// Fills a pipe with dots up to its last page, so that a program soon has to wait.
fn fill(mut writer: &std::io::PipeWriter) {
    while writer.write(&[b'.'; 4096]).is_ok() {}
}

#[test]
fn a_user_at_a_terminal_is_told_what_to_type_and_answered_at_once() {
    for (line, says, typed, answer) in [
        ("batch", "nqueens: type sizes, such as 8; ", "8\n", "92"),
        ("check", "nqueens: type boards, such as 2 4 1 3; ", "2 4 1 3\n", "a solution for n = 4"),
    ] {
        let mut terminal = Terminal::start(nqueens(&[line]), 24, 80);
        let text = terminal.read_until(|text| text.contains("ends the input"));
        assert!(text.starts_with(says), "{text}");
        terminal.type_in(typed);
        terminal.read_until(|text| text.contains(answer));
        terminal.child.kill().unwrap();
        terminal.child.wait().unwrap();
    }
}
