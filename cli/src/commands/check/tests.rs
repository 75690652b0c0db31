//! Tests with generated texts, whose correct verdicts are known because the tests made the boards. This file shares no
//! code with the parsers.

use std::iter::repeat_n;

use nqueens::board::Board;
use nqueens::internal::SplitMix64;
use proptest::prelude::*;

use super::reader::Reader;

/// Returns the numbers of solutions and of wrong boards that `check` reports in a text, and whether it read all of it.
fn read(text: &str) -> (usize, usize, bool) {
    let mut reader = Reader::default();
    let mut right = 0;
    let mut wrong = 0;
    for line in text.lines().map(Some).chain([None]) {
        let verdicts = match line {
            Some(line) => reader.read_line(line),
            None => reader.finish(),
        };
        let Ok(verdicts) = verdicts else { return (right, wrong, false) };
        let certain = verdicts.iter().filter(|(_, verdict)| verdict.is_ok()).count();
        (right, wrong) = (right + certain, wrong + verdicts.len() - certain);
    }
    (right, wrong, true)
}

struct Maker(SplitMix64);

impl Maker {
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.below(choices.len())]
    }

    /// Returns a board as columns from 0, and whether it is a solution. Wrong boards are like those of wrong programs:
    /// two queens exchanged or one moved, or queens in order, in one column, or anywhere.
    fn board(&mut self, solutions: &[Vec<Vec<usize>>]) -> (Vec<usize>, bool) {
        let of_size = &solutions[self.0.below(solutions.len())];
        let mut board = of_size[self.0.below(of_size.len())].clone();
        let n = board.len();
        let one = self.0.below(board.len());
        match self.0.below(15) {
            0..10 => {}
            10 => board.swap(one, (one + 1) % n),
            11 => board[one] = (board[one] + 1 + self.0.below(n - 1)) % n,
            12 => board = (0..n).collect(),
            13 => board = vec![one; n],
            _ => board = (0..n).map(|_| self.0.below(n)).collect(),
        }
        let attack = |i: usize, j: usize| board[i] == board[j] || board[i].abs_diff(board[j]) == j - i;
        let is_right = (0..n).all(|j| (0..j).all(|i| !attack(i, j)));
        (board, is_right)
    }

    /// Returns a board as programs print it. All boards of a text have one `style`.
    fn text(&mut self, board: &[usize], style: usize) -> String {
        let n = board.len();
        let list = |base: usize, between: &str| -> String {
            board.iter().map(|column| (column + base).to_string()).collect::<Vec<_>>().join(between)
        };
        let grid = |queen: &str, empty: &str, between: &str| -> Vec<String> {
            let row = |&column: &usize| {
                (0..n).map(|at| if at == column { queen } else { empty }).collect::<Vec<_>>().join(between)
            };
            board.iter().map(row).collect()
        };
        let nested = |rows: Vec<String>, marks: [&str; 2], between: &str| {
            let rows: Vec<String> = rows.iter().map(|row| format!("{}{row}{}", marks[0], marks[1])).collect();
            format!("[{}]", rows.join(between))
        };
        let digits = |empty: usize| if empty == 0 { String::new() } else { empty.to_string() };
        match style {
            0 => list(1, " "),
            1 => list(0, ", "),
            2 => format!("[{}]", list(0, ", ")),
            3 => format!("({})", list(1, " ")),
            4 => list(1, ";"),
            5 => format!("[{}]", list(0, ", ").replacen(", ", ",\n  ", n / 2)),
            6 => format!("array([{}])", list(0, ", ")),
            7 => format!("Solution {}: {}", self.0.below(99), list(1, " ")),
            8 => format!("Solution [{}]", list(0, ", ")),
            9 => format!("queens = [{}];", list(1, ", ")),
            10 => format!("{{\"schema\":1,\"size\":{n},\"columns\":[{}]}}", list(1, ",")),
            11 => grid("Q", ".", "").join("\n"),
            12 => grid("Q", ".", " ").join("\n"),
            13 => grid("1", "0", " ").join("\n"),
            14 => grid("X", "_", "").join("\n"),
            15 => grid("♛\u{fe0f}", "·", "\t").join(" \r\n"),
            16 => grid("Q", "x", "").join("\n"),
            17 => nested(grid("Q", ".", ""), ["\"", "\""], ","),
            18 => nested(grid("1", "0", ", "), ["[", "]"], ",\n "),
            19 => nested(grid("'Q'", "'.'", ", "), ["[", "]"], ", "),
            20 => nested(grid("True", "False", ", "), ["[", "]"], ",\n "),
            21 => nested(grid("1", "0", " "), ["", ""], "; "),
            22 => format!("[{}]", nested(grid("Q", ".", ""), ["\"", "\""], ",")),
            23 => grid("TRUE", "FALSE", ";").join("\n"),
            _ => board.iter().map(|&c| format!("{}Q{}", digits(c), digits(n - 1 - c))).collect::<Vec<_>>().join("/"),
        }
    }

    /// Adds to the text of a board without changing whether the board is a solution.
    fn decorated(&mut self, text: &str, n: usize, number: usize) -> String {
        let numbers = |from: usize| (from..from + n).map(|at| at.to_string()).collect::<Vec<_>>().join(" ");
        let (up, down): (Vec<String>, Vec<String>) = text
            .lines()
            .enumerate()
            .map(|(at, line)| (format!("{} {line}", at + 1), format!("{} {line}", n - at % n)))
            .unzip();
        let scores = repeat_n((), n).map(|()| self.0.below(4).to_string()).collect::<Vec<_>>();
        match self.0.below(24) {
            0 => format!("{}\n{text}", numbers(1)),
            1 => format!("{n}\n{text}"),
            2 => format!("{number} {text}"),
            3 => format!("{text} {number}"),
            4 => up.join("\n"),
            5 => text.lines().map(|line| format!("| {line} |\n")).collect(),
            6 => format!("{n} {number}\n{text}"),
            7 => format!("  {}\n{text}", numbers(0)),
            8 => format!("row {}\ncol {text}", numbers(0)),
            9 => format!("{text}\n{text}"),
            10 => text.replace('\n', "\n\n"),
            11 => format!("{number}. {text}"),
            12 => format!("{text}\nconflicts: {}", scores.join(" ")),
            13 => text.lines().map(|line| format!("{line}  {line}\n")).collect(),
            14 => format!("[{text}"),
            15 => format!("nodes {number} {text}"),
            16 => down.join("\n"),
            17 => format!("({}), {text}", numbers(0)),
            18 => format!("Domains: [{}]\n{text}", scores.join(", ")),
            19 => format!("{text}\n[{}]", numbers(1)),
            20 => format!("{text} 0"),
            21 => format!("{n} {text} {number}"),
            22 => format!("{number} | {text} | 0"),
            _ => text.lines().enumerate().map(|(at, line)| format!("Row {at}: {line}\n")).collect(),
        }
    }
}

const STYLES: usize = 25;

const PROSE: [&str; 9] = [
    "Solution 7:\n",
    "Board 3\n",
    "Found one\n",
    "Total: 2 solutions in 0.5 s (3 nodes)\n",
    "(2057 nodes, 1965 backtracks) after 12 ms\n",
    "True\n",
    "",
    "",
    "",
];

/// Checks texts of one to three boards in one style, half of them with additions. No right text is called wrong, no
/// wrong text passes, all plain right texts are read, and most wrong ones are called wrong. `CHECK_TEXTS` sets the
/// number of texts.
#[test]
fn no_generated_text_is_misjudged() {
    let texts: u64 = std::env::var("CHECK_TEXTS").map_or(4000, |texts| texts.parse().unwrap());
    let columns = |board: Board| board.columns().iter().map(|&column| column as usize).collect();
    let of = |n| nqueens::solutions(n).unwrap().take(90).map(columns).collect();
    let solutions: Vec<Vec<Vec<usize>>> = [4, 5, 6, 7, 8, 9, 10, 12].into_iter().map(of).collect();
    let mut wrong_plain = 0;
    let mut wrong_plain_read = 0;
    for seed in 0..texts {
        let mut maker = Maker(SplitMix64::new(seed));
        let style = maker.0.below(STYLES);
        let is_plain = maker.0.below(2) == 0;
        let mut text = String::new();
        let mut right = 0;
        let mut wrong = 0;
        for number in 1..=1 + maker.0.below(3) {
            let (board, is_right) = maker.board(&solutions);
            *if is_right { &mut right } else { &mut wrong } += 1;
            let mut one = maker.text(&board, style);
            if !is_plain && maker.0.below(2) == 0 {
                one = maker.decorated(&one, board.len(), number);
            }
            let prose = maker.one_of(&PROSE);
            text += &format!("{prose}{one}\n{}", if style > 10 || maker.0.below(2) == 0 { "\n" } else { "" });
        }
        let (found_right, found_wrong, is_read) = read(&text);
        assert!(wrong > 0 || found_wrong == 0, "accused, seed {seed}:\n{text}");
        assert!(wrong == 0 || !is_read || found_wrong > 0, "passed, seed {seed}:\n{text}");
        if is_plain {
            assert!(!is_read || (found_right, found_wrong) == (right, wrong), "seed {seed}:\n{text}");
            assert!(is_read || wrong > 0, "not read, seed {seed}:\n{text}");
            wrong_plain += usize::from(wrong > 0);
            wrong_plain_read += usize::from(found_wrong > 0);
        }
    }
    assert!(wrong_plain_read * 100 > wrong_plain * 80, "{wrong_plain_read} of {wrong_plain}");
}

/// Adds letters to one of two boards, as in a damaged file. `check` may read or reject the board, but never skip it.
#[test]
fn no_board_vanishes() {
    let solutions: Vec<Vec<Vec<usize>>> = vec![vec![vec![1, 3, 0, 2], vec![2, 0, 3, 1]], vec![vec![0, 2, 4, 1, 3]]];
    for seed in 0..4000 {
        let mut maker = Maker(SplitMix64::new(seed));
        let style = maker.0.below(STYLES);
        let boards = [(); 2].map(|()| maker.board(&solutions).0);
        let [first, mut harmed] = boards.map(|board| maker.text(&board, style));
        let places: Vec<usize> = harmed.char_indices().map(|(at, _)| at).collect();
        harmed.insert_str(maker.one_of(&places), maker.one_of(&["x", "ab", "queen", " and ", "N-Queens", "-abc "]));
        let text = format!("{first}\n\n{harmed}\n");
        let (right, wrong, is_read) = read(&text);
        assert!(!is_read || right + wrong == 2, "vanished, seed {seed}:\n{text}");
    }
}

/// Cuts a line of JSON anywhere. `check` may read or reject the rest, but never skip it.
#[test]
fn no_cut_json_vanishes() {
    let json = r#"{"schema":1,"size":4,"columns":[2,4,1,3]}"#;
    for end in 1..=json.len() {
        let (right, wrong, is_read) = read(&format!("{json}\n{}\n", &json[..end]));
        assert!(!is_read || (right, wrong) == (2, 0), "{}", &json[..end]);
    }
}

proptest! {
    /// The reader judges or rejects any text without a panic.
    #[test]
    fn any_text_is_read_or_refused(text in "[Qq.x01 ,;|\\[\\](){}'\"/=:\n2-9a♛\\-\t\r\u{b}\u{c}\u{a0}\u{3000}]{0,60}") {
        read(&text);
    }
}
