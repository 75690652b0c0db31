//! Results that people publish: the count with every subtotal, so that others can check any of them.

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
use nqueens::solver::{Isa, registry};
use nqueens::verify;

/// What `kind` says.
const KIND: &str = "nqueens-result";

/// The largest result that is read, unpacked.
const MAX_BYTES: u64 = 1 << 28;

/// A count with the count of every unit of work, or what there is of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Published {
    schema: u32,
    kind: String,
    /// The size.
    pub(crate) size: usize,
    /// How many solutions there are; not known where shards are missing.
    pub(crate) solutions: Option<String>,
    /// The solver whose units these are.
    pub(crate) solver: String,
    /// The version of how it cuts a count into units.
    pub(crate) plan_version: u32,
    /// The fingerprint of the units: their names and their order.
    pub(crate) fingerprint: String,
    /// How many units there are.
    pub(crate) units: usize,
    /// The sum of all units is so many times the solutions.
    pub(crate) divisor: u64,
    /// The sum of the units that are counted.
    pub(crate) sum: String,
    /// What the count was held against.
    pub(crate) checks: Vec<String>,
    /// Seconds that cores were at work on it.
    pub(crate) core_seconds: f64,
    /// The work figures.
    pub(crate) work: BTreeMap<String, String>,
    /// Who counted how many shards.
    pub(crate) machines: Vec<Contribution>,
    /// Who counted which units, by ascending unit. Old results do not say.
    #[serde(default)]
    pub(crate) shards: Vec<CountedShard>,
    /// How many shards are not counted yet.
    #[serde(default)]
    pub(crate) shards_missing: usize,
    /// The count of each unit, or of the units of `shards`: decimal numbers with spaces between.
    #[serde(with = "numbers")]
    pub(crate) counts: Vec<u128>,
}

/// What one machine counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contribution {
    /// Its name, or its processor's model where it has none.
    pub(crate) machine: String,
    /// Its processor's model.
    #[serde(default)]
    pub(crate) cpu: String,
    /// The instruction set used.
    pub(crate) isa: String,
    /// The program's version and commit.
    pub(crate) program: String,
    /// Shards.
    pub(crate) shards: usize,
    /// Seconds that its cores were at work.
    pub(crate) core_seconds: f64,
}

/// Who counted the units of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CountedShard {
    /// Its number.
    pub(crate) shard: usize,
    /// The first of its units.
    pub(crate) first_unit: usize,
    /// How many it has.
    pub(crate) units: usize,
    /// Who counted it: a number, from 0, among `machines`.
    pub(crate) machine: usize,
    /// When it was finished, such as `2026-11-21T10:53:07Z`.
    pub(crate) finished: String,
    /// Seconds that cores were at work on it.
    pub(crate) core_seconds: f64,
}

/// Nobody needs microseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

impl Published {
    /// The result of a complete run.
    ///
    /// # Errors
    /// Those of [`Merged::total`].
    pub(crate) fn new(merged: &Merged) -> nqueens::Result<Self> {
        let solutions = merged.total()?.solutions;
        let mut result = Self::of_records(merged)?;
        result.solutions = Some(solutions.to_string());
        if known::solutions(merged.plan.size()).is_some() {
            result.checks.push("equal to the published count".to_owned());
        }
        if known::half_turn(merged.plan.size()).is_some() && known::quarter_turn(merged.plan.size()).is_some() {
            result.checks.push("a whole number of orbits (Burnside)".to_owned());
        }
        Ok(result)
    }

    /// The result of a run as far as it is: without the number of solutions where shards are missing.
    ///
    /// # Errors
    /// Those of [`Merged::total`], but for missing shards.
    pub(crate) fn partial(merged: &Merged) -> nqueens::Result<Self> {
        if merged.missing().is_empty() { Self::new(merged) } else { Self::of_records(merged) }
    }

    fn of_records(merged: &Merged) -> nqueens::Result<Self> {
        let plan = &merged.plan;
        let (mut machines, mut shards): (Vec<Contribution>, Vec<CountedShard>) = (Vec::new(), Vec::new());
        for record in merged.records.values() {
            let machine = contribution(record, &mut machines);
            shards.push(CountedShard {
                shard: record.shard(),
                first_unit: record.first_unit(),
                units: record.counts().len(),
                machine,
                finished: record.finished().to_owned(),
                core_seconds: rounded(record.core_seconds()),
            });
        }
        machines.iter_mut().for_each(|machine| machine.core_seconds = rounded(machine.core_seconds));
        let total = merged.sum()?;
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size: plan.size().get(),
            solutions: None,
            solver: plan.solver().to_owned(),
            plan_version: plan.version(),
            fingerprint: plan.fingerprint().to_owned(),
            units: plan.units(),
            divisor: plan.divisor(),
            sum: total.solutions.to_string(),
            checks: Vec::new(),
            core_seconds: rounded(merged.records.values().map(ShardRecord::core_seconds).sum()),
            work: total.work.figures().map(|(name, n)| (name.to_owned(), n.to_string())).collect(),
            machines,
            shards,
            shards_missing: plan.shards() - merged.records.len(),
            counts: merged.records.values().flat_map(|record| record.counts().iter().copied()).collect(),
        })
    }

    /// Reads a result of at most 256 MiB, which may be packed with gzip, and holds it against itself and against this
    /// program's own plan. Whether its number of solutions can be right, says [`Published::check`].
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NotAResult`] where it contradicts itself; [`Error::Cut`] and [`Error::Forged`] where its
    /// units are not this program's.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let not = |problem: String| Error::NotAResult { file: file.to_owned(), problem };
        let mut source = BufReader::new(File::open(file).map_err(cannot_read(file))?);
        let is_packed = source.fill_buf().map_err(cannot_read(file))?.starts_with(&[0x1f, 0x8b]);
        let text: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(source)) } else { Box::new(source) };
        // It is understood as it is read: what is no result ends it, however much a device or a packed file would give.
        let result = serde_json::from_reader(BufReader::new(text.take(MAX_BYTES)));
        let result: Self = result.map_err(|error| match error.io_error_kind() {
            // What a packed file says that was cut short or damaged.
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
        result.hold_against_own_plan(file)?;
        result.hold_against_itself().map_err(not)?;
        Ok(result)
    }

    /// Holds the number of solutions against what is known; nothing where it is not known yet.
    ///
    /// # Errors
    /// [`nqueens::Error::Published`] or [`nqueens::Error::Orbits`] where it cannot be right.
    pub(crate) fn check(&self) -> nqueens::Result<()> {
        let solutions = self.solutions.as_deref().and_then(|solutions| solutions.parse().ok());
        solutions.map_or(Ok(()), |solutions| verify::check_total(Size::new(self.size)?, solutions))
    }

    /// What in it contradicts itself.
    fn hold_against_itself(&self) -> std::result::Result<(), String> {
        let Some(sum) = sum(&self.counts) else {
            return Err("its subtotals add up to more than 128 bits".to_owned());
        };
        let mut counted = 0;
        for shard in &self.shards {
            let end = shard.first_unit.checked_add(shard.units).filter(|&end| end <= self.units);
            let (Some(end), true) = (end, shard.first_unit >= counted && shard.machine < self.machines.len()) else {
                return Err(format!("its shard {} is not one of its units by one of its machines", shard.shard));
            };
            counted = end;
        }
        let units = if self.shards.is_empty() && self.shards_missing == 0 {
            self.units
        } else {
            self.shards.iter().map(|shard| shard.units).sum()
        };
        if self.counts.len() != units {
            return Err(format!("it has {} counts for {units} units", self.counts.len()));
        }
        if self.sum != sum.to_string() {
            return Err(format!("its sum is {}, and its subtotals add up to {sum}", self.sum));
        }
        let divisor = u128::from(self.divisor);
        let solutions = (units == self.units && sum % divisor == 0).then(|| (sum / divisor).to_string());
        if (units == self.units) != (self.shards_missing == 0) || self.solutions != solutions {
            let given = self.solutions.as_deref().unwrap_or("no number of");
            return Err(format!("{units} of {} units with the sum {sum} do not make {given} solutions", self.units));
        }
        Ok(())
    }

    /// Whether its units are those of this program.
    fn hold_against_own_plan(&self, file: &Path) -> Result<()> {
        let not = |error: nqueens::Error| Error::NotAResult { file: file.to_owned(), problem: error.to_string() };
        let size = Size::new(self.size).map_err(not)?;
        registry::find(&self.solver).map_err(not)?;
        let cut = Cut {
            size,
            solver: &self.solver,
            version: self.plan_version,
            fingerprint: &self.fingerprint,
            units: self.units,
            divisor: self.divisor,
        };
        cut.checked(Isa::Portable, file).map(drop)
    }
}

/// Adds a record to what its machine counted; returns the machine's number.
fn contribution(record: &ShardRecord, machines: &mut Vec<Contribution>) -> usize {
    let origin = record.origin();
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
    machines[number].core_seconds += record.core_seconds();
    number
}
