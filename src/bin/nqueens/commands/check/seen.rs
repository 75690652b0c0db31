//! The boards that were there before.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nqueens::board::{Board, Size, Solution, known};

use crate::exit::Exit;

/// Solutions, each with the number of the board that was the first.
#[derive(Default)]
pub(crate) struct Seen {
    numbers: HashMap<Key, u64>,
    /// The size of the first.
    size: Option<usize>,
}

/// A board, packed where it has room in 128 bits.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Packed(u8, u128),
    Columns(Box<[u32]>),
}

impl Key {
    fn of(columns: &[u32]) -> Self {
        // Five bits hold a column up to 31.
        if columns.len() > 25 {
            return Self::Columns(columns.into());
        }
        Self::Packed(columns.len() as u8, columns.iter().fold(0, |packed, &column| packed << 5 | u128::from(column)))
    }
}

impl Seen {
    /// Takes note of a solution, or says why it should not be there: it was there before, or has another size than those
    /// before where all are to have one size.
    pub(crate) fn add(&mut self, board: &Board, number: u64, is_one_size: bool) -> Result<(), String> {
        let size = *self.size.get_or_insert(board.size());
        if is_one_size && size != board.size() {
            return Err(format!("a solution for n = {}, where the first is for n = {size}", board.size()));
        }
        match self.numbers.entry(Key::of(board.columns())) {
            Entry::Occupied(earlier) => Err(format!("the same board as board {}", earlier.get())),
            Entry::Vacant(place) => {
                place.insert(number);
                Ok(())
            }
        }
    }

    /// An error that says what is missing, unless all solutions of the size were there.
    pub(crate) fn refuse_if_missing(&self) -> anyhow::Result<()> {
        /// Counting larger boards takes more than a second; nobody has a list of so many either.
        const LARGEST_COUNTED: usize = 16;
        let Some(n) = self.size else { return Ok(()) };
        let all = if n <= LARGEST_COUNTED { Some(nqueens::count(n)?) } else { published(n) };
        let have = self.numbers.len();
        match all {
            Some(all) if all == have as u128 => Ok(()),
            Some(all) => {
                let example = if n <= LARGEST_COUNTED { self.first_missing(n) } else { None };
                let example = example.map_or_else(String::new, |columns| format!(": {columns} is missing"));
                Err(Exit::Wrong.error(format!("{have} of {all} solutions for n = {n} found{example}")))
            }
            None => {
                Err(Exit::Failure
                    .error(format!("nobody knows how many solutions there are for n = {n}: leave out --all")))
            }
        }
    }

    /// The columns of the first solution that is missing, counted from 1.
    fn first_missing(&self, n: usize) -> Option<String> {
        let columns =
            |solution: Solution| solution.columns().iter().map(|&column| u32::from(column)).collect::<Vec<_>>();
        let mut solutions = nqueens::solutions(n).ok()?.map(columns);
        let missing = solutions.find(|columns| !self.numbers.contains_key(&Key::of(columns)))?;
        Some(missing.iter().map(|column| (column + 1).to_string()).collect::<Vec<_>>().join(" "))
    }
}

fn published(n: usize) -> Option<u128> {
    Size::new(n).ok().and_then(known::solutions)
}
