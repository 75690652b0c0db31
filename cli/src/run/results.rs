//! The results of all shards, read from the logs of one or more folders.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::folder::{LONGEST, cannot_read};
use super::ledger::CountedShard;
use super::shard::{sum, wrong_tallies};
use super::{Contribution, Ledger, RunFolder, RunPlan, ShardResult, sanity};
use crate::terminal::atomic_file::MAX_BYTES;
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;
use nqueens::Outcome;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};

/// The most damaged lines that are named.
const MOST_DAMAGED: usize = 1000;

/// The results of the shards of a run, as far as they have been read.
#[derive(Debug)]
pub(crate) struct Results {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    /// The file of the plan, for errors.
    plan_file: PathBuf,
    /// The folders of logs, and whether each was there. If it is missing later, its file system is away for a while.
    folders: Vec<(PathBuf, bool)>,
    logs: HashMap<PathBuf, ReadLog>,
    /// The machines that counted.
    pub(crate) machines: Vec<Contribution>,
    /// Who counted each shard; `None` if it has no valid line.
    pub(crate) shards: Vec<Option<CountedShard>>,
    /// The count of each unit; 0 if its shard is missing.
    counts: Vec<u128>,
    /// The work figures of all shards.
    work: Work,
    /// Damaged lines, and files that are no logs.
    damaged: Vec<Damage>,
    /// The shards whose count cannot be right, with the reason: two lines that differ, or a weight that does not divide it.
    pub(crate) wrong: BTreeMap<usize, String>,
}

/// How far a log has been read.
#[derive(Debug, Clone, Copy, Default)]
struct ReadLog {
    /// The bytes up to the last valid line.
    end: u64,
    /// The number of lines up to there.
    lines: usize,
}

/// What is wrong with a line or a file.
#[derive(Debug)]
struct Damage {
    /// The shard that the line seems to be of.
    shard: Option<usize>,
    /// Names the file and the line.
    problem: String,
}

impl Results {
    /// Reads all lines of these folders of one run, at least one folder.
    pub(crate) fn read(folders: &[RunFolder]) -> anyhow::Result<Self> {
        let plan = &folders[0].plan;
        if let Some(other) = folders.iter().find(|folder| folder.plan != *plan) {
            bail!(
                "{} and {} are of different runs: {}, and {}",
                other.path.display(),
                folders[0].path.display(),
                other.plan.in_words(),
                plan.in_words()
            );
        }
        let mut results = Self {
            plan: plan.clone(),
            plan_file: folders[0].plan_file(),
            folders: folders.iter().map(|folder| (folder.records(), false)).collect(),
            logs: HashMap::new(),
            machines: Vec::new(),
            shards: vec![None; plan.shards()],
            counts: vec![0; plan.cut.units],
            work: Work::default(),
            damaged: Vec::new(),
            wrong: BTreeMap::new(),
        };
        results.look()?;
        Ok(results)
    }

    /// Reads the lines that are new since the last look. Fails if a file cannot be read, as it may on the next look, and
    /// if a line is of another run.
    pub(crate) fn look(&mut self) -> anyhow::Result<()> {
        for index in 0..self.folders.len() {
            let (folder, was_there) = self.folders[index].clone();
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound && !was_there => continue,
                entries => entries.with_context(|| cannot_read(&folder))?,
            };
            self.folders[index].1 = true;
            let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
            let mut paths = paths.map_err(|error: std::io::Error| error).with_context(|| cannot_read(&folder))?;
            paths.retain(|path| is_log(path));
            paths.sort_unstable();
            for path in paths {
                self.read_log(&path)?;
            }
        }
        Ok(())
    }

    /// Reads the lines of a log after the last valid one that was read. A last line without its end is none yet.
    fn read_log(&mut self, path: &Path) -> anyhow::Result<()> {
        let cannot = || cannot_read(path);
        let metadata = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            metadata => metadata.with_context(cannot)?,
        };
        // A pipe would have to wait for its other end.
        if !metadata.is_file() {
            self.damage(None, format!("{}: it is not a regular file", path.display()));
            return Ok(());
        }
        let mut read = self.logs.get(path).copied().unwrap_or_default();
        if metadata.len() == read.end {
            return Ok(());
        }
        let mut file = File::open(path).with_context(cannot)?;
        file.seek(SeekFrom::Start(read.end)).with_context(cannot)?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let (mut line, mut at) = (Vec::new(), read);
        loop {
            line.clear();
            let bytes = (&mut file).take(MAX_BYTES).read_until(b'\n', &mut line).with_context(cannot)?;
            let is_too_long = bytes as u64 == MAX_BYTES;
            if !line.ends_with(b"\n") && !is_too_long {
                break;
            }
            (at.end, at.lines) = (at.end + bytes as u64, at.lines + 1);
            match ShardResult::parse(&line) {
                Ok(result) => {
                    self.add(path, &result)?;
                    read = at;
                }
                Err(problem) => {
                    let problem = shortened(&problem, LONGEST);
                    let problem = format!("{}, line {}: {problem}", path.display(), at.lines);
                    self.damage(ShardResult::shard_of_damaged(&line), problem);
                }
            }
            if is_too_long {
                break;
            }
        }
        self.logs.insert(path.to_owned(), read);
        Ok(())
    }

    fn damage(&mut self, shard: Option<usize>, problem: String) {
        if self.damaged.len() < MOST_DAMAGED {
            self.damaged.push(Damage { shard, problem });
        }
    }

    /// Adds a line. If its shard has a line, compares the two.
    fn add(&mut self, path: &Path, result: &ShardResult<'_>) -> anyhow::Result<()> {
        let plan = &self.plan;
        if !result.is_of(plan) {
            // It is sound: somebody exchanged the plan, or put the file into the wrong folder.
            bail!(
                "{} is of another run than {} plans: it has {}, and the plan is for {}; put the right plan.json back, or \
                 move the file away",
                path.display(),
                self.plan_file.display(),
                shortened(&result.in_words(), LONGEST),
                plan.in_words()
            );
        }
        let (shard, units) = (result.shard, plan.units_of(result.shard));
        if let Some(known) = &self.shards[shard] {
            let counts = &self.counts[units.clone()];
            if let Some(at) = counts.iter().zip(&result.counts).position(|(known, this)| known != this) {
                let problem = format!(
                    "{}: shard {shard} was counted twice with different results: unit {} counts {} by {}, and {} by {}",
                    path.display(),
                    units.start + at,
                    result.counts[at],
                    result.machine,
                    counts[at],
                    self.machines[known.machine].machine,
                );
                self.wrong.insert(shard, problem);
            }
            return Ok(());
        }
        let predicted_seconds = plan.predicted_seconds(shard);
        // Most lines of a log are of the machine of the line before.
        let is_by = |known: &Contribution| {
            (&*known.machine, &*known.cpu, &*known.isa, &*known.program)
                == (&*result.machine, &*result.cpu, &*result.isa, &*result.program)
        };
        let machine = self.machines.iter().rposition(is_by).unwrap_or_else(|| {
            self.machines.push(Contribution {
                machine: result.machine.to_string(),
                cpu: result.cpu.to_string(),
                isa: result.isa.to_string(),
                program: result.program.to_string(),
                ..Contribution::default()
            });
            self.machines.len() - 1
        });
        let known = &mut self.machines[machine];
        known.shards += 1;
        known.core_seconds += result.core_seconds;
        known.predicted_seconds += predicted_seconds;
        // The texts of times in UTC are in the order of the times.
        if *known.finished < *result.finished {
            known.finished = result.finished.to_string();
        }
        self.counts[units.clone()].copy_from_slice(&result.counts);
        self.work.add(result.work);
        self.shards[shard] = Some(CountedShard {
            shard,
            first_unit: units.start,
            units: units.len(),
            machine,
            finished: result.finished.to_string(),
            core_seconds: result.core_seconds,
        });
        Ok(())
    }

    /// Whether a shard has a valid line.
    pub(crate) fn has(&self, shard: usize) -> bool {
        self.shards[shard].is_some()
    }

    /// The shards that have no valid line.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.shards.len()).filter(|&shard| !self.has(shard)).collect()
    }

    /// The shards without a valid line that a damaged line seems to be of.
    pub(crate) fn damaged_shards(&self) -> impl Iterator<Item = usize> {
        let shards = self.damaged.iter().filter_map(|damage| damage.shard);
        shards.filter(|&shard| self.shards.get(shard).is_some_and(Option::is_none))
    }

    /// What is wrong with damaged lines. A line whose shard has a valid line elsewhere does no harm; nor does any if no
    /// shard is missing.
    pub(crate) fn damage_in_words(&self) -> impl Iterator<Item = &str> {
        let is_complete = self.shards.iter().all(Option::is_some);
        let is_counted = |shard: usize| self.shards.get(shard).is_some_and(Option::is_some);
        let harms = move |damage: &&Damage| !is_complete && !damage.shard.is_some_and(is_counted);
        self.damaged.iter().filter(harms).map(|damage| damage.problem.as_str())
    }

    /// The folders of logs.
    pub(crate) fn log_folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(|(folder, _)| &**folder)
    }

    /// What is wrong in the folders: damaged lines, and shards whose count cannot be right.
    pub(crate) fn faults(&self) -> Vec<&str> {
        self.damage_in_words().chain(self.wrong.values().map(String::as_str)).collect()
    }

    /// Checks that the units of the plan are this program's: if somebody removed shards from the plan, a partial sum would
    /// pass for the count. Notes the shards whose counts the weights of their units do not divide.
    pub(crate) fn check_units(&mut self, folder: &Path) -> anyhow::Result<()> {
        let units = self.plan.cut.plan(Isa::Portable, folder)?;
        for (unit, problem) in wrong_tallies(&*units, self.counts.iter().copied().enumerate()) {
            let shard = self.plan.shard_of(unit);
            self.wrong.entry(shard).or_insert_with(|| format!("shard {shard}: {problem}"));
        }
        Ok(())
    }

    /// Returns the number of solutions and the sum of all units. The number is checked against published counts and
    /// Burnside's orbits. Fails if shards are missing, or if the count cannot be right.
    pub(crate) fn total(&self) -> anyhow::Result<(u128, Tally)> {
        let missing = self.missing();
        if let Some(first) = missing.first() {
            bail!(
                "this run lacks {} of {}, the first is {first}: count them with 'nqueens count {} --dir RUN', or name \
                 the folder that has them, too",
                missing.len(),
                plural(self.plan.shards(), "shard"),
                self.plan.size()
            );
        }
        let sum = self.sum()?;
        Ok((sanity::solutions(&self.plan.cut, sum)?, Tally::new(sum, self.work)))
    }

    /// Checks the sum of the units counted so far. Fails if it cannot be a part of the count.
    pub(crate) fn check_part(&self) -> anyhow::Result<()> {
        sanity::check(&self.plan.cut, self.plan.size(), self.sum()?, false)
    }

    fn sum(&self) -> nqueens::Result<u128> {
        sum(&self.counts).ok_or(nqueens::Error::Overflow { bits: 128 })
    }

    /// Who counted what, of the shards that are there.
    pub(crate) fn into_ledger(mut self) -> Ledger {
        let shards: Vec<CountedShard> = self.shards.into_iter().flatten().collect();
        if shards.len() < self.plan.shards() {
            let units = shards.iter().flat_map(|shard| self.plan.units_of(shard.shard));
            self.counts = units.map(|unit| self.counts[unit]).collect();
        }
        Ledger { machines: self.machines, shards, counts: self.counts }
    }

    /// The count as an outcome of the library.
    pub(crate) fn outcome(&self, threads: usize) -> anyhow::Result<Outcome> {
        let (solutions, total) = self.total()?;
        let code = self.code_of_most();
        // Graphics cards have no name there.
        let isa = Isa::ALL.iter().find(|isa| isa.name() == code).copied().unwrap_or(Isa::Portable);
        let solver = registry::find(&self.plan.cut.solver)?.name().into();
        let counted = Tally::new(solutions, total.work);
        Ok(Outcome::of(counted, self.plan.size(), (solver, isa), threads, self.plan.cut.units))
    }

    /// Seconds of cores that all shards took.
    pub(crate) fn core_seconds(&self) -> f64 {
        self.machines.iter().map(|machine| machine.core_seconds).sum()
    }

    /// What counted the most shards: an instruction set, or graphics cards. Empty if there is no shard.
    pub(crate) fn code_of_most(&self) -> &str {
        code_of_most(&self.machines)
    }
}

/// What counted the most shards of these machines.
fn code_of_most(machines: &[Contribution]) -> &str {
    let shards = |isa: &str| -> usize {
        machines.iter().filter(|machine| machine.isa == isa).map(|machine| machine.shards).sum()
    };
    let codes = machines.iter().map(|machine| machine.isa.as_str());
    // The first of several that counted as many.
    codes.rev().max_by_key(|isa| shards(isa)).unwrap_or_default()
}

/// Whether a file of this name is a log. Earlier programs wrote a file `000017.json` for each shard: a log of one line.
fn is_log(path: &Path) -> bool {
    let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_most_shards_is_named_whatever_it_is() {
        let by = |machine: &str, isa: &str, shards: usize| Contribution {
            machine: machine.to_owned(),
            isa: isa.to_owned(),
            shards,
            ..Contribution::default()
        };
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4)]), "gpu (card)");
        // Two machines with one instruction set.
        assert_eq!(code_of_most(&[by("a", "gpu (card)", 4), by("b", "avx2", 3), by("c", "avx2", 2)]), "avx2");
        assert_eq!(code_of_most(&[by("a", "portable", 2), by("b", "avx2", 2)]), "portable");
        assert_eq!(code_of_most(&[]), "");
    }
}
