//! Arguments that several commands share. Each error names the value and says what to type.

pub(crate) mod machine;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::board::Size;
use nqueens::engine::MAX_THREADS;
use nqueens::internal::whole_number;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::symmetric::Turn;

pub(crate) use crate::terminal::units::length_of_time;

/// Reads a path that the shell has read.
pub(crate) fn plain_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(plain)
}

/// The path, unless it begins with `~` or has a variable: there the shell left something that would become a name of that
/// spelling.
///
/// # Errors
/// Says which sign the shell left, and what to type.
fn plain(path: PathBuf) -> Result<PathBuf, String> {
    let text = path.to_string_lossy();
    let sign = if text.starts_with('~') { '~' } else { '$' };
    let is_unread = sign == '~' || text.split('/').any(|name| name.starts_with('$'));
    if !is_unread || path.exists() {
        return Ok(path);
    }
    Err(format!(
        "your shell left '{sign}' as it is: type the whole path, or \"$HOME/...\" in double quotes and after a space"
    ))
}

/// The solver's name: `auto` or one of the registry.
pub(crate) fn solver_names() -> PossibleValuesParser {
    let named = registry::SOLVERS.iter().map(|&solver| PossibleValue::new(solver.name()).help(solver.about()));
    let auto = PossibleValue::new("auto").help("the fastest for the size");
    PossibleValuesParser::new(std::iter::once(auto).chain(named))
}

/// The options of a count: the solver, and what counts.
#[derive(Debug, clap::Args)]
pub(crate) struct CountOptions {
    /// Solver to count with
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_names())]
    pub(crate) solver: String,
    #[command(flatten)]
    pub(crate) resources: ResourceOptions,
}

/// The options that say what counts.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ResourceOptions {
    /// Counts on graphics cards: gpu for all, or a part of a name in 'nqueens info' for those with that name. Only a program
    /// that was built for cards can
    #[arg(long, value_name = "gpu|NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,
    #[command(flatten)]
    pub(crate) threads: ThreadsOption,
    #[command(flatten)]
    pub(crate) isa: InstructionSet,
}

/// The number of threads of a count, `--threads`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ThreadsOption {
    /// Number of threads. Default: one for each hardware thread that this process may use, by affinity, quota and scheduler
    #[arg(id = "threads", long, short = 't', value_name = "T", value_parser = number(1..=MAX_THREADS), allow_negative_numbers = true)]
    pub(crate) typed: Option<usize>,
}

/// Reads a whole number in a range. The value that was typed is in clap's part of the error.
pub(crate) fn number(range: RangeInclusive<usize>) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text| {
        let to = if *range.end() == usize::MAX { String::new() } else { format!(" to {}", range.end()) };
        let number = whole_number(text).filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {}{to}", range.start()))
    }
}

/// Reads a range, such as `8..=14`, or `8` for `8..=8`.
pub(crate) fn range<T: FromStr + PartialOrd>(text: &str) -> Option<RangeInclusive<T>> {
    let (first, last) = text.split_once("..=").unwrap_or((text, text));
    let (first, last) = (whole_number(first)?, whole_number(last)?);
    (first <= last).then_some(first..=last)
}

/// The instruction set to use, `--isa`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct InstructionSet {
    /// Highest instruction set to use. Default: the best of this machine
    #[arg(id = "isa", long = "isa", value_name = "SET", value_parser = isas())]
    pub(crate) typed: Option<Isa>,
}

/// Reads an instruction set that this machine has.
fn isas() -> impl TypedValueParser<Value = Isa> {
    PossibleValuesParser::new(Isa::ALL.iter().map(|isa| isa.name())).try_map(|name| name.parse().and_then(Isa::checked))
}

/// Reads a turn.
pub(crate) fn turns() -> impl TypedValueParser<Value = Turn> {
    let half = PossibleValue::new("half-turn").help("By 180 degrees (sequence A032522)");
    let quarter = PossibleValue::new("quarter-turn").help("By 90 degrees (sequence A033148)");
    PossibleValuesParser::new([half, quarter]).map(|name| if name == "half-turn" { Turn::Half } else { Turn::Quarter })
}

/// Reads a size or a range of sizes: `8` or `8..=14`.
pub(crate) fn sizes(text: &str) -> Result<Vec<Size>, String> {
    let sizes = range(text).map(|range: RangeInclusive<Size>| range.start().get()..=range.end().get());
    sizes.map(|sizes| sizes.flat_map(Size::new).collect()).ok_or_else(|| {
        format!(
            "give whole numbers from 0 to {}, such as 8, or 8..=14 for a range, with spaces between several; 'nqueens \
             solutions' makes one solution of a larger board with --any",
            Size::MAX
        )
    })
}
