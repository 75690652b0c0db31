//! Published results: a count with all its subtotals, so that anybody can check one of them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::folder::cannot_read;
use super::plan::{Cut, SCHEMA};
use super::record::sum;
use super::{Ledger, Merged};
use crate::exit::Exit;
use nqueens::board::{Size, known};
use nqueens::count::Work;
use nqueens::solver::Isa;
use nqueens::verify;

/// The value of `kind`.
const KIND: &str = "nqueens-result";

/// The largest result that is read, unpacked.
const MAX_BYTES: u64 = 64 << 20;

/// A count with the count of every unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Published {
    schema: u32,
    kind: String,
    /// The number of solutions.
    #[serde(with = "nqueens::decimal")]
    solutions: u128,
    /// The units.
    #[serde(flatten)]
    pub(crate) cut: Cut,
    /// The sum of all units.
    #[serde(with = "nqueens::decimal")]
    sum: u128,
    /// What the count was compared with.
    checks: Vec<String>,
    /// Seconds of cores that it took.
    core_seconds: f64,
    /// The work figures.
    work: Work,
    /// The count of each unit, and who counted it.
    #[serde(flatten)]
    pub(crate) ledger: Ledger,
}

impl Published {
    /// The result of a complete run.
    pub(crate) fn new(merged: &Merged) -> anyhow::Result<Self> {
        let (solutions, total) = merged.total()?;
        let size = merged.plan.size();
        let mut checks = Vec::new();
        if known::solutions(size).is_some() {
            checks.push("the count is the published one".to_owned());
        }
        if known::half_turn(size).is_some() && known::quarter_turn(size).is_some() {
            checks.push("a whole number of orbits (Burnside)".to_owned());
        }
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            solutions,
            cut: merged.plan.cut.clone(),
            sum: total.solutions,
            checks,
            core_seconds: merged.records.values().map(|record| record.core_seconds).sum(),
            work: total.work,
            ledger: Ledger::from(merged),
        })
    }

    /// Reads a result, plain or packed with gzip. Checks its sums, and that its units are this program's.
    /// [`Published::check`] compares its number of solutions with what is known.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let not = |problem: String| {
            Exit::Wrong.error(format!("{} is not a result that can be checked: {problem}", file.display()))
        };
        let mut source = BufReader::new(File::open(file).with_context(|| cannot_read(file))?);
        let is_packed = source.fill_buf().with_context(|| cannot_read(file))?.starts_with(&[0x1f, 0x8b]);
        let text: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(source)) } else { Box::new(source) };
        // Parses while it reads, so an endless file ends at the first byte that is not JSON.
        let result = serde_json::from_reader(BufReader::new(text.take(MAX_BYTES)));
        let mut result: Self = result.map_err(|error| not(error.to_string()))?;
        if (result.schema, result.kind.as_str()) != (SCHEMA, KIND) {
            return Err(not(format!("it is of kind '{}', schema {}", result.kind, result.schema)));
        }
        result.cut.plan(Isa::Portable, file)?;
        result.ledger.complete(result.cut.units);
        result.check_sums().map_err(not)?;
        Ok(result)
    }

    /// Compares the number of solutions with published counts and the orbits, if they are known.
    pub(crate) fn check(&self) -> nqueens::Result<()> {
        verify::check_total(Size::new(self.cut.size)?, self.solutions)
    }

    /// Checks that its fields do not contradict each other. The error is a clause.
    fn check_sums(&self) -> Result<(), String> {
        let (units, counts) = (self.cut.units, &self.ledger.counts);
        self.ledger.check_shards(units)?;
        let sum = sum(counts).ok_or("its subtotals add up to more than 128 bits")?;
        if self.sum != sum {
            return Err(format!("its sum is {}, and its subtotals add up to {sum}", self.sum));
        }
        let divisor = u128::from(self.cut.divisor);
        if sum % divisor != 0 || self.solutions != sum / divisor {
            return Err(format!("{units} units with the sum {sum} do not make {} solutions", self.solutions));
        }
        Ok(())
    }
}
