//! `nqueens count --classes`, `--fundamental` and `--symmetry`: symmetric and fundamental solutions.

use std::time::Instant;

use nqueens::board::Size;
use nqueens::symmetric::{Classes, Turn};
use nqueens::{Counter, symmetric};
use serde::Serialize;

use super::options::How;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use crate::terminal::time_left::Forecast;
use crate::terminal::watch::{Watch, warn_if_endless};

/// A turn, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Turns {
    /// By 180 degrees (sequence A032522)
    HalfTurn,
    /// By 90 degrees (sequence A033148)
    QuarterTurn,
}

impl From<Turns> for Turn {
    fn from(turn: Turns) -> Self {
        match turn {
            Turns::HalfTurn => Self::Half,
            Turns::QuarterTurn => Self::Quarter,
        }
    }
}

/// Counts symmetric solutions, watched; tells the seconds it took.
fn count_turn(turn: Turn, n: usize, threads: usize, watch: &Watch<'_>) -> anyhow::Result<(u128, f64)> {
    let name = match turn {
        Turn::Half => "half turn",
        Turn::Quarter => "quarter turn",
    };
    // Measured: about 5 s at n = 26 and 0.3 s at n = 36, one thread, growing by 2.3 and by 1.9 with each n.
    let seconds = match turn {
        Turn::Half => 5.0 * 2.3f64.powf(n as f64 - 26.0),
        Turn::Quarter => 0.3 * 1.9f64.powf(n as f64 - 36.0),
    };
    watch.run(&format!("n = {n}, {name}"), Forecast::new(seconds, threads), |cancel, monitor| {
        let start = Instant::now();
        symmetric::count(turn, n, threads, cancel, monitor).map(|count| (count, start.elapsed().as_secs_f64()))
    })
}

/// `--symmetry`.
pub(crate) fn count_symmetric(
    turn: Turns,
    sizes: &[usize],
    how: &How,
    is_json: bool,
    has_time: bool,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    #[derive(Serialize)]
    struct TurnLine<'a> {
        schema: u32,
        size: usize,
        symmetry: &'a str,
        solutions: String,
        seconds: f64,
    }
    let interrupts = Interrupts::catch()?;
    let watch = Watch { interrupts: &interrupts, quiet: streams.quiet };
    let name = if turn == Turns::HalfTurn { "half-turn" } else { "quarter-turn" };
    let is_table = sizes.len() > 1;
    if is_table && !is_json {
        writeln!(streams.out, " n  {name:>16}{}", if has_time { "       seconds" } else { "" })?;
    }
    for &n in sizes {
        let (solutions, seconds) = count_turn(turn.into(), n, how.threads.number()?, &watch)?;
        if is_json {
            let record = TurnLine { schema: 1, size: n, symmetry: name, solutions: solutions.to_string(), seconds };
            streams.json(&record)?;
        } else if is_table {
            write!(streams.out, "{n:>2}  {solutions:>16}")?;
            writeln!(streams.out, "{}", if has_time { format!("  {seconds:>12.6}") } else { String::new() })?;
        } else {
            writeln!(streams.out, "{solutions}")?;
            if has_time {
                writeln!(streams.out, "Seconds: {seconds:.6}")?;
            }
        }
        streams.out.flush()?;
    }
    Ok(Exit::Fine)
}

/// How classes are written.
pub(crate) struct ClassesLayout {
    is_fundamental: bool,
    is_json: bool,
    has_time: bool,
    /// Of the numbers' columns, where there is a table.
    width: Option<usize>,
}

/// What is said of one size in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
struct ClassesLine {
    schema: u32,
    size: usize,
    solutions: String,
    half_turn: String,
    quarter_turn: String,
    fundamental: String,
    orbits_of_8: String,
    orbits_of_4: String,
    orbits_of_2: String,
    seconds: f64,
}

impl ClassesLayout {
    pub(crate) fn new(is_fundamental: bool, is_json: bool, has_time: bool, sizes: &[Size]) -> Self {
        let largest = sizes.iter().map(|size| size.get()).max().unwrap_or(0);
        // The number has at most as many digits as 3/4 n, up to the largest size counted so far.
        let is_table = !is_json && (!is_fundamental || sizes.len() > 1);
        let width = is_table.then_some((3 * largest).div_ceil(4).max(9));
        Self { is_fundamental, is_json, has_time, width }
    }

    fn head(&self, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Some(width) = self.width else { return Ok(()) };
        let seconds = if self.has_time { "       seconds" } else { "" };
        if self.is_fundamental {
            return writeln!(streams.out, " n  {:>w$}{seconds}", "fundamental", w = width.max(11));
        }
        writeln!(
            streams.out,
            " n  {:>width$}  {:>12}  {:>12}  {:>w$}  {:>width$}  {:>11}  {:>11}{seconds}",
            "solutions",
            "half turn",
            "quarter turn",
            "fundamental",
            "orbits: 8",
            "4",
            "2",
            w = width.max(11),
        )
    }

    fn line(&self, classes: &Classes, seconds: f64, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let &Classes { size, all, half_turn, quarter_turn, fundamental, .. } = classes;
        let (eight, four, two) = (classes.asymmetric_orbits, classes.half_turn_orbits, classes.quarter_turn_orbits);
        if self.is_json {
            let record = ClassesLine {
                schema: 1,
                size,
                solutions: all.to_string(),
                half_turn: half_turn.to_string(),
                quarter_turn: quarter_turn.to_string(),
                fundamental: fundamental.to_string(),
                orbits_of_8: eight.to_string(),
                orbits_of_4: four.to_string(),
                orbits_of_2: two.to_string(),
                seconds,
            };
            return streams.json(&record);
        }
        let time = if self.has_time { format!("  {seconds:>12.6}") } else { String::new() };
        match self.width {
            None => {
                writeln!(streams.out, "{fundamental}")?;
                if self.has_time {
                    writeln!(streams.out, "Seconds: {seconds:.6}")?;
                }
                Ok(())
            }
            Some(width) if self.is_fundamental => {
                writeln!(streams.out, "{size:>2}  {fundamental:>w$}{time}", w = width.max(11))
            }
            Some(width) => writeln!(
                streams.out,
                "{size:>2}  {all:>width$}  {half_turn:>12}  {quarter_turn:>12}  {fundamental:>w$}  {eight:>width$}  \
                 {four:>11}  {two:>11}{time}",
                w = width.max(11),
            ),
        }
    }
}

/// `--classes` and `--fundamental`.
pub(crate) fn count(
    counters: Vec<Counter>,
    how: &How,
    layout: ClassesLayout,
    watch: &Watch<'_>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    layout.head(streams)?;
    let mut said = String::new();
    for counter in counters {
        let (counter, fewer) = how.threads.fit(counter)?;
        let counter = &counter;
        let words = how.in_words(counter, fewer.as_deref())?;
        if words != said {
            streams.note(&words);
            said = words;
        }
        warn_if_endless(counter, streams)?;
        let n = counter.size().get();
        // The symmetric ones first: they take less, and who stops the count has waited for nothing.
        let (quarter_turn, quarter_seconds) = count_turn(Turn::Quarter, n, how.threads.number()?, watch)?;
        let (half_turn, half_seconds) = count_turn(Turn::Half, n, how.threads.number()?, watch)?;
        let (outcome, seconds) = watch.count(counter)?;
        let classes = Classes::new(n, outcome.solutions, half_turn, quarter_turn)?;
        layout.line(&classes, seconds + half_seconds + quarter_seconds, streams)?;
        streams.out.flush()?;
    }
    Ok(Exit::Fine)
}
