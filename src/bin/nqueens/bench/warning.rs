//! Warnings: what spoiled a measurement. The times in the record would not show it.

use std::time::Duration;

use super::record::{BUSY, Warning};
use crate::machine::{Disturbance, Watched};
use crate::terminal::units::plural;

/// Processor time of other programs, in CPUs, above which there is a warning. An idle machine has less.
const OTHER_LOAD_CPUS: f64 = 0.1;

/// Processor time of other programs, in CPUs, from which on there is no score.
const BUSY_CPUS: f64 = 0.5;

/// Share of the time that a hypervisor may take away without a warning.
const STOLEN_SHARE: f64 = 0.01;

/// How long [`busy_now`] watches the machine.
const WATCHED: Duration = Duration::from_millis(500);

/// The processor time of other programs now, in CPUs, if it is so much that there would be no score.
pub(crate) fn busy_now() -> Option<f64> {
    let watched = Watched::start();
    std::thread::sleep(WATCHED);
    watched.disturbance().other_cpus.filter(|&cpus| cpus >= BUSY_CPUS)
}

/// The warnings about a measurement on a machine with `logical_cpus`, the worst first.
pub(crate) fn warnings(disturbance: &Disturbance, logical_cpus: usize) -> Vec<Warning> {
    let Disturbance { other_cpus, stolen_cpus, throttled, is_slow } = *disturbance;
    let stolen = stolen_cpus.map(|cpus| cpus / logical_cpus.max(1) as f64);
    let found = [
        other_cpus.filter(|&cpus| cpus >= OTHER_LOAD_CPUS).map(|cpus| {
            let kind = if cpus >= BUSY_CPUS { BUSY } else { "load" };
            (kind, format!("other programs used {cpus:.1} CPUs meanwhile: stop them and measure again"))
        }),
        stolen.filter(|&share| share > STOLEN_SHARE).map(|share| {
            ("steal", format!("the hypervisor gave {:.0} % of the processor time to other guests", 100.0 * share))
        }),
        throttled.filter(|&times| times > 0).map(|times| {
            let times = plural(times, "time");
            ("throttling", format!("the processor was slowed down {times} because it was hot: cool it"))
        }),
        is_slow.then(|| ("governor", "the governor 'powersave' keeps the clock low: choose 'performance'".to_owned())),
    ];
    found.into_iter().flatten().map(|(kind, message)| Warning { kind: kind.to_owned(), message }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_spoils_a_measurement_is_told() {
        let kinds = |disturbance: &Disturbance| {
            let found = warnings(disturbance, 2);
            found.iter().map(|warning| warning.kind.clone()).collect::<Vec<_>>().join(" ")
        };
        let calm = Disturbance { other_cpus: Some(0.05), stolen_cpus: Some(0.01), throttled: Some(0), is_slow: false };
        assert_eq!(kinds(&calm), "");
        assert_eq!(kinds(&Disturbance::default()), "");
        let spoiled = Disturbance { other_cpus: Some(1.2), stolen_cpus: Some(0.03), throttled: Some(3), is_slow: true };
        assert_eq!(kinds(&spoiled), "busy steal throttling governor");
        assert_eq!(kinds(&Disturbance { other_cpus: Some(0.2), ..calm }), "load");
    }

    #[test]
    fn this_program_is_no_other_program() {
        let watched = Watched::start();
        let start = std::time::Instant::now();
        while start.elapsed() < WATCHED {
            std::hint::black_box(start);
        }
        let disturbance = watched.disturbance();
        if let Some(others) = disturbance.other_cpus {
            let all = std::thread::available_parallelism().unwrap().get() as f64;
            assert!((-0.5..all + 0.1).contains(&others), "{disturbance:?}");
        }
    }
}
