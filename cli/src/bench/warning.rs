//! Warnings: what to know before the figures of a record are read. `bench machine` makes them and saves them in the record.

use serde::{Deserialize, Serialize};

use crate::machine::{Disturbance, Machine};
use crate::terminal::units::plural;
use crate::version;

/// Processor time of other programs, in CPUs, above which there is a warning. An idle machine has less.
const OTHER_LOAD_CPUS: f64 = 0.1;

/// Processor time of other programs, in CPUs, from which on there is no score.
const BUSY_CPUS: f64 = 0.5;

/// Share of the time that a hypervisor may take away without a warning.
const STOLEN_SHARE: f64 = 0.01;

/// A sentence about a record, and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Warning {
    #[serde(alias = "weight")]
    pub(crate) severity: Severity,
    pub(crate) text: String,
}

/// What follows from a warning, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Severity {
    /// The machine has no score, and its times should not be trusted.
    Spoiled,
    /// The machine has no score.
    NoScore,
    /// The times should not be trusted.
    Doubtful,
    Note,
}

impl Warning {
    pub(crate) fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self { severity, text: text.into() }
    }

    /// Whether there is no score because of it.
    pub(crate) fn takes_score(&self) -> bool {
        matches!(self.severity, Severity::Spoiled | Severity::NoScore)
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.takes_score() { "no score: " } else { "" }, self.text)
    }
}

/// The warnings about a measurement by this program, the worst first. `isa` is the highest instruction set that it used,
/// `disturbance` is what happened.
pub(crate) fn warnings(isa: &str, machine: &Machine, disturbance: &Disturbance) -> Vec<Warning> {
    use Severity::{Doubtful, NoScore, Note, Spoiled};
    let Disturbance { other_cpus, stolen_cpus, throttled, is_slow } = *disturbance;
    let stolen = stolen_cpus.map(|cpus| cpus / machine.logical_cpus.max(1) as f64);
    let best = machine.instruction_sets.last().filter(|best| *best != isa);
    let found = [
        other_cpus.filter(|&cpus| cpus >= OTHER_LOAD_CPUS).map(|cpus| {
            let severity = if cpus >= BUSY_CPUS { Spoiled } else { Doubtful };
            Warning::new(severity, format!("other programs used {cpus:.1} CPUs meanwhile: stop them and measure again"))
        }),
        (!version::is_release())
            .then(|| Warning::new(Spoiled, format!("it is not of a release build ({})", version::PROFILE))),
        best.map(|best| Warning::new(NoScore, format!("it was limited to {isa}, and the machine has {best}"))),
        stolen.filter(|&share| share > STOLEN_SHARE).map(|share| {
            let share = 100.0 * share;
            Warning::new(Doubtful, format!("the hypervisor gave {share:.0} % of the processor time to other guests"))
        }),
        throttled.filter(|&times| times > 0).map(|times| {
            let times = plural(times, "time");
            Warning::new(Doubtful, format!("the processor was slowed down {times} because it was hot: cool it"))
        }),
        is_slow.then(|| Warning::new(Note, "the governor 'powersave' keeps the clock low: choose 'performance'")),
        version::IS_DIRTY.then(|| Warning::new(Note, "built from uncommitted changes")),
        (machine.virtualised == Some(true)).then(|| Warning::new(Note, "virtual machine")),
    ];
    let mut warnings: Vec<Warning> = found.into_iter().flatten().collect();
    warnings.sort_by_key(|warning| warning.severity);
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_spoils_a_measurement_is_told_the_worst_first() {
        let mut machine = crate::bench::record::parse(crate::tests::records::LARGE.as_bytes()).unwrap().machine;
        machine.virtualised = Some(false);
        let best = machine.instruction_sets.last().unwrap().clone();
        // What the build of this test says by itself.
        let of_build = warnings(&best, &machine, &Disturbance::default());
        let is_of_build =
            |one: &Warning| one.text.starts_with("it is not of a release") || one.text.starts_with("built from");
        assert!(of_build.iter().all(is_of_build) && of_build.iter().any(Warning::takes_score), "{of_build:?}");
        let calm = Disturbance { other_cpus: Some(0.05), stolen_cpus: Some(0.01), throttled: Some(0), is_slow: false };
        assert_eq!(warnings(&best, &machine, &calm), of_build);
        let stolen_cpus = Some(0.03 * machine.logical_cpus as f64);
        let spoiled = Disturbance { other_cpus: Some(1.2), stolen_cpus, throttled: Some(3), is_slow: true };
        machine.virtualised = Some(true);
        let mut texts = warnings("portable", &machine, &spoiled);
        assert!(texts.is_sorted_by_key(|warning| warning.severity), "{texts:?}");
        texts.retain(|warning| !is_of_build(warning));
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let begins = [
            "no score: other programs used 1.2 CPUs",
            "no score: it was limited to portable, and the machine has ",
            "the hypervisor gave 3 %",
            "the processor was slowed down 3 times",
            "the governor 'powersave'",
            "virtual machine",
        ];
        assert_eq!(texts.len(), begins.len(), "{texts:?}");
        assert!(texts.iter().zip(begins).all(|(texts, begin)| texts.starts_with(begin)), "{texts:?}");
        // A little load leaves a score, which is doubtful.
        let load = warnings(&best, &machine, &Disturbance { other_cpus: Some(0.2), ..calm });
        assert!(
            load.iter()
                .any(|one| one.severity == Severity::Doubtful && one.text.starts_with("other programs used 0.2"))
        );
    }
}
