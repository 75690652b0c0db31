//! The option `--device`: what counts, the processor or graphics cards.

use std::collections::BTreeMap;
use std::sync::Arc;

use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::{CancelToken, Counter};
use serde::Serialize;

use super::ThreadsOption;
use crate::exit::Fault;
use crate::terminal::plural::plural;

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    /// The processor
    Cpu,
    /// All graphics cards. With --threads T also T threads of the processor
    Gpu,
    /// A program that imitates a card on the processor, for tests
    Software,
}

/// What counts, `--device`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct DeviceOption {
    /// What counts. All but cpu need a program that was built with --features gpu
    #[arg(long, value_enum, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
}

/// Graphics cards that count, and the threads that count beside them.
pub(crate) struct OnCards {
    names: Vec<String>,
    /// `color`, counted on the cards.
    pub(crate) solver: Arc<dyn Solver>,
    /// Threads that count on the processor.
    cores: usize,
    work: Box<dyn Fn() -> Vec<CardLine>>,
}

/// What a card did, as in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct CardLine {
    card: String,
    /// Units that it counted.
    units: u64,
    /// Units among them that the processor counted again.
    checked: u64,
    /// Units that the processor counted instead.
    given_back: u64,
    /// Why the last of them was given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Of each kernel.
    milliseconds: BTreeMap<&'static str, u64>,
    /// Words of 32 keys that leaves met, for each second of filling and multiplying.
    leaf_words_per_second: u64,
}

impl DeviceOption {
    /// Opens the cards that were asked for, if any.
    pub(crate) fn open(self, threads: ThreadsOption) -> anyhow::Result<Option<OnCards>> {
        let cores = threads.typed.unwrap_or(0);
        match self.device {
            Device::Cpu => Ok(None),
            device => open(device == Device::Software, cores).map(Some),
        }
    }
}

#[cfg(feature = "gpu")]
fn open(is_software: bool, cores: usize) -> anyhow::Result<OnCards> {
    let cards = nqueens::gpu::Cards::open(is_software)?;
    let line = |work: nqueens::gpu::CardWork| {
        let [.., fill, dot] = work.seconds;
        let milliseconds = work.seconds.map(|seconds| (1e3 * seconds).round() as u64);
        CardLine {
            card: work.card,
            units: work.units,
            checked: work.checked,
            given_back: work.given_back,
            reason: work.reason,
            milliseconds: ["lists", "planes", "turn", "fill", "dot"].into_iter().zip(milliseconds).collect(),
            leaf_words_per_second: (work.leaf_words as f64 / (fill + dot).max(1e-9)) as u64,
        }
    };
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    Ok(OnCards { names, solver, cores, work: Box::new(move || cards.work().into_iter().map(line).collect()) })
}

#[cfg(not(feature = "gpu"))]
fn open(_is_software: bool, _cores: usize) -> anyhow::Result<OnCards> {
    Err(Fault::Usage.error(
        "this program was built without graphics cards: leave out --device, or build it with 'cargo build --release \
         --features gpu'",
    ))
}

impl OnCards {
    /// Number of threads that the engine needs: one for each card, and those of the processor.
    pub(crate) fn threads(&self) -> usize {
        self.names.len() + self.cores
    }

    /// What counts, in words.
    pub(crate) fn in_words(&self) -> String {
        self.named(&self.names.join(", "), "the processor")
    }

    /// The name of the code in records.
    pub(crate) fn in_records(&self, isa: Isa) -> String {
        self.named(&format!("gpu ({})", self.names.join(", ")), isa.name())
    }

    fn named(&self, cards: &str, processor: &str) -> String {
        if self.cores > 0 { format!("{cards} and {processor}") } else { cards.to_owned() }
    }

    /// The counter for a size. `solver` is what the user typed.
    pub(crate) fn counter(&self, size: Size, solver: &str, isa: Option<Isa>) -> anyhow::Result<Counter> {
        self.check_solver(solver)?;
        let counter = Counter::for_size(size).with_solver(self.solver.clone()).threads(self.threads());
        let counter = isa.into_iter().fold(counter, Counter::isa);
        counter.check()?;
        Ok(counter)
    }

    /// Fails if the user named another solver than `color`.
    pub(crate) fn check_solver(&self, solver: &str) -> anyhow::Result<()> {
        if [self.solver.name(), "auto"].contains(&solver) {
            return Ok(());
        }
        Err(Fault::Usage.error(format!(
            "graphics cards count with color and not with {}: leave out --device or --solver",
            registry::find(solver)?.name()
        )))
    }

    /// The plan of the cards for units of `color`.
    pub(crate) fn take_over(&self, units: &dyn Plan, size: Size, isa: Isa) -> anyhow::Result<Box<dyn Plan>> {
        let own = self.solver.plan(size, isa, &CancelToken::new())?;
        if own.fingerprint() == units.fingerprint() {
            return Ok(own);
        }
        Err(Fault::Usage.error(format!(
            "graphics cards count units of color as this version cuts n = {size}, and these are others: leave out --device"
        )))
    }

    /// What each card did.
    pub(crate) fn lines(&self) -> Vec<CardLine> {
        (self.work)()
    }

    /// Says which units the cards could not count.
    pub(crate) fn note(&self, note: impl Fn(String)) {
        for CardLine { card, given_back, reason, .. } in self.lines() {
            if let Some(reason) = reason {
                note(format!("{card} gave {} back to the processor: {reason}", plural(given_back, "unit")));
            }
        }
    }
}
