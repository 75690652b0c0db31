//! `nqueens count --classes` and `--fundamental`: solutions by their symmetry.

use nqueens::Counter;
use nqueens::board::Size;
use nqueens::symmetric::{Classes, Turn};
use serde::Serialize;

use super::counting;
use super::layout::{Column, Layout, width};
use super::options::How;
use super::turns::count_turn;
use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::units::seconds_in_json;

/// The result of `--classes` and `--fundamental` for one size, as in JSON. Counts are strings: they pass 2^53.
#[derive(Serialize)]
pub(crate) struct ClassesLine {
    schema: u32,
    size: usize,
    solutions: String,
    half_turn: String,
    quarter_turn: String,
    fundamental: String,
    orbits_of_8: String,
    orbits_of_4: String,
    orbits_of_2: String,
    #[serde(serialize_with = "seconds_in_json")]
    seconds: f64,
}

impl ClassesLine {
    fn new(classes: &Classes, seconds: f64) -> Self {
        Self {
            schema: 1,
            size: classes.size,
            solutions: classes.all.to_string(),
            half_turn: classes.half_turn.to_string(),
            quarter_turn: classes.quarter_turn.to_string(),
            fundamental: classes.fundamental.to_string(),
            orbits_of_8: classes.asymmetric_orbits.to_string(),
            orbits_of_4: classes.half_turn_orbits.to_string(),
            orbits_of_2: classes.quarter_turn_orbits.to_string(),
            seconds,
        }
    }
}

/// How `--classes` and `--fundamental` are written.
pub(crate) fn layout(is_fundamental: bool, is_json: bool, has_time: bool, sizes: &[Size]) -> Layout<ClassesLine> {
    let width = |name| width(name, sizes);
    let fundamental: Column<ClassesLine> = ("fundamental", width("fundamental"), |line| line.fundamental.clone());
    let mut columns: Vec<Column<ClassesLine>> = if is_fundamental {
        vec![fundamental]
    } else {
        vec![
            ("solutions", width("solutions"), |line| line.solutions.clone()),
            ("half turn", 12, |line| line.half_turn.clone()),
            ("quarter turn", 12, |line| line.quarter_turn.clone()),
            fundamental,
            ("orbits: 8", width("orbits: 8"), |line| line.orbits_of_8.clone()),
            ("4", 11, |line| line.orbits_of_4.clone()),
            ("2", 11, |line| line.orbits_of_2.clone()),
        ]
    };
    if has_time {
        columns.push(("seconds", 12, |line| format!("{:.6}", line.seconds)));
    }
    Layout::new(is_json, !is_fundamental || sizes.len() > 1, columns)
}

/// `--classes` and `--fundamental`.
pub(crate) fn count(
    counters: Vec<Counter>,
    how: &How,
    layout: &Layout<ClassesLine>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    layout.head(streams)?;
    how.each(counters, "", streams, |counter, streams| {
        let (n, pool) = (counter.size().get(), how.threads.pool(how.threads.number()?)?);
        // Symmetric solutions first: they take less time.
        let (quarter_turn, quarter_seconds) = count_turn(Turn::Quarter, n, pool, streams)?;
        let (half_turn, half_seconds) = count_turn(Turn::Half, n, pool, streams)?;
        let (outcome, seconds) = counting::count(counter, streams)?;
        let classes = Classes::new(n, outcome.solutions, half_turn, quarter_turn)?;
        Ok(layout.line(n, &ClassesLine::new(&classes, seconds + half_seconds + quarter_seconds), streams)?)
    })
}
