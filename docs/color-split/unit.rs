//! Counts units of a run again, for n up to 28, without any code of the program. docs/color-split.md and the README of
//! this folder define what a unit is and explain the names used here.
//!
//!     rustc --edition 2024 -O docs/color-split/unit.rs -o unit
//!     nqueens audit RUN --sample 20 --json | ./unit              # compares units with the logs of the run
//!     ./unit 22 'white even rows 5, odd 2e2, sets 376..462'      # counts units by their names
//!
//! For each row coloring (E, O), backtracking counts all white placements, in a table over the column colorings (F, G).
//! It then visits all black placements, each of which leaves the columns of one entry to white, and adds the entries.

use std::{cmp::Reverse, process::exit};

/// A row at half the resolution, with the columns of one parity. Its square in column j is on diagonal `up` + j and on
/// antidiagonal `down` + j. Two squares of one color are on a common line only if these numbers are equal.
struct Row {
    up: u32,
    down: u32,
}

/// The diagonals and the antidiagonals that queens attack.
type Lines = (u64, u64);

/// Calls `found` for each way to place one queen in each of `rows`, in different `columns` and on free lines, and
/// passes it the columns that remain and the lines that are then attacked.
fn place(rows: &[Row], columns: usize, lines: Lines, found: &mut impl FnMut(usize, Lines)) {
    let Some((row, rest)) = rows.split_first() else { return found(columns, lines) };
    let mut free = columns as u64 & !(lines.0 >> row.up) & !(lines.1 >> row.down);
    while free != 0 {
        let column = free.trailing_zeros();
        free &= free - 1;
        let lines = (lines.0 | 1 << (row.up + column), lines.1 | 1 << (row.down + column));
        place(rest, columns ^ 1 << column, lines, found);
    }
}

/// All placements on `rows`, sorted by the columns they leave, so that neighbors use the same part of a table.
fn list(rows: &[Row], columns: usize) -> Vec<(usize, Lines)> {
    let mut placements = vec![];
    place(rows, columns, (0, 0), &mut |left, lines| placements.push((left, lines)));
    placements.sort();
    placements
}

fn reverse(set: usize, size: u32) -> usize {
    (0..size).map(|i| (set >> i & 1) << (size - 1 - i)).sum()
}

/// The sets with `number` of `size` elements, and the position of each set in this list.
fn sets_and_places(size: u32, number: u32) -> (Vec<usize>, Vec<usize>) {
    let sets: Vec<_> = (0..1 << size).filter(|set: &usize| set.count_ones() == number).collect();
    let places = (0..1 << size).map(|set| sets.partition_point(|&other| other < set)).collect();
    (sets, places)
}

/// The weight of one of two images, of which the smaller is counted for both.
fn weight<T: Ord>(own: T, other: T) -> u64 {
    if own < other { 2 } else { u64::from(own == other) }
}

struct Board {
    n: u32,
    evens: u32,
    odds: u32,
    s_of_even: Vec<usize>,
    s_of_odd: Vec<usize>,
}

impl Board {
    fn new(n: u32) -> Self {
        let (evens, odds) = (n / 2, n.div_ceil(2));
        let all = (1 << odds) - 1;
        let key = |set: usize| {
            let reversed = reverse(set, odds);
            let images = if n % 2 == 1 { vec![set, reversed] } else { vec![set, reversed, all ^ set, all ^ reversed] };
            let smallest = images.into_iter().min().unwrap();
            let dense = if 2 * smallest.count_ones() < odds { all ^ smallest } else { smallest };
            let sum: u32 = (1..odds).map(|d| (odds - d) * (dense & dense >> d).count_ones()).sum();
            (Reverse(sum), smallest)
        };
        let keys: Vec<_> = (0..=all).map(key).collect();
        let mut in_order = keys.clone();
        in_order.sort();
        let s_of_odd: Vec<_> = keys.iter().map(|key| in_order.partition_point(|other| other < key)).collect();
        let s_of_even = |set| if n % 2 == 1 { reverse(set, evens).min(set) } else { s_of_odd[set] };
        Board { n, evens, odds, s_of_even: (0..1 << evens).map(s_of_even).collect(), s_of_odd }
    }

    /// The rows of `set`, which are even (parity 0) or odd (1), with the columns of parity `columns`.
    fn rows(&self, set: usize, parity: u32, columns: u32) -> Vec<Row> {
        let first = |parity| if parity == 1 { 1 } else { 2 * (self.n % 2) };
        let numbers = (0..self.odds).filter(|i| set >> i & 1 == 1).map(|i| first(parity) + 2 * i);
        numbers.map(|row| Row { up: (row + first(columns)) / 2, down: (32 + first(columns) - row) / 2 }).collect()
    }

    fn ranks(&self, even: usize, odd: usize) -> (usize, usize) {
        let (even, odd) = (self.s_of_even[even], self.s_of_odd[odd]);
        if self.n % 2 == 1 { (odd, even) } else { (odd.max(even), odd.min(even)) }
    }

    fn row_weight(&self, even: usize, odd: usize) -> u64 {
        let (e, o, all) = (reverse(even, self.evens), reverse(odd, self.odds), (1 << self.odds) - 1);
        if self.n % 2 == 1 {
            return weight((odd, even), (o, e));
        }
        let mut images = vec![(odd, even), (all ^ odd, all ^ even), (all ^ e, all ^ o), (e, o)];
        images.sort();
        images.dedup();
        let may_be_counted = |&&(o, e): &&(usize, usize)| {
            let is_half = 2 * e.count_ones() == self.evens;
            e.count_ones() == even.count_ones() && self.s_of_even[e] <= self.s_of_odd[o] && (!is_half || o <= all ^ o)
        };
        if images.iter().find(may_be_counted) == Some(&(odd, even)) { images.len() as u64 } else { 0 }
    }

    /// The sum of row weight x column weight x f(E, O; F, G) over the sets E of `own`, and over all F and G.
    fn count(&self, own: &[usize], odd: usize) -> u64 {
        let (all_even, all_odd) = ((1 << self.evens) - 1, (1 << self.odds) - 1);
        let (f_sets, f_places) = sets_and_places(self.evens, odd.count_ones() - self.n % 2);
        let (g_sets, g_places) = sets_and_places(self.odds, odd.count_ones());
        let white_on_odd = list(&self.rows(odd, 1, 1), all_odd);
        let black_on_odd = list(&self.rows(all_odd ^ odd, 1, 0), all_even);
        let mut total = 0;
        let with_weights = own.iter().map(|&even| (even, self.row_weight(even, odd)));
        for (even, row_weight) in with_weights.filter(|(_, weight)| *weight > 0) {
            let mut white = vec![vec![0; f_sets.len()]; g_sets.len()];
            let rows = self.rows(even, 0, 0);
            for &(left, lines) in &white_on_odd {
                let entries = &mut white[g_places[all_odd ^ left]];
                place(&rows, all_even, lines, &mut |left, _| entries[f_places[all_even ^ left]] += 1);
            }
            let weighted_entry = |f, g| {
                let of_reflection = if self.n % 2 == 1 { weight(g, reverse(g, self.odds)) } else { 1 };
                let column_weight = of_reflection * weight(self.ranks(f, g), self.ranks(even, odd));
                column_weight * white[g_places[g]][f_places[f]]
            };
            let row_of = |&f: &usize| g_sets.iter().map(|&g| weighted_entry(f, g)).collect();
            let weighted: Vec<Vec<u64>> = f_sets.iter().map(row_of).collect();
            let rows = self.rows(all_even ^ even, 0, 1);
            for &(left, lines) in &black_on_odd {
                let entries = &weighted[f_places[left]];
                place(&rows, all_odd, lines, &mut |left, _| total += row_weight * entries[g_places[left]]);
            }
        }
        total
    }

    /// The count of the unit with this name, or nothing if no unit has it.
    fn unit(&self, name: &str) -> Option<u64> {
        let (number, rest) = name.strip_prefix("white even rows ")?.split_once(", odd ")?;
        let (odd, rest) = rest.split_once(", sets ")?;
        let (first, end) = rest.split_once("..")?;
        let (number, odd): (u32, _) = (number.parse().ok()?, usize::from_str_radix(odd, 16).ok()?);
        let mut middle_first: Vec<_> = (0..self.evens).collect();
        middle_first.sort_by_key(|row| (2 * row + 1).abs_diff(self.evens));
        let (mut sets, _) = sets_and_places(self.evens, number);
        sets.sort_by_key(|set| Reverse(middle_first.iter().map(|row| set >> row & 1).collect::<Vec<_>>()));
        let own = sets.get(first.parse().ok()?..end.parse().ok()?).filter(|own| !own.is_empty())?;
        (odd >> self.odds == 0 && odd.count_ones() == number + self.n % 2).then(|| self.count(own, odd))
    }
}

/// The value of a field of JSON: a number, or a string without escapes.
fn field(json: &str, name: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{name}\":"))?;
    let (text, number) = (rest.split('"').nth(1), rest.split([',', '}']).next());
    if rest.trim_start().starts_with('"') { text } else { number }.map(|value| value.trim().to_string())
}

fn fail<T>(why: &str) -> T {
    eprintln!("error: {why}");
    exit(2)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (size, units): (_, Vec<_>) = if let Some(size) = arguments.next() {
        (Some(size), arguments.map(|name| (name, String::new())).collect())
    } else {
        let audit = std::io::read_to_string(std::io::stdin()).unwrap_or_default();
        let logged = |unit| field(unit, "logged").unwrap_or("nothing".into());
        let units = audit.split('{').filter_map(|unit| Some((field(unit, "name")?, logged(unit))));
        (field(&audit, "size"), units.collect())
    };
    let n = size.and_then(|size| size.parse().ok()).filter(|n| (1..=28).contains(n) && !units.is_empty());
    let usage = "give n, from 1 to 28, and names of units, or pipe the output of 'nqueens audit RUN --json'";
    let board = Board::new(n.unwrap_or_else(|| fail(usage)));
    let (mut sum, mut agree) = (0, 0);
    for (name, logged) in &units {
        let count = board.unit(name).unwrap_or_else(|| fail(&format!("n = {} has no unit '{name}'", board.n)));
        let agrees = *logged == count.to_string();
        let differs = !agrees && !logged.is_empty();
        println!("{name}: {count}{}", if differs { format!(", but the log says {logged}") } else { String::new() });
        sum += count;
        agree += usize::from(agrees);
    }
    let logged = units.iter().filter(|(_, logged)| !logged.is_empty()).count();
    println!("n = {}: {agree} of {logged} logged counts agree, and the sum of all counts is {sum}", board.n);
    exit(i32::from(agree < logged));
}
