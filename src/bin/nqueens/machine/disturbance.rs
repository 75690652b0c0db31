//! What may spoil a measurement: other programs, other guests of the hypervisor, heat, and a slow clock.

use std::time::{Duration, Instant};

use sysinfo::System;

use super::{linux, stopwatch};

/// What happened during a measurement. `None` is unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Disturbance {
    /// Processor time of other programs, in CPUs.
    pub(crate) other_cpus: Option<f64>,
    /// Processor time that the hypervisor gave to other guests, in CPUs.
    pub(crate) stolen_cpus: Option<f64>,
    /// How often a hot core was slowed down.
    pub(crate) throttled: Option<u64>,
    /// Whether the governor keeps the clock low.
    pub(crate) is_slow: bool,
}

/// Watches the machine from its start on.
pub(crate) struct Watched {
    system: System,
    start: Instant,
    own: Option<Duration>,
    stolen_seconds: Option<f64>,
    throttles: Option<u64>,
}

impl Watched {
    /// Starts now.
    pub(crate) fn start() -> Self {
        let mut system = System::new();
        system.refresh_cpu_usage();
        Self {
            system,
            start: Instant::now(),
            own: stopwatch::time_of_process(),
            stolen_seconds: linux::stolen_seconds(),
            throttles: linux::throttles(),
        }
    }

    /// What happened since the start. A fifth of a second is the least that the system tells.
    pub(crate) fn disturbance(mut self) -> Disturbance {
        self.system.refresh_cpu_usage();
        let seconds = self.start.elapsed().as_secs_f64();
        let cpus = self.system.cpus().len() as f64;
        let busy = Some(f64::from(self.system.global_cpu_usage()) / 100.0 * cpus).filter(|_| cpus > 0.0);
        let own = stopwatch::time_of_process().zip(self.own).map(|(now, before)| now.saturating_sub(before));
        let stolen_cpus =
            linux::stolen_seconds().zip(self.stolen_seconds).map(|(now, before)| (now - before) / seconds);
        Disturbance {
            // The system counts stolen time as busy.
            other_cpus: busy
                .zip(own)
                .map(|(busy, own)| busy - own.as_secs_f64() / seconds - stolen_cpus.unwrap_or(0.0)),
            stolen_cpus,
            throttled: linux::throttles().zip(self.throttles).map(|(now, before)| now.saturating_sub(before)),
            is_slow: linux::is_clock_low(),
        }
    }
}
