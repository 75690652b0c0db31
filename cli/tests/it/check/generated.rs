//! Boards in many forms, some of them damaged, made from a seed. What `check` says of them is compared with what was made.
//! Nothing here shares code with the reader.

use std::fmt::Write as _;

use nqueens::internal::SplitMix64;

use crate::program::{fed, typed};

/// How a text is written.
struct Style {
    queen: &'static str,
    empty: &'static str,
    between: &'static str,
    base: u32,
    label: usize,
}

/// What a text holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Truth {
    /// Solutions only.
    Right,
    /// A board is no solution, or lacks a part.
    Wrong,
    /// A board has a part that nobody can read. The others are solutions.
    Unclear,
}

type Form = fn(&[u32], &Style) -> String;

fn cells(board: &[u32], style: &Style, between: &str) -> Vec<String> {
    let n = board.len() as u32;
    let cell = |is_queen: bool| if is_queen { style.queen } else { style.empty };
    board.iter().map(|queen| (0..n).map(|column| cell(column == *queen)).collect::<Vec<_>>().join(between)).collect()
}

fn list(board: &[u32], base: u32, between: &str) -> String {
    board.iter().map(|column| (column + base).to_string()).collect::<Vec<_>>().join(between)
}

fn each(board: &[u32], base: u32, between: &str, text: impl Fn(u32, u32) -> String) -> String {
    (base..).zip(board).map(|(row, column)| text(row, column + base)).collect::<Vec<_>>().join(between)
}

fn bits(board: &[u32], open: &str, between: &str, close: &str) -> String {
    let ones = Style { queen: "1", empty: "0", between: "", base: 0, label: 0 };
    let rows: Vec<String> = cells(board, &ones, between).into_iter().map(|row| format!("{open}{row}{close}")).collect();
    rows.join("\n")
}

/// Rows of cells with labels beside them, and perhaps a heading.
fn grid(board: &[u32], style: &Style) -> String {
    let n = board.len();
    let width = n.to_string().len();
    let pad = |text: String| format!("{text:>width$}");
    let rows = cells(board, style, &format!("{}{}", " ".repeat(width), ""));
    let count = |from: usize| (0..n).map(|at| pad((at + from).to_string())).collect::<Vec<_>>().join(" ");
    let gap = " ".repeat(width - 1);
    let row = |(at, cells): (usize, &String)| match style.label {
        1 => format!("{} {gap}{cells}", pad((at + 1).to_string())),
        2 => format!("{} {gap}{cells}", pad(at.to_string())),
        3 => format!("{} {gap}{cells} {}", pad((n - at).to_string()), n - at),
        4 => format!("{}| {gap}{cells}", pad((n - at).to_string())),
        5 => format!("Row {}: {cells}", at + 1),
        _ => cells.clone(),
    };
    let body = rows.iter().enumerate().map(row).collect::<Vec<_>>().join("\n");
    match style.label {
        2 => format!("{} {}\n{body}", " ".repeat(width), count(0)),
        3 => format!(
            "{body}\n{} {}",
            " ".repeat(width),
            ('a'..).take(n).map(|c| pad(c.to_string())).collect::<Vec<_>>().join(" ")
        ),
        _ => body,
    }
}

/// Forms with a mark for each queen.
const DRAWN: &[Form] = &[
    |board, style| cells(board, style, "").join("\n"),
    |board, style| cells(board, style, " ").join("\n"),
    |board, style| cells(board, style, style.between).join("\n"),
    grid,
    |board, style| format!("|{}|", cells(board, style, "|").join("|\n|")),
    |board, style| format!("| {} |", cells(board, style, " | ").join(" |\n| ")),
    |board, style| {
        let ruler = format!("\n+{}\n", "---+".repeat(board.len()));
        format!("{ruler}| {} |{ruler}", cells(board, style, " | ").join(&format!(" |{ruler}| "))).trim().to_owned()
    },
    |board, style| format!("[{}]", cells(board, style, "][").join("]\n[")),
    |board, style| format!("[\"{}\"]", cells(board, style, "").join("\", \"")),
    |board, style| format!("['{}']", cells(board, style, "").join("',\n '")),
    |board, style| format!("[['{}']]", cells(board, style, "', '").join("'],\n ['")),
    |board, style| cells(board, &Style { empty: "", ..*style }, ",").join("\n"),
    |board, style| {
        cells(board, &Style { empty: " ", ..*style }, "|")
            .iter()
            .map(|row| format!("|{row}|"))
            .collect::<Vec<_>>()
            .join("\n")
    },
    |board, _| bits(board, "", "", ""),
    |board, _| bits(board, "  ", "   ", ""),
    |board, _| format!("[{}]", bits(board, "[", " ", "]").replace('\n', "\n ")),
    |board, _| format!("[{}]", bits(board, "[", ", ", "]").replace('\n', ", ")),
    |board, _| format!("[{}]", bits(board, "", " ", "").replace('\n', "; ")),
    |board, _| {
        format!("Matrix({})", bits(board, "[", ", ", "]").replace('\n', ", "))
            .replacen('(', "([", 1)
            .replacen(')', "])", 1)
    },
];

/// Forms with a number for each queen. The last number is a column.
const COUNTED: &[Form] = &[
    |board, style| list(board, style.base, " "),
    |board, style| list(board, style.base, ", "),
    |board, style| list(board, style.base, ";"),
    |board, style| format!("Solution 1: {}", list(board, style.base, " ")),
    |board, style| format!("[1] {}", list(board, style.base, " ")),
    |board, style| format!("[{}]", list(board, style.base, ", ")),
    |board, style| format!("[{}]", list(board, style.base, " ")),
    |board, style| format!("({})", list(board, style.base, ", ")),
    |board, style| format!("Qs = [{}] ;", list(board, style.base, ",")),
    |board, style| format!("{{\"size\":{},\"columns\":[{}]}}", board.len(), list(board, style.base, ",")),
    |board, style| format!("array([{}])", list(board, style.base, ", ")),
    |board, style| format!("[\n  {}\n]", list(board, style.base, ",\n  ")),
    |board, style| format!("\n{}\n", list(board, style.base, "\n")),
    |board, style| each(board, style.base, " ", |row, column| format!("({row}, {column})")),
    |board, style| format!("[{}]", each(board, style.base, ", ", |row, column| format!("({row}, {column})"))),
    |board, style| format!("\n{}\n", each(board, style.base, "\n", |row, column| format!("{row} {column}"))),
    |board, style| format!("\n{}\n", each(board, style.base, "\n", |row, column| format!("Q_{row} = {column}"))),
    |board, style| {
        format!("\n{}\n", each(board, style.base, "\n", |row, column| format!("Queen {row} at column {column}")))
    },
    |board, style| each(board, style.base, " ", |row, column| format!("queen({row},{column})")),
    |board, style| format!("{{{}}}", each(board, style.base, ", ", |row, column| format!("{row}: {column}"))),
    |board, style| {
        format!("[{}]", each(board, style.base, ", ", |row, column| format!("{{\"row\": {row}, \"col\": {column}}}")))
    },
    |board, _| each(board, 1, " ", |row, column| format!("{}{row}", char::from(b'a' + column as u8 - 1))),
    |board, _| {
        let n = board.len() as u32;
        let run = |count: u32| if count == 0 { String::new() } else { count.to_string() };
        each(board, 0, "/", |_, column| format!("{}Q{}", run(column), run(n - 1 - column)))
    },
    |board, _| {
        let n = board.len() as u32;
        let literal =
            |at: u32| if board[(at / n) as usize] == at % n { format!("{}", at + 1) } else { format!("-{}", at + 1) };
        format!("\nv {} 0\n", (0..n * n).map(literal).collect::<Vec<_>>().join(" "))
    },
    |board, style| {
        format!(
            "Array\n(\n{}\n)",
            each(board, 0, "\n", |row, column| format!("    [{row}] => {}", column + style.base))
        )
    },
];

/// Headings before a board. Some have an empty line after them.
const HEADINGS: &[&str] = &[
    "",
    "",
    "Solution:\n",
    "Found a solution in 3 ms\n",
    "=====\n",
    "Board #1\n\n",
    "n = 8, 92 solutions\n\n",
    "-- next --\n\n",
];

const ALPHABETS: &[(&str, &str)] = &[
    ("Q", "."),
    ("Q", "-"),
    ("Q", "_"),
    ("Q", "#"),
    ("Q", "0"),
    ("1", "0"),
    ("X", "."),
    ("*", "."),
    ("♛", "·"),
    ("♕", "□"),
    ("👑", "⬜"),
    ("R", "-"),
    ("q", "o"),
];

/// A solution.
fn solution(random: &mut SplitMix64) -> Vec<u32> {
    let n = 4 + random.below(9);
    let skipped = random.below(if n < 5 {
        2
    } else if n < 7 {
        4
    } else {
        40
    });
    Vec::from(nqueens::solutions(n).unwrap().nth(skipped).unwrap())
}

fn is_solution(board: &[u32]) -> bool {
    (0..board.len()).all(|low| {
        (0..low).all(|high| board[low] != board[high] && board[low].abs_diff(board[high]) as usize != low - high)
    })
}

/// Makes a text, and says what it holds.
fn text(random: &mut SplitMix64) -> (String, Truth) {
    let place = random.below(DRAWN.len() + COUNTED.len());
    let (is_drawn, form) = (place < DRAWN.len(), *DRAWN.iter().chain(COUNTED).nth(place).unwrap());
    let (queen, empty) = ALPHABETS[random.below(ALPHABETS.len())];
    let between = [" ", ",", ", ", ";", "\t", "  "][random.below(6)];
    let style = Style { queen, empty, between, base: random.below(2) as u32, label: random.below(6) };
    let count = 1 + random.below(3);
    let harmed = (random.below(2) == 0).then(|| random.below(count));
    let same = solution(random);
    let (mut text, mut truth) = (String::new(), Truth::Right);
    let (heading, gap) = (HEADINGS[random.below(HEADINGS.len())], ["\n", "\n\n"][random.below(2)]);
    for at in 0..count {
        let mut board = if random.below(4) == 0 { solution(random) } else { same.clone() };
        let is_harmed = harmed == Some(at);
        let harm = random.below(5);
        while is_harmed && harm < 3 && is_solution(&board) {
            let (one, two) = (random.below(board.len()), random.below(board.len()));
            if harm < 2 {
                board.swap(one, two)
            } else {
                board[one] = board[two]
            }
            truth = Truth::Wrong;
        }
        let mut written = form(&board, &style);
        if is_harmed && harm >= 3 {
            (written, truth) =
                harm_text(&written, queen.chars().next().filter(|_| is_drawn), is_drawn && harm == 3, random);
        }
        let _ = write!(text, "{heading}{written}{gap}");
    }
    (text, truth)
}

/// Leaves out a line, or makes the last queen unreadable. `queen` is its sign.
fn harm_text(written: &str, queen: Option<char>, is_cut: bool, random: &mut SplitMix64) -> (String, Truth) {
    let is_mark =
        |c: char| queen.map_or(c.is_ascii_digit(), |queen| c == queen || c == '1' && !written.contains(queen));
    let lines: Vec<&str> = written.lines().collect();
    let marked: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains(is_mark)).collect();
    if is_cut && marked.len() > 3 {
        let gone = marked[1 + random.below(marked.len() - 2)];
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| *line);
        return (kept.collect::<Vec<_>>().join("\n"), Truth::Wrong);
    }
    let (place, mark) = written.char_indices().rfind(|(_, c)| is_mark(*c)).unwrap();
    let after = &written[place + mark.len_utf8()..];
    (format!("{}{}{after}", &written[..place], ["?", "None", "..."][random.below(3)]), Truth::Unclear)
}

/// Makes texts, and reads many of them with one call of the program.
fn read_generated(count: usize, seed: u64) {
    let mut random = SplitMix64::new(seed);
    let (mut rights, mut read, mut mistakes) = (0, 0, Vec::new());
    for _ in 0..count.div_ceil(500) {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<(String, Truth)> = (0..500).map(|_| text(&mut random)).collect();
        let mut command = typed(folder.path(), "check");
        for (at, (text, _)) in texts.iter().enumerate() {
            let name = format!("t{at}");
            std::fs::write(folder.path().join(&name), text).unwrap();
            command.arg(name);
        }
        let said = fed(&mut command, b"").stdout;
        let mut states = vec![1; texts.len()];
        for line in said.lines() {
            let (_, place) = line.split_once("(t").expect(line);
            let state = &mut states[place.split_once(',').expect(line).0.parse::<usize>().expect(line)];
            *state = match line {
                _ if line.contains(": no solution") => 3,
                _ if line.starts_with("not understood") => i32::max(*state, 2),
                _ if *state == 1 => 0,
                _ => *state,
            };
        }
        for ((text, truth), state) in texts.iter().zip(states) {
            let is_mistake = match truth {
                Truth::Right => state == 3,
                Truth::Wrong => state == 0,
                Truth::Unclear => state == 0 || state == 3,
            };
            rights += usize::from(*truth == Truth::Right);
            read += usize::from(*truth == Truth::Right && state == 0);
            if is_mistake {
                mistakes.push(format!("{truth:?} {state}\n{text}"));
            }
        }
    }
    assert!(
        mistakes.is_empty(),
        "{} mistakes of {count}:\n{}",
        mistakes.len(),
        mistakes[..mistakes.len().min(8)].join("\n")
    );
    assert!(10 * read > 8 * rights, "{read} of {rights} right texts are read");
}

#[test]
fn no_generated_board_is_accused_or_passes_wrongly() {
    read_generated(3_000, 60);
}

#[test]
#[ignore = "takes minutes"]
fn no_generated_board_of_many_is_accused_or_passes_wrongly() {
    read_generated(100_000, 61);
}
