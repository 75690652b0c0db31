//! Mirror images of units. An image has other lists, programs and tables than its unit, and an equal tally: proof.md
//! has the proof. So it checks the unit at full speed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::{Class, Family, Unit};
use crate::color::split::{Geometry, Subset, full, reversed, subsets};

/// Replaces all units by their images.
pub(crate) fn mirror(families: &mut [Family], units: &mut [Unit]) {
    for unit in units {
        let class = &families[unit.family].class;
        unit.o = class.mirrored(unit.o, class.geometry.odds);
    }
    let mut images = HashMap::new();
    for family in families {
        let class = Arc::clone(&family.class);
        family.highest = class.mirrored(family.highest, class.geometry.odds);
        // The families of a class share its image.
        family.class = match images.entry(class.white_evens) {
            Entry::Occupied(image) => Arc::clone(image.get()),
            Entry::Vacant(new) => Arc::clone(new.insert(Arc::new(class.image()))),
        };
    }
}

impl Class {
    /// The mirror image of a set of even or of odd rows.
    ///
    /// Even n: the board is reflected from left to right, so each row stays and changes its color. Odd n: the board is
    /// turned by a half turn, so rows are reversed and keep their colors. Columns are reversed too.
    fn mirrored(&self, subset: Subset, size: usize) -> Subset {
        if self.is_even() { subset ^ full(size) } else { reversed(subset, size) }
    }

    /// The class of the images. A term of it has the weights of the term that it is the image of.
    fn image(&self) -> Self {
        let Geometry { evens, odds, .. } = self.geometry;
        let white = |queens: usize, size: usize| if self.is_even() { size - queens } else { queens };
        let (white_evens, white_odds) = (white(self.white_evens, evens), white(self.white_odds, odds));
        let row = |&row| if self.is_even() { row } else { evens - 1 - row };
        let row_order = self.row_order.iter().map(row).collect();
        let even_sets = self.even_sets.iter().map(|&e| self.mirrored(e, evens)).collect();
        let mut odd_sets = subsets(odds, white_odds);
        odd_sets.sort_unstable_by_key(|&subset| (self.rank(subset), subset));
        let odd_rank = self.odd_rank.clone();
        Self { white_evens, white_odds, row_order, even_sets, odd_sets, odd_rank, is_image: true, ..*self }
    }

    /// The set that decides about weights: `subset`, or the set that it is the image of.
    pub(super) fn original(&self, subset: Subset, size: usize) -> Subset {
        if self.is_image { self.mirrored(subset, size) } else { subset }
    }

    /// The number of white even rows and the set O of a unit with `o`, or of the unit that it is the image of.
    pub(super) fn original_rows(&self, o: Subset) -> (usize, Subset) {
        let Geometry { evens, odds, .. } = self.geometry;
        let white = if self.is_image && self.is_even() { evens - self.white_evens } else { self.white_evens };
        (white, self.original(o, odds))
    }
}
