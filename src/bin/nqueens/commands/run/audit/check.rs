//! Counts units again and compares them with their records.

use std::collections::BTreeMap;
use std::path::PathBuf;

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
    pub(crate) args: &'a Args,
    pub(crate) threads: usize,
    /// The instruction set asked for.
    pub(crate) isa: Option<Isa>,
}

/// Units with their counts, and who counted them.
struct Claimed {
    /// The folder or the file.
    what: String,
    size: Size,
    solver: &'static dyn Solver,
    audit: Audit,
    /// What is wrong before any unit is counted again.
    trouble: Option<anyhow::Error>,
}

/// The code that counts the units again.
struct Code {
    /// Its name for people.
    name: String,
    /// The instruction set; `None` for the plain sum.
    isa: Option<Isa>,
    plan: Box<dyn Plan>,
    seconds_per_cost: f64,
}

impl Check<'_> {
    /// Counts a random choice of units again.
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let mut claimed = match &self.args.published {
            Some(file) => self.published(file, streams)?,
            None => self.records(streams)?,
        };
        let interrupts = Interrupts::catch()?;
        if let Some(machine) = &self.args.machine {
            keep_machine(&mut claimed, machine)?;
        }
        let all = claimed.audit.counts.len();
        if all == 0 {
            return Err(
                Exit::Failure.error(format!("{} has no counted unit yet: there is nothing to verify", claimed.what))
            );
        }
        let seed = self.args.seed.unwrap_or_else(seed_of_chance);
        let chosen: BTreeMap<usize, Counted> =
            claimed.audit.draw(self.args.sample, seed).into_iter().map(|counted| (counted.unit, counted)).collect();
        let code = self.code(&claimed, &chosen)?;
        self.say_what(&claimed, &code, &chosen, seed, streams);
        let watch = Watch { interrupts: &interrupts, quiet: streams.is_quiet() };
        // What was found before an interruption is a verdict all the same.
        let (wrong, ended) = self.count(&code, &claimed, &chosen, &watch, streams);
        let (number, what) = (chosen.len(), &claimed.what);
        if wrong > 0 {
            return Err(Exit::Wrong.error(format!(
                "{wrong} of {number} units of {what} are counted otherwise here: run 'nqueens verify' on each machine"
            )));
        }
        ended?;
        writeln!(streams.out, "{number} of {all} units agree")?;
        claimed.trouble.map_or(Ok(Exit::Fine), Err)
    }

    /// The records of a run, which need not be complete.
    fn records(&self, streams: &Streams<'_>) -> anyhow::Result<Claimed> {
        let paths: Vec<&PathBuf> = self.args.dir.iter().chain(&self.args.others).collect();
        let folders: Vec<RunFolder> = paths.iter().map(|path| RunFolder::open(path)).collect::<Result<_, _>>()?;
        let merged = merge(&folders)?;
        let what = paths[0].display().to_string();
        let mut trouble = refuse_faults(&merged, "the run is not sound", streams).err();
        if trouble.is_none() && merged.missing().is_empty() {
            trouble = merged.total().err().map(|error| wrong_total(&what, &error, streams));
        }
        Ok(Claimed {
            what,
            size: merged.plan.size(),
            solver: registry::find(&merged.plan.cut.solver)?,
            audit: Audit::from(&merged),
            trouble,
        })
    }

    fn published(&self, file: &std::path::Path, streams: &Streams<'_>) -> anyhow::Result<Claimed> {
        let result = Published::read(file)?;
        let what = file.display().to_string();
        Ok(Claimed {
            size: Size::new(result.cut.size)?,
            solver: registry::find(&result.cut.solver)?,
            audit: Audit::from(&result),
            trouble: result.check().err().map(|error| wrong_total(&what, &error, streams)),
            what,
        })
    }

    /// The code that counts again: the instruction set asked for, or the fastest that counted none of the units, or else
    /// the fastest.
    fn code(&self, claimed: &Claimed, chosen: &BTreeMap<usize, Counted>) -> anyhow::Result<Code> {
        let (solver, size) = (claimed.solver, claimed.size);
        if self.args.plain {
            return plain(solver, size);
        }
        let is_used = |isa: &Isa| chosen.values().any(|counted| claimed.is_by(counted, *isa));
        let mut available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        let isa = match self.isa {
            Some(isa) => registry::best_isa(solver, isa),
            None => available
                .rfind(|isa| !is_used(isa))
                .unwrap_or_else(|| registry::best_isa(solver, registry::machine_isa())),
        };
        let plan = solver.plan(size, isa);
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let seconds = pace::core_seconds(solver, size, isa, self.threads);
        Ok(Code {
            name: format!("{} ({})", solver.name(), isa.name()),
            isa: Some(isa),
            plan,
            seconds_per_cost: seconds / whole.max(f64::MIN_POSITIVE),
        })
    }

    fn say_what(
        &self,
        claimed: &Claimed,
        code: &Code,
        chosen: &BTreeMap<usize, Counted>,
        seed: u64,
        streams: &Streams<'_>,
    ) {
        let number = chosen.len();
        let same = code.isa.map_or(0, |isa| chosen.values().filter(|counted| claimed.is_by(counted, isa)).count());
        let same = if same > 0 { format!("; {same} of them were counted with it before") } else { String::new() };
        let units = if number == 1 { "unit" } else { "units" };
        streams.note(format_args!("counting {number} {units} of {} again with {}{same}", claimed.what, code.name));
        let seconds = code.core_seconds(chosen) / self.threads as f64;
        let takes = if seconds >= 1.0 { format!("takes about {}, ", in_words(seconds)) } else { String::new() };
        streams.note(format_args!("{takes}--seed {seed} chooses the same units again"));
    }

    /// Counts the units and names those that differ. Returns their number, and whether all were counted.
    fn count(
        &self,
        code: &Code,
        claimed: &Claimed,
        chosen: &BTreeMap<usize, Counted>,
        watch: &Watch<'_>,
        streams: &Streams<'_>,
    ) -> (usize, anyhow::Result<()>) {
        // In order: neighboring units share memory.
        let units: Vec<usize> = chosen.keys().copied().collect();
        let label = format!("n = {}, {}", claimed.size, code.name);
        let mut found = Vec::new();
        let forecast = Forecast::new(code.core_seconds(chosen), self.threads);
        let ended = watch.run(&label, forecast, |cancel, monitor| {
            engine::for_each(&*code.plan, &units, self.threads, cancel, monitor, |unit, tally| {
                if chosen[&unit].count != tally.solutions {
                    found.push((chosen[&unit], tally.solutions));
                }
                Ok(())
            })
        });
        for &(Counted { unit, count, source }, solutions) in &found {
            let source = &claimed.audit.sources[source];
            streams.complain(format_args!(
                "unit {unit} ({}) is {solutions} with {}, and not {count}, as {} counted{}",
                code.plan.name(unit),
                code.name,
                source.machine,
                source.isa.as_ref().map(|isa| format!(" with {isa}")).unwrap_or_default(),
            ));
        }
        (found.len(), ended)
    }
}

impl Claimed {
    /// Whether a unit was counted with this instruction set.
    fn is_by(&self, counted: &Counted, isa: Isa) -> bool {
        self.audit.sources[counted.source].isa.as_deref() == Some(isa.name())
    }
}

impl Code {
    /// Predicted seconds of cores for these units.
    fn core_seconds(&self, units: &BTreeMap<usize, Counted>) -> f64 {
        self.seconds_per_cost * units.keys().map(|&unit| self.plan.cost(unit)).sum::<f64>()
    }
}

/// Says that the total cannot be right. The units are counted again all the same; then this is the error.
fn wrong_total(what: &str, error: &nqueens::Error, streams: &Streams<'_>) -> anyhow::Error {
    streams.complain(format_args!(
        "the total of {what} is wrong: {error}; some of its units are counted again all the same"
    ));
    Exit::Wrong.error(format!(
        "the units that were counted again agree, and the total of {what} is wrong: count more of them, or --machine \
         by --machine"
    ))
}

/// Keeps only the units that a machine counted.
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

/// The plain sum of the solver's units.
fn plain(solver: &dyn Solver, size: Size) -> anyhow::Result<Code> {
    let plan = solver.oracle(size).ok_or_else(|| {
        Exit::Usage.error(format!(
            "--plain counts units of color, and these are of {}: leave it out, or run 'nqueens verify' to check that \
             solver",
            solver.name()
        ))
    })?;
    let (plain, largest) = (registry::find("color-plain")?, Size::new(Size::MAX)?);
    let seconds = pace::core_seconds(plain, largest, Isa::Portable, 1);
    let seconds_per_cost = seconds / plain.predicted_seconds(largest, Isa::Portable);
    Ok(Code { name: "color-plain's sum".to_owned(), isa: None, plan, seconds_per_cost })
}
