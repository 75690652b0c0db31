//! Published results: a count with all its subtotals, so that anybody can check one of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::error::cannot_read;
use super::plan::{Cut, SCHEMA};
use super::record::{numbers, sum};
use super::{Error, Merged, Result, ShardRecord};
use nqueens::board::{Size, known};
use nqueens::solver::Isa;
use nqueens::verify;

/// The value of `kind`.
const KIND: &str = "nqueens-result";

/// The largest result that is read, unpacked.
const MAX_BYTES: u64 = 1 << 28;

/// A count with the count of every unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Published {
    schema: u32,
    kind: String,
    /// The number of solutions.
    solutions: String,
    /// The units.
    #[serde(flatten)]
    pub(crate) cut: Cut,
    /// The sum of all units.
    sum: String,
    /// What the count was compared with.
    checks: Vec<String>,
    /// Seconds of cores that it took.
    core_seconds: f64,
    /// The work figures, by name.
    work: BTreeMap<String, String>,
    /// The machines that counted.
    pub(crate) machines: Vec<Contribution>,
    /// Who counted which units, in order of the units. Old results have none.
    #[serde(default)]
    pub(crate) shards: Vec<CountedShard>,
    /// The count of each unit: decimal numbers with spaces between.
    #[serde(with = "numbers")]
    pub(crate) counts: Vec<u128>,
}

/// What one machine counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contribution {
    /// Its name, or its processor's model.
    pub(crate) machine: String,
    /// Its processor's model.
    #[serde(default)]
    cpu: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// The program's version and commit.
    program: String,
    /// Number of shards.
    shards: usize,
    /// Seconds of cores.
    core_seconds: f64,
}

/// Who counted the units of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CountedShard {
    shard: usize,
    first_unit: usize,
    pub(crate) units: usize,
    /// The number of its machine among `machines`, from 0.
    pub(crate) machine: usize,
    /// When it was finished, such as `2026-11-21T10:53:07Z`.
    finished: String,
    core_seconds: f64,
}

/// Rounded to milliseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

impl Published {
    /// The result of a complete run.
    ///
    /// # Errors
    /// Those of [`Merged::total`].
    pub(crate) fn new(merged: &Merged) -> nqueens::Result<Self> {
        let (solutions, total) = merged.total()?;
        let size = merged.plan.size();
        let mut checks = Vec::new();
        if known::solutions(size).is_some() {
            checks.push("the count is the published one".to_owned());
        }
        if known::half_turn(size).is_some() && known::quarter_turn(size).is_some() {
            checks.push("a whole number of orbits (Burnside)".to_owned());
        }
        let (mut machines, mut shards): (Vec<Contribution>, Vec<CountedShard>) = (Vec::new(), Vec::new());
        for record in merged.records.values() {
            shards.push(CountedShard {
                shard: record.shard,
                first_unit: record.first_unit,
                units: record.counts.len(),
                machine: contribution(record, &mut machines),
                finished: record.finished.clone(),
                core_seconds: rounded(record.core_seconds),
            });
        }
        machines.iter_mut().for_each(|machine| machine.core_seconds = rounded(machine.core_seconds));
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            solutions: solutions.to_string(),
            cut: merged.plan.cut.clone(),
            sum: total.solutions.to_string(),
            checks,
            core_seconds: rounded(merged.records.values().map(|record| record.core_seconds).sum()),
            work: total.work.figures().map(|(name, n)| (name.to_owned(), n.to_string())).collect(),
            machines,
            shards,
            counts: merged.records.values().flat_map(|record| record.counts.iter().copied()).collect(),
        })
    }

    /// Reads a result of at most 256 MiB, plain or packed with gzip. Checks its sums, and that its units are this
    /// program's. [`Published::check`] compares its number of solutions with what is known.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NotAResult`] if its fields contradict each other; [`Error::Cut`] and [`Error::Forged`]
    /// if its units are not this program's.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let not = |problem: String| Error::NotAResult { file: file.to_owned(), problem };
        let mut source = BufReader::new(File::open(file).map_err(cannot_read(file))?);
        let is_packed = source.fill_buf().map_err(cannot_read(file))?.starts_with(&[0x1f, 0x8b]);
        let text: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(source)) } else { Box::new(source) };
        // Parses while it reads, so an endless file ends at the first byte that is not JSON.
        let result = serde_json::from_reader(BufReader::new(text.take(MAX_BYTES)));
        let result: Self = result.map_err(|error| match error.io_error_kind() {
            // A packed file that was cut short or damaged gives these errors.
            Some(ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput) | None => {
                not(error.to_string())
            }
            Some(_) => cannot_read(file)(error.into()),
        })?;
        if (result.schema, result.kind.as_str()) != (SCHEMA, KIND) {
            return Err(not(format!(
                "it is of kind '{}', schema {}, not '{KIND}', {SCHEMA}",
                result.kind, result.schema
            )));
        }
        result.cut.plan(Isa::Portable, file).map_err(|error| match error {
            Error::Count(error) => not(error.to_string()),
            error => error,
        })?;
        result.check_sums().map_err(not)?;
        Ok(result)
    }

    /// Compares the number of solutions with published counts and the orbits, if they are known.
    ///
    /// # Errors
    /// [`nqueens::Error::Published`] or [`nqueens::Error::Orbits`] if it cannot be right.
    pub(crate) fn check(&self) -> nqueens::Result<()> {
        self.solutions.parse().map_or(Ok(()), |solutions| verify::check_total(Size::new(self.cut.size)?, solutions))
    }

    /// Checks that its fields do not contradict each other.
    fn check_sums(&self) -> std::result::Result<(), String> {
        let units = self.cut.units;
        let Some(sum) = sum(&self.counts) else {
            return Err("its subtotals add up to more than 128 bits".to_owned());
        };
        let mut counted = 0;
        for shard in &self.shards {
            let end = shard.first_unit.checked_add(shard.units).filter(|&end| end <= units);
            let (Some(end), true) = (end, shard.first_unit == counted && shard.machine < self.machines.len()) else {
                return Err(format!("its shard {} is not one of its units by one of its machines", shard.shard));
            };
            counted = end;
        }
        if self.counts.len() != units || !(self.shards.is_empty() || counted == units) {
            return Err(format!("it has {} counts for {units} units", self.counts.len()));
        }
        if self.sum != sum.to_string() {
            return Err(format!("its sum is {}, and its subtotals add up to {sum}", self.sum));
        }
        let divisor = u128::from(self.cut.divisor);
        if sum % divisor != 0 || self.solutions != (sum / divisor).to_string() {
            return Err(format!("{units} units with the sum {sum} do not make {} solutions", self.solutions));
        }
        Ok(())
    }
}

/// Adds a record to what its machine counted, and returns the machine's number.
fn contribution(record: &ShardRecord, machines: &mut Vec<Contribution>) -> usize {
    let origin = &record.origin;
    let modified = if origin.dirty { ", modified" } else { "" };
    let program = format!("{} ({}{modified})", origin.version, origin.commit);
    let is_its = |by: &Contribution| {
        (by.machine.as_str(), &by.cpu, &by.isa, &by.program) == (origin.who(), &origin.cpu, &origin.isa, &program)
    };
    let number = machines.iter().position(is_its).unwrap_or_else(|| {
        machines.push(Contribution {
            machine: origin.who().to_owned(),
            cpu: origin.cpu.clone(),
            isa: origin.isa.clone(),
            program: program.clone(),
            shards: 0,
            core_seconds: 0.0,
        });
        machines.len() - 1
    });
    machines[number].shards += 1;
    machines[number].core_seconds += record.core_seconds;
    number
}
