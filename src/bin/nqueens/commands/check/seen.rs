//! The boards that were there before.

use std::collections::HashMap;

use nqueens::board::{Size, known};

use crate::exit::Fault;

/// Solutions of one size, each with the number of the board that was the first.
pub(crate) struct Seen {
    numbers: HashMap<Box<[u32]>, u64>,
    /// The size given, or that of the first board.
    size: Option<usize>,
}

impl Seen {
    pub(crate) fn new(size: Option<usize>) -> Self {
        Self { numbers: HashMap::new(), size }
    }

    /// Notes a solution, or says why it should not be there: it came before, or has another size.
    pub(crate) fn add(&mut self, columns: &[u32], number: u64) -> Result<(), String> {
        let (n, size) = (columns.len(), *self.size.get_or_insert(columns.len()));
        if size != n {
            return Err(format!("a solution for n = {n}, where all solutions for n = {size} are wanted"));
        }
        match self.numbers.insert(columns.into(), number) {
            Some(earlier) => {
                self.numbers.insert(columns.into(), earlier);
                Err(format!("the same board as board {earlier}"))
            }
            None => Ok(()),
        }
    }

    /// An error that says what is missing, unless all solutions of the size were there.
    pub(crate) fn refuse_if_missing(&self) -> anyhow::Result<()> {
        /// Counting a larger size takes more than a second, and nobody has a list of all its boards.
        const LARGEST_COUNTED: usize = 16;
        let Some(n) = self.size else {
            return Err(Fault::Failure.error("there is no board: give the size of the boards, such as --size 8"));
        };
        let all = if n <= LARGEST_COUNTED { Some(nqueens::count(n)?) } else { published(n) };
        let have = self.numbers.len();
        match all {
            Some(all) if all == have as u128 => Ok(()),
            Some(all) => {
                let example = if n <= LARGEST_COUNTED { self.first_missing(n) } else { None };
                let example = example.map_or_else(String::new, |columns| format!(": {columns} is missing"));
                Err(Fault::Wrong.error(format!("{have} of {all} solutions for n = {n} found{example}")))
            }
            None => {
                Err(Fault::Failure
                    .error(format!("nobody knows how many solutions there are for n = {n}: leave out --all")))
            }
        }
    }

    /// The columns of the first solution that is missing, counted from 1.
    fn first_missing(&self, n: usize) -> Option<String> {
        let mut boards = nqueens::solutions(n).ok()?;
        let missing = boards.find(|board| !self.numbers.contains_key(board.columns()))?;
        Some(missing.columns().iter().map(|column| (column + 1).to_string()).collect::<Vec<_>>().join(" "))
    }
}

fn published(n: usize) -> Option<u128> {
    Size::new(n).ok().and_then(known::solutions)
}
