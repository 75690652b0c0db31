//! The boards that were there before.

use std::collections::HashMap;

use nqueens::board::{Size, known};

use super::super::solutions::formats::columns;
use crate::exit;

/// Solutions of one size, each with the number of the last board that was it.
#[derive(Default)]
pub(super) struct Seen {
    numbers: HashMap<Vec<u32>, u64>,
}

impl Seen {
    /// Notes a solution, or says why it should not be there: it came before, or has another size.
    pub(super) fn add(&mut self, columns: Vec<u32>, number: u64) -> Result<(), String> {
        let (n, size) = (columns.len(), self.numbers.keys().next().map_or(columns.len(), Vec::len));
        if size != n {
            return Err(format!("a solution for n = {n}, where all solutions for n = {size} are wanted"));
        }
        let earlier = self.numbers.insert(columns, number);
        earlier.map_or(Ok(()), |earlier| Err(format!("the same board as board {earlier}")))
    }

    /// A sentence that says how many solutions of the size were there, and names a missing one. `None` if all were.
    pub(super) fn missing(&self) -> anyhow::Result<Option<String>> {
        // Without a solution each board was wrong.
        let Some(n) = self.numbers.keys().next().map(Vec::len) else { return Ok(None) };
        let Some(all) = Size::new(n).ok().and_then(known::solutions) else {
            return Err(exit::Kind::Failure.error(format!("nobody knows all solutions for n = {n}: leave out --all")));
        };
        let have = self.numbers.len();
        if all == have as u128 {
            return Ok(None);
        }
        let missing = nqueens::solutions(n)?.find(|board| !self.numbers.contains_key(board.columns()));
        let example = missing.map_or_else(String::new, |board| format!(": {} is missing", columns(&board, " ")));
        Ok(Some(format!("{have} of {all} solutions for n = {n} found{example}")))
    }
}
