//! All eight symmetries of the square: which colorings are counted, and how often. `docs/color-split.md` has the proof.
//!
//! f(E, O; F, G) is the number of solutions with white rows E (even) and O (odd), and white columns F (even) and G
//! (odd). f has equal values for all images of a coloring under the symmetries. One image is counted, times the number
//! of images.

use std::cmp::Ordering;

use super::rows::{WalkRows, row_order, sort_by_rows};
use crate::color::split::{Color, Geometry, Sides, Subset, full, reversed, subsets};
use crate::color::tuning::UnitTuning;

/// All row colorings with `white_evens` white even rows.
#[derive(Debug, Clone)]
pub struct Class {
    /// The size of the board, and its even and odd rows.
    pub geometry: Geometry,
    /// Number of elements of E and of F.
    pub(crate) white_evens: usize,
    /// Number of elements of O and of G: `white_evens` for even n, and one more for odd n.
    pub(super) white_odds: usize,
    /// The order in which walks take the even rows.
    pub row_order: Vec<usize>,
    /// Number of queens of each side's prefixes.
    pub(crate) prefix_lengths: Sides<usize>,
    /// All sets of `white_evens` even rows or columns, sorted by their first rows in `row_order`.
    pub(crate) even_sets: Vec<Subset>,
    /// All sets of `white_odds` odd rows or columns, by ascending rank.
    pub(crate) odd_sets: Vec<Subset>,
    /// By subset: its rank. For even n, subsets of even rows have the ranks of equal subsets of odd rows, and
    /// complements have equal ranks.
    pub(super) odd_rank: Vec<u32>,
    /// Whether its sets are mirror images of those of a counted class: see `image.rs`.
    pub(super) is_image: bool,
}

impl Class {
    /// All classes of a size, by ascending `white_evens`. For even n, a class stands for its complement too.
    pub(crate) fn all(n: usize, tuning: UnitTuning) -> impl Iterator<Item = Self> {
        let geometry = Geometry::new(n);
        let most = if n.is_multiple_of(2) { geometry.evens / 2 } else { geometry.evens };
        // The corners of an odd board are white. So it has one more white row of the odd rows, which are one more.
        (0..=most).map(move |white| Self::new(geometry, white, white + n % 2, tuning))
    }

    fn new(geometry: Geometry, white_evens: usize, white_odds: usize, tuning: UnitTuning) -> Self {
        let size = geometry.odds;
        // Any order of the orbits is right. Sets of high rank are dropped most often, and dropping sets with long lists
        // saves most time. Lists are long if queens on the rows attack each other little. On two rows a distance d
        // apart, size - d pairs of squares attack each other in each diagonal direction.
        let attacks = |subset: Subset| -> usize {
            let dense = if subset.count_ones() as usize * 2 >= size { subset } else { subset ^ full(size) };
            (1..size).map(|distance| (size - distance) * (dense & dense >> distance).count_ones() as usize).sum()
        };
        let mut odd_sets = subsets(size, white_odds);
        let mut orbits: Vec<Subset> = odd_sets.iter().map(|&subset| Self::orbit(geometry, subset)).collect();
        orbits.sort_unstable_by_key(|&orbit| (std::cmp::Reverse(attacks(orbit)), orbit));
        orbits.dedup();
        let mut odd_rank = vec![u32::MAX; 1 << size];
        for (&orbit, rank) in orbits.iter().zip(0..) {
            odd_rank[orbit as usize] = rank;
        }
        for &subset in &odd_sets {
            let rank = odd_rank[Self::orbit(geometry, subset) as usize];
            odd_rank[subset as usize] = rank;
            if geometry.n.is_multiple_of(2) {
                odd_rank[(subset ^ full(size)) as usize] = rank;
            }
        }
        odd_sets.sort_unstable_by_key(|&subset| (odd_rank[subset as usize], subset));
        let (row_order, mut even_sets) = (row_order(geometry.evens), subsets(geometry.evens, white_evens));
        sort_by_rows(&mut even_sets, &row_order);
        let mut class = Self {
            geometry,
            white_evens,
            white_odds,
            row_order,
            prefix_lengths: Sides::default(),
            even_sets,
            odd_sets,
            odd_rank,
            is_image: false,
        };
        let Sides { filling, summing } = class.sides();
        class.prefix_lengths =
            tuning.prefix_lengths(Sides { filling: class.queens(filling), summing: class.queens(summing) });
        class
    }

    /// The smallest image of an odd subset under reversal, for even n also under complement.
    fn orbit(geometry: Geometry, subset: Subset) -> Subset {
        let size = geometry.odds;
        let smaller = |subset: Subset| subset.min(reversed(subset, size));
        if geometry.n.is_multiple_of(2) { smaller(subset).min(smaller(subset ^ full(size))) } else { smaller(subset) }
    }

    /// The color of each side. The color with fewer queens fills the table, because its walk is shorter.
    pub fn sides(&self) -> Sides<Color> {
        let is_white = 2 * (self.white_evens + self.white_odds) <= self.geometry.n;
        let filling = if is_white { Color::White } else { Color::Black };
        Sides { filling, summing: filling.other() }
    }

    /// Number of queens of a color's walks.
    pub(crate) fn queens(&self, color: Color) -> usize {
        match color {
            Color::White => self.white_evens,
            Color::Black => self.geometry.evens - self.white_evens,
        }
    }

    /// Number of queens of a color's prefixes.
    pub(crate) fn prefix_length(&self, color: Color) -> usize {
        if color == self.sides().filling { self.prefix_lengths.filling } else { self.prefix_lengths.summing }
    }

    /// The rows of a color's walks for E. Sets E with equal prefixes share packs of this color.
    pub(crate) fn walk_rows(&self, color: Color, e: Subset) -> WalkRows<'_> {
        let rows = color.own(e, self.geometry.evens);
        WalkRows::new(self.geometry, color.walked(), rows, self.prefix_length(color), &self.row_order)
    }

    /// Whether walks of a color for two sets E have prefixes on equal rows.
    pub(crate) fn share_prefix(&self, color: Color, [a, b]: [Subset; 2]) -> bool {
        let prefix =
            |e| WalkRows::prefix(color.own(e, self.geometry.evens), self.prefix_length(color), &self.row_order);
        prefix(a) == prefix(b)
    }

    /// Whether the board's size is even.
    pub fn is_even(&self) -> bool {
        self.geometry.n.is_multiple_of(2)
    }

    /// Whether the complements of this class's colorings are in this class too.
    fn is_balanced(&self) -> bool {
        self.is_even() && self.white_evens * 2 == self.geometry.evens
    }

    /// The rank of an odd subset: the number of its orbit, s in `docs/color-split.md`.
    pub fn rank(&self, odd: Subset) -> u32 {
        self.odd_rank[odd as usize]
    }

    /// The rank of an even subset.
    pub fn even_rank(&self, even: Subset) -> u32 {
        if self.is_even() { self.rank(even) } else { even.min(reversed(even, self.geometry.evens)) }
    }

    /// The ranks of a row coloring or a column coloring, in the order in which they are compared. Of a term and its
    /// transpose, the one whose rows have higher ranks is counted. If the ranks of rows and columns are equal, both are
    /// counted. Reflections do not change the ranks.
    pub fn ranks(&self, even: Subset, odd: Subset) -> (u32, u32) {
        let (even, odd) = (self.even_rank(even), self.rank(odd));
        if self.is_even() { (even.max(odd), even.min(odd)) } else { (odd, even) }
    }

    /// The sets O that are counted, by ascending rank.
    pub(crate) fn row_sets(&self) -> impl Iterator<Item = Subset> + '_ {
        let size = self.geometry.odds;
        self.odd_sets.iter().copied().filter(move |&o| {
            if self.is_even() { !self.is_balanced() || o <= o ^ full(size) } else { o <= reversed(o, size) }
        })
    }

    /// How many row colorings (E, O) stands for. 0 if an image is counted instead.
    pub(crate) fn row_weight(&self, e: Subset, o: Subset) -> u64 {
        let (evens, odds) = (self.geometry.evens, self.geometry.odds);
        let (e, o) = (self.original(e, evens), self.original(o, odds));
        if !self.is_even() {
            let (e_back, o_back) = (reversed(e, evens), reversed(o, odds));
            return match (o.cmp(&o_back), e.cmp(&e_back)) {
                (Ordering::Greater, _) | (Ordering::Equal, Ordering::Greater) => 0,
                (Ordering::Equal, Ordering::Equal) => 1,
                _ => 2,
            };
        }
        if self.rank(e) > self.rank(o) {
            return 0;
        }
        let mask = full(odds);
        let turned = (reversed(e, odds), reversed(o, odds));
        let images = [(o, e), turned, (o ^ mask, e ^ mask), (turned.0 ^ mask, turned.1 ^ mask)];
        // If complements lie in another class, this class stands for both.
        let (images, classes) = if self.is_balanced() { (&images[..], 1) } else { (&images[..2], 2) };
        let is_counted = |o: Subset, e: Subset| self.rank(o) >= self.rank(e) && (!self.is_balanced() || o <= o ^ mask);
        if !is_counted(o, e) || images.iter().any(|&image| image < (o, e) && is_counted(image.0, image.1)) {
            return 0;
        }
        // The size of an orbit is the size of the group, divided by the number of images that equal (O, E).
        let same = images.iter().filter(|&&image| image == (o, e)).count();
        (images.len() / same * classes) as u64
    }

    /// How many sets of odd columns G stands for, with O as rows: G and, for odd n, its reflection left to right. 0 if
    /// the reflection is counted instead, or if all terms with G are counted as their transposes.
    pub fn odd_column_factor(&self, g: Subset, o: Subset) -> u8 {
        // On an even board columns are compared by their ranks alone, which images share.
        let g = if self.is_even() { g } else { self.original(g, self.geometry.odds) };
        let back = reversed(g, self.geometry.odds);
        match (self.is_even(), self.rank(g) <= self.rank(o)) {
            (_, false) => 0,
            (true, true) => 1,
            (false, true) => u8::from(g <= back) + u8::from(g < back),
        }
    }

    /// Whether any term with even columns F and rows O is counted.
    pub(crate) fn keeps_even_columns(&self, f: Subset, o: Subset) -> bool {
        !self.is_even() || self.rank(f) <= self.rank(o)
    }

    /// Whether any term with rows O is counted with the column set of a lane of `color`: White's list has sets G,
    /// Black's has sets F.
    pub fn keeps_lane(&self, color: Color, set: Subset, o: Subset) -> bool {
        match color {
            Color::White => self.odd_column_factor(set, o) > 0,
            Color::Black => self.keeps_even_columns(set, o),
        }
    }

    /// The share of each side's walks that end on counted column sets, with O as rows.
    pub(super) fn kept_shares(&self, o: Subset) -> Sides<f64> {
        let below = &self.odd_sets[..self.odd_sets.partition_point(|&g| self.rank(g) <= self.rank(o))];
        let kept = below.iter().filter(|&&g| self.odd_column_factor(g, o) > 0).count();
        let odds = kept as f64 / self.odd_sets.len() as f64;
        // White's walks end on sets F.
        let evens = if self.is_even() { odds } else { 1.0 };
        let (filling, summing) = if self.sides().filling == Color::White { (evens, odds) } else { (odds, evens) };
        Sides { filling, summing }
    }

    /// How many column colorings (F, G) stands for, times how many transposed colorings, with (E, O) as rows. 0 if an
    /// image is counted instead.
    pub fn column_weight(&self, [f, g]: [Subset; 2], [e, o]: [Subset; 2]) -> u64 {
        let transposed = match self.ranks(f, g).cmp(&self.ranks(e, o)) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        };
        transposed * u64::from(self.odd_column_factor(g, o))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The smallest image of a coloring, given as its white rows and its white columns. It uses only what the
    /// symmetries of the square do to rows, columns and colors.
    fn orbit(n: usize, [rows, columns]: [u64; 2]) -> [u64; 2] {
        let reversed = |set: u64| set.reverse_bits() >> (64 - n);
        // On an even board a reflection exchanges the colors.
        let recolored = |set: u64| if n.is_multiple_of(2) { set ^ ((1 << n) - 1) } else { set };
        let left_right = |[rows, columns]: [u64; 2]| [recolored(rows), recolored(reversed(columns))];
        let up_down = |[rows, columns]: [u64; 2]| [recolored(reversed(rows)), recolored(columns)];
        let images = [[rows, columns], [columns, rows]];
        let images = images.into_iter().flat_map(|image| [image, left_right(image)]);
        images.flat_map(|image| [image, up_down(image)]).min().expect("there are eight")
    }

    /// The weights of an orbit's colorings add up to their number, so each coloring is counted exactly once.
    #[test]
    fn each_orbit_of_colorings_is_counted_as_often_as_it_has_colorings() {
        for n in 1..=12 {
            let geometry = Geometry::new(n);
            let mut counted: HashMap<[u64; 2], u64> = HashMap::new();
            for class in Class::all(n, UnitTuning::new(n)) {
                for o in class.row_sets() {
                    for &e in &class.even_sets {
                        let row_weight = class.row_weight(e, o);
                        for (&f, &g) in class.even_sets.iter().flat_map(|f| class.odd_sets.iter().map(move |g| (f, g)))
                        {
                            let weight = row_weight * class.column_weight([f, g], [e, o]);
                            if weight > 0 {
                                *counted
                                    .entry(orbit(n, [geometry.join([e, o]), geometry.join([f, g])]))
                                    .or_default() += weight;
                            }
                        }
                    }
                }
            }
            // White odd rows are n mod 2 more than white even rows, and columns likewise.
            let mut there_are: HashMap<[u64; 2], u64> = HashMap::new();
            for white in 0..=geometry.evens {
                let odds = subsets(geometry.odds, white + n % 2);
                let evens = subsets(geometry.evens, white);
                let sets: Vec<u64> =
                    evens.iter().flat_map(|&e| odds.iter().map(move |&o| geometry.join([e, o]))).collect();
                for (&rows, &columns) in sets.iter().flat_map(|rows| sets.iter().map(move |columns| (rows, columns))) {
                    *there_are.entry(orbit(n, [rows, columns])).or_default() += 1;
                }
            }
            assert_eq!(counted, there_are, "n = {n}");
        }
    }
}
