//! The results of all shards, read from the logs of one or more folders.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::folder::LONGEST;
use super::line::sum;
use super::logs::{Damage, Logs};
use super::{Contribution, Contributor, CountedUnit, Line, RunFolder, RunPlan, sanity};
use crate::exit::Fault;
use crate::terminal::escape::shortened;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain};
use nqueens::solver::Plan;
use nqueens::tally::{Tally, Work};

/// The results of the shards of a run, as far as they have been read.
#[derive(Debug)]
pub(crate) struct Results {
    /// The run's plan.
    pub(crate) plan: RunPlan,
    logs: Logs,
    /// Who counted, and the logs that have a first line of a shard.
    machines: Vec<Contribution>,
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
    /// The number of its machine in `machines`, and of its log in `files`.
    machine: usize,
    file: usize,
    pub(super) finished: u64,
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
            logs: Logs::of(folders, plan),
            machines: Vec::new(),
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
        if let Some(foreign) = results.foreign().first()
            && results.machines.is_empty()
        {
            bail!(
                "no log is of the run that {} plans, {}: {foreign}; put the right plan.json back, or move the log away",
                folders[0].plan_file().display(),
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
    pub(crate) fn foreign(&self) -> Vec<String> {
        let in_words = |(log, has): (&PathBuf, &String)| {
            format!("{} has lines of another run, which are left out: {has}", log.display())
        };
        self.logs.foreign.iter().map(in_words).collect()
    }

    /// Notes damaged lines and wrong shards, before missing shards are counted.
    pub(crate) fn note_damage(&self, streams: &Streams<'_>) {
        self.foreign().iter().for_each(|foreign| streams.note(foreign));
        for problem in self.damage() {
            streams.note(format_args!("{problem}; shards that are missing are counted again"));
        }
        self.wrong.values().for_each(|problem| streams.complain(problem));
    }

    /// Adds a line. If its shard has a line, compares the two. A line of another run is not added; the error says what it
    /// has. Somebody exchanged the plan, or put the log into the wrong folder.
    fn add(&mut self, path: &Path, line: &Line<'_>) -> Result<(), String> {
        let Some(units) = line.units_in(&self.plan) else {
            return Err(shortened(&line.in_words(), LONGEST));
        };
        let shard = line.shard;
        if let Some(known) = &self.shards[shard] {
            let counts = &self.counts[units.clone()];
            if let Some(at) = counts.iter().zip(&line.counts).position(|(known, this)| known != this) {
                let problem = format!(
                    "shard {shard} was counted twice with different counts: unit {} counts {} by {} in {}, and {} by {} \
                     in {}",
                    units.start + at,
                    line.counts[at],
                    line.by.machine,
                    path.display(),
                    counts[at],
                    self.machines[known.machine].by.machine,
                    self.files[known.file].display(),
                );
                self.wrong.insert(shard, problem);
            }
            return Ok(());
        }
        self.counts[units].copy_from_slice(&line.counts);
        self.work.add(line.work);
        if self.files.last().is_none_or(|last| last != path) {
            self.files.push(path.to_owned());
        }
        let (machine, file) = (self.machine_of(line), self.files.len() - 1);
        let by = &mut self.machines[machine];
        by.shards += 1;
        by.core_seconds += line.core_seconds;
        by.predicted_seconds += self.plan.predicted_seconds(shard);
        by.finished = by.finished.max(line.finished);
        let Line { finished, core_seconds, .. } = *line;
        self.shards[shard] = Some(ValidLine { machine, file, finished, core_seconds });
        Ok(())
    }

    /// The number in `machines` of the machine that counted a line.
    fn machine_of(&mut self, line: &Line<'_>) -> usize {
        // Most lines of a log are of the machine of the line before.
        self.machines.iter().rposition(|known| known.by == *line.by).unwrap_or_else(|| {
            let by = line.by.clone().into_owned();
            self.machines.push(Contribution { by, ..Contribution::default() });
            self.machines.len() - 1
        })
    }

    /// The shards that have a valid line, in order.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &ValidLine)> {
        self.shards.iter().enumerate().filter_map(|(shard, line)| Some((shard, line.as_ref()?)))
    }

    /// Who counted a line.
    pub(super) fn by(&self, line: &ValidLine) -> &Contributor {
        &self.machines[line.machine].by
    }

    /// The machines that counted, and what each of them did, the busiest first.
    pub(crate) fn machines(&self) -> Vec<Contribution> {
        let mut machines = self.machines.clone();
        machines.sort_by(|a, b| b.core_seconds.total_cmp(&a.core_seconds));
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

    /// What is wrong with damaged lines. A line whose shard has a valid line elsewhere does no harm; nor does any if no
    /// shard is missing.
    pub(crate) fn damage(&self) -> Vec<&str> {
        let is_complete = self.shards.iter().all(Option::is_some);
        let is_counted = |shard: usize| self.shards.get(shard).is_some_and(Option::is_some);
        let harms = |damage: &&Damage| !is_complete && !damage.shard.is_some_and(is_counted);
        self.logs.damaged.values().filter(harms).map(|damage| damage.problem.as_str()).collect()
    }

    /// What is wrong in the folders: damaged lines, and shards whose count cannot be right.
    pub(crate) fn faults(&self) -> Vec<&str> {
        self.damage().into_iter().chain(self.wrong.values().map(String::as_str)).collect()
    }

    /// What to do about the faults. `None` if there are none.
    pub(crate) fn advice(&self) -> Option<String> {
        let (size, damaged, wrong) = (self.plan.size(), self.damage().len(), self.wrong.len());
        let run = in_shell(self.logs.folders().filter_map(Path::parent).next().unwrap_or(Path::new("RUN")));
        let damage = (damaged > 0).then(|| {
            let are = if damaged == 1 { "is" } else { "are" };
            format!(
                "{} {are} damaged: 'nqueens count {size} --dir {run}' counts what is missing",
                plural(damaged, "line")
            )
        });
        let dispute = self.wrong.keys().next().map(|first| {
            let logs: Vec<String> = self.logs.folders().map(|logs| format!("{}/*.jsonl", in_shell(logs))).collect();
            format!(
                "{} cannot be right: run 'nqueens verify' on the machines, end all processes of the run, remove all lines \
                 of such a shard, as with sed -i.bak '/\"shard\":{first},/d' {}, and count it again on a machine that passes",
                plural(wrong, "shard"),
                logs.join(" ")
            )
        });
        damage.into_iter().chain(dispute).reduce(|one, other| format!("{one}; {other}"))
    }

    /// Names all faults. Fails if there is one; the error begins with `what`.
    pub(crate) fn refuse_faults(&self, what: &str) -> anyhow::Result<()> {
        self.faults().iter().for_each(complain);
        self.advice().map_or(Ok(()), |advice| Err(Fault::Wrong.error(format!("{what}: {advice}"))))
    }

    /// Notes the shards whose counts the weights of their units do not divide.
    pub(crate) fn check_weights(&mut self, units: &dyn Plan) {
        for (unit, &count) in self.counts.iter().enumerate() {
            let (shard, weight) = (self.plan.shard_of(unit), units.tally_divisor(unit));
            if !count.is_multiple_of(u128::from(weight)) {
                self.wrong.entry(shard).or_insert_with(|| {
                    format!("shard {shard}: its unit {unit} counts {count}, which is no multiple of {weight}, the unit's weight")
                });
            }
        }
    }

    /// The number of solutions that the lines add up to, right or wrong. `None` if shards are missing.
    pub(crate) fn claimed(&self) -> Option<u128> {
        sum(&self.counts).filter(|_| self.missing().is_empty())
    }

    /// Checks the sum of the units that are counted: against published counts, the orbits of symmetry, and what is
    /// expected. Fails if it cannot be the count, or a part of it.
    pub(crate) fn check_sum(&self) -> anyhow::Result<Tally> {
        let sum = sum(&self.counts).context("the counts of the units add up to more than 128 bits")?;
        sanity::check(self.plan.size(), sum, self.missing().is_empty())?;
        Ok(Tally::new(sum, self.work))
    }

    /// Returns the sum of all units, which is checked. Fails if shards are missing.
    pub(crate) fn total(&self) -> anyhow::Result<Tally> {
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
        self.check_sum()
    }

    /// The units that are counted, in order.
    pub(crate) fn units(&self) -> impl Iterator<Item = CountedUnit<'_>> {
        self.lines().flat_map(|(shard, line)| {
            let of = |unit| CountedUnit { unit, count: self.counts[unit], by: self.by(line) };
            self.plan.units_of(shard).map(of)
        })
    }
}

/// A path in a command that a user may copy into a shell. It is quoted if a character of it may mean something there.
pub(crate) fn in_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c) || (cfg!(windows) && c == '\\');
    if text.chars().all(is_plain) {
        return text;
    }
    let escaped = |c: char| if "\"\\$`".contains(c) { format!("\\{c}") } else { c.to_string() };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}
