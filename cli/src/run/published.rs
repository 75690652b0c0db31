//! Published results: a count with the counts of all its units, so that anybody can check some of them.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::folder::{LONGEST, cannot_read, run_of};
use super::ledger::core_seconds;
use super::line::{sum, wrong_tallies};
use super::plan::{Cut, SCHEMA};
use super::{Ledger, Results, sanity};
use crate::exit::Fault;
use crate::terminal::atomic_file::{MAX_BYTES, read_whole, without_mark};
use crate::terminal::escape::shortened;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};

/// The value of `kind`.
const KIND: &str = "nqueens-result";

/// The most bytes that a packed byte may become. That of a real result becomes two or three, of a hostile file 1000.
const MAX_PACKED: u64 = 32;

/// A packed result of this many bytes, unpacked, is read however small it was packed.
const SMALL: u64 = 1 << 20;

/// A count with the count of every unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Published {
    schema: u32,
    kind: String,
    /// The number of solutions.
    #[serde(serialize_with = "nqueens::internal::to_digits", deserialize_with = "nqueens::internal::from_digits")]
    solutions: u128,
    /// All units of the run. It and the ledger are read apart: with `flatten`, serde copies unknown fields to memory.
    #[serde(flatten, skip_deserializing)]
    pub(crate) cut: Cut,
    /// The sum of the units.
    #[serde(serialize_with = "nqueens::internal::to_digits", deserialize_with = "nqueens::internal::from_digits")]
    sum: u128,
    /// Seconds of cores that it took.
    core_seconds: f64,
    /// The work figures.
    work: Work,
    /// The count of each unit, and who counted it.
    #[serde(flatten, skip_deserializing)]
    pub(crate) ledger: Ledger,
}

impl Published {
    /// The result of a complete run.
    pub(crate) fn new(results: Results) -> anyhow::Result<Self> {
        let (solutions, Tally { solutions: sum, work, .. }) = results.total()?;
        let (schema, kind, cut) = (SCHEMA, KIND.to_owned(), results.plan.cut.clone());
        let ledger = results.into_ledger();
        Ok(Self { schema, kind, solutions, cut, sum, core_seconds: core_seconds(&ledger.machines), work, ledger })
    }

    /// Reads a result, plain or packed with gzip. Checks its sums, and that its units are this program's.
    /// [`Published::check`] compares its number of solutions with what is known.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let not = |problem: String| {
            let problem = shortened(&problem, LONGEST);
            let run = run_of(file)
                .map_or(String::new(), |run| format!("; to audit a run, give its folder, {}", run.display()));
            Fault::Wrong.error(format!("{} is not a result that can be checked: {problem}{run}", file.display()))
        };
        let json = match File::open(file).and_then(|file| read_whole(file, MAX_BYTES)) {
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(not(error.to_string())),
            bytes => unpacked(bytes.with_context(|| cannot_read(file))?).map_err(|error| not(error.to_string())),
        }?;
        let mut result = Self::from_json(&without_mark(json)).map_err(|error| not(error.to_string()))?;
        if (result.schema, result.kind.as_str()) != (SCHEMA, KIND) {
            return Err(not(format!("it is of kind '{}', schema {}", result.kind, result.schema)));
        }
        let plan = result.cut.plan(Isa::Portable, file)?;
        result.ledger.complete(result.cut.units);
        result.check_sums().map_err(not)?;
        let counted = result.ledger.counted(None).into_iter().map(|counted| (counted.unit, counted.count));
        let wrong = wrong_tallies(&*plan, counted).next();
        wrong.map_or(Ok(result), |(_, problem)| Err(not(problem)))
    }

    fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        let (cut, ledger) = (serde_json::from_slice(json)?, serde_json::from_slice(json)?);
        Ok(Self { cut, ledger, ..serde_json::from_slice(json)? })
    }

    /// Compares the number of solutions with published counts and the orbits, if they are known.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        sanity::solutions(&self.cut, self.sum).map(drop)
    }

    /// Checks that its fields do not contradict each other. The error is a clause.
    fn check_sums(&self) -> Result<(), String> {
        let (units, divisor) = (self.cut.units, u128::from(self.cut.divisor));
        self.ledger.check_shards(units)?;
        let sum = sum(&self.ledger.counts).ok_or("its subtotals add up to more than 128 bits")?;
        if self.sum != sum {
            return Err(format!("its sum is {}, and its subtotals add up to {sum}", self.sum));
        }
        if sum % divisor != 0 || self.solutions != sum / divisor {
            return Err(format!("{units} units with the sum {sum} do not make {} solutions", self.solutions));
        }
        Ok(())
    }
}

/// The text of a result that may be packed with gzip, also in several parts.
fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let most = (MAX_PACKED * bytes.len() as u64).clamp(SMALL, MAX_BYTES);
    read_whole(MultiGzDecoder::new(&bytes[..]), most)
}
