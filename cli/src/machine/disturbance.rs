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
    /// The processor seconds of this process at the start.
    own: Option<f64>,
    /// The processor seconds of other guests of the hypervisor at the start.
    stolen: Option<f64>,
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
        Self { system, start: Instant::now(), own: stopwatch::seconds_of_process(), stolen: linux::stolen_seconds() }
    }

    /// Returns what happened since the start, which must be at least a fifth of a second ago, or else the system does
    /// not report the load.
    pub(crate) fn disturbance(mut self) -> Disturbance {
        refresh(&mut self.system);
        let seconds = self.start.elapsed().as_secs_f64();
        let cpus_since =
            |before: Option<f64>, now: Option<f64>| before.zip(now).map(|(before, now)| (now - before) / seconds);
        let own_cpus = cpus_since(self.own, stopwatch::seconds_of_process());
        let stolen_cpus = cpus_since(self.stolen, linux::stolen_seconds());
        let cpus = self.system.cpus().len() as f64;
        let busy = Some(f64::from(self.system.global_cpu_usage()) / 100.0 * cpus).filter(|_| cpus > 0.0);
        // The system counts stolen time as busy.
        let other_cpus = busy.zip(own_cpus).map(|(busy, own)| busy - own - stolen_cpus.unwrap_or(0.0));
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
        let before = stopwatch::seconds_of_process();
        thread::scope(|scope| {
            for _ in 0..all {
                scope.spawn(|| {
                    while start.elapsed() < WATCHED {
                        black_box(start);
                    }
                });
            }
        });
        let now = stopwatch::seconds_of_process();
        let own = now.zip(before).map(|(now, before)| (now - before) / start.elapsed().as_secs_f64());
        let disturbance = watched.disturbance();
        if let Some((others, own)) = disturbance.other_cpus.zip(own) {
            let cpus = super::super::facts().logical_cpus as f64;
            assert!((-0.25..cpus - own + 0.25).contains(&others), "{own} own, {disturbance:?}");
        }
    }
}
