//! The option `--device`: what counts, the processor or graphics cards.

use std::sync::Arc;

use nqueens::board::Size;
use nqueens::solver::{Isa, Plan, Solver, registry};
use nqueens::{CancelToken, Counter};
use serde::Serialize;

use super::ThreadsOption;
use crate::exit::Fault;

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    /// The processor
    Cpu,
    /// All graphics cards
    Gpu,
    /// All graphics cards, and the processor
    Both,
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

#[cfg(feature = "gpu")]
use nqueens::gpu::Cards;

/// Stands for graphics cards in a build without them.
#[cfg(not(feature = "gpu"))]
#[derive(Debug)]
enum Cards {}

/// Graphics cards that count, and the threads that count beside them.
#[derive(Debug)]
pub(crate) struct OnCards {
    cards: Cards,
    /// Threads that count on the processor.
    cores: usize,
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
    milliseconds: Kernels,
    /// Words of 32 keys that leaves met, for each second of filling and multiplying.
    leaf_words_per_second: u64,
}

/// A number for each kernel.
#[derive(Debug, Serialize)]
struct Kernels {
    lists: u64,
    planes: u64,
    turn: u64,
    fill: u64,
    dot: u64,
}

impl DeviceOption {
    /// Opens the cards that were asked for, if any.
    pub(crate) fn open(self, threads: ThreadsOption) -> anyhow::Result<Option<OnCards>> {
        let cores = match self.device {
            Device::Cpu => return Ok(None),
            Device::Gpu | Device::Software => 0,
            Device::Both => threads.number()?,
        };
        Ok(Some(OnCards { cards: open(self.device)?, cores }))
    }
}

#[cfg(feature = "gpu")]
fn open(device: Device) -> anyhow::Result<Cards> {
    Ok(Cards::open(device == Device::Software)?)
}

#[cfg(not(feature = "gpu"))]
fn open(_device: Device) -> anyhow::Result<Cards> {
    Err(Fault::Usage.error(
        "this program was built without graphics cards: leave out --device, or build it with 'cargo build --release \
         --features gpu'",
    ))
}

impl OnCards {
    /// Number of threads that the engine needs: one for each card, and those of the processor.
    pub(crate) fn threads(&self) -> usize {
        self.names().len() + self.cores
    }

    /// `color`, counted on the cards.
    #[cfg(feature = "gpu")]
    pub(crate) fn solver(&self) -> Arc<dyn Solver> {
        Arc::new(self.cards.clone())
    }

    #[cfg(not(feature = "gpu"))]
    pub(crate) fn solver(&self) -> Arc<dyn Solver> {
        match self.cards {}
    }

    #[cfg(feature = "gpu")]
    fn names(&self) -> &[String] {
        self.cards.names()
    }

    #[cfg(not(feature = "gpu"))]
    fn names(&self) -> &[String] {
        match self.cards {}
    }

    /// What counts, in words.
    pub(crate) fn in_words(&self) -> String {
        let cards = self.names().join(", ");
        if self.cores > 0 { format!("{cards} and the processor") } else { cards }
    }

    /// The name of the code in records.
    pub(crate) fn in_records(&self, isa: Isa) -> String {
        let cards = format!("gpu ({})", self.names().join(", "));
        if self.cores > 0 { format!("{cards} and {}", isa.name()) } else { cards }
    }

    /// The counter for a size. `solver` is what the user typed.
    pub(crate) fn counter(&self, size: Size, solver: &str, isa: Option<Isa>) -> anyhow::Result<Counter> {
        self.check_solver(solver)?;
        let counter = Counter::for_size(size).with_solver(self.solver()).threads(self.threads());
        let counter = isa.map_or(counter.clone(), |isa| counter.isa(isa));
        counter.threads_used()?;
        Ok(counter)
    }

    /// Fails if the user named another solver than `color`.
    pub(crate) fn check_solver(&self, solver: &str) -> anyhow::Result<()> {
        if [self.solver().name(), "auto"].contains(&solver) {
            return Ok(());
        }
        Err(Fault::Usage.error(format!(
            "graphics cards count with color and not with {}: leave out --device or --solver",
            registry::find(solver)?.name()
        )))
    }

    /// The plan of the cards for units of `color`.
    pub(crate) fn take_over(&self, units: &dyn Plan, size: Size, isa: Isa) -> anyhow::Result<Box<dyn Plan>> {
        let own = self.solver().plan(size, isa, &CancelToken::new())?;
        if own.fingerprint() == units.fingerprint() {
            return Ok(own);
        }
        Err(Fault::Usage.error(format!(
            "graphics cards count units of color as this version cuts n = {size}, and these are others: leave out --device"
        )))
    }

    /// What each card did.
    #[cfg(feature = "gpu")]
    pub(crate) fn lines(&self) -> Vec<CardLine> {
        let line = |work: nqueens::gpu::CardWork| {
            let [lists, planes, turn, fill, dot] = work.seconds.map(|seconds| (1e3 * seconds).round() as u64);
            let counting = work.seconds[3] + work.seconds[4];
            CardLine {
                card: work.card,
                units: work.units,
                checked: work.checked,
                given_back: work.given_back,
                reason: work.reason,
                milliseconds: Kernels { lists, planes, turn, fill, dot },
                leaf_words_per_second: (work.leaf_words as f64 / counting.max(1e-9)) as u64,
            }
        };
        self.cards.work().into_iter().map(line).collect()
    }

    #[cfg(not(feature = "gpu"))]
    pub(crate) fn lines(&self) -> Vec<CardLine> {
        match self.cards {}
    }

    /// Says which units the cards could not count.
    pub(crate) fn note(&self, note: impl Fn(String)) {
        for CardLine { card, given_back, reason, .. } in self.lines() {
            if let Some(reason) = reason {
                let units = crate::terminal::plural::plural(given_back as usize, "unit");
                note(format!("{card} gave {units} back to the processor: {reason}"));
            }
        }
    }
}
