//! The results of all shards, read from the logs of one or more folders.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::folder::LONGEST;
use super::line::{sum, wrong_tallies};
use super::logs::{Damage, Logs};
use super::machines::Moment;
use super::{Contribution, Contributor, CountedUnit, Line, RunFolder, RunPlan, sanity};
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};

/// The results of the shards of a run, as far as they have been read.
#[derive(Debug)]
pub(crate) struct Results {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    /// The file of the plan, for errors.
    plan_file: PathBuf,
    logs: Logs,
    /// Who counted, and the logs that have a first line of a shard.
    by: Vec<Contributor>,
    files: Vec<PathBuf>,
    /// What is known of each shard; `None` if it has no valid line.
    shards: Vec<Option<ValidLine>>,
    /// The count of each unit; 0 if its shard is missing.
    counts: Vec<u128>,
    /// The work figures of all shards.
    work: Work,
    /// The shards whose count cannot be right, with the reason: two lines that differ, or a weight that does not divide it.
    pub(crate) wrong: BTreeMap<usize, String>,
}

/// The first valid line of a shard, without its counts. It is small, because the lines of a log may be of shards anywhere in
/// the run, and each access to another place of the memory takes as long as reading a part of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValidLine {
    /// The number of its machine in `by`, and of its log in `files`.
    machine: usize,
    file: usize,
    pub(super) finished: Moment,
    pub(super) core_seconds: f64,
}

impl Results {
    /// Reads all lines of these folders of one run, at least one folder. Fails if there is a log that it cannot read, or
    /// if all logs are of other runs.
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
            logs: Logs::of(folders, plan),
            by: Vec::new(),
            files: Vec::new(),
            shards: vec![None; plan.shards()],
            counts: vec![0; plan.cut.units],
            work: Work::default(),
            wrong: BTreeMap::new(),
        };
        results.look()?;
        if let Some(log) = results.logs.unreadable.first() {
            bail!(
                "the log {} is no regular file, nor a link to one: put the file there, or move the name away",
                log.display()
            );
        }
        if let Some(foreign) = results.foreign_in_words().first()
            && results.by.is_empty()
        {
            bail!(
                "no log is of the run that {} plans, {}: {foreign}; put the right plan.json back, or move the log away",
                results.plan_file.display(),
                results.plan.in_words()
            );
        }
        Ok(results)
    }

    /// Reads the lines that are new since the last look. Fails if a file cannot be read, as it may on the next look.
    pub(crate) fn look(&mut self) -> anyhow::Result<()> {
        let mut logs = mem::take(&mut self.logs);
        let looked = logs.look(|path, line| self.add(path, line));
        self.logs = logs;
        looked
    }

    /// The logs that have lines of another run. These lines are left out.
    pub(crate) fn foreign_in_words(&self) -> Vec<String> {
        let in_words = |(log, has): (&PathBuf, &String)| format!("{} has lines of another run: {has}", log.display());
        self.logs.foreign.iter().map(in_words).collect()
    }

    /// Adds a line. If its shard has a line, compares the two. A line of another run is not added; the error says what it
    /// has. Somebody exchanged the plan, or put the log into the wrong folder.
    fn add(&mut self, path: &Path, result: &Line<'_>) -> Result<(), String> {
        let Some(units) = result.units_in(&self.plan) else {
            return Err(shortened(&result.in_words(), LONGEST));
        };
        let shard = result.shard;
        if let Some(known) = &self.shards[shard] {
            let counts = &self.counts[units.clone()];
            if let Some(at) = counts.iter().zip(&result.counts).position(|(known, this)| known != this) {
                let problem = format!(
                    "shard {shard} was counted twice with different results: unit {} counts {} by {} in {}, and {} by {} \
                     in {}",
                    units.start + at,
                    result.counts[at],
                    result.machine,
                    path.display(),
                    counts[at],
                    self.by[known.machine].machine,
                    self.files[known.file].display(),
                );
                self.wrong.insert(shard, problem);
            }
            return Ok(());
        }
        let machine = self.number_of(result);
        self.counts[units].copy_from_slice(&result.counts);
        self.work.add(result.work);
        let Line { finished, core_seconds, .. } = *result;
        if self.files.last().is_none_or(|last| last != path) {
            self.files.push(path.to_owned());
        }
        self.shards[shard] = Some(ValidLine { machine, file: self.files.len() - 1, finished, core_seconds });
        Ok(())
    }

    /// The number in `by` of the machine that counted a shard.
    fn number_of(&mut self, result: &Line<'_>) -> usize {
        let is_by = |known: &Contributor| {
            (&*known.machine, &*known.cpu, &*known.isa, &*known.program)
                == (&*result.machine, &*result.cpu, &*result.isa, &*result.program)
        };
        // Most lines of a log are of the machine of the line before.
        self.by.iter().rposition(is_by).unwrap_or_else(|| {
            self.by.push(Contributor {
                machine: result.machine.to_string(),
                cpu: result.cpu.to_string(),
                isa: result.isa.to_string(),
                program: result.program.to_string(),
            });
            self.by.len() - 1
        })
    }

    /// The shards that have a valid line, in order.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &ValidLine)> {
        self.shards.iter().enumerate().filter_map(|(shard, line)| Some((shard, line.as_ref()?)))
    }

    /// The name of the machine that counted a shard.
    pub(super) fn machine_of(&self, line: &ValidLine) -> &str {
        &self.by[line.machine].machine
    }

    /// The machines that counted, and what each of them did.
    pub(crate) fn machines(&self) -> Vec<Contribution> {
        let mut machines: Vec<Contribution> = self.by.iter().cloned().map(Contribution::none).collect();
        for (shard, line) in self.lines() {
            let machine = &mut machines[line.machine];
            machine.shards += 1;
            machine.core_seconds += line.core_seconds;
            machine.predicted_seconds += self.plan.predicted_seconds(shard);
            machine.finished = machine.finished.max(line.finished);
        }
        machines
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
        let shards = self.logs.damaged.values().filter_map(|damage| damage.shard);
        shards.filter(|&shard| self.shards.get(shard).is_some_and(Option::is_none))
    }

    /// What is wrong with damaged lines. A line whose shard has a valid line elsewhere does no harm; nor does any if no
    /// shard is missing.
    pub(crate) fn damage_in_words(&self) -> impl Iterator<Item = &str> {
        let is_complete = self.shards.iter().all(Option::is_some);
        let is_counted = |shard: usize| self.shards.get(shard).is_some_and(Option::is_some);
        let harms = move |damage: &&Damage| !is_complete && !damage.shard.is_some_and(is_counted);
        self.logs.damaged.values().filter(harms).map(|damage| damage.problem.as_str())
    }

    /// The number of damaged lines that do no harm, of those that are named.
    pub(crate) fn replaced_lines(&self) -> usize {
        self.logs.damaged.len() - self.damage_in_words().count()
    }

    /// The folders of logs.
    pub(crate) fn log_folders(&self) -> impl Iterator<Item = &Path> {
        self.logs.folders()
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
        sanity::check(self.plan.size(), self.sum()?, false)
    }

    /// The number of solutions that the lines add up to, right or wrong. `None` if shards are missing.
    pub(crate) fn claimed(&self) -> Option<u128> {
        self.sum().ok().filter(|_| self.missing().is_empty())
    }

    fn sum(&self) -> anyhow::Result<u128> {
        sum(&self.counts).context("the counts of the units add up to more than 128 bits")
    }

    /// Number of units that are counted.
    pub(crate) fn units_counted(&self) -> usize {
        self.lines().map(|(shard, _)| self.plan.units_of(shard).len()).sum()
    }

    /// The units that are counted, in order; only those of one machine if `machine` names one.
    pub(crate) fn counted_units(&self, machine: Option<&str>) -> Vec<CountedUnit<'_>> {
        let lines = self.lines().map(|(shard, line)| (shard, &self.by[line.machine]));
        let wanted = lines.filter(|(_, by)| machine.is_none_or(|machine| machine == by.machine));
        let units = wanted.flat_map(|(shard, by)| {
            self.plan.units_of(shard).map(move |unit| CountedUnit { unit, count: self.counts[unit], by })
        });
        units.collect()
    }
}
