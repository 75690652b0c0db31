//! Texts whose truth is known by how they were made. This file shares no code with the reader.

use nqueens::board::Board;
use nqueens::internal::SplitMix64;
use proptest::prelude::*;

use super::judge::Finding;
use super::read::Reader;

/// What `check` makes of a text: the number of solutions and of wrong boards, and whether all of it was read.
fn read(text: &str) -> (usize, usize, bool) {
    let mut reader = Reader::default();
    let is_read = text.lines().all(|line| reader.line(line).is_ok()) && reader.end().is_ok();
    let right = reader.found.iter().filter(|(_, finding)| matches!(finding, Finding::Solution(_))).count();
    (right, reader.found.len() - right, is_read)
}

struct Maker(SplitMix64);

impl Maker {
    /// A board as columns from 0, and whether it is a solution. A wrong one has two queens exchanged, or one moved.
    fn board(&mut self, solutions: &[Vec<Vec<usize>>]) -> (Vec<usize>, bool) {
        let of_size = &solutions[self.0.below(solutions.len())];
        let mut board = of_size[self.0.below(of_size.len())].clone();
        if self.0.below(3) > 0 {
            return (board, true);
        }
        let (n, one) = (board.len(), self.0.below(board.len()));
        if self.0.below(2) == 0 {
            let other = (one + 1 + self.0.below(n - 1)) % n;
            board.swap(one, other);
        } else {
            board[one] = (board[one] + 1 + self.0.below(n - 1)) % n;
        }
        let attack = |i: usize, j: usize| board[i] == board[j] || board[i].abs_diff(board[j]) == j - i;
        let is_right = (0..n).all(|j| (0..j).all(|i| !attack(i, j)));
        (board, is_right)
    }

    /// A board in one of the forms. `style` is the choice of a whole text.
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
        let nested = |rows: Vec<String>, quote: &str, between: &str| {
            let rows: Vec<String> = rows.iter().map(|row| format!("{quote}{row}{quote}")).collect();
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
            6 => grid("Q", ".", "").join("\n"),
            7 => grid("Q", ".", " ").join("\n"),
            8 => grid("1", "0", " ").join("\n"),
            9 => grid("X", "_", "").join("\n"),
            10 => nested(grid("Q", ".", ""), "\"", ","),
            11 => nested(grid("1", "0", ", ").iter().map(|row| format!("[{row}]")).collect(), "", ",\n "),
            12 => nested(grid("'Q'", "'.'", ", ").iter().map(|row| format!("[{row}]")).collect(), "", ", "),
            13 => grid("♛", "·", " ").join("\n"),
            14 => board.iter().map(|&c| format!("{}Q{}", digits(c), digits(n - 1 - c))).collect::<Vec<_>>().join("/"),
            15 => grid("Q", "x", "").join("\n"),
            16 => format!("{}]", list(0, ", ")).replacen("", "array([", 1) + ")",
            _ => format!("{{\"schema\":2,\"size\":{n},\"columns\":[{}]}}", list(1, ",")),
        }
    }

    /// Harms the form of a text, but not the truth of its boards.
    fn decorated(&mut self, text: String, n: usize, number: usize) -> String {
        let numbers = |from: usize| (from..from + n).map(|at| at.to_string()).collect::<Vec<_>>().join(" ");
        match self.0.below(16) {
            0 => format!("{}\n{text}", numbers(1)),
            1 => format!("{n}\n{text}"),
            2 => format!("{number} {text}"),
            3 => format!("{text} {number}"),
            4 => text.lines().enumerate().map(|(at, line)| format!("{} {line}\n", at + 1)).collect(),
            5 => text.lines().map(|line| format!("| {line} |\n")).collect(),
            6 => format!("{n} {number}\n{text}"),
            7 => format!("  {}\n{text}", numbers(0)),
            8 => format!("row {}\ncol {text}", numbers(0)),
            9 => format!("{text}\n{text}"),
            10 => text.replace('\n', "\n\n"),
            11 => format!("{number}. {text}"),
            12 => format!("{text}\nconflicts: {}", numbers(0)),
            13 => text.lines().map(|line| format!("{line}  {line}\n")).collect(),
            14 => format!("[{text}"),
            _ => format!("nodes {number} {text}"),
        }
    }
}

const STYLES: usize = 18;

/// Texts of one to three boards, half of them with something else beside the boards. None is misjudged, and nearly all plain ones
/// are read.
#[test]
fn no_generated_text_is_misjudged() {
    let texts: usize = std::env::var("CHECK_TEXTS").map_or(4000, |texts| texts.parse().unwrap());
    let columns = |board: Board| board.columns().iter().map(|&column| column as usize).collect();
    let of = |n| nqueens::solutions(n).unwrap().take(90).map(columns).collect();
    let solutions: Vec<Vec<Vec<usize>>> = [4, 5, 6, 7, 8, 9, 10, 12].into_iter().map(of).collect();
    let (mut plain, mut plain_read) = (0, 0);
    for seed in 0..texts as u64 {
        let mut maker = Maker(SplitMix64::new(seed));
        let (style, is_plain) = (maker.0.below(STYLES), maker.0.below(2) == 0);
        let (mut text, mut are_right, mut wrong) = (String::new(), true, 0);
        for number in 1..=1 + maker.0.below(3) {
            let (board, is_right) = maker.board(&solutions);
            are_right &= is_right;
            wrong += usize::from(!is_right);
            let mut one = maker.text(&board, style);
            if !is_plain && maker.0.below(2) == 0 {
                one = maker.decorated(one, board.len(), number);
            }
            let heading = ["", "", "Solution 7:\n", "Board 3\n", "Found one\n"][maker.0.below(5)];
            text += &format!("{heading}{one}\n{}", if style >= 6 || maker.0.below(2) == 0 { "\n" } else { "" });
        }
        let (_, found_wrong, is_read) = read(&text);
        assert!(!are_right || found_wrong == 0, "accused, seed {seed}:\n{text}");
        assert!(are_right || !is_read || found_wrong > 0, "passed, seed {seed}:\n{text}");
        if is_plain {
            plain += 1;
            plain_read += usize::from(is_read);
            assert!(!is_read || found_wrong == wrong, "seed {seed}:\n{text}");
        }
    }
    assert!(plain_read * 100 > plain * 85, "{plain_read} of {plain}");
}

proptest! {
    /// Whatever the letters are, the reader says something and ends.
    #[test]
    fn any_text_is_read_or_refused(text in "[Qq.x01 ,;|\\[\\](){}'\"/=:\n2-9a♛-]{0,60}") {
        read(&text);
    }
}
