//! The eight symmetries of the square: which colorings are counted, and how many each of them represents.
//! `docs/color-split.md` proves these weights.
//!
//! f(E, O; F, G) is the number of solutions with white rows E (even) and O (odd) and white columns F (even) and G
//! (odd). Because f is equal for all images of a coloring under the symmetries, only one image is counted, times the
//! number of images. If X' is the complement of a set X, and rev X is X reversed, the images of a row coloring (E, O)
//! are:
//!
//! | symmetry | even n | odd n |
//! | --- | --- | --- |
//! | left to right | (E', O') | (E, O) |
//! | upside down | (rev O', rev E') | (rev E, rev O) |
//! | half turn | (rev O, rev E) | (rev E, rev O) |
//!
//! On an even board, a reflection exchanges the colors, and reversal exchanges even and odd rows. The transposition
//! exchanges the row coloring and the column coloring.
//!
//! The end of this file makes the image of a class, from which `Units::image` makes those of units: the reflection from
//! left to right for even n, and the half turn for odd n. The lists, programs and tables of an image differ from those
//! of its unit, but its tally is equal (`proof.md`), so counting it checks the unit at full speed.

use std::cmp::Ordering;

use super::class::{Class, Side};
use crate::color::split::{Color, Geometry, Sides, Subset, full, reversed, subsets};

impl Class {
    /// Returns whether this class also contains the complements of its colorings.
    pub(super) fn is_balanced(&self) -> bool {
        self.is_even() && self.white_evens * 2 == self.geometry.even_rows
    }

    /// Returns the rank of a set of odd rows or columns: the number of its orbit (s in `docs/color-split.md`).
    pub fn rank(&self, odd: Subset) -> u32 {
        self.odd_rank[odd as usize]
    }

    /// Returns the rank of a set of even rows or columns.
    pub fn even_rank(&self, even: Subset) -> u32 {
        if self.is_even() { self.rank(even) } else { even.min(reversed(even, self.geometry.even_rows)) }
    }

    /// Returns the ranks of a row coloring or a column coloring, in the order in which they are compared. Of a coloring
    /// and its transpose, the one whose rows have higher ranks is counted; if rows and columns have equal ranks, both
    /// are counted. Reflections do not change ranks.
    pub fn ranks(&self, even: Subset, odd: Subset) -> (u32, u32) {
        let (even, odd) = (self.even_rank(even), self.rank(odd));
        if self.is_even() { (even.max(odd), even.min(odd)) } else { (odd, even) }
    }

    /// Iterates over the sets O that are counted, in ascending order of rank.
    pub(crate) fn counted_odd_sets(&self) -> impl Iterator<Item = Subset> + '_ {
        let size = self.geometry.odd_rows;
        self.odd_sets.iter().copied().filter(move |&o| {
            if self.is_even() { !self.is_balanced() || o <= o ^ full(size) } else { o <= reversed(o, size) }
        })
    }

    /// Returns how many row colorings (E, O) represents, or 0 if an image is counted instead.
    pub(crate) fn row_weight(&self, e: Subset, o: Subset) -> u64 {
        let Geometry { even_rows, odd_rows, .. } = self.geometry;
        let (e, o) = (self.original(e, even_rows), self.original(o, odd_rows));
        if !self.is_even() {
            return represented((o, e), (reversed(o, odd_rows), reversed(e, even_rows))).into();
        }
        let mask = full(odd_rows);
        let may_count =
            |(o, e): (Subset, Subset)| self.rank(o) >= self.rank(e) && (!self.is_balanced() || o <= o ^ mask);
        if !may_count((o, e)) {
            return 0;
        }
        // An image is a pair (O, E). Of those that may count, the smallest does.
        let half_turn = (reversed(e, odd_rows), reversed(o, odd_rows));
        let images = [(o, e), half_turn, (o ^ mask, e ^ mask), (half_turn.0 ^ mask, half_turn.1 ^ mask)];
        // If the complements belong to another class, this class represents both.
        let (images, classes) = if self.is_balanced() { (&images[..], 1) } else { (&images[..2], 2) };
        if images.iter().any(|&image| image < (o, e) && may_count(image)) {
            return 0;
        }
        // The size of an orbit is the size of the group, divided by the number of images that equal (O, E).
        let same = images.iter().filter(|&&image| image == (o, e)).count();
        (images.len() / same * classes) as u64
    }

    /// Returns how many sets of odd columns G represents, for the odd rows O: G itself and, for odd n, its reflection.
    /// Returns 0 if the reflection is counted instead, or if all colorings with G and O are counted as their
    /// transposes.
    pub fn odd_column_factor(&self, g: Subset, o: Subset) -> u8 {
        if self.rank(g) > self.rank(o) {
            return 0;
        }
        // On an even board, columns are compared only by their ranks.
        if self.is_even() {
            return 1;
        }
        let g = self.original(g, self.geometry.odd_rows);
        represented(g, reversed(g, self.geometry.odd_rows))
    }

    /// Returns whether any coloring with even columns F and odd rows O is counted.
    pub(crate) fn keeps_even_columns(&self, f: Subset, o: Subset) -> bool {
        !self.is_even() || self.rank(f) <= self.rank(o)
    }

    /// Returns whether any coloring with odd columns G and odd rows O is counted.
    pub(crate) fn keeps_odd_columns(&self, g: Subset, o: Subset) -> bool {
        self.odd_column_factor(g, o) > 0
    }

    /// Returns whether any term with odd rows O is counted with `set`, a list set of `color`: white has the list sets
    /// G, and black the list sets F.
    pub fn keeps_lane(&self, color: Color, set: Subset, o: Subset) -> bool {
        match color {
            Color::White => self.keeps_odd_columns(set, o),
            Color::Black => self.keeps_even_columns(set, o),
        }
    }

    /// Returns the fraction of each side's walk sets that are counted with the odd rows O.
    pub(super) fn kept_fractions(&self, o: Subset) -> Sides<f64> {
        let below = &self.odd_sets[..self.odd_sets.partition_point(|&g| self.rank(g) <= self.rank(o))];
        let kept = below.iter().filter(|&&g| self.keeps_odd_columns(g, o)).count();
        let of_g = kept as f64 / self.odd_sets.len() as f64;
        let of_f = if self.is_even() { of_g } else { 1.0 };
        // White's walks end on the sets F, and black's on the complements of the sets G.
        self.by_side(of_f, of_g)
    }

    /// Returns how many colorings (F, G) represents by reflection and transposition, for the rows (E, O), or 0 if an
    /// image is counted instead.
    pub(crate) fn column_weight(&self, [f, g]: [Subset; 2], [e, o]: [Subset; 2]) -> u64 {
        u64::from(represented(self.ranks(f, g), self.ranks(e, o)) * self.odd_column_factor(g, o))
    }
}

/// Returns how many of two images the first represents: both if it is smaller, itself if they are equal, none if it is
/// larger.
fn represented<T: Ord>(own: T, other: T) -> u8 {
    match own.cmp(&other) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

impl Class {
    /// Returns the image of a set of even or of odd rows.
    ///
    /// For even n, the board is reflected from left to right, so each row stays where it is and changes its color. For
    /// odd n, the board makes a half turn, so rows are reversed and keep their colors. Columns are reversed in both
    /// cases.
    pub(super) fn image_of(&self, subset: Subset, size: usize) -> Subset {
        if self.is_even() { subset ^ full(size) } else { reversed(subset, size) }
    }

    /// Returns the class of the images. Each of its terms has the weights of the term whose image it is. The image of
    /// an image is the class itself.
    pub(super) fn image(&self) -> Self {
        let Geometry { even_rows, odd_rows, .. } = self.geometry;
        let white = |queens: usize, size: usize| if self.is_even() { size - queens } else { queens };
        let (white_evens, white_odds) = (white(self.white_evens, even_rows), white(self.white_odds, odd_rows));
        let row = |&row| if self.is_even() { row } else { even_rows - 1 - row };
        let row_order = self.row_order.iter().map(row).collect();
        let even_sets = self.even_sets.iter().map(|&e| self.image_of(e, even_rows)).collect();
        let mut odd_sets = subsets(odd_rows, white_odds);
        odd_sets.sort_unstable_by_key(|&subset| (self.rank(subset), subset));
        let odd_rank = self.odd_rank.clone();
        // A side and its image have equally many queens. If both sides do, white is the filling side of the image too.
        let color = |color: Color| if self.is_even() && !self.is_balanced() { color.other() } else { color };
        let side = |side: Side| Side { color: color(side.color), ..side };
        let sides = Sides { filling: side(self.sides.filling), summing: side(self.sides.summing) };
        Self {
            white_evens,
            white_odds,
            row_order,
            sides,
            even_sets,
            odd_sets,
            odd_rank,
            is_image: !self.is_image,
            ..*self
        }
    }

    /// Returns the set that determines the weights: the set whose image `subset` is, or `subset` if this class is no
    /// image.
    pub(super) fn original(&self, subset: Subset, size: usize) -> Subset {
        if self.is_image { self.image_of(subset, size) } else { subset }
    }

    /// Returns the number of white even rows and the set O of the unit with `o`, or of the unit whose image it is.
    pub(super) fn original_rows(&self, o: Subset) -> (usize, Subset) {
        let Geometry { even_rows, odd_rows, .. } = self.geometry;
        let white = if self.is_image && self.is_even() { even_rows - self.white_evens } else { self.white_evens };
        (white, self.original(o, odd_rows))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::color::tuning::UnitTuning;

    /// Returns the smallest image of a coloring, which is given as its white rows and its white columns. This code
    /// knows only what the symmetries of the square do to rows, columns and colors.
    fn smallest_image(n: usize, [rows, columns]: [u64; 2]) -> [u64; 2] {
        let reversed = |set: u64| set.reverse_bits() >> (64 - n);
        // On an even board, a reflection exchanges the colors.
        let recolored = |set: u64| if n.is_multiple_of(2) { set ^ ((1 << n) - 1) } else { set };
        let left_right = |[rows, columns]: [u64; 2]| [recolored(rows), recolored(reversed(columns))];
        let up_down = |[rows, columns]: [u64; 2]| [recolored(reversed(rows)), recolored(columns)];
        let images = [[rows, columns], [columns, rows]];
        let images = images.into_iter().flat_map(|image| [image, left_right(image)]);
        images.flat_map(|image| [image, up_down(image)]).min().expect("there are eight")
    }

    /// The weights of the colorings of an orbit add up to its size, so each coloring is counted exactly once.
    #[test]
    fn each_orbit_of_colorings_is_counted_as_often_as_it_has_colorings() {
        for n in 1..=12 {
            let geometry = Geometry::new(n);
            let mut counted: HashMap<[u64; 2], u64> = HashMap::new();
            for class in Class::all(n, UnitTuning::new(n)) {
                for o in class.counted_odd_sets() {
                    for &e in &class.even_sets {
                        let row_weight = class.row_weight(e, o);
                        for (&f, &g) in class.even_sets.iter().flat_map(|f| class.odd_sets.iter().map(move |g| (f, g)))
                        {
                            let weight = row_weight * class.column_weight([f, g], [e, o]);
                            if weight > 0 {
                                *counted
                                    .entry(smallest_image(n, [geometry.join([e, o]), geometry.join([f, g])]))
                                    .or_default() += weight;
                            }
                        }
                    }
                }
            }
            // A coloring has n mod 2 more white odd rows than white even rows, and the same holds for columns.
            let mut there_are: HashMap<[u64; 2], u64> = HashMap::new();
            for white in 0..=geometry.even_rows {
                let sets_o = subsets(geometry.odd_rows, white + n % 2);
                let sets_e = subsets(geometry.even_rows, white);
                let sets: Vec<u64> =
                    sets_e.iter().flat_map(|&e| sets_o.iter().map(move |&o| geometry.join([e, o]))).collect();
                for (&rows, &columns) in sets.iter().flat_map(|rows| sets.iter().map(move |columns| (rows, columns))) {
                    *there_are.entry(smallest_image(n, [rows, columns])).or_default() += 1;
                }
            }
            assert_eq!(counted, there_are, "n = {n}");
        }
    }
}
