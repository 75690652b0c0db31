//! `nqueens verify --dir` and `--published`: recomputes units that were counted elsewhere.

use std::path::{Path, PathBuf};

use nqueens::board::Size;
use nqueens::engine;
use nqueens::run::{Published, RunFolder, merge};
use nqueens::solver::{Isa, Solver, registry};

use super::Streams;
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::merge::refuse_faults;
use super::pace;
use super::time_left::Forecast;
use super::watch::Watch;

/// Whose units to count again, and which of them.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Again {
    /// Recomputes units of this run instead
    #[arg(long, value_name = "RUN")]
    dir: Option<PathBuf>,
    /// Recomputes units of this result instead; with --dir, compares all units first
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
    /// How many units to recompute
    #[arg(long, value_name = "K", default_value = "20", value_parser = units, allow_negative_numbers = true)]
    sample: usize,
    /// Which random choice of units; another one each time by default
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl Again {
    /// Whether it is this that is asked for, and not a check of the machine.
    pub(super) fn is_asked_for(&self) -> bool {
        self.dir.is_some() || self.published.is_some()
    }
}

/// A number of units, as typed.
fn units(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 units verify nothing: give a number from 1".to_owned()),
        Ok(units) => Ok(units),
        Err(_) => Err(format!("'{text}' is not a number of units: give one from 1, such as 50")),
    }
}

/// What is to be checked, and how.
pub(super) struct Check<'a> {
    pub(super) again: &'a Again,
    pub(super) threads: usize,
    /// The instruction set asked for.
    pub(super) isa: Option<Isa>,
}

/// Units with their counts, and who counted them.
struct Claimed {
    what: String,
    size: Size,
    solver: &'static dyn Solver,
    fingerprint: String,
    /// Unit, count, instruction set if known.
    counts: Vec<(usize, u128, Option<String>)>,
}

impl Check<'_> {
    pub(super) fn run(&self, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let records = self.again.dir.as_deref().map(|dir| self.records(dir, streams)).transpose()?;
        let published = self.again.published.as_deref().map(|file| self.published(file)).transpose()?;
        if let (Some(records), Some(published)) = (&records, &published) {
            compare(records, published)?;
            streams.note(format_args!(
                "{} and {} agree in {} units",
                records.what,
                published.what,
                records.counts.len()
            ));
        }
        let Some(claimed) = published.or(records) else { return Ok(Exit::Fine) };
        self.recompute(claimed, streams)
    }

    /// The records of a run, which need not be complete.
    fn records(&self, dir: &Path, streams: &Streams<'_>) -> anyhow::Result<Claimed> {
        let merged = merge(&[RunFolder::open(dir)?])?;
        refuse_faults(&merged, streams)?;
        if merged.missing().is_empty() {
            merged.total()?;
        }
        let counts = merged.records.values().flat_map(|record| {
            let isa = &record.origin().isa;
            let units = record.first_unit()..;
            units.zip(record.counts()).map(|(unit, &count)| (unit, count, Some(isa.clone())))
        });
        Ok(Claimed {
            what: dir.display().to_string(),
            size: merged.plan.size(),
            solver: registry::find(merged.plan.solver())?,
            fingerprint: merged.plan.fingerprint().to_owned(),
            counts: counts.collect(),
        })
    }

    fn published(&self, file: &Path) -> anyhow::Result<Claimed> {
        let result = Published::read(file)?;
        let isa = match &result.machines[..] {
            [one] => Some(one.isa.clone()),
            _ => None,
        };
        Ok(Claimed {
            what: file.display().to_string(),
            size: Size::new(result.size)?,
            solver: registry::find(&result.solver)?,
            fingerprint: result.fingerprint,
            counts: result.counts.into_iter().enumerate().map(|(unit, count)| (unit, count, isa.clone())).collect(),
        })
    }

    /// Counts a random choice of units again, with another instruction set where there is one.
    fn recompute(&self, mut claimed: Claimed, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let Claimed { size, solver, .. } = &claimed;
        let used = claimed.counts.first().and_then(|(.., isa)| isa.clone());
        let isa = match self.isa {
            Some(isa) => registry::best_isa(*solver, isa),
            None => another(*solver, used.as_deref()),
        };
        let plan = solver.plan(*size, isa);
        let seed = self.again.seed.unwrap_or_else(|| fastrand::u64(..));
        let mut random = fastrand::Rng::with_seed(seed);
        random.shuffle(&mut claimed.counts);
        let chosen = &mut claimed.counts[..];
        let number = self.again.sample.min(chosen.len());
        let chosen = &mut chosen[..number];
        // Neighbours share memory.
        chosen.sort_unstable_by_key(|(unit, ..)| *unit);
        let with_same = chosen.iter().filter(|(.., used)| used.as_deref() == Some(isa.name())).count();
        streams.note(format_args!(
            "counting {number} units of {} again with {} ({}), --seed {seed}{}",
            claimed.what,
            claimed.solver.name(),
            isa.name(),
            if with_same > 0 { ", the instruction set they were counted with: give another one by --isa" } else { "" }
        ));
        let units: Vec<usize> = chosen.iter().map(|(unit, ..)| *unit).collect();
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let cost: f64 = units.iter().map(|&unit| plan.cost(unit)).sum();
        let predicted =
            pace::core_seconds(claimed.solver, claimed.size, isa, self.threads) * cost / whole.max(f64::MIN_POSITIVE);
        let interrupts = Interrupts::catch()?;
        let watch = Watch { interrupts: &interrupts, quiet: streams.is_quiet() };
        let mut wrong = Vec::new();
        let label = format!("n = {}", claimed.size);
        watch.run(&label, Forecast::new(predicted, self.threads), |cancel, monitor| {
            engine::for_each(&*plan, &units, self.threads, cancel, monitor, |unit, tally| {
                let at = units.binary_search(&unit).unwrap_or_default();
                if tally.solutions != chosen[at].1 {
                    wrong.push((unit, chosen[at].1, tally.solutions));
                }
                Ok(())
            })
        })?;
        for (unit, claimed, counted) in &wrong {
            streams.complain(format_args!("unit {unit} ({}) is {counted}, and not {claimed}", plan.name(*unit)));
        }
        if !wrong.is_empty() {
            return Err(Exit::Wrong.error(format!(
                "{} of {number} units of {} are counted otherwise with {}: run 'nqueens verify' on each machine",
                wrong.len(),
                claimed.what,
                isa.name()
            )));
        }
        writeln!(streams.out, "{number} of {} units agree", claimed.counts.len())?;
        Ok(Exit::Fine)
    }
}

/// The fastest instruction set that is not this one, if the machine has any.
fn another(solver: &dyn Solver, used: Option<&str>) -> Isa {
    let available = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
    available.filter(|isa| Some(isa.name()) != used).max().unwrap_or(Isa::Portable)
}

/// The same units with the same counts, or an error that names the first that differs.
fn compare(records: &Claimed, published: &Claimed) -> anyhow::Result<()> {
    let same = (records.size, records.solver.name(), &records.fingerprint)
        == (published.size, published.solver.name(), &published.fingerprint);
    if !same {
        return Err(Exit::Failure.error(format!(
            "{} and {} are of different units: nothing can be compared",
            records.what, published.what
        )));
    }
    let differing =
        records.counts.iter().find(|(unit, count, _)| published.counts.get(*unit).map(|p| p.1) != Some(*count));
    if let Some((unit, count, _)) = differing {
        return Err(Exit::Wrong.error(format!(
            "unit {unit} is {count} in {} and {} in {}",
            records.what,
            published.counts.get(*unit).map_or(0, |p| p.1),
            published.what
        )));
    }
    Ok(())
}
