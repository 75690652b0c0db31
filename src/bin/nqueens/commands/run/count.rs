//! `nqueens run count`: counts shards of a run.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::runs::{Attempt, BEAT, CountedShards, FoundRecord, Origin, RunFolder, ShardJob};
use crate::version;
use nqueens::solver::registry;
use nqueens::{CancelToken, Counter};

use super::super::options::{InstructionSet, ThreadsOption, length_of_time, seed_of_chance};
use super::recount;
use crate::exit::Exit;
use crate::machine;
use crate::machine::{name, pace};
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::Watch;

/// Where schedulers tell a task its number.
const TASK_NUMBERS: [&str; 4] = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "NQUEENS_SHARD"];

/// When a process that waits for others looks again: soon at first, then less and less often, down to this.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
const LOOK_AGAIN_AT_LAST: Duration = Duration::from_secs(8);

/// Shards whose records are each looked for; of more the folder is listed.
const FEW: usize = 64;

/// A claim that is to be taken over must be older than a living one ever gets.
const STEAL_AFTER_AT_LEAST: Duration = BEAT.saturating_mul(3);

/// Counts shards of a run that was planned: all that are missing, or those named
///
/// Start it as often as you like, on as many machines as see the folder: processes share what is left. A
/// shard is kept when it is finished, and a process that is killed loses what it was counting and nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run count --dir n24                     all that is missing
  nqueens run count --dir n24 --max-runtime 1h    what can be finished in an hour
  nqueens run count --dir n24 --shard 17          one shard, and at once done if it was counted before
  nqueens run count --dir n24 --recount-machine node17   what node17 counted, once more; status 3 if it differs
  nqueens run count --dir n24 --shard-from-env    the one whose number the scheduler gives: HQ_TASK_ID,
                                            SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or NQUEENS_SHARD
The status is 75 if something is left, because time is up or others are still counting.")]
pub(crate) struct Args {
    /// The folder of the run
    #[arg(long, value_name = "RUN")]
    dir: PathBuf,
    /// The one shard to count, numbered from 0
    #[arg(long, value_name = "I", group = "which")]
    shard: Option<usize>,
    /// The shards to count, such as 0..=99, or one such as 5
    #[arg(long, value_name = "A..=B", group = "which")]
    shards: Option<Shards>,
    /// Counts the shard whose number is in the environment, as schedulers put it there
    #[arg(long, group = "which")]
    shard_from_env: bool,
    /// Counts what this machine counted once more, keeps it beside the old records and compares
    #[arg(long, value_name = "NAME", group = "which")]
    recount_machine: Option<String>,
    #[command(flatten)]
    hands: CountOptions,
    /// Ends after so long, such as 90s, 30m or 1h: no shard is begun that would not be finished
    #[arg(long, value_name = "TIME", value_parser = length_of_time)]
    max_runtime: Option<Duration>,
    /// Takes over what a process has claimed and then kept silent about for so long, such as 10m: one that is stopped
    /// keeps its claim. A process at work writes into its claims every 10 s
    #[arg(long, value_name = "TIME", value_parser = steal_after)]
    steal_after: Option<Duration>,
}

/// With what the shards are counted.
#[derive(Debug, clap::Args)]
pub(crate) struct CountOptions {
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    isa: InstructionSet,
    /// What records call this machine; its host name by default
    #[arg(long, value_name = "NAME", env = name::VARIABLE, value_parser = name::name)]
    machine: Option<String>,
}

impl CountOptions {
    pub(crate) fn new(threads: ThreadsOption, isa: InstructionSet) -> Self {
        Self { threads, isa, machine: None }
    }

    /// What records call this machine.
    fn machine(&self) -> String {
        self.machine.clone().unwrap_or_else(name::here)
    }
}

/// A range of shards, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shards(RangeInclusive<usize>);

impl FromStr for Shards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..=").unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self(first..=last)),
            _ => Err(format!("'{text}' is not a range of shards: give the first and the last, such as '0..=99'")),
        }
    }
}

fn steal_after(text: &str) -> Result<Duration, String> {
    let time = length_of_time(text)?;
    if time < STEAL_AFTER_AT_LEAST {
        return Err(format!(
            "'{text}' is too short, for a process at work says so only every {} s: give at least '{}s'",
            BEAT.as_secs(),
            STEAL_AFTER_AT_LEAST.as_secs()
        ));
    }
    Ok(time)
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let deadline = args.max_runtime.map(|time| Instant::now() + time);
    let first = RunFolder::open(&args.dir)?;
    let again = args.recount_machine.as_deref().map(|machine| recount::counted_by(machine, &first)).transpose()?;
    let itself = args.recount_machine.as_ref().filter(|name| **name == args.hands.machine());
    if let Some(name) = itself {
        streams.note(format_args!("this machine is '{name}' itself: another one, or another --isa, tells more"));
    }
    let folder = if again.is_some() { first.create_recount()? } else { first.clone() };
    let selection = match (args.shard, &args.shards) {
        _ if again.is_some() => None,
        (Some(shard), _) => Some(shard..=shard),
        (_, Some(shards)) => Some(shards.0.clone()),
        _ if args.shard_from_env => shard_from_env().map(|shard| Some(shard..=shard))?,
        _ => None,
    };
    if let Some(shards) = &selection {
        folder.plan().shard(*shards.end())?;
    }
    let selection = again.clone().or_else(|| selection.map(Iterator::collect));
    let interrupts = Interrupts::catch()?;
    let work = RunWork {
        folder: &folder,
        hands: &args.hands,
        deadline,
        must_finish: selection.is_some() && again.is_none(),
        steal_after: args.steal_after,
        number: seed_of_chance(),
    };
    let report = work.go_on(selection, &interrupts, streams)?;
    // What is found is a verdict, however the rest ended.
    if let Some(shards) = &again {
        recount::compare(&first, &folder, shards, streams)?;
    }
    let shards = |n: usize| if n == 1 { "1 shard".to_owned() } else { format!("{n} shards") };
    let mut done = format!("{} counted and kept, {} there before", shards(report.counted), report.known);
    if report.again > 0 {
        done += &format!(", {} had been counted by others meanwhile", shards(report.again));
    }
    if let Some(exit) = interrupts.caught() {
        return Err(exit.error(format!("stopped: {done}; run the same command again to go on")));
    }
    if report.left > 0 {
        let nothing = if report.counted == 0 { " (no shard fits the time given)" } else { "" };
        return Err(Exit::TimeUp.error(format!(
            "time is up{nothing}: {done}, {} left; run the same command again to go on",
            shards(report.left)
        )));
    }
    if !report.elsewhere.is_empty() {
        return Err(Exit::TimeUp.error(format!(
            "not finished: {done}, {} being counted by other processes, which 'nqueens run status' names; run the same \
             command again to go on, should these be lost",
            shards(report.elsewhere.len())
        )));
    }
    streams.note(&done);
    Ok(Exit::Fine)
}

fn shard_from_env() -> anyhow::Result<usize> {
    let Some((name, value)) = TASK_NUMBERS.iter().find_map(|name| Some((name, std::env::var(name).ok()?))) else {
        return Err(Exit::Usage.error(format!(
            "no scheduler has given this process a task number: none of {} is set; give --shard I",
            TASK_NUMBERS.join(", ")
        )));
    };
    value.parse().map_err(|_| Exit::Usage.error(format!("{name} is '{value}', and should be the number of a shard")))
}

/// Work on a run, by this process.
pub(crate) struct RunWork<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) hands: &'a CountOptions,
    pub(crate) deadline: Option<Instant>,
    /// Whether to wait for shards that other processes are counting, and to count them if these give up.
    pub(crate) must_finish: bool,
    /// Claims of processes that were silent for so long are taken over.
    pub(crate) steal_after: Option<Duration>,
    /// A random number that tells this process from all others.
    pub(crate) number: u64,
}

impl RunWork<'_> {
    /// Counts these shards, or all that are missing.
    pub(crate) fn go_on(
        &self,
        selection: Option<Vec<usize>>,
        interrupts: &Interrupts,
        streams: &Streams<'_>,
    ) -> anyhow::Result<CountedShards> {
        let plan = self.folder.plan();
        let mut report = CountedShards::default();
        if selection.is_none() {
            self.folder.sweep();
        }
        let is_all = selection.is_none();
        let selected = selection.unwrap_or_else(|| (0..plan.shards()).collect());
        // Who was there before is asked first: making the units takes a while for large boards.
        let mut is_checked = !is_all && selected.len() <= FEW;
        let mut wanted = if is_checked { self.invalid(&selected)? } else { self.without_file(&selected)? };
        report.known = selected.len() - wanted.len();
        if !is_all && is_checked && wanted.is_empty() {
            return Ok(report);
        }
        if let Some(reason) = self.folder.why_no_locks() {
            streams.note(format_args!(
                "file locks do not work in {} ({reason}): processes may count some shards twice, unless each is given \
                 its own by --shards",
                self.folder.path().display()
            ));
        }
        let solver = registry::find(plan.solver())?;
        let asked = self.hands.isa.checked()?.unwrap_or_else(registry::machine_isa);
        let isa = registry::best_isa(solver, asked);
        let (_, units) = plan.units_with(isa, self.folder.path())?;
        let counter = Counter::for_size(plan.size()).solver(plan.solver())?.isa(isa)?;
        let (counter, fewer) = self.hands.threads.fit(counter)?;
        let threads = counter.threads_used();
        let origin = Origin {
            isa: isa.name().to_owned(),
            version: version::VERSION.to_owned(),
            commit: version::COMMIT.to_owned(),
            dirty: version::IS_DIRTY,
            cpu: machine::facts().cpu_model,
            machine: Some(self.hands.machine()),
            threads,
        };
        streams.note(format_args!(
            "counting {} with {} {}",
            plan.in_words(),
            isa.name(),
            fewer.unwrap_or_else(|| format!("on {threads} {}", if threads == 1 { "thread" } else { "threads" }))
        ));
        if is_all && report.known > 0 {
            streams.note(format_args!("{} of {} shards are there already", report.known, plan.shards()));
        }
        let pace = pace::core_seconds(solver, plan.size(), isa, threads) / plan.whole_seconds().max(1e-9);
        let job = ShardJob {
            folder: self.folder,
            units: &*units,
            origin,
            deadline: self.deadline,
            pace,
            number: self.number,
            steal_after: self.steal_after,
        };
        let watch = Watch { interrupts, quiet: streams.is_quiet() };
        let (mut has_looked, mut has_said, mut pause) = (false, false, LOOK_AGAIN);
        loop {
            let predicted: f64 = wanted.iter().map(|&shard| pace * plan.predicted_seconds(shard)).sum();
            let forecast = Forecast::new(predicted, threads);
            let label = format!("n = {}", plan.size());
            let some = watch
                .run(&label, forecast, |cancel: &CancelToken, monitor| Ok(job.run(&wanted, cancel, monitor)))??;
            for (file, problem) in &some.set_aside {
                streams
                    .note(format_args!("a damaged record is kept as {}, and counted again: {problem}", file.display()));
            }
            report.merge(some);
            if interrupts.caught().is_some() || report.left > 0 {
                return Ok(report);
            }
            // What is there was believed by its name until now.
            if !is_checked {
                is_checked = true;
                wanted = self.check(&selected, &job)?;
                wanted.retain(|shard| !report.elsewhere.contains(shard));
                if !wanted.is_empty() {
                    report.known = report.known.saturating_sub(wanted.len());
                    continue;
                }
            }
            // Who only looked at a claim held it for a moment: one more look is for everybody.
            if report.elsewhere.is_empty() || (!self.must_finish && has_looked) {
                return Ok(report);
            }
            has_looked = true;
            if self.must_finish && !has_said {
                streams.note("waiting for shards that other processes are counting");
                has_said = true;
            }
            self.wait(pause, interrupts);
            pause = (pause * 2).min(LOOK_AGAIN_AT_LAST);
            if interrupts.caught().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                report.left = report.elsewhere.len();
                return Ok(report);
            }
            wanted = std::mem::take(&mut report.elsewhere);
        }
    }

    /// Waits for as long, unless a signal comes or time is up.
    fn wait(&self, time: Duration, interrupts: &Interrupts) {
        let until = Instant::now() + time;
        let until = self.deadline.map_or(until, |deadline| until.min(deadline));
        while interrupts.caught().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn without_file(&self, selected: &[usize]) -> anyhow::Result<Vec<usize>> {
        let (there, _) = self.folder.listed()?;
        let mut is_there = vec![false; self.folder.plan().shards()];
        there.into_iter().for_each(|shard| is_there[shard] = true);
        Ok(selected.iter().copied().filter(|&shard| !is_there[shard]).collect())
    }

    /// Those of these shards whose record is not valid, unless another process is reading all records at this moment:
    /// of many that come to their end together, one does.
    fn check(&self, selected: &[usize], job: &ShardJob<'_>) -> anyhow::Result<Vec<usize>> {
        match self.folder.claim_check(&job.claimant())? {
            Attempt::Ours(claim) => {
                let invalid = self.invalid(selected);
                claim.finish();
                invalid
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Those of these shards that have no valid record.
    fn invalid(&self, shards: &[usize]) -> anyhow::Result<Vec<usize>> {
        let mut invalid = Vec::new();
        for &shard in shards {
            if !matches!(self.folder.find(shard)?, FoundRecord::Valid(_)) {
                invalid.push(shard);
            }
        }
        Ok(invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_shards_are_read() {
        assert_eq!(steal_after("10m"), Ok(Duration::from_secs(600)));
        assert!(steal_after("5s").unwrap_err().contains("at least '30s'"));
        for (text, shards) in [("2..=4", 2..=4), ("5", 5..=5), ("0..=99999999999", 0..=99_999_999_999)] {
            assert_eq!(text.parse(), Ok(Shards(shards)), "{text}");
        }
        // A range takes no memory, however long it is.
        assert!(size_of::<Shards>() <= 3 * size_of::<usize>());
        for wrong in ["", "2..4", "4..=2", "..=4", "a..=b", "-1", "0..=99999999999999999999"] {
            assert!(Shards::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
