//! Boards as text and as pictures, and back; what is no board; the pictures of docs/.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nqueens::board::Board;
use roxmltree::Document;

use crate::queens_in::queens_in;

fn nqueens(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nqueens"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The child may end before it has read everything.
    let writing = std::thread::spawn(move || _ = stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The columns of all boards for n = 6 and n = 7, as the library lists them.
fn boards(n: usize) -> Vec<Board> {
    nqueens::solutions(n).unwrap().map(|solution| Board::from(&solution)).collect()
}

#[test]
fn every_text_format_is_read_back_as_it_was_written() {
    for n in ["4", "5", "7"] {
        for format in ["grid", "columns", "json"] {
            let written = nqueens(&["solutions", n, "--format", format], b"");
            assert_eq!(written.status.code(), Some(0));
            let checked = nqueens(&["check", "--quiet"], &written.stdout);
            assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
            let lines = text(&checked.stdout);
            assert_eq!(lines.lines().count(), boards(n.parse().unwrap()).len(), "{format:?}");
            assert!(lines.lines().all(|line| line.ends_with(&format!("a solution for n = {n}"))));
        }
    }
    // All of them mixed, and large ones.
    let mut mixed = Vec::new();
    for arguments in [
        &["solutions", "6", "--format", "columns"][..],
        &["solutions", "6"],
        &["solutions", "4", "--format", "json"],
        &["solutions", "100000", "--first"],
        &["solutions", "100000", "--first", "--format", "json"],
    ] {
        mixed.extend(nqueens(arguments, b"").stdout);
    }
    let checked = nqueens(&["check", "--wrong"], &mixed);
    assert_eq!((checked.status.code(), text(&checked.stdout)), (Some(0), String::new()));
    assert_eq!(text(&checked.stderr), "nqueens: 12 boards, all of them solutions\n");
}

/// The columns of a board drawn over several lines, `queen` being what stands for one, a square `wide` letters wide.
fn drawn(lines: &str, queen: char, wide: usize) -> Vec<u32> {
    lines.lines().map(|line| (line.chars().position(|c| c == queen).unwrap() / wide) as u32).collect()
}

/// Every format says the same boards in the same order, whoever reads it: here nothing of the program does.
#[test]
fn every_format_holds_the_same_boards() {
    for n in [4, 6, 7] {
        let expected: Vec<Vec<u32>> = boards(n).iter().map(|board| board.columns().to_vec()).collect();
        let size = n.to_string();
        let written =
            |format: &[&str]| text(&nqueens(&[&["solutions", &size, "--format"], format].concat(), b"").stdout);
        let grid: Vec<_> = written(&["grid"]).trim_end().split("\n\n").map(|board| drawn(board, 'Q', 1)).collect();
        let numbers = |line: &str| line.split(' ').map(|number| number.parse::<u32>().unwrap() - 1).collect::<Vec<_>>();
        let columns: Vec<_> = written(&["columns"]).lines().map(numbers).collect();
        let json: Vec<Vec<u32>> = written(&["json"])
            .lines()
            .map(|line| {
                let record: serde_json::Value = serde_json::from_str(line).unwrap();
                record["columns"].as_array().unwrap().iter().map(|column| column.as_u64().unwrap() as u32 - 1).collect()
            })
            .collect();
        let unicode: Vec<_> = written(&["unicode"])
            .trim_end()
            .split("\n\n")
            .map(|board| {
                let rows: Vec<&str> = board.lines().filter_map(|line| line.strip_prefix('│')).collect();
                drawn(&rows.join("\n"), '♛', 2)
            })
            .collect();
        let svg: Vec<Vec<u32>> = queens_in(&written(&["svg"]))
            .into_iter()
            .map(|queens| queens.into_iter().map(|(column, _)| column as u32).collect())
            .collect();
        for (name, found) in [("grid", grid), ("columns", columns), ("json", json), ("unicode", unicode), ("svg", svg)]
        {
            assert_eq!(found, expected, "{name}, n = {n}");
        }
    }
}

/// In the widest font that the pictures ask for, DejaVu Sans Bold, the title below was measured: 764 pixels.
#[test]
fn the_title_of_a_picture_fits() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("step.svg");
    let made = nqueens(&["trace", "6", "--step", "304", "--out", out.to_str().unwrap()], b"");
    assert_eq!(made.status.code(), Some(0));
    let svg = std::fs::read_to_string(out).unwrap();
    let document = Document::parse(&svg).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(
        title.text(),
        Some("n = 6, step 304: back: the queen on row 1, column 6 is removed, the search is over")
    );
    let width: f64 = document.root_element().attribute("width").unwrap().parse().unwrap();
    assert!(width >= 16.0 + 764.0 + 16.0, "{width}");
}

#[test]
fn what_is_no_board_is_told_with_its_line_and_column() {
    let long = format!("{}\n", "#".repeat(10_000_000));
    let queens = "Q".repeat(10_000_000);
    let foreign = format!("Q{}x\n", "#".repeat(9_999_999));
    let numbers = (1..=1_500_000).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    for (input, said) in [
        ("#Q##\n###Q\nQ###\n##Q#", "board 1 (line 1): a solution for n = 4\n"),
        (
            "QQ##\n###Q\nQ###\n##Q#\n",
            "board 1 (line 1): the queens on row 1, column 1 and row 1, column 2 attack each other along the row\n",
        ),
        ("#Q##\n####\nQ###\n##Q#\n", "board 1 (line 1): line 2: row 2 has no queen\n"),
        ("#Q##\n###Q\nQ###\n", "board 1 (line 1): it ends on line 3, after 3 of 4 rows\n"),
        // An empty line ends a board, and the next begins after it.
        (
            "#Q##\n###Q\n\nQ###\n##Q#\n",
            "board 1 (line 1): it ends on line 2, after 2 of 4 rows\nboard 2 (line 4): it ends on line 5, after 2 of 4 rows\n",
        ),
        // As other systems write their lines, and what some editors put before the first.
        (
            "\u{feff}#Q##\r\n###Q\r\nQ###\r\n##Q#\r\n\r\n2 4 1 3",
            "board 1 (line 1): a solution for n = 4\nboard 2 (line 6): a solution for n = 4\n",
        ),
        ("#Q##  \n###Q\t\nQ###\n##Q#\n", "board 1 (line 1): a solution for n = 4\n"),
        ("#Q##\n#####Q##\n", "board 1 (line 1): line 2 has 8 squares where the first row has 4\n"),
        ("#Q##\n###Q#\nQ###\n##Q#\n", "board 1 (line 1): line 2 has 5 squares where the first row has 4\n"),
        ("Q\nQ\n", "board 1 (line 1): line 2 is row 2 of a board 1 squares wide\n"),
        (
            "\n\n#Q#x\n###Q\n",
            "board 1 (line 3): line 3, column 4: 'x' is neither a queen (Q) nor an empty square (# or .)\n",
        ),
        (
            "#Q##\n##\u{e9}Q\n",
            "board 1 (line 1): line 2, column 3: '\u{e9}' is neither a queen (Q) nor an empty square (# or .)\n",
        ),
        (
            "1 3 2\n",
            "board 1 (line 1): the queens on row 2, column 3 and row 3, column 2 attack each other along a antidiagonal\n",
        ),
        (
            "2 4 1 3\n1 1\n",
            "board 1 (line 1): a solution for n = 4\nboard 2 (line 2): the queens on row 1, column 1 and row 2, column 1 attack each other along the column\n",
        ),
        (
            "2 4 1 5\n",
            "board 1 (line 1): line 1, column 7: there is no column 5 on a board of 4 rows; columns count from 1\n",
        ),
        ("2 4 -1 3\n", "board 1 (line 1): line 1, column 5: \"-1\" is not the number of a column\n"),
        ("2 99999999999 x\n", "board 1 (line 1): line 1, column 3: \"99999999999\" is not the number of a column\n"),
        ("{\"size\":4,\"columns\":[2,4,1]}\n", "board 1 (line 1): line 1: the size is 4, but there are 3 columns\n"),
        (
            "{\"columns\":[3]}\n",
            "board 1 (line 1): line 1: there is no column 3 on a board of 1 rows; columns count from 1\n",
        ),
        ("{\"columns\":[1,3,0,2]}\n", "board 1 (line 1): a solution for n = 4\n"),
        (&long, "board 1 (line 1): line 1: row 1 has no queen\n"),
        (
            &queens,
            "board 1 (line 1): the queens on row 1, column 1 and row 1, column 2 attack each other along the row\n",
        ),
        (
            &foreign,
            "board 1 (line 1): line 1, column 10000001: 'x' is neither a queen (Q) nor an empty square (# or .)\n",
        ),
        (
            &numbers,
            "board 1 (line 1): the queens on row 1, column 1 and row 2, column 2 attack each other along a diagonal\n",
        ),
    ] {
        let checked = nqueens(&["check", "--quiet"], input.as_bytes());
        let shown: String = input.chars().take(60).collect();
        assert_eq!(text(&checked.stdout), said.replace("a antidiagonal", "an antidiagonal"), "{shown}");
        let is_wrong = said.lines().any(|line| !line.contains("a solution"));
        assert_eq!(checked.status.code(), Some(if is_wrong { 3 } else { 0 }), "{shown}");
    }
    // The reason is the JSON reader's.
    let half = nqueens(&["check", "--quiet"], b"{\"columns\":[2,4\n");
    assert!(text(&half.stdout).starts_with("board 1 (line 1): line 1, column 15: "), "{}", text(&half.stdout));
    assert_eq!(half.status.code(), Some(3));
    // Whatever the bytes are.
    let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(nqueens(&["check", "--quiet"], &noise).status.code(), Some(3));
}

#[test]
fn the_ending_of_the_name_decides_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let write = |arguments: &str, name: &str| {
        let path = folder.path().join(name);
        let words: Vec<&str> = arguments.split(' ').chain([path.to_str().unwrap()]).collect();
        let output = nqueens(&words, b"");
        let written = std::fs::read(&path).unwrap_or_default();
        _ = std::fs::remove_file(path);
        (output.status.code(), text(&output.stderr), written)
    };
    for (arguments, name, begins) in [
        ("solutions 6 --out", "a.svg", &b"<?xml"[..]),
        ("solutions 6 --out", "A.SVG", b"<?xml"),
        ("solutions 6 --out", "a.json", b"{\"schema\""),
        ("solutions 6 --out", "a.jsonl", b"{\"schema\""),
        ("solutions 6 --out", "a.txt", b"#Q####\n"),
        ("solutions 6 --out", "a", b"#Q####\n"),
        ("solutions 6 --format columns --out", "a.txt", b"2 4 6 1 3 5\n"),
        ("solutions 6 --format columns --out", "a.6x6", b"2 4 6 1 3 5\n"),
        ("solutions 6 --format columns --out", "a.svg", b"2 4 6 1 3 5\n"),
        ("trace 4 --step 3 --out", "a.svg", b"<?xml"),
    ] {
        let (status, said, written) = write(arguments, name);
        assert!(status == Some(0) && written.starts_with(begins), "{arguments} {name}: {said}");
    }
    for (arguments, name, said) in [
        ("solutions 6 --out", "a.png", "no format ends in .png: end --out in .txt, .json or .svg, or give --format\n"),
        ("trace 4 --step 3 --out", "a.png", "the picture is SVG: give a name that ends in .svg\n"),
    ] {
        let (status, error, written) = write(arguments, name);
        assert!(status == Some(2) && written.is_empty() && error.ends_with(said), "{arguments} {name}: {error}");
    }
}

#[test]
fn a_picture_without_a_board_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("board.svg");
    let out = out.to_str().unwrap();
    for (arguments, why) in [
        (&["solutions", "2", "--out", out][..], "there are no solutions for n = 2"),
        (&["solutions", "6", "--symmetry", "quarter-turn", "--format", "svg"], "there are no such solutions for n = 6"),
        (&["solutions", "6", "--limit", "0", "--out", out], "--limit 0 asks for no board"),
    ] {
        let output = nqueens(arguments, b"");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(text(&output.stderr), format!("error: no picture was made: {why}\n"));
        assert!(output.stdout.is_empty() && !Path::new(out).exists());
    }
}

/// Makes each picture again whose command a page shows, and holds it against the one that is shown; how many there are.
#[cfg(unix)]
pub(crate) fn pictures_made_again(page: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = 0;
    for command in page.split('`').filter(|code| code.starts_with("nqueens ")) {
        let mut words: Vec<&str> = command.split(' ').skip(1).collect();
        let is_picture = |word: &&str| word.starts_with("docs/") && word.ends_with(".svg");
        let Some(at) = words.iter().position(is_picture) else { continue };
        let shown = std::fs::read_to_string(root.join(words[at])).unwrap_or_else(|error| panic!("{command}: {error}"));
        let folder = tempfile::tempdir().unwrap();
        let again = folder.path().join("again.svg");
        words[at] = again.to_str().unwrap();
        let output = nqueens(&words, b"");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        let svg = std::fs::read_to_string(&again).unwrap();
        assert!(svg == shown, "'{command}' makes another picture than the one shown: run it again and look at it");
        made += 1;
    }
    made
}
