//! The options of a count that say what is printed.

use nqueens::symmetric::Turn;

use crate::commands::options::turn_parser;

/// What to count for each size, and how to print it.
#[derive(Debug, clap::Args)]
pub(super) struct ResultOptions {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Add the time in seconds
    #[arg(long)]
    pub(super) time: bool,
    /// Add the number of queens placed or, with 'color', the number of steps
    #[arg(long, conflicts_with_all = ["classes", "symmetry"])]
    pub(super) nodes: bool,
    /// Count all, symmetric and fundamental solutions, and the orbits of 8, 4 and 2 solutions
    #[arg(long, group = "what")]
    pub(super) classes: bool,
    /// Count only the solutions that look the same after this turn
    #[arg(long, value_name = "TURN", value_parser = turn_parser(), group = "what", conflicts_with_all = ["solver", "isa", "device"])]
    pub(super) symmetry: Option<Turn>,
}
