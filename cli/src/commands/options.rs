//! Arguments that several commands share. Each error says what to type instead. Clap puts the typed value before it.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds, RangeInclusive};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::board::Size;
use nqueens::engine::MAX_THREADS;
use nqueens::internal::whole_number;
use nqueens::registry;
use nqueens::solver::{Isa, Solver};
use nqueens::symmetric::Turn;

use crate::terminal::escape::is_harmless;

/// Returns a parser for the path of a file, or `-` for standard input.
pub(crate) fn path_or_input_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(refuse_unexpanded)
}

/// Returns the path, unless the shell left a `~` or a variable in it, which would become part of a file name.
///
/// # Errors
/// Names the character that the shell left, and says what to type.
fn refuse_unexpanded(path: PathBuf) -> Result<PathBuf, String> {
    let text = path.to_string_lossy();
    let character = if text.starts_with('~') { '~' } else { '$' };
    let is_unexpanded = character == '~' || text.split('/').any(|name| name.starts_with('$'));
    if !is_unexpanded || path.exists() {
        return Ok(path);
    }
    Err(format!(
        "your shell did not expand '{character}': type the whole path, or \"$HOME/...\" in double quotes, after a space"
    ))
}

/// Returns a parser for the path of a file or folder. It rejects `-`, which means standard input where
/// [`path_or_input_parser`] is used.
pub(crate) fn named_path_parser() -> impl TypedValueParser<Value = PathBuf> {
    path_or_input_parser().try_map(|path| match path.to_str() {
        Some("-") => Err("'-' is not a file name here: give another name, or './-' for a file named '-'".to_owned()),
        _ => Ok(path),
    })
}

/// The solver that the user typed, or `None` for `auto`. Clap would read a field of type `Option` as an option without
/// a default.
pub(crate) type TypedSolver = Option<&'static dyn Solver>;

/// Returns a parser for the name of a solver: `auto` or a name in the registry.
pub(crate) fn solver_parser() -> impl TypedValueParser<Value = TypedSolver> {
    let named = registry::SOLVERS.iter().map(|&solver| PossibleValue::new(solver.name()).help(solver.about()));
    let auto = PossibleValue::new("auto").help("The fastest for the size");
    let names = PossibleValuesParser::new(std::iter::once(auto).chain(named));
    names.try_map(|name| if name == "auto" { Ok(None) } else { registry::find(&name).map(Some) })
}

/// Returns a parser for a number of threads.
pub(crate) fn threads_parser() -> impl Fn(&str) -> Result<usize, String> + Clone {
    number_parser(1..=MAX_THREADS)
}

/// Returns a parser for a whole number in a range, such as `1..` or `1..=9`. If neither end of the range has a type,
/// name it: `number_parser::<usize>(1..)`.
pub(crate) fn number_parser<N: Display + FromStr + PartialOrd>(
    range: impl RangeBounds<N> + Clone,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |text| {
        let number = whole_number(text).filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start_bound(), range.end_bound()) {
            (Bound::Included(first), Bound::Included(last)) => format!("give a whole number from {first} to {last}"),
            _ if is_digits(text) && text.parse::<N>().is_err() => "give a smaller number".to_owned(),
            (Bound::Included(first), _) => format!("give a whole number of at least {first}"),
            _ => "give a whole number".to_owned(),
        })
    }
}

/// Parses a range such as `8..=14`, or `8` for `8..=8`.
pub(crate) fn parse_range<T: FromStr + PartialOrd>(text: &str) -> Option<RangeInclusive<T>> {
    let (first, last) = text.split_once("..=").unwrap_or((text, text));
    let (first, last) = (whole_number(first)?, whole_number(last)?);
    (first <= last).then_some(first..=last)
}

/// Returns a parser for the name of an instruction set that this machine supports.
pub(crate) fn isa_parser() -> impl TypedValueParser<Value = Isa> {
    any_isa_parser().try_map(Isa::checked)
}

/// Returns a parser for the name of an instruction set, which another machine may support.
pub(crate) fn any_isa_parser() -> impl TypedValueParser<Value = Isa> {
    PossibleValuesParser::new(Isa::ALL.iter().map(|isa| isa.name())).try_map(|name| name.parse::<Isa>())
}

/// Returns the name of a turn in the form that users type.
pub(crate) fn turn_name(turn: Turn) -> &'static str {
    if turn == Turn::Half { "half-turn" } else { "quarter-turn" }
}

/// Returns a parser for the name of a turn.
pub(crate) fn turn_parser() -> impl TypedValueParser<Value = Turn> {
    let half = PossibleValue::new(turn_name(Turn::Half)).help("By 180 degrees (sequence A032522)");
    let quarter = PossibleValue::new(turn_name(Turn::Quarter)).help("By 90 degrees (sequence A033148)");
    let turn_of = |name: String| if name == turn_name(Turn::Half) { Turn::Half } else { Turn::Quarter };
    PossibleValuesParser::new([half, quarter]).map(turn_of)
}

/// Parses the name of a machine.
pub(crate) fn parse_machine_name(text: &str) -> Result<String, String> {
    /// The maximum length in bytes, which is also the maximum for host names.
    const MAX_NAME_BYTES: usize = 253;
    let is_name = !text.trim().is_empty() && text.len() <= MAX_NAME_BYTES && is_harmless(text);
    let error = || format!("give a name of visible characters, of 1 to {MAX_NAME_BYTES} bytes");
    is_name.then(|| text.to_owned()).ok_or_else(error)
}

/// Parses a duration of more than 0: `90s`, `5m`, `1h 30m`, or `90` for seconds, up to 136 years.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    match duration_or_zero(text) {
        Ok(Duration::ZERO) => Err("give more than 0, such as '100ms' or '90s'".to_owned()),
        parsed => parsed,
    }
}

/// Parses a duration like [`parse_duration`], which may be 0.
pub(crate) fn duration_or_zero(text: &str) -> Result<Duration, String> {
    if text.starts_with("--") {
        return Err("give a duration such as '100ms', '30m' or '1h 30m' before this option".to_owned());
    }
    if text.contains('M') {
        return Err("a capital M may mean minutes or months: give minutes such as '30m'".to_owned());
    }
    let parsed =
        if is_digits(text) { text.parse().ok().map(Duration::from_secs) } else { humantime::parse_duration(text).ok() };
    parsed
        .filter(|duration| duration.as_secs() < 1 << 32)
        .ok_or_else(|| "give a duration such as '100ms', '30m' or '1h 30m'".to_owned())
}

/// Returns whether a text consists of digits.
pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses a size.
pub(crate) fn parse_size(text: &str) -> Result<Size, String> {
    whole_number(text).ok_or_else(|| format!("give a whole number from 0 to {}", Size::MAX))
}

/// Parses a size or a range of sizes: `8` or `8..=14`.
pub(crate) fn parse_sizes(text: &str) -> Result<Vec<Size>, String> {
    let sizes = parse_range(text).map(|range: RangeInclusive<Size>| range.start().get()..=range.end().get());
    sizes.map(|sizes| sizes.flat_map(Size::new).collect()).ok_or_else(|| {
        if let Some(meant) = meant_sizes(text) {
            return meant;
        }
        let is_larger = whole_number(text).is_some_and(|n: usize| n > Size::MAX);
        let more = if is_larger { "; 'nqueens solutions' makes one solution of a larger board with --any" } else { "" };
        format!(
            "give whole numbers from 0 to {}, such as 8, or 8..=14 for a range, with spaces between several{more}",
            Size::MAX
        )
    })
}

/// Says what to type instead of a range such as `8..14`, `8-14` or `14..=8`, or a list such as `8,10`.
fn meant_sizes(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 1 && parts.iter().all(|part| parse_range::<Size>(part).is_some()) {
        return Some(format!("type '{}', with spaces between sizes", parts.join(" ")));
    }
    meant_range::<Size>(text)
        .map(|[least, most]| format!("type '{least}..={most}' for the sizes from {least} to {most}"))
}

/// Returns the ends of the range that a text such as `8..14`, `8-14` or `14..=8` probably means.
pub(crate) fn meant_range<T: FromStr + PartialOrd>(text: &str) -> Option<[T; 2]> {
    let (first, last) = ["..=", "..", "-"].iter().find_map(|separator| text.split_once(separator))?;
    let (first, last) = (whole_number(first)?, whole_number(last)?);
    Some(if first <= last { [first, last] } else { [last, first] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        for (text, seconds) in
            [("90s", 90), ("10", 10), ("5m", 300), ("5 min", 300), ("1h30m", 5400), ("1h 30m", 5400), ("24h", 86_400)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)));
        }
        assert!(parse_duration("1M").unwrap_err().contains("capital M"));
        for wrong in ["", "s", "0", "0s", "1M", "+5", "-5s", "1 fortnight", "1e9h", "1h,", "18446744073709551615h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
