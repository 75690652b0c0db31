//! The result of a gate: a verdict and a reason for each pair of commands and for the whole gate.

use std::time::Duration;

use serde::Serialize;

use super::command::Clock;
use super::verdict::{Doubt, FEWEST_ROUNDS, Judgement, Round, Verdict};
use super::{Pair, Settings};
use crate::machine;
use crate::terminal::units::{change, nine_digits, percent, plural};

/// Commands that use the processor for a smaller share of their time mostly wait.
const WAITING_SHARE: f64 = 0.05;

/// The result of a gate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GateOutcome {
    /// The version, 1. It changes when a reader of the old format would misread the new one.
    pub(crate) schema: u64,
    /// Always `nqueens-gate`.
    pub(crate) kind: &'static str,
    /// The worst verdict of all commands.
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) threshold: f64,
    /// The clock of all times.
    pub(crate) clock: Clock,
    pub(crate) seconds: f64,
    /// The processor's model.
    pub(crate) processor: String,
    pub(crate) commands: Vec<Compared>,
}

/// Two commands and the verdict.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    pub(crate) name: String,
    pub(crate) base: String,
    pub(crate) head: String,
    #[serde(flatten)]
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    #[serde(flatten)]
    pub(crate) measured: Option<Measured>,
}

/// The measurements of two commands.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measured {
    #[serde(flatten)]
    pub(crate) judgement: Judgement,
    /// Processor time over elapsed time of the busiest run, of the command that waits more.
    #[serde(skip)]
    pub(crate) processor_share: f64,
    /// The times of each round, in seconds.
    pub(crate) rounds: Vec<Round>,
}

impl Compared {
    fn new(pair: &Pair, verdict: Verdict, reason: String, measured: Option<Measured>) -> Self {
        let [base, head] = [&pair.base, &pair.head].map(ToString::to_string);
        Self { name: pair.name.clone(), base, head, verdict, reason, measured }
    }

    /// Commands that were not measured, and why.
    pub(crate) fn not_measured(pair: &Pair, why: &str) -> Self {
        Self::new(pair, Verdict::Inconclusive(Doubt::NotMeasured), format!("not measured: {why}"), None)
    }

    /// Too few rounds for a verdict. `needed` is the number of seconds that would be enough.
    pub(crate) fn too_few_rounds(pair: &Pair, rounds: usize, needed: f64) -> Self {
        let why = format!(
            "only {} in the time, and a verdict needs {FEWEST_ROUNDS}: raise --budget to {:.0}s or use shorter commands",
            plural(rounds, "round"),
            (needed * 1.2).ceil()
        );
        Self::not_measured(pair, &why)
    }

    /// The head failed.
    pub(crate) fn failed(pair: &Pair, why: String) -> Self {
        Self::new(pair, Verdict::Failed, format!("head ({}): {why}", pair.head), None)
    }

    /// Commands with enough rounds.
    pub(crate) fn judged(pair: &Pair, measured: Measured, settings: &Settings) -> Self {
        let verdict = match measured.judgement.verdict {
            Verdict::Pass | Verdict::Inconclusive(Doubt::Noise) if measured.waits(settings) => {
                Verdict::Inconclusive(Doubt::MostlyWaits)
            }
            verdict => verdict,
        };
        let reason = measured.reason(verdict, settings);
        Self::new(pair, verdict, reason, Some(measured))
    }
}

impl Measured {
    /// Whether the commands mostly wait, where processor time is judged.
    fn waits(&self, settings: &Settings) -> bool {
        settings.clock == Clock::Processor && self.processor_share < WAITING_SHARE
    }

    /// Says the result in words.
    fn reason(&self, verdict: Verdict, settings: &Settings) -> String {
        let Judgement { ratio, noise, .. } = self.judgement;
        let (threshold, noise) = (percent(settings.threshold), percent(noise));
        let judged = match verdict {
            Verdict::Regression => format!("beyond the threshold of {threshold} and the noise of {noise}"),
            Verdict::Inconclusive(Doubt::ProbablySlower) => format!(
                "beyond the threshold of {threshold}, but not beyond the noise of {noise}; raise --budget or use a \
                 quieter machine"
            ),
            Verdict::Inconclusive(Doubt::MostlyWaits) => {
                "in processor time; but the commands mostly wait, which only --elapsed judges".to_owned()
            }
            Verdict::Inconclusive(_) => format!(
                "a threshold of {threshold} stays open with a noise of {noise}; raise --budget or --threshold, or use a \
                 quieter machine"
            ),
            _ if ratio.high < 1.0 => format!("no regression; the noise is {noise}"),
            _ => format!("within the threshold of {threshold}; the noise is {noise}"),
        };
        format!(
            "head is {} {} than base (95 % interval {} to {}, {}): {judged}",
            percent((ratio.value - 1.0).abs()),
            if ratio.value < 1.0 { "faster" } else { "slower" },
            change(ratio.low),
            change(ratio.high),
            plural(self.rounds.len(), "round")
        )
    }
}

impl GateOutcome {
    pub(crate) fn new(settings: &Settings, commands: Vec<Compared>, time: Duration) -> Self {
        let (verdict, reason) = concluded(&commands, settings.threshold);
        Self {
            schema: 1,
            kind: "nqueens-gate",
            verdict,
            reason,
            threshold: settings.threshold,
            clock: settings.clock,
            seconds: nine_digits(time.as_secs_f64()),
            processor: machine::facts().cpu_model,
            commands,
        }
    }
}

/// Verdict and reason of the whole: those of the worst command.
fn concluded(commands: &[Compared], threshold: f64) -> (Verdict, String) {
    let Some(worst) = commands.iter().rev().max_by_key(|compared| compared.verdict) else {
        return (Verdict::Failed, "there is no command to compare".to_owned());
    };
    let alike = commands.iter().filter(|compared| compared.verdict == worst.verdict).count();
    let reason = match (worst.verdict, commands.len()) {
        (_, 1) => worst.reason.clone(),
        (Verdict::Pass, all) => format!("head is not slower by {} in any of {all} commands", percent(threshold)),
        (_, all) => format!("{alike} of {all} commands: {}: {}", worst.name, worst.reason),
    };
    (worst.verdict, reason)
}
