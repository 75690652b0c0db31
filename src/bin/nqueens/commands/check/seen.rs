//! The boards that were there before.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nqueens::board::{Board, Size, known};

use crate::exit::Exit;

/// Solutions, each with the number of the board that was the first.
#[derive(Default)]
pub(crate) struct Seen {
    numbers: HashMap<Box<[u32]>, u64>,
    /// The size of the first.
    size: Option<usize>,
}

impl Seen {
    /// Notes a solution, or says why it should not be there: it came before, or has another size than the first.
    pub(crate) fn add(&mut self, board: &Board, number: u64) -> Result<(), String> {
        let size = *self.size.get_or_insert(board.size());
        if size != board.size() {
            return Err(format!("a solution for n = {}, where the first is for n = {size}", board.size()));
        }
        match self.numbers.entry(board.columns().into()) {
            Entry::Occupied(earlier) => Err(format!("the same board as board {}", earlier.get())),
            Entry::Vacant(place) => {
                place.insert(number);
                Ok(())
            }
        }
    }

    /// An error that says what is missing, unless all solutions of the size were there.
    pub(crate) fn refuse_if_missing(&self) -> anyhow::Result<()> {
        /// Counting a larger size takes more than a second, and nobody has a list of all its boards.
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
        let mut boards = nqueens::solutions(n).ok()?.map(|solution| Board::from(&solution));
        let missing = boards.find(|board| !self.numbers.contains_key(board.columns()))?;
        Some(missing.columns().iter().map(|column| (column + 1).to_string()).collect::<Vec<_>>().join(" "))
    }
}

fn published(n: usize) -> Option<u128> {
    Size::new(n).ok().and_then(known::solutions)
}
