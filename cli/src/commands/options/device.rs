//! The option `--device`: what counts, the processor or graphics cards.

use std::sync::Arc;

use clap::builder::{NonEmptyStringValueParser, TypedValueParser};
use nqueens_gpu::{Adapter, CardWork, Choice, adapters};
use serde_json::Value;

use super::ThreadsOption;
use super::cards::Cards;
use crate::exit::Fault;

/// What counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Device {
    #[default]
    Cpu,
    Gpu,
    Both,
    /// One card: its number in `info`, or a part of its name.
    One(String),
}

impl From<String> for Device {
    fn from(typed: String) -> Self {
        match typed.as_str() {
            "cpu" => Self::Cpu,
            "gpu" => Self::Gpu,
            "both" => Self::Both,
            _ => Self::One(typed),
        }
    }
}

/// What counts, `--device`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DeviceOption {
    /// What counts: cpu, gpu (all graphics cards), both, or one card of 'nqueens info' by its number or name
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = NonEmptyStringValueParser::new().map(Device::from))]
    device: Device,
}

impl DeviceOption {
    /// Opens the cards that were asked for, if any.
    pub(crate) fn open(&self, threads: ThreadsOption) -> anyhow::Result<Option<Cards>> {
        let cores = if self.device == Device::Both { threads.number() } else { 0 };
        if self.device == Device::Cpu { Ok(None) } else { open(&self.device, cores).map(Some) }
    }
}

fn open(device: &Device, cores: usize) -> anyhow::Result<Cards> {
    let choice = match device {
        Device::One(typed) => Choice::One(place_of(typed, &names(adapters()))?),
        Device::Cpu | Device::Gpu | Device::Both => Choice::Cards,
    };
    let cards = nqueens_gpu::Cards::open(choice).map_err(|error| {
        let software = adapters().iter().position(|adapter| adapter.is_software && adapter.lacks.is_none());
        match software.filter(|_| choice == Choice::Cards) {
            Some(place) => Fault::Failure.error(format!("{error}; type --device {} to count on it", place + 1)),
            None => error.into(),
        }
    })?;
    let (names, solver) = (cards.names().to_vec(), Arc::new(cards.clone()));
    let work = move || cards.work().iter().map(in_json).collect();
    Ok(Cards { names, solver, cores, work: Box::new(work) })
}

fn names(adapters: Vec<Adapter>) -> Vec<String> {
    adapters.into_iter().map(|adapter| adapter.name).collect()
}

/// The place of the card that the user typed: its number, its name, or a part of one name.
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
        format!("there is no card '{typed}': type cpu, gpu, both, or a number ({})", listed(those(&|_| true)))
    }))
}

/// The cards and software adapters of this machine, and whether they can count: a line each.
pub(crate) fn cards_in_words() -> Vec<String> {
    let in_words = |adapter: Adapter| {
        let kind = if adapter.is_software { ", a software adapter for tests" } else { "" };
        let lacks = adapter.lacks.map(|lacks| format!(": cannot count, because {lacks}")).unwrap_or_default();
        format!("{} ({}{kind}){lacks}", adapter.name, adapter.interface)
    };
    adapters().into_iter().map(in_words).collect()
}

/// What a card did, with the milliseconds of each kernel. Leaves meet words of 32 keys while it fills and multiplies.
fn in_json(work: &CardWork) -> Value {
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

#[cfg(test)]
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
            ("5", "there is no card '5': type cpu, gpu, both, or a number (1 is 'Intel Arc A7', "),
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
