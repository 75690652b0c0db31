//! Arguments that several subcommands share, each error a sentence that names the value and what to type.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::board::Size;
use nqueens::solver::{Isa, Solver, registry};
use nqueens::{Counter, Error, engine};

use super::duration::in_words;
use super::exit::Exit;
use super::memory;

/// The solver's name: `auto` or one of the registry.
pub(crate) fn solver_names() -> PossibleValuesParser {
    solver_names_showing(|_| true)
}

/// The same where the boards are listed. Solvers that only count are not offered, and the library says so when asked.
pub(crate) fn lister_names() -> PossibleValuesParser {
    solver_names_showing(|solver| Size::new(0).is_ok_and(|size| solver.solutions(size).is_some()))
}

fn solver_names_showing(is_shown: fn(&dyn Solver) -> bool) -> PossibleValuesParser {
    let named = registry::SOLVERS
        .iter()
        .map(|&solver| PossibleValue::new(solver.name()).help(solver.about()).hide(!is_shown(solver)));
    PossibleValuesParser::new(std::iter::once(PossibleValue::new("auto").help("the fastest for the size")).chain(named))
}

/// An instruction set as typed: one by its name, or `auto`, which leaves the choice to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IsaChoice(pub(crate) Option<Isa>);

impl IsaChoice {
    /// The instruction set that was named; an error where this machine lacks it.
    pub(crate) fn checked(self) -> Result<Option<Isa>, Error> {
        self.0.map(Isa::checked).transpose()
    }
}

/// Reads an instruction set, offering the names there are.
pub(crate) fn isa_choice() -> impl TypedValueParser<Value = IsaChoice> {
    PossibleValuesParser::new(std::iter::once("auto").chain(Isa::ALL.map(Isa::name))).try_map(|name| {
        let named = (name != "auto").then(|| name.parse()).transpose();
        named.map(IsaChoice)
    })
}

/// How many threads, as typed.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=engine::MAX_THREADS).contains(&threads) => Ok(threads),
        _ => Err(format!(
            "cannot run on '{text}' threads: give a number from 1 to {}, or leave it out to use every core",
            engine::MAX_THREADS
        )),
    }
}

/// One size or a range of them, as typed: `8` or `8..=14`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<Size>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| Size::from_str(text).map(Size::get).map_err(|error| error.to_string());
        let sizes = range(text, size)?;
        sizes.into_iter().map(|n| Size::new(n).map_err(|error| error.to_string())).collect::<Result<_, _>>().map(Self)
    }
}

/// One size or a range of them, each read by `size`.
pub(crate) fn range(text: &str, size: impl Fn(&str) -> Result<usize, String>) -> Result<Vec<usize>, String> {
    let Some((first, last)) = text.split_once("..") else {
        return size(text).map(|size| vec![size]);
    };
    if first.is_empty() || last.trim_start_matches('=').is_empty() {
        return Err(format!("the range '{text}' lacks an end: give its first and its last size, such as '8..=14'"));
    }
    let Some(last) = last.strip_prefix('=') else {
        return Err(format!("the range '{text}' may or may not mean {last}: to include it type '{first}..={last}'"));
    };
    let (first, last) = (size(first)?, size(last)?);
    if first > last {
        return Err(format!("the range '{text}' is empty: put the smaller size first, '{last}..={first}'"));
    }
    Ok((first..=last).collect())
}

/// A size up to `max`, for what can be done on boards larger or smaller than those that are counted.
pub(crate) fn size_up_to(max: usize, text: &str) -> Result<usize, Error> {
    let error = || Error::SizeAbove { given: text.to_owned(), max };
    text.parse().map_err(|_| error()).and_then(|n| if n <= max { Ok(n) } else { Err(error()) })
}

/// An error in an argument that could only be read once the others were, in clap's words.
pub(crate) fn invalid(value: &str, argument: &str, message: impl std::fmt::Display) -> anyhow::Error {
    Exit::Usage
        .error(format!("invalid value '{value}' for '{argument}': {message}\n\nFor more information, try '--help'."))
}

/// With what to count.
#[derive(Debug, clap::Args)]
pub(crate) struct How {
    /// The solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    pub(crate) solver: String,
    /// The threads to count on; every core this process may use by default
    #[arg(long, short, value_name = "T", env = "NQUEENS_THREADS", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// The instruction set to use; the machine's best by default
    #[arg(long, value_name = "SET", default_value = "auto", value_parser = isa_choice())]
    pub(crate) isa: IsaChoice,
}

impl How {
    /// The count of one size.
    pub(crate) fn counter(&self, size: Size) -> Result<Counter, Error> {
        let mut counter = Counter::for_size(size).solver(&self.solver)?;
        if let Some(isa) = self.isa.checked()? {
            counter = counter.isa(isa)?;
        }
        if let Some(threads) = self.threads {
            counter = counter.threads(threads)?;
        }
        Ok(counter)
    }

    /// The threads to count on.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(engine::default_threads)
    }

    /// What will count, on how many threads and why so many.
    /// `fewer` says why they are fewer than there are.
    pub(crate) fn in_words(&self, counter: &Counter, fewer: Option<&str>) -> String {
        let (choice, threads) = (counter.choice(), counter.threads_used());
        let why = match self.threads {
            _ if !choice.solver.is_parallel() => "it never uses more",
            Some(_) => "as asked for",
            None => "every core this process may use",
        };
        let unit = if threads == 1 { "thread" } else { "threads" };
        let mut said = format!("counting with {} ({}) ", choice.solver.name(), choice.isa.name());
        said += &fewer.map_or_else(|| format!("on {threads} {unit}: {why}"), str::to_owned);
        // What is done before it is read needs no forecast.
        let seconds = choice.solver.predicted_seconds(counter.size(), choice.isa) / threads as f64;
        if seconds >= 1.0 {
            let bytes = memory::in_words(memory::predicted(counter, threads));
            said += &format!("; n = {} takes about {} and {bytes}", counter.size(), in_words(seconds));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("8..=6", "'6..=8'"),
            ("8..=33", "'33'"),
            ("1..=2..=3", "'2..=3'"),
        ] {
            let message = sizes(wrong).unwrap_err();
            assert!(message.contains(named), "{wrong}: {message}");
        }
    }
}
