//! Counts units again and compares them with their records.

use std::collections::BTreeMap;

use nqueens::engine;
use nqueens::solver::Isa;

use super::super::super::options::seed_of_chance;
use super::super::open_all;
use super::Args;
use super::claimed::Claimed;
use super::code::Code;
use crate::exit::Exit;
use crate::runs::Counted;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;

/// The units to check, and the code to check them with.
pub(crate) struct Check<'a> {
    pub(crate) args: &'a Args,
    pub(crate) threads: usize,
    /// The instruction set asked for.
    pub(crate) isa: Option<Isa>,
}

impl Check<'_> {
    /// Counts a random choice of units again.
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
        let args = self.args;
        let mut claimed = match &args.published {
            Some(file) => Claimed::published(file, streams)?,
            None => Claimed::records(&open_all(args.dir.iter().chain(&args.others))?, streams)?,
        };
        let interrupts = Interrupts::catch()?;
        if let Some(machine) = &args.machine {
            claimed.keep_machine(machine)?;
        }
        let all = claimed.audit.counts.len();
        if all == 0 {
            return Err(
                Exit::Failure.error(format!("{} has no counted unit yet: there is nothing to audit", claimed.what))
            );
        }
        let seed = args.seed.unwrap_or_else(seed_of_chance);
        let chosen: BTreeMap<usize, Counted> =
            claimed.audit.draw(args.sample, seed).into_iter().map(|counted| (counted.unit, counted)).collect();
        let code = if args.plain {
            Code::plain(claimed.solver, claimed.size)?
        } else {
            Code::choose(self.isa, self.threads, &claimed, &chosen)
        };
        self.say_what(&claimed, &code, &chosen, seed, streams);
        let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
        // The verdict covers the units that were counted before an interruption.
        let (wrong, ended) = self.count(&code, &claimed, &chosen, &watch, streams);
        let (number, what) = (chosen.len(), &claimed.what);
        if wrong > 0 {
            return Err(Exit::Wrong.error(format!(
                "{wrong} of {number} units of {what} have another count here: run 'nqueens verify' on each machine"
            )));
        }
        ended?;
        writeln!(streams.out, "{number} of {all} units agree")?;
        claimed.trouble.map_or(Ok(Exit::Fine), Err)
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
        let same =
            if same > 0 { format!("; {same} of them were counted with {} before", code.name) } else { String::new() };
        streams.note(format_args!(
            "counting {} of {} again with {}{same}",
            plural(number, "unit"),
            claimed.what,
            code.name
        ));
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
