//! `nqueens check`: boards as people write them, what is no board, boards that are there twice, boards that are not there.

use std::path::Path;

use crate::program::{Ended, answer, complaint, fed, typed};

fn check(options: &str, input: &str) -> Ended {
    fed(&mut typed(Path::new("."), &format!("check{options}")), input.as_bytes())
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
        ("{\"columns\":[1,3,0,2]}\n", 1),
        // As other systems write their lines, what some editors put before the first, and no end of the last line.
        ("\u{feff}#Q##\r\n###Q\r\nQ###\r\n##Q#\r\n\r\n2 4 1 3", 2),
        ("#Q##  \n###Q\t\nQ###\n##Q#\n", 1),
    ] {
        let checked = check(" --quiet", input);
        assert_eq!((checked.status, checked.stdout.lines().count()), (Some(0), boards), "{input}: {checked:?}");
        assert!(checked.stdout.lines().all(|line| line.contains(": a solution for n = ")), "{input}: {checked:?}");
    }
}

#[test]
fn every_text_format_is_read_back_as_it_was_written() {
    let mut all = String::new();
    for boards in [
        "7 --format columns",
        "7 --format grid",
        "7 --format json",
        "100000 --first",
        "100000 --first --format json",
        "4 --format grid",
    ] {
        all += &answer(Path::new("."), &format!("solutions {boards}"));
    }
    let checked = check(" --wrong", &all);
    assert_eq!((checked.status, checked.stdout.as_str()), (Some(0), ""));
    assert_eq!(checked.stderr, "nqueens: 124 boards, all of them solutions\n");
}

#[test]
fn what_is_no_board_is_told_with_its_line_and_column() {
    let same_row = "the queens on row 1, column 1 and row 1, column 2 attack each other along the row";
    let no_square = |at: &str| format!("{at}: 'x' is neither a queen (Q) nor an empty square (# or .)");
    let (near, far) = (no_square("line 1, column 4"), no_square("line 1, column 10000001"));
    for (input, fault) in [
        ("QQ##\n###Q\nQ###\n##Q#\n", same_row),
        ("#Q##\n####\nQ###\n##Q#\n", "line 2: row 2 has no queen"),
        ("#Q##\n###Q\nQ###\n", "it ends on line 3, after 3 of 4 rows"),
        ("#Q##\n#####Q##\n", "line 2 has 8 squares where the first row has 4"),
        ("Q\nQ\n", "line 2 is row 2 of a board 1 squares wide"),
        ("#Q#x\n###Q\n", &near),
        ("1 3 2\n", "the queens on row 2, column 3 and row 3, column 2 attack each other along an antidiagonal"),
        (
            "0 2 1\n",
            "the queens on row 1, column 2 and row 2, column 1 attack each other along an antidiagonal, counted from 0",
        ),
        ("[0, 1, 3]\n", "line 1, column 8: a board of 3 rows has no columns 0 and 3 both: they count from 0 or from 1"),
        ("[0, 1, 7]\n", "line 1, column 8: there is no column 7 on a board of 3 rows; columns count from 0"),
        ("2 4 1 5\n", "line 1, column 7: there is no column 5 on a board of 4 rows; columns count from 1"),
        ("2 4 -1 3\n", "line 1, column 5: \"-1\" is not the number of a column"),
        ("2 99999999999 x\n", "line 1, column 3: \"99999999999\" is not the number of a column"),
        ("{\"size\":4,\"columns\":[2,4,1]}\n", "line 1: the size is 4, but there are 3 columns"),
        // Long lines take no longer than they must.
        (&"#".repeat(10_000_000), "line 1: row 1 has no queen"),
        (&"Q".repeat(10_000_000), same_row),
        (&format!("Q{}x\n", "#".repeat(9_999_999)), &far),
    ] {
        let checked = check(" --quiet", input);
        let shown: String = input.chars().take(60).collect();
        let expected = format!("board 1 (line 1): {fault}");
        assert_eq!((checked.status, checked.stdout.trim_end()), (Some(3), expected.as_str()), "{shown}");
    }
    // An empty line ends a board, and the next begins after it.
    check("", "#Q##\n###Q\n\nQ###\n##Q#\n").expect(3, "board 2 (line 4): it ends on line 5, after 2 of 4 rows");
    // The reason is the JSON reader's.
    check("", "{\"columns\":[2,4\n").expect(3, "board 1 (line 1): line 1, column 15: ");
    // Whatever the bytes are.
    let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(fed(&mut typed(Path::new("."), "check --quiet"), &noise).status, Some(3));
    for input in ["", "\n\n", "[]\n"] {
        check("", input).expect(1, "there is no board to check: give one, as in 'echo 2 4 1 3 | nqueens check'\n");
    }
}

#[test]
fn all_wants_every_solution_once() {
    let six = ["2 4 6 1 3 5", "3 6 2 5 1 4", "4 1 5 2 6 3", "5 3 1 6 4 2"];
    let all = |boards: &[&str]| check(" --all --wrong", &boards.join("\n"));
    all(&six).expect(0, "nqueens: 4 boards, all of them solutions\n");
    all(&[six[0], six[2], six[3]]).expect(3, "error: 3 of 4 solutions for n = 6 found: 3 6 2 5 1 4 is missing\n");
    all(&[six[0], six[1], six[2], six[3], six[3]]).expect(3, "board 5 (line 5): the same board as board 4");
    all(&[six[0], six[1], six[2], six[3], "2 4 1 3"]).expect(3, "a solution for n = 4, where the first is for n = 6");
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one"), "2 4 1 3\n").unwrap();
    std::fs::write(folder.path().join("two"), "\n3 1 4 2\n1 1\n").unwrap();
    let checked = fed(&mut typed(folder.path(), "check one - two --quiet"), b"[0]\n");
    let expected = "board 1 (one, line 1): a solution for n = 4\n\
        board 2 (standard input, line 1): a solution for n = 1\n\
        board 3 (two, line 2): a solution for n = 4\n\
        board 4 (two, line 3): the queens on row 1, column 1 and row 2, column 1 attack each other along the column\n";
    assert_eq!((checked.status, checked.stdout.as_str()), (Some(3), expected));
    assert!(complaint(folder.path(), 74, "check three").starts_with("error: cannot read three: "));
    assert_eq!(complaint(folder.path(), 74, "check ."), "error: . is a folder: give files with boards\n");
    // A line takes as much memory as it is long, and what is longer than any board is not read to its end.
    if cfg!(target_os = "linux") {
        std::fs::File::create(folder.path().join("endless")).unwrap().set_len(1 << 40).unwrap();
        let said = complaint(folder.path(), 3, "check endless");
        assert_eq!(said, "error: line 1 of endless is longer than 100000000 bytes: no board is that large\n");
    }
}
