//! The graphics cards of a command.

use std::sync::Arc;

use nqueens::solver::Solver;
use serde_json::Value;

/// Graphics cards: a solver, and the threads that it needs.
pub(crate) struct Cards {
    pub(super) names: Vec<String>,
    /// `color`, counted on the cards.
    pub(super) solver: Arc<dyn Solver>,
    /// Threads that count on the processor.
    pub(super) cores: usize,
    /// Returns what each card did, as in JSON.
    pub(super) work: Box<dyn Fn() -> Vec<Value>>,
}

impl Cards {
    /// The names of these cards and of the processor, if it counts too.
    pub(super) fn named(&self, cards: &str, processor: &str) -> String {
        if self.cores > 0 { format!("{cards} and {processor}") } else { cards.to_owned() }
    }
}
