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
use super::{Error, Merged, Residue, Result};
use crate::board::{Size, known};
use crate::solver::{Isa, registry};
use crate::verify;

/// What `kind` says.
const KIND: &str = "nqueens-result";

/// The largest result that is read, unpacked.
const MAX_BYTES: u64 = 1 << 28;

/// A complete count with the count of every unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Published {
    schema: u32,
    kind: String,
    /// The size.
    pub size: usize,
    /// How many solutions there are.
    pub solutions: String,
    /// The solver whose units these are.
    pub solver: String,
    /// The version of how it cuts a count into units.
    pub plan_version: u32,
    /// The fingerprint of the units: their names and their order.
    pub fingerprint: String,
    /// How many units there are.
    pub units: usize,
    /// The sum of all units is so many times the solutions.
    pub divisor: u64,
    /// The sum of all units.
    pub sum: String,
    /// What the count was held against.
    pub checks: Vec<String>,
    /// Seconds that cores were at work on it.
    pub core_seconds: f64,
    /// The work figures.
    pub work: BTreeMap<String, String>,
    /// Who counted how many shards.
    pub machines: Vec<Contribution>,
    /// The count of each unit: decimal numbers with spaces between.
    #[serde(with = "numbers")]
    pub counts: Vec<u128>,
}

/// What one machine counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// Its name, where it was given, or its processor's model.
    pub machine: String,
    /// The instruction set used.
    pub isa: String,
    /// The program's version and commit.
    pub program: String,
    /// Shards.
    pub shards: usize,
    /// Seconds that its cores were at work.
    pub core_seconds: f64,
}

impl Published {
    /// The result of a complete run.
    ///
    /// # Errors
    /// Those of [`Merged::total`].
    pub fn new(merged: &Merged) -> crate::Result<Self> {
        let total = merged.total()?;
        let plan = &merged.plan;
        let mut machines: BTreeMap<(String, String, String), (usize, f64)> = BTreeMap::new();
        for record in merged.records.values() {
            let origin = record.origin();
            let machine = origin.machine.clone().unwrap_or_else(|| origin.cpu.clone());
            let modified = if origin.dirty { ", modified" } else { "" };
            let program = format!("{} ({}{modified})", origin.version, origin.commit);
            let (shards, seconds) = machines.entry((machine, origin.isa.clone(), program)).or_default();
            *shards += 1;
            *seconds += record.core_seconds();
        }
        let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
        let contribution = |((machine, isa, program), (shards, seconds))| Contribution {
            machine,
            isa,
            program,
            shards,
            core_seconds: rounded(seconds),
        };
        let mut checks = Vec::new();
        if known::solutions(plan.size()).is_some() {
            checks.push("equal to the published count".to_owned());
        }
        if known::half_turn(plan.size()).is_some() && known::quarter_turn(plan.size()).is_some() {
            checks.push("a whole number of orbits (Burnside)".to_owned());
        }
        Ok(Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            size: plan.size().get(),
            solutions: total.solutions.to_string(),
            solver: plan.solver().to_owned(),
            plan_version: plan.version(),
            fingerprint: plan.fingerprint().to_owned(),
            units: plan.units(),
            divisor: plan.divisor(),
            sum: total.sum.to_string(),
            checks,
            core_seconds: rounded(merged.records.values().map(super::Record::core_seconds).sum()),
            work: total.work.figures().into_iter().map(|(name, n)| (name.to_owned(), n.to_string())).collect(),
            machines: machines.into_iter().map(contribution).collect(),
            counts: merged.records.values().flat_map(|record| record.counts().iter().copied()).collect(),
        })
    }

    /// Reads a result of at most 256 MiB, which may be packed with gzip, and holds it against itself, against this
    /// program's own plan, and against what is known.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NotAResult`] where it contradicts itself; [`Error::Cut`] and [`Error::Forged`] where its
    /// units are not this program's; [`Error::Count`] where its count cannot be right.
    pub fn read(file: &Path) -> Result<Self> {
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
        let Some(sum) = sum(&result.counts) else {
            return Err(not("its subtotals add up to more than 128 bits".to_owned()));
        };
        if result.counts.len() != result.units {
            return Err(not(format!("it has {} counts for {} units", result.counts.len(), result.units)));
        }
        if result.sum != sum.to_string() {
            return Err(not(format!("its sum is {}, and its subtotals add up to {sum}", result.sum)));
        }
        let divisor = u128::from(result.divisor);
        if sum % divisor != 0 || result.solutions != (sum / divisor).to_string() {
            return Err(not(format!("its sum {sum} does not make {} solutions", result.solutions)));
        }
        verify::check_total(Size::new(result.size)?, sum / divisor)?;
        Ok(result)
    }

    /// Whether its units are those of this program.
    fn hold_against_own_plan(&self, file: &Path) -> Result<()> {
        let not = |error: crate::Error| Error::NotAResult { file: file.to_owned(), problem: error.to_string() };
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

    /// The residue of its sum.
    #[must_use]
    pub fn residue(&self) -> Residue {
        let mut residue = Residue::default();
        self.counts.iter().for_each(|&count| residue.add(count));
        residue
    }
}
