//! Boards as pictures; the pictures of docs/.

use std::path::Path;

use roxmltree::Document;

use crate::program::{PROJECT, answer, run, typed};

/// The columns of the queens of each board in an SVG picture, from the transformation of each piece. The rows are in order.
fn queens_in(svg: &str) -> Vec<Vec<u32>> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let groups = document.descendants().filter(|node| node.attribute("class") == Some("board"));
    let columns = |group: roxmltree::Node<'_, '_>| {
        let frame = group.descendants().find(|node| node.attribute("class") == Some("light")).unwrap();
        let [left, top, width] = ["x", "y", "width"].map(|name| frame.attribute(name).unwrap().parse::<f64>().unwrap());
        let pieces: Vec<_> = group.descendants().filter(|node| node.attribute("href") == Some("#queen")).collect();
        let square = width / pieces.len() as f64;
        let places = pieces.iter().zip(0..).map(|(piece, row)| {
            let place = piece.attribute("transform").unwrap().split(['(', ')']).nth(1).unwrap();
            let (x, y) = place.split_once(' ').unwrap();
            assert_eq!(((y.parse::<f64>().unwrap() - top) / square).round() as i32, row);
            ((x.parse::<f64>().unwrap() - left) / square).round() as u32
        });
        places.collect()
    };
    groups.map(columns).collect()
}

/// What `check` does not read, an SVG parser does.
#[test]
fn a_page_shows_all_boards() {
    for n in [4, 6, 7] {
        let expected: Vec<Vec<u32>> = nqueens::solutions(n).unwrap().map(Vec::from).collect();
        assert_eq!(queens_in(&answer(Path::new("."), &format!("solutions {n} --format svg"))), expected, "n = {n}");
    }
}

/// Here nothing of the program reads what it wrote.
#[test]
fn numbers_and_json_hold_the_same_boards() {
    let from_one = |board| Vec::from(board).into_iter().map(|column: u32| column + 1).collect();
    let expected: Vec<Vec<u32>> = nqueens::solutions(6).unwrap().map(from_one).collect();
    let written = |format: &str| answer(Path::new("."), &format!("solutions 6 --format {format}"));
    let numbers = |line: &str| line.split(' ').map(|number| number.parse().unwrap()).collect();
    assert_eq!(written("columns").lines().map(numbers).collect::<Vec<Vec<u32>>>(), expected);
    let in_json = |line: &str| {
        let board: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(board["size"], 6);
        serde_json::from_value(board["columns"].clone()).unwrap()
    };
    assert_eq!(written("json").lines().map(in_json).collect::<Vec<Vec<u32>>>(), expected);
}

#[test]
fn a_file_that_ends_in_svg_is_a_picture_unless_another_format_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (line, begins) in [
        ("solutions 6 --out a.svg", "<?xml"),
        ("solutions 6 --out A.SVG", "<?xml"),
        ("solutions 6 --out a.txt", "#Q####\n"),
        ("solutions 6 --out a", "#Q####\n"),
        ("solutions 6 --format columns --out a.6x6", "2 4 6 1 3 5\n"),
        ("solutions 6 --format columns --out a.svg", "2 4 6 1 3 5\n"),
        ("trace 4 --step 3 --out a.svg", "<?xml"),
    ] {
        answer(folder.path(), line);
        let written = std::fs::read_to_string(folder.path().join(line.rsplit(' ').next().unwrap())).unwrap();
        assert!(written.starts_with(begins), "{line}: {written}");
    }
}

#[test]
fn a_picture_that_cannot_be_made_is_an_error_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for (line, status, why) in [
        ("trace 4 --step 3 --out a.png", 2, "the picture is SVG: give a name that ends in .svg\n"),
        ("solutions 2 --out a.svg", 1, "no picture was made: there are no solutions for n = 2\n"),
        (
            "solutions 6 --symmetry quarter-turn --format svg",
            1,
            "no picture was made: there are no such solutions for n = 6\n",
        ),
        ("solutions 6 --limit 0 --out a.svg", 1, "no picture was made: --limit 0 asks for no board\n"),
    ] {
        let ended = run(&mut typed(folder.path(), line));
        ended.expect(status, why);
        assert_eq!(ended.stdout, "", "{line}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "{line}");
    }
}

/// Makes each picture again whose command a page shows, and holds it against the one that is shown; how many there are.
#[cfg(unix)]
pub(crate) fn pictures_made_again(page: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let again = folder.path().join("again.svg");
    let mut made = 0;
    for command in page.split('`').filter_map(|code| code.strip_prefix("nqueens ")) {
        let Some(word) = command.split(' ').find(|word| word.ends_with(".svg")) else { continue };
        // A reader who types the command of docs/learn.md gets a file of this name beside him.
        let places = [Path::new(word).to_owned(), Path::new("docs/learn").join(word)];
        let mut places =
            places.iter().filter(|place| place.starts_with("docs")).map(|place| Path::new(PROJECT).join(place));
        let Some(picture) = places.find(|place| place.exists()) else { continue };
        answer(Path::new(PROJECT), &command.replace(word, again.to_str().unwrap()));
        let [shown, svg] = [&picture, &again].map(|file| std::fs::read_to_string(file).unwrap());
        assert!(svg == shown, "'{command}' makes another picture than the one shown: run it again and look at it");
        made += 1;
    }
    made
}
