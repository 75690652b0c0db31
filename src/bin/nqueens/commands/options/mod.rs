//! Arguments that several commands share. Each error names the value and says what to type.

mod device;
mod how;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod threads;

pub(crate) use device::{CardLine, DeviceOption, OnCards};
pub(crate) use how::How;
pub(crate) use threads::ThreadsOption;

use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::Error;
use nqueens::board::Size;
use nqueens::solver::{Isa, registry};

use crate::exit::Fault;

/// The solver's name: `auto` or one of the registry.
pub(crate) fn solver_names() -> PossibleValuesParser {
    let named = registry::SOLVERS.iter().map(|&solver| PossibleValue::new(solver.name()).help(solver.about()));
    let auto = PossibleValue::new("auto").help("the fastest for the size");
    // The registry knows `bitmask` by this name too.
    let hidden = PossibleValue::new("mask").hide(true);
    PossibleValuesParser::new(std::iter::once(auto).chain(named).chain([hidden]))
}

/// An instruction set as typed: one by its name, or `auto`, which leaves the choice to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IsaChoice(Option<Isa>);

/// The instruction set to use, `--isa`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct InstructionSet {
    /// Highest instruction set to use. auto: the best of this machine
    #[arg(id = "isa", long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    choice: IsaChoice,
}

impl InstructionSet {
    /// The instruction set that the user named, even if this machine lacks it.
    pub(crate) fn named(self) -> Option<Isa> {
        self.choice.0
    }

    /// The instruction set that the user named. Fails if this machine lacks it.
    pub(crate) fn checked(self) -> Result<Option<Isa>, Error> {
        self.named().map(Isa::checked).transpose()
    }
}

/// Reads an instruction set. The error lists all names.
fn isa_choice() -> impl TypedValueParser<Value = IsaChoice> {
    PossibleValuesParser::new(std::iter::once("auto").chain(Isa::ALL.iter().map(|isa| isa.name()))).try_map(|name| {
        let named = (name != "auto").then(|| name.parse()).transpose();
        named.map(IsaChoice)
    })
}

/// Reads a length of time: `90s`, `5m` or `1h 30m`, at most 136 years.
pub(crate) fn length_of_time(text: &str) -> Result<Duration, String> {
    let parsed = humantime::parse_duration(text).ok();
    parsed
        .filter(|duration| !duration.is_zero() && duration.as_secs() < 1 << 32)
        .ok_or_else(|| format!("'{text}' is not a length of time: give one such as '90s', '30m' or '1h 30m'"))
}

/// Like [`length_of_time`], up to a day.
pub(crate) fn up_to_a_day(text: &str) -> Result<Duration, String> {
    let time = length_of_time(text)?;
    if time <= Duration::from_secs(86_400) { Ok(time) } else { Err(format!("'{text}' is more than a day, '24h'")) }
}

/// A seed that differs from call to call, for commands without `--seed`.
pub(crate) fn seed_of_chance() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}

/// One size or a range of them, as typed: `8` or `8..=14`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<Size>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| text.parse::<Size>().map_err(|error| error.to_string());
        let Some((first, last)) = text.split_once("..") else {
            let sizes = size(text).map(|size| Self(vec![size]));
            return sizes.map_err(|error| format!("{error}{}", several_sizes(text)));
        };
        if first.is_empty() || last.trim_start_matches('=').is_empty() {
            return Err(format!("the range '{text}' lacks an end: give its first and its last size, such as '8..=14'"));
        }
        let Some(last) = last.strip_prefix('=') else {
            let is_upside_down =
                matches!((first.parse::<u64>(), last.parse::<u64>()), (Ok(first), Ok(last)) if first > last);
            let (from, to) = if is_upside_down { (last, first) } else { (first, last) };
            return Err(format!("the range '{text}' may or may not include {to}: to include it type '{from}..={to}'"));
        };
        let (first, last) = (size(first)?, size(last)?);
        if first > last {
            return Err(format!("the range '{text}' is empty: put the smaller size first, '{last}..={first}'"));
        }
        Ok(Self((first.get()..=last.get()).flat_map(Size::new).collect()))
    }
}

/// Says how to write several sizes, if `text` looks like `8-10` or `4,5`. Otherwise it is empty.
fn several_sizes(text: &str) -> String {
    let are_numbers = |parts: &[&str]| parts.iter().all(|part| part.parse::<u64>().is_ok());
    let (ends, list): (Vec<_>, Vec<_>) = (text.split('-').collect(), text.split(',').collect());
    match ends[..] {
        [first, last] if are_numbers(&ends) => format!("; for a range type '{first}..={last}'"),
        _ if list.len() > 1 && are_numbers(&list) => format!("; for several sizes type '{}'", list.join(" ")),
        _ => String::new(),
    }
}

/// Reads a size up to `max`, for commands whose limit differs from that of counts.
pub(crate) fn size_up_to(max: usize, text: &str) -> Result<usize, Error> {
    let error = || Error::Size { given: text.to_owned(), largest: max };
    text.parse().map_err(|_| error()).and_then(|n| if n <= max { Ok(n) } else { Err(error()) })
}

/// An error in clap's form, for an argument whose valid values depend on other arguments.
pub(crate) fn invalid(value: &str, argument: &str, message: impl std::fmt::Display) -> anyhow::Error {
    Fault::Usage
        .error(format!("invalid value '{value}' for '{argument}': {message}\n\nFor more information, try '--help'."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_a_unit() {
        for (text, seconds) in
            [("90s", 90), ("5m", 300), ("5 min", 300), ("1h30m", 5400), ("1h 30m", 5400), ("24h", 86_400)]
        {
            assert_eq!(length_of_time(text), Ok(Duration::from_secs(seconds)));
        }
        for wrong in ["", "5", "s", "0s", "-5s", "1 fortnight", "1e9h", "1h,", "18446744073709551615h"] {
            assert!(length_of_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_numbers_or_closed_ranges() {
        let sizes = |text: &str| Sizes::from_str(text).map(|sizes| sizes.0.iter().map(|size| size.get()).collect());
        assert_eq!(sizes("8"), Ok(vec![8]));
        assert_eq!(sizes("0..=2"), Ok(vec![0, 1, 2]));
        assert_eq!(sizes("32..=32"), Ok(vec![32]));
        for (wrong, named) in [
            ("", "''"),
            ("-1", "'-1'"),
            ("33", "'33'"),
            ("٨", "'٨'"),
            ("8..", "'8..' lacks an end"),
            ("..=8", "'..=8' lacks an end"),
            ("..", "'..' lacks an end"),
            ("8..9", "type '8..=9'"),
            ("8-10", "type '8..=10'"),
            ("4,5", "type '4 5'"),
            ("8..=6", "'6..=8'"),
            ("8..=33", "'33'"),
            ("1..=2..=3", "'2..=3'"),
        ] {
            let message = sizes(wrong).unwrap_err();
            assert!(message.contains(named), "{wrong}: {message}");
        }
    }
}
