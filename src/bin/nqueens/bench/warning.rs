//! Warnings: what spoiled a measurement. The times in the record would not show it.

use std::time::{Duration, Instant};

use super::record::{BUSY, Machine, Warning};
use crate::machine::{self, Conditions};
use crate::terminal::plural::plural;

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
    let (start, before) = (Instant::now(), machine::conditions());
    std::thread::sleep(WATCHED);
    others(&before, &machine::conditions(), start.elapsed().as_secs_f64()).filter(|&cpus| cpus >= BUSY_CPUS)
}

/// The processor time of other programs in a measurement of `seconds`, in CPUs.
fn others(before: &Conditions, after: &Conditions, seconds: f64) -> Option<f64> {
    let since = |of: fn(&Conditions) -> Option<f64>| Some(of(after)? - of(before)?);
    Some((since(|seen| seen.busy_seconds)? - since(|seen| seen.own_seconds)?) / seconds)
}

/// The warnings about a measurement of `seconds`, the worst first.
pub(crate) fn warnings(facts: &Machine, before: &Conditions, after: &Conditions, seconds: f64) -> Vec<Warning> {
    let since = |of: fn(&Conditions) -> Option<f64>| Some(of(after)? - of(before)?);
    let times =
        |of: fn(&Conditions) -> Option<u64>| Some(of(after)?.saturating_sub(of(before)?)).filter(|&times| times > 0);
    let others = others(before, after, seconds).filter(|&cpus| cpus >= OTHER_LOAD_CPUS);
    let stolen = since(|seen| seen.stolen_seconds).map(|stolen| stolen / seconds / facts.logical_cpus.max(1) as f64);
    let is_on_battery = [before, after].iter().any(|seen| seen.on_battery == Some(true));
    let clock = &facts.clock;
    let is_slow = clock.governor.as_deref() == Some("powersave") && clock.driver.as_deref() != Some("intel_pstate");
    let is_hybrid = facts.hybrid == Some(true);
    let found = [
        others.map(|cpus| match cpus >= BUSY_CPUS {
            true => (BUSY, format!("other programs used {cpus:.1} CPUs meanwhile: stop them and measure again")),
            false => ("load", format!("other programs used {cpus:.1} CPUs meanwhile: stop them and measure again")),
        }),
        stolen.filter(|&share| share > STOLEN_SHARE).map(|share| {
            ("steal", format!("the hypervisor gave {:.0} % of the processor time to other guests", 100.0 * share))
        }),
        times(|seen| seen.thermal_throttles).map(|times| {
            (
                "throttling",
                format!("the processor was slowed down {} because it was hot: cool it", plural(times, "time")),
            )
        }),
        times(|seen| seen.quota_throttles).map(|times| {
            let way_out = "raise it or use fewer threads";
            ("quota", format!("the control group's quota stopped the program {}: {way_out}", plural(times, "time")))
        }),
        is_on_battery.then(|| ("battery", "the machine ran on its battery: plug it in".to_owned())),
        is_slow.then(|| ("governor", "the governor 'powersave' keeps the clock low: choose 'performance'".to_owned())),
        is_hybrid.then(|| {
            let way_out = "one thread's times depend on where it ran; bind it with taskset";
            ("hybrid", format!("the cores are of more than one kind: {way_out}"))
        }),
    ];
    found.into_iter().flatten().map(|(kind, message)| Warning { kind: kind.to_owned(), message }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn each_thing_that_spoils_a_measurement_is_told() {
        let mut record = read::parse(crate::tests::records::LARGE.as_bytes()).unwrap();
        record.warnings.clear();
        record.machine.clock = Default::default();
        record.machine.hybrid = None;
        record.machine.logical_cpus = 2;
        let calm = Conditions {
            busy_seconds: Some(100.0),
            stolen_seconds: Some(1.0),
            own_seconds: Some(1.0),
            thermal_throttles: Some(3),
            quota_throttles: Some(5),
            on_battery: Some(false),
        };
        let kinds = |record: &super::super::Record, after: &Conditions| {
            let found = warnings(&record.machine, &calm, after, 10.0);
            found.iter().map(|warning| warning.kind.clone()).collect::<Vec<_>>().join(" ")
        };
        let calm_after = Conditions { busy_seconds: Some(110.5), own_seconds: Some(11.0), ..calm.clone() };
        assert_eq!(kinds(&record, &calm_after), "");
        assert_eq!(kinds(&record, &Conditions::default()), "");
        let after = Conditions {
            busy_seconds: Some(112.0),
            own_seconds: Some(6.0),
            stolen_seconds: Some(2.0),
            thermal_throttles: Some(4),
            quota_throttles: Some(6),
            on_battery: Some(true),
        };
        assert_eq!(kinds(&record, &after), "busy steal throttling quota battery");
        // Other programs take 1.5 and then 4.9 of ten seconds: a warning. From half a core on there is no score.
        for (busy, expected) in [(110.9, ""), (111.5, "load"), (114.9, "load"), (115.0, "busy")] {
            let after = Conditions { busy_seconds: Some(busy), own_seconds: Some(11.0), ..calm.clone() };
            assert_eq!(kinds(&record, &after), expected, "{busy}");
        }
        record.machine.hybrid = Some(true);
        record.machine.clock.governor = Some("powersave".to_owned());
        assert_eq!(kinds(&record, &calm_after), "governor hybrid");
    }
}
