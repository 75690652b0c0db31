//! The processor time that other programs, and other guests of the hypervisor, took during a measurement.

use std::time::Instant;

use sysinfo::System;

use super::{linux, stopwatch};

/// The disturbance of a measurement, as far as the system reports it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Disturbance {
    /// Processor time of other programs, in CPUs.
    pub(crate) other_cpus: Option<f64>,
    /// Processor time that the hypervisor gave to other guests, in CPUs.
    pub(crate) stolen_cpus: Option<f64>,
}

/// A machine that is watched during a measurement.
pub(crate) struct Watched {
    system: System,
    start: Instant,
    before: [Option<f64>; 2],
}

/// Returns the processor seconds of this process, and of other guests of the hypervisor.
fn counters() -> [Option<f64>; 2] {
    [stopwatch::seconds_of_process(), linux::stolen_seconds()]
}

/// Asks the system for the load. Where the time of this process is unknown, as on Windows, the load says nothing about
/// other programs, and asking for it would end a program under Wine.
fn refresh(system: &mut System) {
    if stopwatch::seconds_of_process().is_some() {
        system.refresh_cpu_usage();
    }
}

impl Watched {
    /// Starts to watch the machine.
    pub(crate) fn start() -> Self {
        let mut system = System::new();
        refresh(&mut system);
        Self { system, start: Instant::now(), before: counters() }
    }

    /// Returns what happened since the start, which must be at least a fifth of a second ago, or else the system does
    /// not report the load.
    pub(crate) fn disturbance(mut self) -> Disturbance {
        refresh(&mut self.system);
        let seconds = self.start.elapsed().as_secs_f64();
        let now = counters();
        let [own, stolen] = std::array::from_fn(|index| Some(now[index]? - self.before[index]?));
        let cpus = self.system.cpus().len() as f64;
        let busy = Some(f64::from(self.system.global_cpu_usage()) / 100.0 * cpus).filter(|_| cpus > 0.0);
        let stolen_cpus = stolen.map(|stolen| stolen / seconds);
        // The system counts stolen time as busy.
        let other_cpus = busy.zip(own).map(|(busy, own)| busy - own / seconds - stolen_cpus.unwrap_or(0.0));
        Disturbance { other_cpus, stolen_cpus }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// The threads of this program take as much time as they can get. Other programs cannot have more than the rest.
    #[test]
    fn this_program_is_no_other_program() {
        const WATCHED: Duration = Duration::from_millis(500);
        let all = thread::available_parallelism().unwrap().get();
        let watched = Watched::start();
        let start = Instant::now();
        let before = counters()[0];
        thread::scope(|scope| {
            for _ in 0..all {
                scope.spawn(|| {
                    while start.elapsed() < WATCHED {
                        black_box(start);
                    }
                });
            }
        });
        let own = counters()[0].zip(before).map(|(now, before)| (now - before) / start.elapsed().as_secs_f64());
        let disturbance = watched.disturbance();
        if let Some((others, own)) = disturbance.other_cpus.zip(own) {
            let cpus = super::super::facts().logical_cpus as f64;
            assert!((-0.25..cpus - own + 0.25).contains(&others), "{own} own, {disturbance:?}");
        }
    }
}
