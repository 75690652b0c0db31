//! The option `--device`: what counts, the processor or graphics cards.

use std::sync::Arc;

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Counter};
use serde_json::Value;

use super::ThreadsOption;
use crate::exit::Fault;
use crate::terminal::units::plural;

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    /// The processor
    Cpu,
    /// All graphics cards
    Gpu,
    /// All graphics cards, and the threads of the processor
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

/// Graphics cards that count, and the threads that count beside them.
pub(crate) struct OnCards {
    names: Vec<String>,
    /// `color`, counted on the cards.
    pub(crate) solver: Arc<dyn Solver>,
    /// Threads that count on the processor.
    cores: usize,
    work: Box<dyn Fn() -> Vec<Value>>,
}

impl DeviceOption {
    /// Opens the cards that were asked for, if any.
    pub(crate) fn open(self, threads: ThreadsOption) -> anyhow::Result<Option<OnCards>> {
        let cores = match self.device {
            Device::Cpu => return Ok(None),
            Device::Gpu | Device::Software => 0,
            Device::Both => threads.number(),
        };
        open(self.device == Device::Software, cores).map(Some)
    }
}

#[cfg(feature = "gpu")]
fn open(is_software: bool, cores: usize) -> anyhow::Result<OnCards> {
    let cards = nqueens_gpu::Cards::open(is_software)?;
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    let work = move || cards.work().iter().map(in_json).collect();
    Ok(OnCards { names, solver, cores, work: Box::new(work) })
}

/// What a card did, with the milliseconds of each kernel. Leaves meet words of 32 keys while it fills and multiplies.
#[cfg(feature = "gpu")]
fn in_json(work: &nqueens_gpu::CardWork) -> Value {
    let [lists, planes, turn, fill, dot] = work.seconds.map(|seconds| (1e3 * seconds).round() as u64);
    let counting = work.seconds[3] + work.seconds[4];
    serde_json::json!({
        "card": work.card,
        "units": work.units,
        "checked": work.checked,
        "given_back": work.given_back,
        "reason": work.reason,
        "milliseconds": { "lists": lists, "planes": planes, "turn": turn, "fill": fill, "dot": dot },
        "leaf_words_per_second": (work.leaf_words as f64 / counting.max(1e-9)) as u64,
    })
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
        counter.threads_used()?;
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

    /// What each card did, as in JSON.
    pub(crate) fn work(&self) -> Vec<Value> {
        (self.work)()
    }

    /// Says which units the cards could not count.
    pub(crate) fn note(&self, note: impl Fn(String)) {
        for work in self.work() {
            if let (Some(card), Some(reason)) = (work["card"].as_str(), work["reason"].as_str()) {
                let units = plural(work["given_back"].as_u64().unwrap_or(0), "unit");
                note(format!("{card} gave {units} back to the processor: {reason}"));
            }
        }
    }
}
