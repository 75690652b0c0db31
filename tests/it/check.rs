//! `nqueens check`: boards as people write them, boards that are there twice, boards that are not there.

use std::path::Path;
use std::process::Output;

use crate::program::{answer, nqueens};

fn check(folder: &Path, options: &[&str], input: &str) -> Output {
    answer(nqueens(&["check"]).args(options).current_dir(folder), input.as_bytes())
}

/// The status, and what is said of boards and about them.
fn said(options: &[&str], input: &str) -> (Option<i32>, String) {
    let output = check(Path::new("."), options, input);
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn boards_are_read_as_people_write_them() {
    for (input, boards) in [
        ("[1, 3, 0, 2]\n", 1),
        ("1,3,0,2\n2,4,1,3\n2; 4; 1; 3\n(1, 3, 0, 2)\n", 4),
        ("[[1, 3, 0, 2], [2, 0, 3, 1]]\n", 2),
        ("[\n  [1, 3, 0, 2],\n  [2, 0, 3, 1]\n]\n", 2),
        ("0\n1\n", 2),
        (".Q..\n...Q\nQ...\n..Q.\n\n#Q##\n###Q\nQ###\n##Q#\n", 2),
        (". Q . .\n. . . Q\nQ . . .\n. . Q .\n", 1),
        ("{\"columns\":[2,4,1,3]}\n2 4 1 3\n..Q.\nQ...\n...Q\n.Q..\n", 3),
    ] {
        let (status, text) = said(&["--quiet"], input);
        assert_eq!((status, text.lines().count()), (Some(0), boards), "{input}: {text}");
        assert!(text.lines().all(|line| line.contains(": a solution for n = ")), "{input}: {text}");
    }
}

#[test]
fn columns_count_from_where_the_values_say() {
    for (options, input, fault) in [
        (
            &[][..],
            "0 2 1\n",
            "row 1, column 2 and row 2, column 1 attack each other along an antidiagonal, counted from 0",
        ),
        (&[], "1 3 2\n", "row 2, column 3 and row 3, column 2 attack each other along an antidiagonal\n"),
        (
            &[],
            "[0, 1, 3]\n",
            "line 1, column 8: a board of 3 rows has no columns 0 and 3 both: they count from 0 or from 1",
        ),
        (&[], "[0, 1, 7]\n", "line 1, column 8: there is no column 7 on a board of 3 rows; columns count from 0"),
    ] {
        let (status, text) = said(options, input);
        assert!(status == Some(3) && text.contains(fault), "{input}: {text}");
    }
}

#[test]
fn no_board_at_all_is_an_error() {
    for input in ["", "\n\n", "[]\n"] {
        let expected = "error: there is no board to check: give one, as in 'echo 2 4 1 3 | nqueens check'\n";
        assert_eq!(said(&[], input), (Some(1), expected.to_owned()), "{input:?}");
    }
}

#[test]
fn all_wants_every_solution_once() {
    let six = ["2 4 6 1 3 5", "3 6 2 5 1 4", "4 1 5 2 6 3", "5 3 1 6 4 2"];
    let all = |boards: &[&str]| said(&["--all", "--wrong"], &boards.join("\n"));
    assert_eq!(all(&six), (Some(0), "nqueens: 4 boards, all of them solutions\n".to_owned()));
    let (status, text) = all(&[six[0], six[2], six[3]]);
    assert_eq!(status, Some(3));
    assert!(text.ends_with("error: 3 of 4 solutions for n = 6 found: 3 6 2 5 1 4 is missing\n"), "{text}");
    let (status, text) = all(&[six[0], six[1], six[2], six[3], six[3]]);
    assert_eq!((status, text.contains("board 5 (line 5): the same board as board 4")), (Some(3), true), "{text}");
    let (status, text) = all(&[six[0], six[1], six[2], six[3], "2 4 1 3"]);
    assert_eq!(
        (status, text.contains("a solution for n = 4, where the first is for n = 6")),
        (Some(3), true),
        "{text}"
    );
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one"), "2 4 1 3\n").unwrap();
    std::fs::write(folder.path().join("two"), "\n3 1 4 2\n1 1\n").unwrap();
    let output = check(folder.path(), &["one", "-", "two", "--quiet"], "[0]\n");
    let expected = "board 1 (one, line 1): a solution for n = 4\n\
        board 2 (standard input, line 1): a solution for n = 1\n\
        board 3 (two, line 2): a solution for n = 4\n\
        board 4 (two, line 3): the queens on row 1, column 1 and row 2, column 1 attack each other along the column\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stdout).unwrap()), (Some(3), expected.to_owned()));
    for (name, message) in
        [("three", "error: cannot read three: "), (".", "error: . is a folder: give files with boards")]
    {
        let output = check(folder.path(), &[name], "");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.starts_with(message), "{said}");
    }
}

/// A line takes as much memory as it is long, and what is longer than any board is not read to its end.
#[cfg(target_os = "linux")]
#[test]
fn a_line_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::File::create(folder.path().join("endless")).unwrap().set_len(1 << 40).unwrap();
    let output = check(folder.path(), &["endless"], "");
    let expected = "error: line 1 of endless is longer than 100000000 bytes: no board is that large\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(3), expected.to_owned()));
}
