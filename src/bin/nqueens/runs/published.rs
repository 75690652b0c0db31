//! Published results: a count with all its subtotals, or those counted so far, so that anybody can check one of them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::folder::cannot_read;
use super::plan::{Cut, SCHEMA};
use super::record::{check_tallies, sum};
use super::{Ledger, Merged, plausible};
use crate::exit::Exit;
use crate::terminal::units::seconds_in_json;
use nqueens::board::{Size, known};
use nqueens::count::{Tally, Work};
use nqueens::solver::Isa;
use nqueens::verify;

/// The value of `kind`.
const KIND: &str = "nqueens-result";

/// The largest result that is read, unpacked.
const MAX_BYTES: u64 = 64 << 20;

/// A number of solutions, as a string of digits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Solutions(#[serde(with = "nqueens::decimal")] u128);

/// A count with the count of every unit of work, or of the units counted so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Published {
    schema: u32,
    kind: String,
    /// The number of solutions. `None` if units are missing.
    solutions: Option<Solutions>,
    /// All units of the run.
    #[serde(flatten)]
    pub(crate) cut: Cut,
    /// The sum of the counted units.
    #[serde(with = "nqueens::decimal")]
    sum: u128,
    /// What the count was compared with.
    checks: Vec<String>,
    /// Seconds of cores that it took.
    #[serde(serialize_with = "seconds_in_json")]
    core_seconds: f64,
    /// The work figures.
    work: Work,
    /// The count of each counted unit, and who counted it.
    #[serde(flatten)]
    pub(crate) ledger: Ledger,
}

impl Published {
    /// The result of a complete run.
    pub(crate) fn complete(merged: &Merged) -> anyhow::Result<Self> {
        let (solutions, total) = merged.total()?;
        let size = merged.plan.size();
        let mut checks = Vec::new();
        checks.push(plausible::unpublished(size).unwrap_or_else(|| "the count is the published one".to_owned()));
        if known::half_turn(size).is_some() && known::quarter_turn(size).is_some() {
            checks.push("a whole number of orbits (Burnside)".to_owned());
        }
        Ok(Self { solutions: Some(Solutions(solutions)), checks, ..Self::without_total(merged, total) })
    }

    /// The result of a run of which shards may be missing, but not all.
    pub(crate) fn so_far(merged: &Merged) -> anyhow::Result<Self> {
        if merged.missing().is_empty() {
            return Self::complete(merged);
        }
        if merged.records.is_empty() {
            bail!("no shard of this run is counted yet: count some with 'nqueens run count'");
        }
        Ok(Self::without_total(merged, merged.sum_so_far()?))
    }

    fn without_total(merged: &Merged, sum: Tally) -> Self {
        Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            solutions: None,
            cut: merged.plan.cut.clone(),
            sum: sum.solutions,
            checks: Vec::new(),
            core_seconds: merged.records.values().map(|record| record.core_seconds).sum(),
            work: sum.work,
            ledger: Ledger::from(merged),
        }
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
        let plan = result.cut.plan(Isa::Portable, file)?;
        result.ledger.complete(result.cut.units);
        result.check_sums().map_err(not)?;
        let counted = result.ledger.counted(None).into_iter().map(|counted| (counted.unit, counted.count));
        check_tallies(&*plan, counted).map_err(not)?;
        Ok(result)
    }

    /// Compares the number of solutions, if the result has it, with published counts and the orbits, if they are known.
    /// Checks that the sum is not too large.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let size = Size::new(self.cut.size)?;
        if let Some(Solutions(solutions)) = self.solutions {
            verify::check_total(size, solutions)?;
        }
        plausible::check(&self.cut, size, self.sum, self.solutions.is_some())
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
        match self.solutions {
            None if counts.len() == units => Err("it has all units, and no number of solutions".to_owned()),
            Some(Solutions(solutions)) if counts.len() < units => {
                Err(format!("it has {solutions} solutions, and only {} of {units} units", counts.len()))
            }
            Some(Solutions(solutions)) if sum % divisor != 0 || solutions != sum / divisor => {
                Err(format!("{units} units with the sum {sum} do not make {solutions} solutions"))
            }
            _ => Ok(()),
        }
    }
}
