//! `nqueens check`: boards in the forms that programs print, what is no board, boards that are there twice, boards that are
//! not there.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use crate::program::{Ended, answer, complaint, fed, typed};

mod generated;

fn check(options: &str, input: impl AsRef<[u8]>) -> Ended {
    fed(&mut typed(Path::new("."), &format!("check{options}")), input.as_ref())
}

/// docs/cli.md has the table that `--form list` prints: a name, and an example with each line as code. Each example is read,
/// with every form and with its own.
#[test]
fn every_form_of_the_table_is_read() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cli.md")).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| form |")).skip(2);
    let mut listed = String::new();
    for row in table.take_while(|line| line.starts_with('|')) {
        let row = row.replace("\\|", "\u{1}");
        let codes: Vec<String> = row.split('`').skip(1).step_by(2).map(|code| code.replace('\u{1}', "|")).collect();
        let (name, lines) = codes.split_first().unwrap();
        for (at, line) in lines.iter().enumerate() {
            listed += &format!("{:<16} {line}\n", if at == 0 { name } else { "" });
        }
        for options in [String::new(), format!(" --form {name}")] {
            let checked = check(&options, lines.join("\n"));
            let is_read = checked.stdout.contains("board 1 (line ") && !checked.stdout.contains("not understood");
            assert!(checked.status == Some(0) && is_read, "{row}: {checked:?}");
        }
    }
    assert_eq!(check(" --form list", "").stdout, listed);
    check(" --form columns", "Q\n").expect(0, "");
    // The user says that a column is there twice.
    let twice = "board 1 (line 1): no solution: the queens on row 1, column 2 and row 2, column 2 attack each other";
    check(" --form columns", "2 2 1 3\n").expect(3, twice);
    check(" --form column-per-line", "2\n2\n1\n3\n").expect(3, twice);
    check(" --form queens", "").expect(2, "no form is called that");
}

#[test]
fn text_in_utf_16_is_read() {
    let text = "\u{feff}·♛··\r\n···♛\r\n♛···\r\n··♛·\r\n2 1 4 3\r\n";
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let checked = check("", text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>());
        checked.expect(
            3,
            "board 1 (line 1): a solution for n = 4\nboard 2 (line 5): no solution: the queens on row 1, column 2",
        );
    }
}

#[test]
fn every_text_format_is_read_back_as_it_was_written() {
    let mut all = String::new();
    for boards in [
        "7 --format columns",
        "7 --format grid",
        "7 --format json",
        "100000 --any",
        "100000 --any --format json",
        "200 --any --format grid",
    ] {
        all += &answer(Path::new("."), &format!("solutions {boards}"));
    }
    let checked = check(" --wrong", &all);
    assert_eq!((checked.status, checked.stdout.as_str()), (Some(0), ""));
    assert!(checked.stderr.starts_with("nqueens: 123 boards, all of them solutions"), "{checked:?}");
    check(" --all", answer(Path::new("."), "solutions 1 --format columns")).expect(0, "board 1 (line 1): a solution");
}

/// Each text of check.txt, and what is said of it.
#[test]
fn each_text_has_its_verdict() {
    let texts: Vec<&str> = include_str!("check.txt").split("\ntext:").skip(1).collect();
    assert!(texts.len() > 40, "{}", texts.len());
    for text in texts {
        let mut lines = text.lines();
        let text = lines.next().and_then(|line| line.strip_prefix(' ')).unwrap_or_default();
        let text = text.replace("\\n", "\n").replace("\\x1b", "\x1b").replace("\\\\", "\\");
        let verdicts: String =
            lines.filter_map(|line| line.strip_prefix("    ")).map(|line| format!("{line}\n")).collect();
        let status = match &verdicts {
            said if said.contains("no solution") => 3,
            said if said.is_empty() || said.contains("not understood") => 1,
            _ => 0,
        };
        let checked = check(" --quiet", &text);
        assert_eq!((checked.status, checked.stdout), (Some(status), verdicts), "{text:?}: {}", checked.stderr);
    }
}

#[test]
fn boards_and_other_lines_are_counted() {
    let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (text, status, part) in [
        (
            &b"Found 1 solution:\n2 4 1 3\n-----\nTime: 3 ms\n"[..],
            0,
            "1 board, a solution; 3 lines are no boards, the first is line 1",
        ),
        (b"4\n2 4 1 3\n", 0, "1 board, a solution; 1 line is no board: line 1"),
        (b"2 4 1 3\n\x1b[1mend\x1b[0m\n", 0, "1 line is no board: line 2; colors are left out"),
        (b"hello\n", 1, "there is no board to check; 1 line is no board: line 1: give one, as in"),
        (b"[0, 1, 3]", 1, "1 text not understood: 'nqueens check --form list' prints the forms"),
        // A wrong board decides the status, whatever else is not understood.
        (b"2 4 1 3\n2 1 4 3\n[1, 2\n", 3, "2 boards, 1 of them wrong"),
        (b"2 4\0 1 3\n", 1, "line 1 of standard input is not read: it has a NUL"),
        (&b"Q".repeat(1_200_000), 1, "1 text not understood"),
        // Brackets in brackets take no more time than other text.
        (&[b"[".repeat(20_000), b"]".repeat(20_000)].concat(), 1, "1 line is no board"),
        (&noise, 1, ""),
    ] {
        check("", text).expect(status, part);
    }
}

#[test]
fn all_wants_every_solution_once() {
    let six = ["2 4 6 1 3 5", "3 6 2 5 1 4", "4 1 5 2 6 3", "5 3 1 6 4 2"];
    let all = |boards: &[&str]| check(" --all --wrong", boards.join("\n"));
    all(&six).expect(0, "nqueens: 4 boards, all of them solutions\n");
    all(&[six[0], six[2], six[3]]).expect(3, "error: 3 of 4 solutions for n = 6 found: 3 6 2 5 1 4 is missing\n");
    all(&[six[0], six[1], six[2], six[3], six[3]]).expect(3, "board 5 (line 5): the same board as board 4");
    all(&[six[0], six[1], six[2], six[3], "2 4 1 3"])
        .expect(3, "a solution for n = 4, where all solutions for n = 6 are");
    // n = 2 and 3 have no solutions.
    for (size, input, status) in [(3, "", 0), (3, "No solution\n", 0), (2, "[]\n", 0), (6, "", 3), (4, six[0], 3)] {
        let checked = check(&format!(" --all --size {size}"), input);
        assert_eq!(checked.status, Some(status), "{size}: {input}: {checked:?}");
    }
    check(" --size 3", "").expect(2, "--all");
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one"), "2 4 1 3\n").unwrap();
    std::fs::write(folder.path().join("two"), "\n1 3 0 2\n1 2 3 0\n").unwrap();
    let checked = fed(&mut typed(folder.path(), "check one - two --quiet"), b"[0]\n");
    let expected = "board 1 (one, line 1): a solution for n = 4\n\
        board 2 (standard input, line 1): a solution for n = 1\n\
        board 3 (two, line 2): a solution for n = 4\n\
        board 4 (two, line 3): no solution: the queens on row 0, column 1 and row 1, column 2 attack each other along a \
        diagonal, counted from 0\n";
    assert_eq!((checked.status, checked.stdout.as_str()), (Some(3), expected));
    assert!(complaint(folder.path(), 74, "check three").starts_with("error: cannot read three: "));
    assert_eq!(complaint(folder.path(), 74, "check ."), "error: . is a folder: give files with boards\n");
    if cfg!(target_os = "linux") {
        std::fs::File::create(folder.path().join("endless")).unwrap().set_len(1 << 40).unwrap();
        let said = complaint(folder.path(), 1, "check endless");
        assert!(said.starts_with("error: line 1 of endless is not read: it "), "{said}");
    }
}

#[test]
fn a_verdict_is_there_as_soon_as_the_block_ends() {
    let mut command = typed(Path::new("."), "check");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut verdicts = BufReader::new(stdout).lines();
    for (text, verdict) in [
        ("[1, 3, 0, 2]\n\n", "board 1 (line 1): a solution for n = 4"),
        ("[2, 0,\n3, 1]\n\n", "board 2 (line 3): a solution for n = 4"),
        (".Q..\n...Q\nQ...\n..Q.\n\n", "board 3 (line 6): a solution for n = 4"),
    ] {
        stdin.write_all(text.as_bytes()).unwrap();
        assert_eq!(verdicts.next().unwrap().unwrap(), verdict);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Memory does not grow with the text. A reader that keeps the whole text needs more than the limit for each file.
#[cfg(target_os = "linux")]
#[test]
fn a_long_text_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let board = "[1,3,0,2],".repeat(150_000);
    std::fs::write(folder.path().join("line"), format!("[{}]\n", board.trim_end_matches(','))).unwrap();
    std::fs::write(folder.path().join("grids"), ".Q..\n...Q\nQ...\n..Q.\n".repeat(75_000)).unwrap();
    std::fs::write(folder.path().join("lists"), "2 4 1 3\n".repeat(150_000)).unwrap();
    std::thread::scope(|scope| {
        for (file, boards) in [("line", 150_000), ("grids", 75_000), ("lists", 150_000)] {
            let program = env!("CARGO_BIN_EXE_nqueens");
            let limited = format!("ulimit -v 70000 && exec {program} check --wrong {file}");
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &limited]).current_dir(folder.path());
            scope.spawn(move || {
                let ended = crate::program::run(&mut shell);
                ended.expect(0, &format!("nqueens: {boards} boards, all of them solutions\n"));
            });
        }
    });
}
