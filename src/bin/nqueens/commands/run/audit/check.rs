//! Counts units again and compares them with what was said of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nqueens::board::Size;
use nqueens::engine;
use nqueens::solver::{Isa, Plan, Solver, registry};

use super::super::super::options::seed_of_chance;
use super::super::merge::refuse_faults;
use super::Args;
use crate::exit::Exit;
use crate::machine::pace;
use crate::runs::{Audit, Counted, Published, RunFolder, merge};
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;

/// What is to be checked, and how.
pub(crate) struct Check<'a> {
    pub(crate) again: &'a Args,
    pub(crate) threads: usize,
    /// The instruction set asked for.
    pub(crate) isa: Option<Isa>,
}

/// Units with their counts, and who counted them.
struct Claimed {
    what: String,
    size: Size,
    solver: &'static dyn Solver,
    fingerprint: String,
    audit: Audit,
    /// What is wrong with it before any unit is counted again.
    trouble: Option<anyhow::Error>,
}

/// Units that are counted again with the same code.
struct Part {
    /// The instruction set; none where it is the plain sum.
    isa: Option<Isa>,
    /// The code, in words.
    code: String,
    plan: Box<dyn Plan>,
    /// What is said of each unit: more than one thing, where that is disputed.
    units: BTreeMap<usize, Vec<Counted>>,
    core_seconds: f64,
}

impl Check<'_> {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let records = self.again.dir.as_deref().map(|dir| self.records(dir, streams)).transpose()?;
        let published = self.again.published.as_deref().map(|file| self.published(file, streams)).transpose()?;
        if let (Some(records), Some(published)) = (&records, &published) {
            let units = compare(records, published)?;
            streams.note(format_args!("{} and {} agree in {units} units", records.what, published.what));
        }
        let Some(claimed) = published.or(records) else { return Ok(Exit::Fine) };
        self.recompute(claimed, streams)
    }

    /// The records of a run, which need not be complete.
    fn records(&self, dir: &Path, streams: &Streams<'_>) -> anyhow::Result<Claimed> {
        let paths = std::iter::once(dir).chain(self.again.others.iter().map(PathBuf::as_path));
        let folders: Vec<RunFolder> = paths.map(RunFolder::open).collect::<Result<_, _>>()?;
        let merged = merge(&folders)?;
        let what = dir.display().to_string();
        let mut trouble = refuse_faults(&merged, dir, "the run is not sound", streams).err();
        if trouble.is_none() && merged.missing().is_empty() {
            trouble = merged.total().err().map(|error| wrong_total(&what, &error, streams));
        }
        Ok(Claimed {
            what,
            size: merged.plan.size(),
            solver: registry::find(merged.plan.solver())?,
            fingerprint: merged.plan.fingerprint().to_owned(),
            audit: Audit::from(&merged),
            trouble,
        })
    }

    fn published(&self, file: &Path, streams: &Streams<'_>) -> anyhow::Result<Claimed> {
        let result = Published::read(file)?;
        let what = file.display().to_string();
        Ok(Claimed {
            size: Size::new(result.size)?,
            solver: registry::find(&result.solver)?,
            fingerprint: result.fingerprint.clone(),
            audit: Audit::from(&result),
            trouble: result.check().err().map(|error| wrong_total(&what, &error, streams)),
            what,
        })
    }

    /// Counts a random choice of units again, with other code where there is some.
    fn recompute(&self, mut claimed: Claimed, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let interrupts = Interrupts::catch()?;
        if let Some(machine) = &self.again.machine {
            keep_machine(&mut claimed, machine)?;
        }
        let all = claimed.audit.counts.len();
        if all == 0 {
            return Err(
                Exit::Failure.error(format!("{} has no counted unit yet: there is nothing to verify", claimed.what))
            );
        }
        let number = self.again.share.map_or(self.again.sample, |share| (share * all as f64).ceil() as usize);
        let seed = self.again.seed.unwrap_or_else(seed_of_chance);
        let chosen = claimed.audit.draw(number, seed);
        let parts = self.parts(&claimed, &chosen)?;
        self.say_what(&claimed, &parts, seed, streams);
        let watch = Watch { interrupts: &interrupts, quiet: streams.is_quiet() };
        let mut wrong = 0;
        // What was found before an interruption is a verdict all the same.
        let counted = parts.iter().try_for_each(|part| self.count(part, &claimed, &watch, &mut wrong, streams));
        let (number, what) = (chosen.len(), &claimed.what);
        if wrong > 0 {
            return Err(Exit::Wrong.error(format!(
                "{wrong} of {number} units of {what} are counted otherwise here: run 'nqueens verify' on each machine"
            )));
        }
        counted?;
        writeln!(streams.out, "{number} of {all} units agree")?;
        claimed.trouble.map_or(Ok(Exit::Fine), Err)
    }

    /// The units by the code that is to count them: for each of them other code than it was counted with.
    fn parts(&self, claimed: &Claimed, chosen: &[Counted]) -> anyhow::Result<Vec<Part>> {
        let Claimed { size, solver, audit, .. } = claimed;
        let code_of = |counted: &Counted| match self.isa {
            _ if self.again.plain => None,
            Some(isa) => Some(registry::best_isa(*solver, isa)),
            None => Some(another(*solver, audit.sources[counted.source].isa.as_deref())),
        };
        let part = |isa: Option<Isa>, units: BTreeMap<usize, Vec<Counted>>| {
            let (code, plan, seconds_per_cost) = match isa {
                Some(isa) => {
                    let plan = solver.plan(*size, isa);
                    let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
                    let seconds = pace::core_seconds(*solver, *size, isa, self.threads);
                    (format!("{} ({})", solver.name(), isa.name()), plan, seconds / whole.max(f64::MIN_POSITIVE))
                }
                None => plain(*solver, *size)?,
            };
            let cost: f64 = units.keys().map(|&unit| plan.cost(unit)).sum();
            Ok(Part { isa, code, plan, units, core_seconds: cost * seconds_per_cost })
        };
        let codes = std::iter::once(None).chain(Isa::ALL.iter().copied().map(Some));
        let parts = codes.filter_map(|code| {
            let mut units: BTreeMap<usize, Vec<Counted>> = BTreeMap::new();
            for &counted in chosen.iter().filter(|counted| code_of(counted) == code) {
                units.entry(counted.unit).or_default().push(counted);
            }
            (!units.is_empty()).then(|| part(code, units))
        });
        parts.collect()
    }

    fn say_what(&self, claimed: &Claimed, parts: &[Part], seed: u64, streams: &Streams<'_>) {
        let seconds = parts.iter().map(|part| part.core_seconds).sum::<f64>() / self.threads as f64;
        for part in parts {
            let with_same = part.units.values().flatten().filter(|counted| {
                part.isa.is_some_and(|isa| claimed.audit.sources[counted.source].isa.as_deref() == Some(isa.name()))
            });
            let same = match with_same.count() {
                0 => String::new(),
                same if self.isa.is_some() => format!("; {same} of them were counted with it before"),
                same => format!("; {same} of them were counted with it before, and this machine has no other code"),
            };
            let (number, code) = (part.units.len(), &part.code);
            let units = if number == 1 { "unit" } else { "units" };
            streams.note(format_args!("counting {number} {units} of {} again with {code}{same}", claimed.what));
        }
        let takes = if seconds >= 1.0 { format!("takes about {}, ", in_words(seconds)) } else { String::new() };
        streams.note(format_args!("{takes}--seed {seed} chooses the same units again"));
    }

    /// Counts a part of the units, and says which are wrong.
    fn count(
        &self,
        part: &Part,
        claimed: &Claimed,
        watch: &Watch<'_>,
        wrong: &mut usize,
        streams: &Streams<'_>,
    ) -> anyhow::Result<()> {
        // Neighbours share memory.
        let units: Vec<usize> = part.units.keys().copied().collect();
        let label = format!("n = {}, {}", claimed.size, part.code);
        let mut found = Vec::new();
        let ended = watch.run(&label, Forecast::new(part.core_seconds, self.threads), |cancel, monitor| {
            engine::for_each(&*part.plan, &units, self.threads, cancel, monitor, |unit, tally| {
                let said = part.units[&unit].iter().filter(|counted| counted.count != tally.solutions);
                found.extend(said.map(|&counted| (counted, tally.solutions)));
                Ok(())
            })
        });
        *wrong += found.len();
        for (Counted { unit, count, source, .. }, solutions) in found {
            let source = &claimed.audit.sources[source];
            streams.complain(format_args!(
                "unit {unit} ({}) is {solutions} with {}, and not {count}, as {} counted{}",
                part.plan.name(unit),
                part.code,
                source.machine,
                source.isa.as_ref().map(|isa| format!(" with {isa}")).unwrap_or_default(),
            ));
        }
        ended
    }
}

/// Says that the total cannot be right. The units are sampled all the same, and this is the error in the end.
fn wrong_total(what: &str, error: &nqueens::Error, streams: &Streams<'_>) -> anyhow::Error {
    streams.complain(format_args!(
        "the total of {what} is wrong: {error}; some of its units are counted again all the same"
    ));
    Exit::Wrong.error(format!(
        "the units that were counted again agree, and the total of {what} is wrong: count more of them, or --machine \
         by --machine"
    ))
}

/// Leaves only the units that a machine counted.
fn keep_machine(claimed: &mut Claimed, machine: &str) -> anyhow::Result<()> {
    let known = claimed.audit.machines().join(", ");
    claimed.audit.keep(machine);
    if claimed.audit.counts.is_empty() {
        return Err(Exit::Failure.error(format!(
            "'{machine}' counted nothing of {}: give one of the machines that did: {known}",
            claimed.what
        )));
    }
    Ok(())
}

/// The fastest instruction set that is not this one, if the machine has any.
fn another(solver: &dyn Solver, used: Option<&str>) -> Isa {
    let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
    available.rfind(|isa| Some(isa.name()) != used).unwrap_or(Isa::Portable)
}

/// The solver's units, counted by the plain sum, and the seconds that a unit of cost takes here.
fn plain(solver: &dyn Solver, size: Size) -> anyhow::Result<(String, Box<dyn Plan>, f64)> {
    let plan = solver.oracle(size).ok_or_else(|| {
        Exit::Usage.error(format!(
            "--plain counts units of color, and these are of {}: leave it out, or let 'nqueens verify' hold that solver \
             against the reference",
            solver.name()
        ))
    })?;
    let (plain, largest) = (registry::find("color-plain")?, Size::new(Size::MAX)?);
    let predicted = plain.predicted_seconds(largest, Isa::Portable);
    let pace = pace::core_seconds(plain, largest, Isa::Portable, 1) / predicted;
    Ok(("color-plain's sum".to_owned(), plan, pace))
}

/// How many units both have, or an error that names the first that differs.
fn compare(records: &Claimed, published: &Claimed) -> anyhow::Result<usize> {
    let same = (records.size, records.solver.name(), &records.fingerprint)
        == (published.size, published.solver.name(), &published.fingerprint);
    if !same {
        return Err(Exit::Failure.error(format!(
            "{} and {} are of different units: nothing can be compared",
            records.what, published.what
        )));
    }
    match records.audit.difference(&published.audit) {
        (units, None) => Ok(units),
        (_, Some((unit, one, other))) => {
            Err(Exit::Wrong
                .error(format!("unit {unit} is {one} in {} and {other} in {}", records.what, published.what)))
        }
    }
}
