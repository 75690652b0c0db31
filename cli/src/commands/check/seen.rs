//! The solutions found so far, for `--all`.

use std::collections::HashMap;

use anyhow::Context;
use nqueens::board::{Size, known};

use crate::exit;

/// Solutions of one size, each with the number of the last board that showed it.
#[derive(Default)]
pub(super) struct Seen {
    numbers: HashMap<Vec<u32>, u64>,
}

impl Seen {
    /// Returns the size of the solutions, if there are any.
    pub(super) fn size(&self) -> Option<usize> {
        self.numbers.keys().next().map(Vec::len)
    }

    /// Adds a solution. The error says that the solution is a repetition or has another size.
    pub(super) fn add(&mut self, columns: Vec<u32>, number: u64) -> Result<(), String> {
        let n = columns.len();
        let size = self.size().unwrap_or(n);
        if size != n {
            return Err(format!("a solution for n = {n}, but --all asks for the solutions for n = {size}"));
        }
        match self.numbers.insert(columns, number) {
            None => Ok(()),
            Some(earlier) => Err(format!("the same board as board {earlier}")),
        }
    }

    /// Fails unless all solutions of the size were found, and names a missing one.
    pub(super) fn ensure_all(&self) -> anyhow::Result<()> {
        // There is no solution if every board was wrong, or without `--all`.
        let Some(n) = self.size() else { return Ok(()) };
        let all = Size::new(n).ok().and_then(known::solutions);
        let all = all.with_context(|| format!("the number of solutions for n = {n} is unknown: leave out --all"))?;
        let found = self.numbers.len();
        if all == found as u128 {
            return Ok(());
        }
        let missing = nqueens::solutions(n)?.find(|board| !self.numbers.contains_key(board.columns()));
        let example = missing.map_or_else(String::new, |board| {
            let columns: Vec<String> = board.columns().iter().map(|column| (column + 1).to_string()).collect();
            format!(": {} is missing", columns.join(" "))
        });
        Err(exit::Kind::Wrong.error(format!("{found} of {all} solutions for n = {n} found{example}")))
    }
}
