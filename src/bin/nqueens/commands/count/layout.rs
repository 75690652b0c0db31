//! How counts are printed: numbers, a table, lines of JSON.

use nqueens::Outcome;
use nqueens::board::Size;
use serde::Serialize;

use super::Args;
use crate::terminal::Streams;
use crate::{machine, version};

/// How the results are written.
pub(crate) enum CountLayout {
    /// The number alone, what else was asked for on lines of its own.
    Number {
        time: bool,
        nodes: bool,
    },
    /// A line for each size as soon as it is known; the numbers end at column `width`.
    Table {
        width: usize,
        time: bool,
        nodes: bool,
    },
    Json {
        processor: String,
    },
}

/// What is said of one size in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
struct CountLine<'a> {
    schema: u32,
    #[serde(flatten)]
    outcome: &'a Outcome,
    nodes: String,
    seconds: f64,
    version: &'a str,
    commit: &'a str,
    processor: &'a str,
}

impl CountLayout {
    pub(crate) fn new(args: &Args, sizes: &[Size]) -> Self {
        let &Args { time, nodes, .. } = args;
        match sizes {
            _ if args.printed.is_json() => Self::Json { processor: machine::facts().cpu_model },
            [_] => Self::Number { time, nodes },
            _ => {
                // Up to the largest size counted so far, the number has at most as many digits as 3/4 n.
                let largest = sizes.iter().map(|size| size.get()).max().unwrap_or(0);
                Self::Table { width: (3 * largest).div_ceil(4).max("solutions".len()), time, nodes }
            }
        }
    }

    pub(crate) fn head(&self, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let &Self::Table { width, time, nodes } = self else { return Ok(()) };
        write!(streams.out, " n  {:>width$}", "solutions")?;
        if nodes {
            write!(streams.out, "  {:>18}", "nodes")?;
        }
        if time {
            write!(streams.out, "  {:>12}", "seconds")?;
        }
        writeln!(streams.out)
    }

    pub(crate) fn line(&self, outcome: &Outcome, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let (size, solutions) = (outcome.size.get(), outcome.solutions);
        match self {
            &Self::Number { time, nodes } => {
                writeln!(streams.out, "{solutions}")?;
                if nodes {
                    writeln!(streams.out, "Nodes: {}", outcome.work.nodes)?;
                }
                if time {
                    writeln!(streams.out, "Seconds: {seconds:.6}")?;
                }
                Ok(())
            }
            &Self::Table { width, time, nodes } => {
                write!(streams.out, "{size:>2}  {solutions:>width$}")?;
                if nodes {
                    write!(streams.out, "  {:>18}", outcome.work.nodes)?;
                }
                if time {
                    write!(streams.out, "  {seconds:>12.6}")?;
                }
                writeln!(streams.out)
            }
            Self::Json { processor } => {
                let record = CountLine {
                    schema: 1,
                    outcome,
                    nodes: outcome.work.nodes.to_string(),
                    seconds,
                    version: version::VERSION,
                    commit: version::COMMIT,
                    processor,
                };
                streams.json(&record)
            }
        }
    }
}
