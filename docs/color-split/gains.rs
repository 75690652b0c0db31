//! Measures what the identity and the symmetries in docs/color-split.md gain: counts the queens placed, for even n,
//! without vectors.
//!
//!     rustc --edition 2024 -O docs/color-split/gains.rs -o gains && ./gains 16
//!
//! Each line names a method and shows the queens placed, the placements found, the processor seconds (on Linux) and the
//! boards. The last lines show W(n), its ratio to the root of T Q, and the bound of this ratio. n = 16 takes 20
//! seconds, and n = 18 takes minutes.

use std::cmp::Ordering;

type Sets = (u32, u32);

/// Placements of one color by their columns, and the work to find them.
struct Found {
    by_columns: Vec<u32>,
    used: Vec<u32>,
    queens: u64,
    placements: u64,
}

struct Walk<'a> {
    rows: &'a [usize],
    n: usize,
    color: usize,
    keeps: &'a dyn Fn(u32) -> bool,
}

impl Walk<'_> {
    /// Places a queen on each row from number `at` on. `lines` holds the diagonals, then the antidiagonals.
    fn go(&self, at: usize, columns: u32, lines: u128, found: &mut Found) {
        if at == self.rows.len() {
            found.placements += 1;
            found.by_columns[columns as usize] += 1;
            if found.by_columns[columns as usize] == 1 {
                found.used.push(columns);
            }
            return;
        }
        let row = self.rows[at];
        for column in ((row + self.color) % 2..self.n).step_by(2) {
            let queen = 1u128 << (row + self.n - column) | 1u128 << (64 + row + column);
            if columns >> column & 1 == 0 && lines & queen == 0 {
                found.queens += 1;
                let columns = columns | 1 << column;
                // The even rows come first; after the last of them, the walk ends if its column set is dropped.
                let ends = self.rows.get(at + 1).is_none_or(|next| next % 2 != row % 2);
                if !ends || (self.keeps)(columns) {
                    self.go(at + 1, columns, lines | queen, found);
                }
            }
        }
    }
}

/// The even lines and the odd lines of a set, at half the resolution.
fn halves(n: usize, set: u32) -> Sets {
    let half = |parity| (0..n / 2).fold(0, |sum, i| sum | (set >> (2 * i + parity) & 1) << i);
    (half(0), half(1))
}

fn whole(n: usize, (even, odd): Sets) -> u32 {
    (0..n / 2).fold(0, |sum, i| sum | (even >> i & 1) << (2 * i) | (odd >> i & 1) << (2 * i + 1))
}

fn reversed(h: usize, set: u32) -> u32 {
    set.reverse_bits() >> (32 - h)
}

/// The number of the orbit of a set under reversal and complement.
fn rank(h: usize, set: u32) -> u32 {
    let all = (1 << h) - 1;
    [set, set ^ all, reversed(h, set), reversed(h, set) ^ all].into_iter().min().unwrap()
}

fn ranks(h: usize, (a, b): Sets) -> Sets {
    (rank(h, a).max(rank(h, b)), rank(h, a).min(rank(h, b)))
}

/// Sums over all row colorings or, if `symmetric`, over one of each orbit. Returns the numbers of boards, queens and
/// placements, W, and the sum of White^2.
fn colors(n: usize, symmetric: bool) -> [u128; 5] {
    let (h, all) = (n / 2, (1u32 << (n / 2)) - 1);
    let full = (1u32 << n) - 1;
    let new = || Found { by_columns: vec![0; 1 << n], used: vec![], queens: 0, placements: 0 };
    let (mut white, mut black, mut boards, mut squares) = (new(), new(), 0u128, 0u128);
    for (e, o) in (0..=all).flat_map(|e| (0..=all).map(move |o| (e, o))).filter(|(e, o)| e.count_ones() == o.count_ones()) {
        let (re, ro) = (reversed(h, e), reversed(h, o));
        let mut images = vec![(e, o), (e ^ all, o ^ all), (ro ^ all, re ^ all), (ro, re)];
        images.sort_unstable();
        images.dedup();
        if symmetric && images[0] != (e, o) {
            continue;
        }
        let here = ranks(h, (e, o));
        let keeps = |columns: u32| {
            let (f, g) = halves(n, columns);
            !symmetric || [f, g].into_iter().all(|set| set == 0 || rank(h, set) <= here.0)
        };
        let rows = whole(n, (e, o));
        for (color, rows, found) in [(0, rows, &mut white), (1, full ^ rows, &mut black)] {
            for columns in found.used.drain(..) {
                found.by_columns[columns as usize] = 0;
            }
            let order: Vec<usize> = (0..n).step_by(2).chain((1..n).step_by(2)).filter(|row| rows >> row & 1 == 1).collect();
            Walk { rows: &order, n, color, keeps: &keeps }.go(0, 0, 0, found);
        }
        for &columns in &white.used {
            let weight = match (symmetric, ranks(h, halves(n, columns)).cmp(&here)) {
                (false, _) => 1,
                (true, order) => images.len() * [Ordering::Greater, Ordering::Equal, Ordering::Less].iter().position(|o| *o == order).unwrap(),
            };
            let count = u128::from(white.by_columns[columns as usize]);
            squares += count * count;
            boards += weight as u128 * count * u128::from(black.by_columns[(full ^ columns) as usize]);
        }
    }
    let both = |pick: fn(&Found) -> u64| u128::from(pick(&white) + pick(&black));
    [boards, both(|found| found.queens), both(|found| found.placements), white.placements.into(), squares]
}

/// The recursion of `bitmask` that cannot be stopped. It also counts the queens placed.
fn masks(full: u32, columns: u32, diagonals: u32, antidiagonals: u32, queens: &mut u128) -> u128 {
    let mut free = full & !(columns | diagonals | antidiagonals);
    let mut boards = u128::from(columns == full);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        *queens += 1;
        boards += masks(full, columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1, queens);
    }
    boards
}

/// Backtracking with all eight symmetries, which finds one board of each orbit: the one whose columns are smallest.
///
/// Its first queen is therefore in column a of the left half, and the queens of the last row, the first column and the
/// last column are at least a squares away from both corners. If a is 0, the queen of the second row is nearer to the
/// corner than the queen of the second column.
struct Orbits {
    n: usize,
    columns: Vec<usize>,
    queens: u128,
}

impl Orbits {
    /// Places a queen on each row from `row` on. Returns the number of boards in the orbits that it finds.
    fn go(&mut self, row: usize, columns: u32, diagonals: u32, antidiagonals: u32) -> u128 {
        let (n, full) = (self.n, (1 << self.n) - 1);
        if row == n {
            return self.orbit();
        }
        let mut free = full & !(columns | diagonals | antidiagonals);
        if row > 0 {
            let (first, sides) = (self.columns[0], 1 | 1 << (n - 1));
            let missing = sides & !columns;
            if first == 0 && row > 1 && row < self.columns[1] {
                free &= !2;
            } else if first > 0 && (row < first || row > n - 1 - first) {
                free &= !sides;
            }
            if first > 0 && row == n - 1 - first && missing != 0 {
                free &= missing;
                if missing == sides {
                    return 0;
                }
            }
            if row == n - 1 {
                free &= full >> first & full << first;
            }
        } else {
            free &= (1 << n.div_ceil(2)) - 1;
        }
        let mut boards = 0;
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            self.queens += 1;
            self.columns[row] = queen.trailing_zeros() as usize;
            boards += self.go(row + 1, columns | queen, (diagonals | queen) << 1, (antidiagonals | queen) >> 1);
        }
        boards
    }

    /// The size of the orbit of the board, or 0 if an image has smaller columns.
    fn orbit(&self) -> u128 {
        let mut images = vec![self.columns.clone()];
        for at in 0..7 {
            // Alternately transposes and reverses the board.
            let board = &images[at];
            let mut image: Vec<usize> = board.iter().rev().copied().collect();
            if at % 2 == 0 {
                board.iter().enumerate().for_each(|(row, &column)| image[column] = row);
            }
            images.push(image);
        }
        images.sort_unstable();
        images.dedup();
        if images[0] == self.columns { images.len() as u128 } else { 0 }
    }
}

fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).filter(|n| (2..=20).contains(n) && n % 2 == 0).expect("give an even size up to 20");
    let mut start = processor_seconds();
    let mut tell = |what: &str, queens: u128, placements: u128, boards: u128| {
        println!("{what:<23} {queens:>15} queens {placements:>14} placements {:>9.3} s {boards:>13} boards", processor_seconds() - start);
        start = processor_seconds();
    };
    let (full, mut queens) = ((1u32 << n) - 1, 0);
    let boards = (0..n / 2).map(|column| 1u32 << column).fold(0, |sum, queen| {
        queens += 1;
        sum + masks(full, queen, queen << 1, queen >> 1, &mut queens)
    });
    tell("masks, mirror", queens, boards, 2 * boards);
    let mut orbits = Orbits { n, columns: vec![0; n], queens: 0 };
    let all = orbits.go(0, 0, 0, 0);
    tell("masks, eight symmetries", orbits.queens, boards, all);
    let [counted, queens, placements, white, squares] = colors(n, false);
    tell("identity", queens, placements, counted);
    let [again, queens, placements, ..] = colors(n, true);
    tell("identity and symmetry", queens, placements, again);
    assert!(counted == 2 * boards && all == counted && again == counted, "the counts differ");
    let choose = |k: usize| (0..k).fold(1.0, |product, i| product * (n / 2 - i) as f64 / (i + 1) as f64);
    let terms: f64 = (0..=n / 2).map(|a| choose(a).powi(4)).sum();
    println!("W {white}, W / root(T Q) {:.2}", white as f64 / (terms * counted as f64).sqrt());
    println!("its bound, root(sum of White^2 / Q) {:.2}", (squares as f64 / counted as f64).sqrt());
}
