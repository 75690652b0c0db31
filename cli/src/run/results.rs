//! The results of a run, read from the logs of one or more folders.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Deref;
use std::path::Path;

use anyhow::bail;
use serde::Serialize;
use serde_json::{Value, json};

use super::line::sum;
use super::logs::Logs;
use super::{CheckedPlan, Contributor, Line, RunFolder, RunPlan, sanity};
use crate::exit;
use crate::terminal::complain;
use crate::terminal::units::plural;
use nqueens::solver::Plan;
use nqueens::tally::{Tally, Work};

/// The results of a run, as far as its logs have been read.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    /// The folders of the run, whose plans consist of the same shards. The first plan is used.
    pub(super) folders: &'a [RunFolder],
    pub(super) logs: Logs,
    /// The contributions, in the order of their first lines.
    contributions: Vec<Contribution>,
    /// The index in `contributions` of the contributor to each shard. `None` if the shard has no valid line.
    shards: Vec<Option<usize>>,
    /// The count of each unit, or 0 if its shard is missing.
    counts: Vec<u128>,
    /// The work figures of all shards.
    work: Work,
    /// The first line of other units, and its log, in words.
    of_other_units: Option<String>,
    /// The first line of other shards of the same units, some of whose lines fit the plan by chance.
    of_other_shards: Option<String>,
    /// The shards whose count cannot be right, with the reason: two lines differ, or a unit's weight does not divide
    /// its count.
    pub(crate) disputed: BTreeMap<usize, String>,
}

/// The results of a run after a check against this program's plan of its units, which adds to the disputed shards.
/// Without it, if somebody had removed shards from the plan of the run, a partial sum would pass for the count.
pub(crate) struct Verified<'a>(&'a Results<'a>);

impl<'a> Deref for Verified<'a> {
    type Target = Results<'a>;

    fn deref(&self) -> &Results<'a> {
        self.0
    }
}

/// Verified results without problems. Only these have a checked sum and a total.
pub(crate) struct Sound<'a>(&'a Results<'a>);

/// The shards that a contributor counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Contribution {
    #[serde(flatten)]
    pub(crate) by: Contributor,
    /// The number of shards.
    pub(crate) shards: usize,
    /// Core seconds that these shards took.
    pub(crate) core_seconds: f64,
    /// Core seconds that were predicted for these shards, with portable code.
    pub(crate) predicted_core_seconds: f64,
    /// When the last of these shards was finished, in the form of [`Line::finished`].
    pub(crate) finished: String,
}

/// A unit that was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountedUnit<'a> {
    /// The number of the unit.
    pub(crate) unit: usize,
    /// The count in the logs, weights included.
    pub(crate) count: u128,
    /// The contributor.
    pub(crate) by: &'a Contributor,
}

fn busiest_first(mut contributions: Vec<Contribution>) -> Vec<Contribution> {
    contributions.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
    contributions
}

/// Returns the core seconds of all these contributions.
pub(crate) fn core_seconds(contributions: &[Contribution]) -> f64 {
    // An empty `sum` would be -0.0.
    contributions.iter().fold(0.0, |sum, one| sum + one.core_seconds)
}

impl<'a> Results<'a> {
    /// Reads all lines of one or more folders of one run. Fails if the folders are of different runs or a log cannot be
    /// read. While shards are missing, also fails if no line fits the plan, if a line is of other shards of the same
    /// units, or if a file that nobody reads has, or may have, a line of a missing shard.
    pub(crate) fn read(folders: &'a [RunFolder]) -> anyhow::Result<Self> {
        let run_plan = &folders[0].run_plan;
        if let Some(other) = folders.iter().find(|folder| !folder.run_plan.has_shards_of(run_plan)) {
            let are_cut_differently = other.run_plan.fingerprint == run_plan.fingerprint;
            bail!(
                "{} and {} are of different runs: {}, and {}{}",
                other.path.display(),
                folders[0].path.display(),
                other.run_plan.in_words(),
                run_plan.in_words(),
                if are_cut_differently { "; their shards consist of different units" } else { "" }
            );
        }
        let mut results = Self {
            folders,
            logs: Logs::default(),
            contributions: Vec::new(),
            shards: vec![None; run_plan.shards()],
            counts: vec![0; run_plan.units],
            work: Work::default(),
            of_other_units: None,
            of_other_shards: None,
            disputed: BTreeMap::new(),
        };
        results.look()?;
        // Somebody replaced the plan, so counting everything again would be wrong.
        let of_other_units = results.of_other_units.as_ref().filter(|_| results.contributions.is_empty());
        let misfit = results.of_other_shards.as_ref().or(of_other_units);
        if let Some(misfit) = misfit.filter(|_| !results.missing().is_empty()) {
            bail!(
                "{} plans {}, but {misfit} is of another plan: put the right plan.json back, or move the logs of the \
                 other plan away",
                folders[0].plan_file().display(),
                run_plan.in_words()
            );
        }
        for folder in folders {
            if results.missing().is_empty() {
                break;
            }
            if let Some(log) = results.misplaced_log(folder)? {
                // Moving a log to its place would not help.
                results.check_plan(&*run_plan.portable_plan()?)?;
                bail!(
                    "{} is not read, because it is not a file in {} whose name ends with .jsonl: if its shards are to \
                     count, move, rename or unpack it; what is unpacked, or is not to count, belongs outside {}",
                    log.display(),
                    folder.logs().display(),
                    folder.path.display()
                );
            }
        }
        Ok(results)
    }

    /// Returns the plan of the run.
    pub(crate) fn run_plan(&self) -> &'a RunPlan {
        &self.folders[0].run_plan
    }

    /// Reads the lines that are new since the last look. Fails if a file cannot be read, and the next look reads that
    /// file again.
    pub(crate) fn look(&mut self) -> anyhow::Result<()> {
        let mut logs = mem::take(&mut self.logs);
        let looked = logs.look(self.folders, |path, line| self.add(path, line));
        self.logs = logs;
        looked
    }

    /// Adds a line, or compares it with an earlier line for its shard. Fails if the line is of another plan, which
    /// happens when somebody replaces the plan or puts a log into the wrong folder.
    fn add(&mut self, path: &Path, line: Line) -> Result<(), String> {
        let Some(units) = line.units_in(self.run_plan()) else {
            let has_these_units = line.fingerprint == self.run_plan().fingerprint;
            let first = if has_these_units { &mut self.of_other_shards } else { &mut self.of_other_units };
            first.get_or_insert_with(|| format!("{} in {}", line.in_words(), path.display()));
            return Err(format!("it is of another plan: {}", line.in_words()));
        };
        let shard = line.shard;
        let known = &self.counts[units.clone()];
        if let Some(by) = self.shards[shard] {
            if let Some(at) = known.iter().zip(&line.counts).position(|(known, this)| known != this) {
                let problem = format!(
                    "shard {shard} was counted twice with different counts: unit {} counts {} by {} in {}, and {} by {}",
                    units.start + at,
                    line.counts[at],
                    line.by.machine,
                    path.display(),
                    known[at],
                    self.contributions[by].by.machine,
                );
                self.disputed.insert(shard, problem);
            }
            return Ok(());
        }
        self.counts[units].copy_from_slice(&line.counts);
        self.work.add(line.work);
        // Most lines are by the contributor of the line before, which is usually the last of `contributions`.
        let at = self.contributions.iter().rposition(|known| known.by == line.by).unwrap_or_else(|| {
            self.contributions.push(Contribution { by: line.by, ..Contribution::default() });
            self.contributions.len() - 1
        });
        self.shards[shard] = Some(at);
        let predicted_core_seconds = self.run_plan().predicted_seconds(shard);
        let contribution = &mut self.contributions[at];
        contribution.shards += 1;
        contribution.core_seconds += line.core_seconds;
        contribution.predicted_core_seconds += predicted_core_seconds;
        if contribution.finished < line.finished {
            contribution.finished = line.finished;
        }
        Ok(())
    }

    /// Returns the contributions, in descending order of core seconds.
    pub(crate) fn contributions(&self) -> Vec<Contribution> {
        busiest_first(self.contributions.clone())
    }

    /// Returns a contribution for each machine and instruction set, in descending order of core seconds. Each is by the
    /// first of its programs and processors.
    pub(crate) fn contributions_by_code(&self) -> Vec<Contribution> {
        let mut sums: Vec<Contribution> = Vec::new();
        for one in self.contributions() {
            let is_same = |sum: &&mut Contribution| sum.by.key() == one.by.key();
            let Some(sum) = sums.iter_mut().find(is_same) else {
                sums.push(one);
                continue;
            };
            sum.shards += one.shards;
            sum.core_seconds += one.core_seconds;
            sum.predicted_core_seconds += one.predicted_core_seconds;
            sum.finished = sum.finished.clone().max(one.finished);
        }
        busiest_first(sums)
    }

    /// Returns whether a shard has a valid line.
    pub(crate) fn has(&self, shard: usize) -> bool {
        self.shards[shard].is_some()
    }

    /// Returns the shards without a valid line.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.shards.len()).filter(|&shard| !self.has(shard)).collect()
    }

    /// Returns the chosen shards without a valid line.
    pub(crate) fn missing_of(&self, chosen: &[usize]) -> Vec<usize> {
        chosen.iter().copied().filter(|&shard| !self.has(shard)).collect()
    }

    /// Returns the number of shards that have a valid line and are not disputed.
    pub(crate) fn done(&self) -> usize {
        self.shards.iter().flatten().count() - self.disputed.len()
    }

    /// Returns the problems of damaged lines. There are none if no shard is missing, because damaged lines then do no
    /// harm.
    pub(super) fn damage(&self) -> impl Iterator<Item = String> {
        let is_missing = self.shards.contains(&None);
        let damaged = self.logs.damaged.iter().filter(move |_| is_missing);
        damaged.map(|((log, line), problem)| format!("{}, line {line}: {problem}", log.display()))
    }

    /// Returns the problems of the run: damaged lines, and shards whose count cannot be right.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.damage().chain(self.disputed.values().cloned()).collect()
    }

    /// Returns the progress of the run as JSON, to which commands add their own fields.
    pub(crate) fn progress(&self) -> Value {
        let run_plan = self.run_plan();
        json!({
            "size": run_plan.size,
            "solver": run_plan.solver,
            "fingerprint": run_plan.fingerprint,
            "shards": run_plan.shards(),
            "done": self.done(),
            "disputed": self.disputed.len(),
        })
    }

    /// Checks that the run consists of the units of this plan, which is this program's.
    pub(crate) fn check_plan<'p>(&self, plan: &'p dyn Plan) -> anyhow::Result<CheckedPlan<'p>>
    where
        'a: 'p,
    {
        // All plans have the same units, so only the newest version can be too new.
        let newest = self.folders.iter().max_by_key(|folder| folder.run_plan.plan_version);
        let RunFolder { run_plan, path } = newest.expect("a run has a folder");
        run_plan.check_plan(plan, path)?;
        Ok(CheckedPlan { plan, run_plan: self.run_plan() })
    }

    /// Checks the counts against the plan of the units. A shard is disputed if the weight of one of its units does not
    /// divide the unit's count.
    ///
    /// # Panics
    /// Panics if the plan was checked for another run.
    pub(crate) fn verify(&mut self, CheckedPlan { plan, run_plan }: CheckedPlan<'_>) -> Verified<'_> {
        assert!(run_plan == self.run_plan(), "the plan was checked for another run");
        for (unit, &count) in self.counts.iter().enumerate() {
            let weight = plan.audit().tally_divisor(unit);
            if !count.is_multiple_of(u128::from(weight)) {
                let shard = self.run_plan().shard_of(unit);
                self.disputed.entry(shard).or_insert_with(|| {
                    format!("shard {shard}: its unit {unit} counts {count}, which is not a multiple of {weight}, the unit's weight")
                });
            }
        }
        Verified(self)
    }

    /// Fails if the sum of the counted units cannot be right. A disputed shard explains that, so it is not checked
    /// then.
    pub(crate) fn check_sanity(&self) -> anyhow::Result<()> {
        self.check_sum().map_err(|error| self.with_audit(&error))
    }

    /// Like [`check_sanity`](Self::check_sanity), without advice on how to find the wrong units.
    pub(crate) fn check_sum(&self) -> anyhow::Result<()> {
        if self.disputed.is_empty() { self.checked_sum().map(|_| ()) } else { Ok(()) }
    }

    /// Returns the sum of the counted units. Fails if it cannot be the count or a part of it, according to
    /// [`sanity::check`].
    fn checked_sum(&self) -> anyhow::Result<u128> {
        let sum = sum(&self.counts)
            .ok_or_else(|| exit::Kind::Wrong.error("the sum of the counts of the units does not fit in 128 bits"))?;
        sanity::check(self.run_plan().size, sum, self.missing().is_empty())?;
        Ok(sum)
    }

    /// Returns the counted units, in order.
    pub(crate) fn counted_units(&self) -> impl Iterator<Item = CountedUnit<'_>> {
        self.counts.iter().enumerate().filter_map(|(unit, &count)| {
            let by = &self.contributions[self.shards[self.run_plan().shard_of(unit)]?].by;
            Some(CountedUnit { unit, count, by })
        })
    }
}

impl<'a> Verified<'a> {
    /// Returns the results if they have no problems. Otherwise prints the first problems and fails with an error that
    /// begins with `what`.
    pub(crate) fn sound_or_complain(&self, what: &str) -> anyhow::Result<Sound<'a>> {
        self.sound().ok_or_else(|| {
            for problem in self.shortened_list(self.problems()) {
                complain(problem);
            }
            exit::Kind::Wrong.error(format!("{what}: {}", self.advice().unwrap_or_default()))
        })
    }

    /// Returns the results, or `None` if they have problems.
    pub(crate) fn sound(&self) -> Option<Sound<'a>> {
        self.problems().is_empty().then_some(Sound(self.0))
    }

    /// Returns what the logs say for the sum of all units, unchecked, or `None` if shards are missing.
    pub(crate) fn logged_sum(&self) -> Option<u128> {
        sum(&self.counts).filter(|_| self.missing().is_empty())
    }
}

impl Sound<'_> {
    /// Returns the count of a complete run, as JSON.
    pub(crate) fn json(&self, total: &Tally) -> Value {
        let run_plan = self.0.run_plan();
        let contributions = self.0.contributions();
        json!({
            "size": run_plan.size,
            "solutions": total.solutions.to_string(),
            "solver": run_plan.solver,
            "fingerprint": run_plan.fingerprint,
            "units": run_plan.units,
            "work": total.work,
            "core_seconds": core_seconds(&contributions),
            "machines": contributions,
        })
    }

    /// Returns the checked sum of all units. Fails if shards are missing.
    pub(crate) fn total(&self) -> anyhow::Result<Tally> {
        let sum = self.0.checked_sum().map_err(|error| self.0.with_audit(&error))?;
        match &self.0.missing()[..] {
            [] => Ok(Tally::new(sum, self.0.work)),
            [shard] => bail!(
                "this run lacks shard {shard}: count it with {}, or also name the folder that contains it",
                self.0.count_command()
            ),
            missing => bail!(
                "this run lacks {} of {}, the first of which is {}: count them with {}, or also name the folder that \
                 contains them",
                missing.len(),
                plural(self.0.run_plan().shards(), "shard"),
                missing[0],
                self.0.count_command()
            ),
        }
    }
}
