//! The tables of a comparison, for people.

use std::borrow::Cow;

use crate::bench::compare::Comparison;
use crate::bench::rank::{Place, RankCell, RankRow, Ranking};
use crate::bench::record::Record;
use crate::bench::workload::Threads;
use crate::bench::{doubt, score};
use crate::terminal::escape::markdown;
use crate::terminal::units;
use comfy_table::{Table, TableStyle, presets};

use crate::terminal::table::{align, trimmed};
use crate::terminal::wrap::{WIDTH, short, width, wrapped};

/// Where the tables are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// In a terminal of 80 columns. What comes from a record was looked at when it was read: it shows as it is.
    Terminal,
    /// On a web page or in a pull request.
    Markdown,
}

impl Look {
    fn style(self) -> TableStyle {
        match self {
            Self::Terminal => presets::NOTHING,
            Self::Markdown => presets::ASCII_MARKDOWN,
        }
    }

    /// Words of others, made harmless. They are cut before: a cut escape escapes nothing.
    fn words(self, words: &str) -> Cow<'_, str> {
        match self {
            Self::Terminal => Cow::Borrowed(words),
            Self::Markdown => markdown(words),
        }
    }

    fn name(self, name: &str) -> String {
        self.words(&short(name, NAME)).into_owned()
    }

    /// The lines of a cell; a table in Markdown has one line for its names.
    fn lines(self, above: &str, below: &str) -> String {
        format!("{above}{}{below}", if self == Self::Terminal { "\n" } else { " " })
    }

    fn paragraph(self, words: &str, indent: usize) -> String {
        match self {
            Self::Terminal => wrapped(words, 0, indent) + "\n",
            Self::Markdown => format!("{words}\n"),
        }
    }
}

/// Columns that a machine's name may take, and a solver's.
const NAME: usize = 22;
const SOLVER: usize = 14;

pub(crate) fn tables(comparison: &Comparison, records: &[(String, Record)], look: Look) -> String {
    let mut text = String::new();
    if !comparison.rankings.is_empty() {
        text += &ranking(comparison, records, look);
        text += "\n\n";
    }
    for block in blocks(comparison) {
        text += &side_by_side(comparison, &block, look);
        text += "\n\n";
    }
    text += &look.paragraph(&explained(comparison, look), 0);
    if let Some(left_out) = &comparison.left_out {
        text += &format!("\n{}", look.paragraph(&look.words(left_out), 0));
    }
    let doubts: Vec<String> = comparison
        .order()
        .into_iter()
        .filter_map(|machine| {
            let line = doubt::line(&comparison.doubts[machine])?;
            let name = look.name(&comparison.machines[machine]);
            Some(look.paragraph(&format!("- {name}: {}", look.words(&line)), 4))
        })
        .collect();
    if !doubts.is_empty() {
        text += &format!("\nWhat spoils the comparison:\n\n{}", doubts.concat());
    }
    text
}

/// What the figures of all tables mean.
fn explained(comparison: &Comparison, look: Look) -> String {
    let anchor = comparison.rankings.iter().find_map(|ranking| ranking.anchor);
    let reference = match comparison.against {
        None => "the fastest machine".to_owned(),
        Some(_) => look.words(comparison.reference()).into_owned(),
    };
    let scores = anchor.map_or_else(String::new, |anchor| {
        format!(
            "Scores are of the frozen solvers, in points, of which {} has {}: twice the points, half the time. ",
            look.words(anchor),
            score::POINTS
        )
    });
    format!(
        "{scores}{}Workloads: times as fast as {reference}. #: the rank, which machines share whose intervals overlap. ±: half \
         the 95 % interval, in percent; ~: not to be trusted; *: the fastest, or not to be told from it. With a solver stand \
         n, and the threads where they are not 1. Exact times: --format csv.",
        if comparison.rankings.iter().any(|ranking| ranking.anchor.is_none()) {
            format!("x: times as fast as {reference}. ")
        } else {
            String::new()
        }
    )
}

/// The machines, the fastest first, with a column for each ranking.
fn ranking(comparison: &Comparison, records: &[(String, Record)], look: Look) -> String {
    let rankings = &comparison.rankings;
    let mut table = Table::new();
    table.load_style(look.style());
    let heads = rankings.iter().flat_map(|ranking| ["#", score::title(ranking.threads)]);
    table.set_header(["machine", "cores", "CPUs"].into_iter().chain(heads));
    let place =
        |ranking: &Ranking, machine: usize| ranking.places.iter().find(|place| place.machine == machine).copied();
    for machine in comparison.order() {
        let facts = &records[machine].1.machine;
        let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        let fixed = [look.name(&comparison.machines[machine]), cores, facts.usable_cpus.to_string()];
        let has_score = score::may_have_one(&records[machine].1);
        let speeds = rankings.iter().flat_map(|ranking| match place(ranking, machine) {
            Some(place) => [place.rank.to_string(), ranked(place, ranking.anchor.is_some())],
            None if ranking.anchor.is_some() && !has_score => [String::new(), "no score".to_owned()],
            None => [String::new(), "-".to_owned()],
        });
        table.add_row(fixed.into_iter().chain(speeds));
    }
    align(&mut table);
    trimmed(&table)
}

/// A score or a speed in a ranking, with its interval.
fn ranked(place: Place, in_points: bool) -> String {
    let mark = if place.is_doubtful { "~" } else { "" };
    let half = 50.0 * place.speed.relative_width();
    let spread = match half {
        0.0 => String::new(),
        _ if half < 9.95 => format!(" ±{half:.1}%"),
        _ if half < 1000.0 => format!(" ±{half:.0}%"),
        _ => " ±>999%".to_owned(),
    };
    let speed = place.speed.value;
    let shown = if in_points { score::points(speed) } else { format!("{}x", units::speed(speed, 1e5)) };
    format!("{mark}{shown}{spread}")
}

/// The workloads, as many at a time as are readable beside one another.
fn blocks(comparison: &Comparison) -> Vec<Vec<&RankRow>> {
    let mut solvers: Vec<&str> = Vec::new();
    for row in &comparison.rows {
        if !solvers.contains(&row.workload.solver.as_str()) {
            solvers.push(&row.workload.solver);
        }
    }
    let mut rows: Vec<&RankRow> = comparison.rows.iter().collect();
    let place = |row: &RankRow| solvers.iter().position(|solver| *solver == row.workload.solver);
    rows.sort_by_key(|row| (place(row), row.workload.threads, row.workload.size));
    let mut blocks: Vec<Vec<&RankRow>> = Vec::new();
    let mut used = WIDTH;
    for row in rows {
        let column = column_width(comparison, row);
        if used + column > WIDTH {
            blocks.push(Vec::new());
            used = NAME + 1;
        }
        used += column;
        if let Some(block) = blocks.last_mut() {
            block.push(row);
        }
    }
    blocks
}

/// What a workload's column takes, with a space on both sides.
fn column_width(comparison: &Comparison, row: &RankRow) -> usize {
    let (solver, size) = heading(row);
    let cells = row.cells.iter().flatten().map(shown);
    let all = cells.chain(reference_time(comparison, row)).chain([solver, size]);
    all.map(|text| width(&text)).max().unwrap_or(0) + 2
}

/// A solver, and what of it.
fn heading(row: &RankRow) -> (String, String) {
    let threads = match row.workload.threads {
        Threads::Exactly(1) => String::new(),
        Threads::Exactly(threads) => format!(" t={threads}"),
        Threads::All => " all".to_owned(),
    };
    (short(&row.workload.solver, SOLVER), format!("{}{threads}", row.workload.size))
}

/// The machines below one another, some workloads beside one another.
fn side_by_side(comparison: &Comparison, block: &[&RankRow], look: Look) -> String {
    let mut table = Table::new();
    table.load_style(look.style());
    let names = block.iter().map(|row| {
        let (solver, size) = heading(row);
        look.lines(&look.words(&solver), &size)
    });
    table.set_header(std::iter::once("machine".to_owned()).chain(names));
    for machine in comparison.order() {
        let cells = block.iter().map(|row| row.cells[machine].as_ref().map_or_else(|| "-".to_owned(), shown));
        table.add_row(std::iter::once(look.name(&comparison.machines[machine])).chain(cells));
    }
    let reference = block.iter().map(|row| {
        let [value, unit] = reference_time(comparison, row);
        look.lines(&value, &unit)
    });
    table.add_row(std::iter::once("1.00 is".to_owned()).chain(reference));
    align(&mut table);
    trimmed(&table)
}

/// The time that the speeds of a workload are relative to, in three digits or so, and its unit.
fn reference_time(comparison: &Comparison, row: &RankRow) -> [String; 2] {
    let fastest = row.cells.iter().flatten().map(|cell| cell.seconds).fold(f64::INFINITY, f64::min);
    let base = comparison.against.and_then(|machine| row.cells[machine].as_ref());
    let text = units::seconds(base.map_or(fastest, |cell| cell.seconds));
    let (value, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let value = if value.contains('.') { value.get(..5).unwrap_or(value).trim_end_matches('.') } else { value };
    [value.to_owned(), unit.to_owned()]
}

fn shown(cell: &RankCell) -> String {
    let mark = if cell.is_doubtful { "~" } else { "" };
    format!("{mark}{}{}", units::speed(cell.speed.value, 1e5), if cell.is_best { "*" } else { "" })
}
