//! How many placements a set of rows has, about, and what a unit of work costs. Nothing here enters a count: it cuts,
//! orders and forecasts.

use super::family::Side;
use super::geometry::{Geometry, SubBoard, Subset};
use super::symmetry::Class;

/// About how many placements a sub-board has on these rows: all choices of distinct columns, times the share without an
/// attack as if the pairs of rows were independent. Within a factor of two; what matters is the order.
pub(super) fn placements(geometry: Geometry, board: SubBoard, rows: Subset) -> f64 {
    let columns = geometry.columns(board) as f64;
    let queens = rows.count_ones();
    let choices: f64 = (0..queens).map(|taken| columns - f64::from(taken)).product();
    let mut share = 1.0;
    for distance in 1..geometry.evens as u32 {
        let pairs = (rows & rows >> distance).count_ones();
        let attacked = 2.0 * (columns - f64::from(distance)).max(0.0) / (columns * (columns - 1.0)).max(1.0);
        share *= (1.0 - attacked).max(0.05).powi(pairs as i32);
    }
    choices * share
}

/// Estimates for the sets E of a class, in their order.
#[derive(Debug)]
pub(super) struct Estimates {
    /// Walked placements on the filling and on the summing side.
    walked: Vec<[f64; 2]>,
    /// What the cost of a term is made of: the parts that depend on E.
    parts: Vec<[f64; 3]>,
}

impl Estimates {
    pub(super) fn new(class: &Class, even_sets: &[Subset]) -> Self {
        let geometry = class.geometry;
        let filling = Side::filling(class);
        let of = |side: Side, e: Subset| placements(geometry, side.walked(), side.part(e, geometry.evens));
        let walked: Vec<[f64; 2]> = even_sets.iter().map(|&e| [of(filling, e), of(filling.other(), e)]).collect();
        // A fit to the units of n = 18, 19, 20 and 22, in nanoseconds. Sums over a family are right within a third, and
        // families come in an order that mixes them, so that the progress is truthful.
        let part = |&[fill, dot]: &[f64; 2]| [14.5 * (fill * dot).sqrt(), 1.6 * fill.powf(0.7), 0.84 * dot.powf(0.7)];
        Self { parts: walked.iter().map(part).collect(), walked }
    }

    /// Leaves of the programs of each set, for O up to `highest`.
    pub(super) fn leaves(&self, class: &Class, highest: Subset) -> Vec<f64> {
        let [fill, dot] = shares(class, highest);
        self.walked.iter().map(|walked| walked[0] * fill + walked[1] * dot).collect()
    }

    /// Predicted cost of terms with O and with sets E of these numbers, in nanoseconds.
    pub(super) fn cost(&self, factors: [f64; 3], even_sets: impl Iterator<Item = usize>) -> f64 {
        let sums = even_sets.fold([0.0; 3], |sums, at| std::array::from_fn(|i| sums[i] + self.parts[at][i]));
        (0..3).map(|i| sums[i] * factors[i]).sum()
    }

    /// What the cost of a term is made of: the factors that depend on O.
    pub(super) fn factors(class: &Class, o: Subset) -> [f64; 3] {
        let [fill, dot] = shares(class, o);
        let in_lanes = |side: Side, kept: f64| {
            kept * placements(class.geometry, side.in_lanes(), side.part(o, class.geometry.odds))
        };
        // A side's lanes are the column sets that the other side's walks end on.
        let filling = Side::filling(class);
        let lanes = [in_lanes(filling, dot), in_lanes(filling.other(), fill)];
        [(fill * dot).sqrt(), fill.powf(0.7) * lanes[0].sqrt(), dot.powf(0.7) * lanes[1].sqrt()]
    }
}

/// The shares of column sets that are counted for O among those the filling side's walks and the summing side's end on.
fn shares(class: &Class, o: Subset) -> [f64; 2] {
    let (evens, odds) = class.kept(o);
    if Side::filling(class) == Side::White { [evens, odds] } else { [odds, evens] }
}
