//! The option `--device`: what counts, the processor or graphics cards.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver};
use nqueens::{CancelToken, Counter};
use serde_json::Value;

use super::ThreadsOption;
use crate::exit::Fault;
use crate::terminal::units::plural;

/// What counts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Device {
    Cpu,
    Gpu,
    Both,
    Software,
    /// One card: its number in `info`, or a part of its name.
    One(String),
}

impl From<String> for Device {
    fn from(typed: String) -> Self {
        match typed.as_str() {
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu,
            "both" => Self::Both,
            "software" => Self::Software,
            _ => Self::One(typed),
        }
    }
}

/// Reads a device. Help and completions show those that every machine may have.
#[derive(Clone)]
struct DeviceParser;

impl TypedValueParser for DeviceParser {
    type Value = Device;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, typed: &OsStr) -> Result<Device, clap::Error> {
        NonEmptyStringValueParser::new().map(Device::from).parse_ref(command, arg, typed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = [
            ("cpu", "The processor"),
            ("gpu", "All graphics cards"),
            ("both", "All graphics cards, and the threads of the processor"),
            ("software", "All programs that imitate a card on the processor, for tests"),
        ];
        Some(Box::new(values.into_iter().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}

/// What counts, `--device`. Only a program with graphics cards shows it; others say how to build one.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DeviceOption {
    /// What counts: one of these, or one card of 'nqueens info' by its number or name
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = DeviceParser, hide = cfg!(not(feature = "gpu")))]
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
    pub(crate) fn open(&self, threads: ThreadsOption) -> anyhow::Result<Option<OnCards>> {
        let cores = if self.device == Device::Both { threads.number() } else { 0 };
        if self.device == Device::Cpu { Ok(None) } else { open(&self.device, cores).map(Some) }
    }
}

#[cfg(feature = "gpu")]
fn open(device: &Device, cores: usize) -> anyhow::Result<OnCards> {
    use nqueens_gpu::{Cards, Choice, adapters};
    let choice = match device {
        Device::One(typed) => Choice::One(place_of(typed, &names(adapters()))?),
        Device::Software => Choice::Software,
        Device::Cpu | Device::Gpu | Device::Both => Choice::Cards,
    };
    let cards = Cards::open(choice).map_err(|error| {
        let software = adapters().into_iter().find(|adapter| adapter.is_software && adapter.lacks.is_none());
        match software.filter(|_| choice == Choice::Cards) {
            Some(_) => Fault::Failure.error(format!("{error}; type --device software to count on it")),
            None => error.into(),
        }
    })?;
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    let work = move || cards.work().iter().map(in_json).collect();
    Ok(OnCards { names, solver, cores, work: Box::new(work) })
}

#[cfg(feature = "gpu")]
fn names(adapters: Vec<nqueens_gpu::Adapter>) -> Vec<String> {
    adapters.into_iter().map(|adapter| adapter.name).collect()
}

/// The place of the card that the user typed: its number, its name, or a part of one name.
#[cfg(feature = "gpu")]
fn place_of(typed: &str, names: &[String]) -> anyhow::Result<usize> {
    if let Some(place) = typed.parse().ok().and_then(|number: usize| number.checked_sub(1))
        && place < names.len()
    {
        return Ok(place);
    }
    let typed_small = typed.to_lowercase();
    let those = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..names.len()).filter(|&place| fits(&names[place].to_lowercase())).collect()
    };
    let (whole, part) = (those(&|name| name == typed_small), those(&|name| name.contains(&typed_small)));
    if let [place] = *if whole.is_empty() { part.as_slice() } else { &whole } {
        return Ok(place);
    }
    let numbered = |place: usize| format!("{} is '{}'", place + 1, names[place]);
    let listed = |places: Vec<usize>| places.into_iter().map(numbered).collect::<Vec<_>>().join(", ");
    Err(Fault::Usage.error(if !part.is_empty() {
        format!("'{typed}' is in the names of {} cards: type a number ({})", part.len(), listed(part))
    } else if names.is_empty() {
        format!("there is no card '{typed}', and no other: install its driver, or type cpu")
    } else {
        format!("there is no card '{typed}': type cpu, gpu, both, software, or a number ({})", listed(those(&|_| true)))
    }))
}

/// The cards and software adapters of this machine, and whether they can count: a line each. Empty in a program without
/// graphics cards.
#[cfg(feature = "gpu")]
pub(crate) fn cards_in_words() -> Vec<String> {
    let in_words = |adapter: nqueens_gpu::Adapter| {
        let kind = if adapter.is_software { ", a software adapter for tests" } else { "" };
        let lacks = adapter.lacks.map(|lacks| format!(": cannot count, because {lacks}")).unwrap_or_default();
        format!("{} ({}{kind}){lacks}", adapter.name, adapter.interface)
    };
    nqueens_gpu::adapters().into_iter().map(in_words).collect()
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
fn open(_device: &Device, _cores: usize) -> anyhow::Result<OnCards> {
    Err(Fault::Usage.error(
        "this program was built without graphics cards: leave out --device, or build it with 'cargo build --release \
         --features gpu'",
    ))
}

#[cfg(not(feature = "gpu"))]
pub(crate) fn cards_in_words() -> Vec<String> {
    Vec::new()
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

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    #[test]
    fn one_card_is_found_by_its_number_or_a_part_of_its_name() {
        let names = ["Intel Arc A7", "Intel Arc A770", "NVIDIA H100", "NVIDIA H100"].map(str::to_owned);
        for (typed, place) in [("1", 0), ("4", 3), ("a770", 1), ("intel arc a7", 0)] {
            assert_eq!(place_of(typed, &names).unwrap(), place, "{typed}");
        }
        for (typed, expected) in [
            ("h100", "'h100' is in the names of 2 cards: type a number (3 is 'NVIDIA H100', 4 is 'NVIDIA H100')"),
            ("arc", "is in the names of 2 cards"),
            ("5", "there is no card '5': type cpu, gpu, both, software, or a number (1 is 'Intel Arc A7', "),
            ("99", "there is no card '99'"),
            ("gup", "there is no card 'gup'"),
        ] {
            let error = place_of(typed, &names).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(Fault::of(&error), Fault::Usage);
        }
        let error = place_of("h100", &[]).unwrap_err().to_string();
        assert_eq!(error, "there is no card 'h100', and no other: install its driver, or type cpu");
    }
}
