//! Runs the suite. The workloads take turns, so that a disturbance spoils a few samples of each and not all of one.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use nqueens::CancelToken;
use nqueens::solver::Isa;

use super::record::{KIND, Record, SCHEMA, check_machine};
use super::score::Score;
use super::warning::{Warning, warnings};
use super::workload::{SUITE, Times, Workload};
use crate::machine::{self, MemoryLimit, Watched, frequency, usable_threads};
use crate::terminal::units::{bytes, plural};
use crate::version;

/// The sweeps over the workloads. Sweep 0 fills caches and raises clocks, and its times are not kept. Times of a build
/// without optimization mean nothing, so such a build takes few samples.
const SWEEPS: RangeInclusive<usize> = if version::IS_RELEASE { 0..=30 } else { 1..=3 };

/// The shortest length of a sample, of which starting a thread takes less than a hundredth.
const SAMPLE_LENGTH: Duration = if version::IS_RELEASE { Duration::from_millis(100) } else { Duration::ZERO };

/// The workloads that fit in the memory of this machine, each with a number of threads.
pub(crate) struct Suite {
    /// The highest instruction set to use.
    isa: Isa,
    workloads: Vec<(&'static Workload, usize)>,
    /// A note for each workload that does not fit.
    left_out: Vec<Warning>,
}

/// Returns the numbers of threads on which each workload is measured: one and all, and with `has_scaling` also 2, 4, 8
/// and so on.
fn threads(has_scaling: bool) -> Vec<usize> {
    let all = usable_threads();
    let mut threads = vec![1];
    if has_scaling {
        let doubled = std::iter::successors(Some(2), |threads| Some(2 * threads));
        threads.extend(doubled.take_while(|&threads| threads < all));
    }
    threads.push(all);
    threads.dedup();
    threads
}

impl Workload {
    /// Returns whether this workload is sampled in a sweep. Samples of `color` are several times as long as samples of
    /// frozen solvers, so it has a third as many: ten, which is enough for a rank.
    fn is_in_sweep(&self, sweep: usize) -> bool {
        self.score == Score::Frozen || sweep.is_multiple_of(3)
    }
}

impl Suite {
    /// Creates the suite: each workload on one thread and on all, and with `has_scaling` also on 2, 4, 8 threads and so
    /// on, as far as `limit` allows.
    pub(crate) fn new(has_scaling: bool, isa: Isa, limit: Option<MemoryLimit>) -> Result<Self> {
        let threads = threads(has_scaling);
        let mut suite = Self { isa, workloads: Vec::new(), left_out: Vec::new() };
        for workload in &SUITE {
            for &threads in &threads {
                let data = workload.bytes(threads)?;
                let Some(limit) = limit.filter(|limit| limit.charged(data, threads) > limit.bytes) else {
                    suite.workloads.push((workload, threads));
                    continue;
                };
                suite.left_out.push(Warning::note(format!(
                    "left out {} on {}: it may take {}, more than the {} {}",
                    workload.id(),
                    plural(threads, "thread"),
                    bytes(limit.charged(data, threads)),
                    bytes(limit.bytes),
                    limit.words,
                )));
            }
        }
        Ok(suite)
    }

    /// Returns in words what is measured, such as `5 workloads on 1, 2 and 4 threads`.
    pub(crate) fn in_words(&self) -> String {
        let workloads = self.workloads.chunk_by(|(one, _), (next, _)| one.id() == next.id()).count();
        let threads: BTreeSet<usize> = self.workloads.iter().map(|&(_, threads)| threads).collect();
        let mut threads: Vec<String> = threads.into_iter().map(|threads| threads.to_string()).collect();
        let last = threads.pop().unwrap_or_default();
        let before = if threads.is_empty() { String::new() } else { format!("{} and ", threads.join(", ")) };
        let noun = if last == "1" { "thread" } else { "threads" };
        format!("{} on {before}{last} {noun}", plural(workloads, "workload"))
    }

    /// Returns the samples in the order in which they are taken, each with its sweep and the index of its workload.
    fn samples(&self) -> impl Iterator<Item = (usize, usize)> {
        let in_sweep = move |sweep: usize| {
            let is_in = move |&at: &usize| self.workloads[at].0.is_in_sweep(sweep);
            (0..self.workloads.len()).filter(is_in).map(move |at| (sweep, at))
        };
        SWEEPS.flat_map(in_sweep)
    }

    /// Returns the seconds that the suite takes on a machine with 1000 points.
    pub(crate) fn seconds(&self) -> f64 {
        self.samples().map(|(_, at)| self.workloads[at].0.anchor_seconds.max(SAMPLE_LENGTH.as_secs_f64())).sum()
    }

    /// Watches the machine for a moment, and returns what already spoils the scores.
    pub(crate) fn obstacles(&self) -> Vec<Warning> {
        let watched = Watched::start();
        thread::sleep(Duration::from_millis(250));
        let mut warnings = warnings(self.isa.name(), machine::facts(), &watched.disturbance());
        warnings.retain(|warning| warning.spoils_score);
        warnings
    }

    /// Measures the workloads on the machine of this name. `observe` is called after every sample with the share of the
    /// work that is done.
    pub(crate) fn measure(
        &self,
        name: String,
        cancel: &CancelToken,
        observe: &mut dyn FnMut(f64, &Times),
    ) -> Result<Record> {
        // Without optimization, the loop that times the frequency takes a different number of cycles.
        let gigahertz = || version::IS_RELEASE.then(frequency::gigahertz).flatten();
        let created = machine::now();
        check_machine(&name, &created, machine::facts()).context("the record of this machine could not be read")?;
        let before = gigahertz();
        let watched = Watched::start();
        let workloads = self.take_samples(cancel, observe)?;
        let disturbance = watched.disturbance();
        let after = gigahertz();
        let machine = machine::facts();
        let mut warnings = warnings(self.isa.name(), machine, &disturbance);
        warnings.extend(self.left_out.iter().cloned());
        // Flags that the user gave the compiler may name folders.
        let flags = if version::FLAGS.is_empty() { "" } else { ", RUSTFLAGS" };
        Ok(Record {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            name,
            created,
            program: format!("{}, {}, {}, {}{flags}", version::LONG, version::RUSTC, version::TARGET, version::PROFILE),
            commit: version::COMMIT_STATE.to_owned(),
            isa: self.isa.name().to_owned(),
            machine: machine.clone(),
            gigahertz: before.zip(after).map(|(before, after)| [before, after]),
            warnings,
            workloads,
        })
    }

    /// Takes all samples in turn.
    fn take_samples(&self, cancel: &CancelToken, observe: &mut dyn FnMut(f64, &Times)) -> Result<Vec<Times>> {
        let times = |&(workload, threads): &(&Workload, usize)| Times::new(workload.id(), threads);
        let mut taken: Vec<Times> = self.workloads.iter().map(times).collect();
        let all = self.samples().count() as f64;
        for (index, (sweep, at)) in self.samples().enumerate() {
            let (workload, threads) = self.workloads[at];
            let seconds = workload.sample(threads, SAMPLE_LENGTH, self.isa, cancel)?;
            if sweep > 0 {
                taken[at].seconds.push(seconds);
            }
            observe((index + 1) as f64 / all, &taken[at]);
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_that_does_not_fit_in_memory_is_left_out_and_named() {
        let limit =
            MemoryLimit { bytes: 100 << 20, words: "that this machine has free", remedy: "", bytes_of_stack: 0 };
        let suite = Suite::new(false, Isa::Portable, Some(limit)).unwrap();
        assert!(suite.workloads.iter().all(|(workload, _)| workload.n < 24));
        let first = suite.left_out[0].to_string();
        let start = "left out color n=24 unit on 1 thread: it may take ";
        assert!(
            first.starts_with(start) && first.ends_with("more than the 100 MiB that this machine has free"),
            "{first}"
        );
        assert!(Suite::new(false, Isa::Portable, None).unwrap().left_out.is_empty());
        // Trap: the stack of each thread counts towards a limit on the address space, also if the data fit.
        let with_stacks = MemoryLimit { bytes: 3 << 40, bytes_of_stack: 2 << 40, ..limit };
        let suite = Suite::new(true, Isa::Portable, Some(with_stacks)).unwrap();
        assert!(suite.workloads.len() == SUITE.len() && suite.workloads.iter().all(|(_, threads)| *threads == 1));
    }

    #[test]
    fn a_machine_whose_record_could_not_be_read_is_not_measured() {
        let suite = Suite::new(false, Isa::Portable, None).unwrap();
        let measured = suite.measure(" ".to_owned(), &CancelToken::new(), &mut |_, _| panic!("it is measured"));
        let message = "the record of this machine could not be read: name: the machine has no name";
        assert_eq!(format!("{:#}", measured.unwrap_err()), message);
    }

    /// A figure with fewer samples has no rank.
    #[test]
    fn a_release_takes_enough_samples_of_each_workload_for_a_rank() {
        for workload in &SUITE {
            let samples = (1..=30).filter(|&sweep| workload.is_in_sweep(sweep)).count();
            assert!(samples >= 10, "{}: {samples}", workload.id());
        }
    }

    #[test]
    fn threads_double_up_to_all() {
        let all = usable_threads();
        assert_eq!(threads(false), if all == 1 { vec![1] } else { vec![1, all] });
        let threads = threads(true);
        assert!(threads.windows(2).all(|pair| pair[1] <= 2 * pair[0]) && threads.ends_with(&[all]), "{threads:?}");
    }
}
