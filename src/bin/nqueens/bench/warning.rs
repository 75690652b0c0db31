//! What may have spoilt a measurement and cannot be told from its record later.

use super::record::{BUSY, Machine, Warning};
use crate::machine::Conditions;

/// Processor time of other programs, in CPUs, that is more than the usual rustle of a machine at rest.
const OTHER_LOAD_CPUS: f64 = 0.1;

/// Processor time of other programs, in CPUs, beside which there is no score.
const BUSY_CPUS: f64 = 0.5;

/// Share of the time that a hypervisor may give to others unnoticed.
const STOLEN_SHARE: f64 = 0.01;

/// What a measurement saw.
pub(crate) struct SeenConditions<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) before: &'a Conditions,
    pub(crate) after: &'a Conditions,
    pub(crate) elapsed_seconds: f64,
}

/// The warnings, the most spoiling first.
pub(crate) fn warnings(seen: &SeenConditions<'_>) -> Vec<Warning> {
    let found = [
        (
            BUSY,
            other_load(seen).filter(|cpus| *cpus >= BUSY_CPUS).map(|cpus| {
                format!(
                    "other programs used {cpus:.1} CPUs meanwhile, so there is no score: stop them and measure again"
                )
            }),
        ),
        (
            "load",
            other_load(seen)
                .filter(|cpus| (OTHER_LOAD_CPUS..BUSY_CPUS).contains(cpus))
                .map(|cpus| format!("other programs used {cpus:.1} CPUs meanwhile: stop them and measure again")),
        ),
        ("steal", stolen(seen)),
        ("throttling", throttling(seen)),
        ("quota", quota(seen)),
        ("battery", battery(seen)),
        ("governor", governor(seen.machine)),
        ("hybrid", hybrid(seen.machine)),
    ];
    found
        .into_iter()
        .filter_map(|(kind, message)| message.map(|message| Warning { kind: kind.to_owned(), message }))
        .collect()
}

fn since<T: std::ops::Sub<Output = T>>(after: Option<T>, before: Option<T>) -> Option<T> {
    Some(after? - before?)
}

/// The processor time of other programs, in CPUs.
fn other_load(seen: &SeenConditions<'_>) -> Option<f64> {
    let all = since(seen.after.busy_seconds, seen.before.busy_seconds)?;
    let own = since(seen.after.own_seconds, seen.before.own_seconds)?;
    Some((all - own) / seen.elapsed_seconds)
}

fn stolen(seen: &SeenConditions<'_>) -> Option<String> {
    let stolen = since(seen.after.stolen_seconds, seen.before.stolen_seconds)?;
    let share = stolen / seen.elapsed_seconds / seen.machine.logical_cpus.max(1) as f64;
    (share > STOLEN_SHARE)
        .then(|| format!("the hypervisor gave {:.0} % of the processor time to other guests", 100.0 * share))
}

fn throttling(seen: &SeenConditions<'_>) -> Option<String> {
    let times = seen.after.thermal_throttles?.saturating_sub(seen.before.thermal_throttles?);
    (times > 0).then(|| format!("the processor was slowed down {times} times because it was hot: cool it"))
}

fn quota(seen: &SeenConditions<'_>) -> Option<String> {
    let times = seen.after.quota_throttles?.saturating_sub(seen.before.quota_throttles?);
    (times > 0)
        .then(|| format!("the control group's quota stopped the program {times} times: raise it or use fewer threads"))
}

fn battery(seen: &SeenConditions<'_>) -> Option<String> {
    (seen.before.on_battery == Some(true) || seen.after.on_battery == Some(true))
        .then(|| "the machine ran on its battery: plug it in".to_owned())
}

fn governor(machine: &Machine) -> Option<String> {
    let governor = machine.clock.governor.as_deref()?;
    (governor == "powersave" && machine.clock.driver.as_deref() != Some("intel_pstate"))
        .then(|| "the governor 'powersave' keeps the clock low: choose 'performance'".to_owned())
}

fn hybrid(machine: &Machine) -> Option<String> {
    (machine.hybrid == Some(true)).then(|| {
        "the cores are of more than one kind: one thread's times depend on where it ran; bind it with taskset"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::*;

    #[test]
    fn each_thing_that_spoils_a_measurement_is_told() {
        let mut record = score::anchor().unwrap().clone();
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
            let found =
                warnings(&SeenConditions { machine: &record.machine, before: &calm, after, elapsed_seconds: 10.0 });
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
        // Of ten seconds, 1.5 and 4.9 are of others: a mention. From half a core on there is no score.
        for (busy, expected) in [(110.9, ""), (111.5, "load"), (114.9, "load"), (115.0, "busy")] {
            let after = Conditions { busy_seconds: Some(busy), own_seconds: Some(11.0), ..calm.clone() };
            assert_eq!(kinds(&record, &after), expected, "{busy}");
        }
        record.machine.hybrid = Some(true);
        record.machine.clock.governor = Some("powersave".to_owned());
        assert_eq!(kinds(&record, &calm_after), "governor hybrid");
    }
}
