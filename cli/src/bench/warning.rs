//! Warnings about what disturbed a measurement. `bench` saves them in the record.

use serde::{Deserialize, Serialize};

use crate::machine::stopwatch::is_by_thread;
use crate::machine::{Disturbance, MachineFacts, cpu_quota};
use crate::version;

/// If other programs use this many cores, a warning says so.
const BUSY_CPUS: f64 = 0.5;

/// The share of the processor time that a hypervisor may give to other guests without a warning.
const STOLEN_SHARE: f64 = 0.01;

/// A sentence about what disturbed a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Warning {
    /// Whether the machine gets no score because of it. Otherwise the warning is a note.
    pub(crate) spoils_score: bool,
    pub(crate) text: String,
}

impl Warning {
    pub(crate) fn spoils(text: impl Into<String>) -> Self {
        Self { spoils_score: true, text: text.into() }
    }

    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { spoils_score: false, text: text.into() }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.spoils_score { "no score: " } else { "" }, self.text)
    }
}

/// Returns the warnings about a measurement by this program. Those that spoil the scores come first. `isa` is the
/// highest instruction set that was used, and `disturbance` what other programs and guests did meanwhile.
pub(crate) fn warnings(isa: &str, machine: &MachineFacts, disturbance: &Disturbance) -> Vec<Warning> {
    let profile = version::PROFILE;
    let mut warnings: Vec<Warning> = [
        (!version::IS_RELEASE).then(|| Warning::spoils(format!("this is not a release build ({profile})"))),
        version::IS_DIRTY.then(|| Warning::note("built from uncommitted changes")),
        (!is_by_thread()).then(|| {
            Warning::note("times are elapsed times, because this system does not report the processor time of threads")
        }),
    ]
    .into_iter()
    .flatten()
    .chain(of_machine(isa, machine, cpu_quota(), disturbance))
    .collect();
    warnings.sort_by_key(|warning| !warning.spoils_score);
    warnings
}

/// Returns the warnings that do not depend on the build. `quota` is the number of cores that a container may use.
fn of_machine(
    isa: &str,
    machine: &MachineFacts,
    quota: Option<f64>,
    disturbance: &Disturbance,
) -> impl Iterator<Item = Warning> {
    let Disturbance { other_cpus, stolen_cpus } = *disturbance;
    let stolen = stolen_cpus.map(|cpus| cpus / machine.logical_cpus.max(1) as f64);
    let best = machine.instruction_sets.last().filter(|best| *best != isa);
    // A program on the other hardware thread of a core slows that core down, which processor time does not show. A
    // virtual machine cannot know which of its CPUs are hardware threads of one core, and a machine that does not
    // report whether it is virtual may be virtual.
    let has_own_cores = machine.virtualized == Some(false) && machine.cores == Some(machine.logical_cpus);
    let busy = |cpus| {
        let text = format!("other programs used {cpus:.1} cores");
        if has_own_cores { Warning::note(text) } else { Warning::spoils(text + ": stop them and measure again") }
    };
    [
        best.map(|best| {
            Warning::spoils(format!("--isa limited the solvers to {isa}, although the machine has {best}"))
        }),
        quota.filter(|&quota| quota < 1.0).map(|quota| {
            Warning::spoils(format!("the CPU quota is {quota:.2} cores: give the container a whole core"))
        }),
        other_cpus.filter(|&cpus| cpus >= BUSY_CPUS).map(busy),
        stolen.filter(|&share| share > STOLEN_SHARE).map(|share| {
            let share = 100.0 * share;
            Warning::note(format!("the hypervisor gave {share:.0} % of the processor time to other guests"))
        }),
        (machine.virtualized == Some(true)).then(|| Warning::note("virtual machine")),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_disturbs_a_measurement_is_named() {
        let mut machine = crate::bench::tests::record().machine;
        machine.virtualized = Some(false);
        machine.cores = Some(machine.logical_cpus);
        let best = machine.instruction_sets.last().unwrap().clone();
        let calm = Disturbance { other_cpus: Some(0.3), stolen_cpus: Some(0.01) };
        let texts = |isa: &str, machine: &MachineFacts, quota, disturbance| -> Vec<String> {
            of_machine(isa, machine, quota, disturbance).map(|warning| warning.to_string()).collect()
        };
        assert_eq!(texts(&best, &machine, Some(1.0), &calm), [""; 0]);
        let stolen_cpus = Some(0.03 * machine.logical_cpus as f64);
        let all = Disturbance { other_cpus: Some(1.2), stolen_cpus };
        machine.virtualized = Some(true);
        let found = texts("portable", &machine, Some(0.5), &all);
        let begins = [
            "no score: --isa limited the solvers to portable, although the machine has ",
            "no score: the CPU quota is 0.50 cores",
            "no score: other programs used 1.2 cores",
            "the hypervisor gave 3 %",
            "virtual machine",
        ];
        assert_eq!(found.len(), begins.len(), "{found:?}");
        assert!(found.iter().zip(begins).all(|(text, begin)| text.starts_with(begin)), "{found:?}");
    }

    /// Two hardware threads of a core slow each other down, and what a guest takes for cores may be such threads.
    #[test]
    fn other_programs_spoil_a_score_unless_every_hardware_thread_is_known_to_be_a_core() {
        let machine = crate::bench::tests::record().machine;
        let all = Some(machine.logical_cpus);
        for (virtualized, cores, spoils_score) in [
            (Some(false), all, false),
            (Some(false), Some(1), true),
            (Some(false), None, true),
            (Some(true), all, true),
            (None, all, true),
        ] {
            let machine = MachineFacts { virtualized, cores, ..machine.clone() };
            let busy = Disturbance { other_cpus: Some(1.8), stolen_cpus: None };
            let isa = machine.instruction_sets.last().unwrap();
            let of_busy = of_machine(isa, &machine, None, &busy).find(|warning| warning.text.contains("1.8 cores"));
            assert_eq!(of_busy.map(|warning| warning.spoils_score), Some(spoils_score), "{virtualized:?} {cores:?}");
        }
    }
}
