//! The boards that were there before.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nqueens::board::{Board, Size, known};

use crate::exit::Fault;

/// Solutions of one size, each with the number of the board that was the first.
#[derive(Default)]
pub(super) struct Seen {
    numbers: HashMap<Box<[u32]>, u64>,
    /// The size of the first board.
    size: Option<usize>,
}

impl Seen {
    /// Notes a solution, or says why it should not be there: it came before, or has another size.
    pub(super) fn add(&mut self, columns: Vec<u32>, number: u64) -> Result<(), String> {
        let (n, size) = (columns.len(), *self.size.get_or_insert(columns.len()));
        if size != n {
            return Err(format!("a solution for n = {n}, where all solutions for n = {size} are wanted"));
        }
        match self.numbers.entry(columns.into()) {
            Entry::Occupied(earlier) => Err(format!("the same board as board {}", earlier.get())),
            Entry::Vacant(place) => {
                place.insert(number);
                Ok(())
            }
        }
    }

    /// An error that says what is missing, unless all solutions of the size were there.
    pub(super) fn refuse_if_missing(&self) -> anyhow::Result<()> {
        let Some(n) = self.size else {
            return Err(Fault::Failure.error("there is no solution, so nobody knows for which size all are wanted"));
        };
        let Some(all) = Size::new(n).ok().and_then(known::solutions) else {
            let unknown = format!("nobody knows how many solutions there are for n = {n}: leave out --all");
            return Err(Fault::Failure.error(unknown));
        };
        let have = self.numbers.len();
        if all == have as u128 {
            return Ok(());
        }
        let mut boards = nqueens::solutions(n)?;
        let missing = boards.find(|board| !self.numbers.contains_key(board.columns()));
        // Columns count from 1.
        let numbers = |board: Board| board.columns().iter().map(|column| (column + 1).to_string()).collect::<Vec<_>>();
        let example = missing.map_or_else(String::new, |board| format!(": {} is missing", numbers(board).join(" ")));
        Err(Fault::Wrong.error(format!("{have} of {all} solutions for n = {n} found{example}")))
    }
}
