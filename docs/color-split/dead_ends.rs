//! Two measurements for docs/color-split.md, which show that neither smaller lists nor shorter walks would help. n must
//! be even.
//!
//!     rustc --edition 2024 -O docs/color-split/dead_ends.rs -o dead_ends
//!     ./dead_ends rank 14 3      # rank of the disjointness matrix of random row colorings, 3 queens on each sub-board
//!     ./dead_ends pairs 24 6     # white placements, divided by those without the last two rows of the walk

/// The next number of a reproducible random sequence (SplitMix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A random set of `size` rows of one parity, in order.
fn rows(n: usize, parity: usize, size: usize, state: &mut u64) -> Vec<usize> {
    let mut all: Vec<usize> = (parity..n).step_by(2).collect();
    (0..size).for_each(|i| {
        let other = i + random(state) as usize % (all.len() - i);
        all.swap(i, other);
    });
    all.truncate(size);
    all.sort_unstable();
    all
}

/// The white squares of a row that no queen attacks, as the bit of the column and the bits of the lines.
fn free(n: usize, row: usize, columns: u32, lines: u128) -> impl Iterator<Item = (u32, u128)> {
    let squares = (row % 2..n).step_by(2).map(move |c| (1u32 << c, 1u128 << (row + n - c) | 1u128 << (64 + row + c)));
    squares.filter(move |(column, queen)| columns & column == 0 && lines & queen == 0)
}

/// Adds the lines of all placements on `rows` to `found`.
fn list(n: usize, rows: &[usize], columns: u32, lines: u128, found: &mut Vec<u128>) {
    match rows {
        [] => found.push(lines),
        [row, rest @ ..] => free(n, *row, columns, lines).for_each(|(c, q)| list(n, rest, columns | c, lines | q, found)),
    }
}

/// The rank modulo a prime near 2^31, which is a lower bound of the true rank.
fn rank(mut matrix: Vec<Vec<u64>>) -> usize {
    const PRIME: u64 = 2_147_483_647;
    let inverse = |x: u64| (0..31).fold((1, x), |(r, x), bit| (if (PRIME - 2) >> bit & 1 == 1 { r * x % PRIME } else { r }, x * x % PRIME)).0;
    let mut done = 0;
    for column in 0..matrix[0].len() {
        let Some(pivot) = (done..matrix.len()).find(|&row| matrix[row][column] != 0) else { continue };
        matrix.swap(done, pivot);
        let (above, below) = matrix.split_at_mut(done + 1);
        let pivot = &above[done];
        let factor = inverse(pivot[column]);
        for row in below.iter_mut().filter(|row| row[column] != 0) {
            let times = PRIME - row[column] * factor % PRIME;
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(x, p)| *x = (*x + times * p) % PRIME);
        }
        done += 1;
    }
    done
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, n, queens] = &arguments[..] else { panic!("see the head of dead_ends.rs") };
    let (n, queens): (usize, usize) = (n.parse().unwrap(), queens.parse().unwrap());
    assert!(n % 2 == 0 && n <= 30 && (2..=n / 2).contains(&queens), "give an even n and 2 queens or more");
    let mut state = 1;
    let (mut pairs, mut partial) = (0.0, 0.0);
    for _ in 0..10 {
        let (even, odd) = (rows(n, 0, queens, &mut state), rows(n, 1, queens, &mut state));
        let mut keys = Vec::new();
        list(n, &odd, 0, 0, &mut keys);
        if what == "rank" {
            let mut walks = Vec::new();
            list(n, &even, 0, 0, &mut walks);
            let fits = |walk: &u128| keys.iter().map(|key| u64::from(key & walk == 0)).collect();
            let (size, rank) = (walks.len().min(keys.len()), rank(walks.iter().map(fits).collect()));
            println!("{} x {}: rank {rank}, {:.1} % of the smaller side", walks.len(), keys.len(), 100.0 * rank as f64 / size as f64);
            continue;
        }
        // Random walks over all rows but two, each with the number of walks that it stands for (Knuth 1975).
        for _ in 0..100 {
            let (mut weight, mut columns, mut lines) = (1.0, 0, 0);
            for row in &even[..queens - 2] {
                let choices: Vec<_> = free(n, *row, columns, lines).collect();
                weight *= choices.len() as f64;
                let Some(at) = (random(&mut state) as usize).checked_rem(choices.len()) else { break };
                (columns, lines) = (columns | choices[at].0, lines | choices[at].1);
            }
            if weight > 0.0 {
                let alive: Vec<_> = keys.iter().filter(|&key| key & lines == 0).collect();
                let mut ends = Vec::new();
                list(n, &even[queens - 2..], columns, lines, &mut ends);
                let fit: usize = ends.iter().map(|end| alive.iter().filter(|&key| **key & end == 0).count()).sum();
                partial += weight * alive.len() as f64;
                pairs += weight * fit as f64;
            }
        }
    }
    if what == "pairs" {
        println!("n = {n}, {queens} queens: pairs / pairs two rows earlier = {:.2}", pairs / partial);
    }
}
