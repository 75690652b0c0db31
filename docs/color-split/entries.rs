//! Computes how large an entry of the color split's table can be, and how many placements a color has: the figures of
//! `src/color/proof.md`, without any code of the solver.
//!
//! ```text
//! rustc --edition 2024 -O docs/color-split/entries.rs
//! ./entries most 8 16 16            # M(8; 16 x 16): every placement on every 8 rows, minutes
//! ./entries pairs 26 white 65535    # counts every entry whose product of M's passes 65535
//! ./entries climb 32 white 40       # looks for large entries for 40 seconds
//! ./entries entry 32 white f00f c663 c663 f00f
//! ./entries white 22 10000000       # white placements, estimated; with 0, counted
//! ```
//!
//! Rows and columns are numbered from 0 here, and from 1 in proof.md if n is odd. For odd n, the arguments `E O F G` of
//! `entry`, and those that `climb` prints, are therefore the sets O, E, G and F of that page.
//!
//! Without arguments, it checks the entries of n = 29 to 32 that proof.md names, and the smaller values of M
//! there.

use std::error::Error;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => check(),
        ["most", queens, rows, columns] => {
            let board = SubBoard { rows: rows.parse()?, columns: columns.parse()?, half_step: [0, 0] };
            if board.rows > 16 || board.columns > 16 {
                return Err("a sub-board has at most 16 rows and columns".into());
            }
            let (most, rows, columns) = most(board, queens.parse()?);
            println!("{most} placements on rows {rows:x}, columns {columns:x}");
            Ok(())
        }
        ["pairs", n, color, limit] => pairs(&Color::new(n.parse()?, color)?, limit.parse()?),
        ["climb", n, color, seconds] => {
            climb(&Color::new(n.parse()?, color)?, Duration::from_secs(seconds.parse()?));
            Ok(())
        }
        ["entry", n, color, e, o, f, g] => {
            let color = Color::new(n.parse()?, color)?;
            let [e, o, f, g] = [e, o, f, g].map(|set| u32::from_str_radix(set, 16));
            println!("{}", color.entry([e?, o?], [f?, g?]));
            Ok(())
        }
        ["white", n, "0"] => {
            println!("{}", white(n.parse()?, 0, Queens::default()));
            Ok(())
        }
        ["white", n, walks] => {
            let (mean, error) = white_estimated(n.parse()?, walks.parse()?);
            println!("{mean:.3e}, standard error {error:.1e}");
            Ok(())
        }
        _ => Err("see the head of entries.rs".into()),
    }
}

/// Checks entries and bounds that proof.md names.
fn check() -> Result<()> {
    let entries = [
        (29, "black", [0x7807, 0x25a9], [0x2333, 0x7807], 15_270),
        (30, "white", [0x700f, 0x7807], [0x4555, 0x5551], 23_465),
        (31, "white", [0xf00f, 0x4663], [0xc663, 0x7807], 56_728),
        (32, "white", [0xaaa5, 0x45b3], [0xf00f, 0xf00f], 103_074),
    ];
    for (n, color, rows, columns, entry) in entries {
        let found = Color::new(n, color)?.entry(rows, columns);
        assert_eq!(found, entry, "n = {n}");
        println!("n = {n}: an entry of {found}");
    }
    for (queens, size, expected) in [(4, 8, 16), (5, 10, 53), (5, 11, 64), (6, 12, 258)] {
        let (most, ..) = most(SubBoard { rows: size, columns: size, half_step: [0, 0] }, queens);
        assert_eq!(most, expected);
        println!("{queens} queens, {size} x {size}: at most {most} placements on the same rows and columns");
    }
    assert_eq!(white(12, 0, Queens::default()), 99_507);
    Ok(())
}

/// A sub-board: the rows of one parity and the columns of one parity.
#[derive(Clone, Copy)]
struct SubBoard {
    rows: usize,
    columns: usize,
    /// Offsets that align its diagonals and antidiagonals with the lines of the color's other sub-board.
    half_step: [usize; 2],
}

impl SubBoard {
    /// The bits of a queen's diagonal and antidiagonal.
    fn lines(self, row: usize, column: usize) -> u64 {
        1 << (16 + column - row - self.half_step[0]) | 1 << (32 + row + column + self.half_step[1])
    }

    /// Calls `visit` with the columns and the lines of each placement on these rows that uses only `columns`.
    fn place(self, rows: &[usize], columns: u32, taken: u32, lines: u64, visit: &mut impl FnMut(u32, u64)) {
        let Some((&row, rest)) = rows.split_first() else {
            return visit(taken, lines);
        };
        for column in (0..self.columns).filter(|column| columns & !taken & 1 << column != 0) {
            let queen = self.lines(row, column);
            if lines & queen == 0 {
                self.place(rest, columns, taken | 1 << column, lines | queen, visit);
            }
        }
    }

    /// The lines of the placements on exactly these rows and columns.
    fn placements(self, rows: u32, columns: u32) -> Vec<u64> {
        let mut found = Vec::new();
        self.place(&elements(rows), columns, 0, 0, &mut |_, lines| found.push(lines));
        found
    }

    /// Counts the placements on these rows by column set.
    fn by_columns(self, rows: u32, counts: &mut Vec<u32>) {
        counts.clear();
        counts.resize(1 << self.columns, 0);
        self.place(&elements(rows), u32::MAX, 0, 0, &mut |columns, _| counts[columns as usize] += 1);
    }
}

fn elements(set: u32) -> Vec<usize> {
    (0..32).filter(|i| set >> i & 1 == 1).collect()
}

fn subsets(size: usize, count: u32) -> impl Iterator<Item = u32> {
    (0..1u32 << size).filter(move |set| set.count_ones() == count)
}

/// The largest number of placements of `queens` queens on the same rows and columns, and these rows and columns.
fn most(board: SubBoard, queens: u32) -> (u32, u32, u32) {
    let mut counts = Vec::new();
    let mut best = (0, 0, 0);
    // A set of rows and its reversal have equally many placements.
    for rows in subsets(board.rows, queens).filter(|rows| rows.reverse_bits() >> (32 - board.rows) >= *rows) {
        board.by_columns(rows, &mut counts);
        for (columns, &count) in (0..).zip(&counts) {
            if count > best.0 {
                best = (count, rows, columns);
            }
        }
    }
    best
}

/// The color that fills the table, in the class in which it has the most queens.
struct Color {
    /// The sub-board of the even rows and the sub-board of the odd rows.
    boards: [SubBoard; 2],
    queens: [u32; 2],
}

impl Color {
    fn new(n: usize, color: &str) -> Result<Self> {
        if !(4..=32).contains(&n) {
            return Err("n is 4 to 32".into());
        }
        let (evens, odds) = (n.div_ceil(2), n / 2);
        let (white, odd) = ((odds as u32).div_ceil(2), (n % 2) as u32);
        let board = |rows, columns, half_step| SubBoard { rows, columns, half_step };
        match color {
            "white" if odd == 0 => Ok(Self {
                boards: [board(evens, evens, [0, 0]), board(odds, odds, [0, 1])],
                queens: [evens as u32 / 2; 2],
            }),
            "white" => Ok(Self {
                boards: [board(evens, evens, [0, 0]), board(odds, odds, [0, 1])],
                queens: [white, white - 1],
            }),
            "black" if odd == 1 => Ok(Self {
                boards: [board(evens, odds, [0, 0]), board(odds, evens, [1, 0])],
                queens: [evens as u32 - white - 1; 2],
            }),
            _ => Err("the color that fills is white, or black where n is odd".into()),
        }
    }

    fn entry(&self, rows: [u32; 2], columns: [u32; 2]) -> u64 {
        let lists: Vec<Vec<u64>> = (0..2).map(|i| self.boards[i].placements(rows[i], columns[i])).collect();
        fitting(&lists[0], &lists[1])
    }
}

/// The number of pairs of placements that share no line.
fn fitting(some: &[u64], others: &[u64]) -> u64 {
    let of_one = |one: &u64| others.iter().map(|other| u32::from(one & other == 0)).sum::<u32>();
    some.iter().map(|one| u64::from(of_one(one))).sum()
}

/// Prints the largest of the entries whose two sub-boards have more than `limit` pairs of placements.
fn pairs(color: &Color, limit: u32) -> Result<()> {
    let [first, second] = [0, 1].map(|i| {
        let (board, mut counts, mut all) = (color.boards[i], Vec::new(), Vec::new());
        for rows in subsets(board.rows, color.queens[i]) {
            board.by_columns(rows, &mut counts);
            all.extend((0..).zip(&counts).filter(|(_, count)| **count > 0).map(|(columns, &c)| (c, rows, columns)));
        }
        all.sort_unstable();
        all.reverse();
        all
    });
    let (Some(&(most, ..)), Some(&(of_second, ..))) = (first.first(), second.first()) else {
        return Err("there is no placement".into());
    };
    println!("products are at most {most} * {of_second} = {}", u64::from(most) * u64::from(of_second));
    let heavy = |count: u32, others: &[(u32, u32, u32)]| others.partition_point(|other| count * other.0 > limit);
    let lists = |board: SubBoard, some: &[(u32, u32, u32)]| -> Vec<Vec<u64>> {
        some.iter().map(|&(_, rows, columns)| board.placements(rows, columns)).collect()
    };
    let firsts = lists(color.boards[0], &first[..heavy(of_second, &first)]);
    let seconds = lists(color.boards[1], &second[..heavy(most, &second)]);
    let (mut counted, mut largest) = (0, 0);
    for (one, &(count, ..)) in firsts.iter().zip(&first) {
        for other in &seconds[..heavy(count, &second)] {
            counted += 1;
            largest = largest.max(fitting(one, other));
        }
    }
    println!("{counted} products above {limit}: the largest entry among them is {largest}");
    Ok(())
}

/// Searches for large entries by simulated annealing, again and again, from random sets.
fn climb(color: &Color, time: Duration) {
    let (mut random, begun, mut best) = (Random(1), Instant::now(), 0);
    let sizes = color.boards.map(|board| [board.rows, board.columns]);
    while begun.elapsed() < time {
        let mut sets = [0, 1].map(|i| sizes[i].map(|size| random.subset(size, color.queens[i])));
        let list = |i: usize, sets: [u32; 2]| color.boards[i].placements(sets[0], sets[1]);
        let mut lists = [list(0, sets[0]), list(1, sets[1])];
        let (mut entry, mut failures, mut temperature) = (0, 0, 0.25f64);
        while failures < 500 && begun.elapsed() < time {
            let (board, axis) = (random.below(2), random.below(2));
            let mut tried = sets[board];
            let (inside, outside) = (elements(tried[axis]), elements(!tried[axis] & ((1 << sizes[board][axis]) - 1)));
            tried[axis] ^= 1 << inside[random.below(inside.len())] | 1 << outside[random.below(outside.len())];
            let changed = list(board, tried);
            let found = fitting(&changed, &lists[1 - board]);
            failures = if found > entry { 0 } else { failures + 1 };
            temperature *= 0.997;
            let ratio = found.max(1) as f64 / entry.max(1) as f64;
            if ratio.ln() >= temperature * random.share().ln() {
                (sets[board], lists[board], entry) = (tried, changed, found);
            }
            if entry > best {
                best = entry;
                let [[e, f], [o, g]] = sets;
                println!("{best}: E = {e:x}, O = {o:x}; F = {f:x}, G = {g:x}");
            }
        }
    }
}

/// White queens on the first rows of the whole board.
#[derive(Clone, Copy, Default)]
struct Queens {
    columns: u64,
    lines: [u128; 2],
    /// The number of even rows with a queen, minus the number of odd rows with one.
    surplus: i32,
}

impl Queens {
    fn with(self, row: usize, column: usize) -> Self {
        Self {
            columns: self.columns | 1 << column,
            lines: [self.lines[0] | 1 << (64 + column - row), self.lines[1] | 1 << (column + row)],
            surplus: self.surplus + if row.is_multiple_of(2) { 1 } else { -1 },
        }
    }

    fn free(self, n: usize, row: usize) -> impl Iterator<Item = usize> {
        (row % 2..n).step_by(2).filter(move |column| {
            let lines = self.lines[0] >> (64 + column - row) | self.lines[1] >> (column + row);
            self.columns >> column & 1 == 0 && lines & 1 == 0
        })
    }

    fn is_of_a_class(self, n: usize) -> bool {
        self.surplus == (n % 2) as i32
    }
}

/// The number of white placements over all colorings of rows and columns, from this row on.
fn white(n: usize, row: usize, queens: Queens) -> u64 {
    if row == n {
        return u64::from(queens.is_of_a_class(n));
    }
    let placed: u64 = queens.free(n, row).map(|column| white(n, row + 1, queens.with(row, column))).sum();
    placed + white(n, row + 1, queens)
}

/// An estimate of what [`white`] counts, by random walks down the tree (Knuth 1975), and its standard error.
fn white_estimated(n: usize, walks: u64) -> (f64, f64) {
    let (mut random, mut sum, mut squares) = (Random(n as u64), 0.0, 0.0);
    for _ in 0..walks {
        let (mut queens, mut weight) = (Queens::default(), 1.0);
        for row in 0..n {
            let choices = queens.free(n, row).count() + 1;
            weight *= choices as f64;
            if let Some(column) = queens.free(n, row).nth(random.below(choices)) {
                queens = queens.with(row, column);
            }
        }
        let found = if queens.is_of_a_class(n) { weight } else { 0.0 };
        sum += found;
        squares += found * found;
    }
    let mean = sum / walks as f64;
    (mean, ((squares / walks as f64 - mean * mean) / walks as f64).sqrt())
}

/// Random numbers, by SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A random number above 0 and at most 1.
    fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn subset(&mut self, size: usize, count: u32) -> u32 {
        let mut set = 0u32;
        while set.count_ones() < count {
            set |= 1 << self.below(size);
        }
        set
    }
}
