//! `nqueens compare`: the same workloads on several machines, ranked and side by side.

use std::path::PathBuf;

use clap::ValueEnum;
use comfy_table::{Table, TableStyle, presets};
use nqueens::measure::compare::{Cell, Comparison, Ranking, Row, compare, find_machine};
use nqueens::measure::record::Record;
use nqueens::measure::statistics::geometric_mean;
use nqueens::measure::workload::Threads;
use nqueens::measure::{doubt, export::quoted, read, text::json, text::markdown, units};

use super::Streams;
use super::exit::Exit;
use super::export::{align, trimmed};
use super::lines::{WIDTH, wrapped};
use super::regress::threshold;

/// Compares machines, or builds, by the records of their benchmarks
///
/// The machines are ranked by the frozen solvers, which tell machines apart whatever program measured them, and by the
/// newest code; then their speeds stand side by side, workload by workload.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Records to compare, files that 'nqueens bench --out FILE' wrote
    #[arg(value_name = "RECORD", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// The record that speeds are relative to, by its file or its machine's name; the fastest by default
    #[arg(long, value_name = "RECORD")]
    against: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Exits with 4 where the last record is slower than the first by more than so many percent, on average over the
    /// workloads of all records or surely on one of them
    #[arg(long, value_name = "PERCENT", value_parser = threshold, allow_negative_numbers = true)]
    fail_if_slower: Option<f64>,
}

/// How to print a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, at most 80 columns wide
    Table,
    /// The same tables for a web page or a pull request
    Markdown,
    /// A line for each workload and machine
    Csv,
    /// Everything
    Json,
}

pub(super) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let records = read::read_all(&args.records)?;
    let against = args.against.as_deref().map(|given| find_machine(&records, given)).transpose();
    let against = against.map_err(|error| Exit::Usage.error(error.to_string()))?;
    let mut comparison = compare(&records, against)?;
    if args.format == Format::Markdown {
        let words = comparison.doubts.iter_mut().flatten().map(|doubt| &mut doubt.words);
        for text in comparison.machines.iter_mut().chain(words).chain(&mut comparison.left_out) {
            *text = markdown(text).into_owned();
        }
    }
    let text = match args.format {
        Format::Table => tables(&comparison, &records, presets::NOTHING),
        Format::Markdown => tables(&comparison, &records, presets::ASCII_MARKDOWN),
        Format::Csv => csv(&comparison),
        Format::Json => {
            let mut value = serde_json::to_value(&comparison)?;
            value["schema"] = 1.into();
            value["kind"] = "nqueens-compare".into();
            format!("{}\n", json(&format!("{value:#}")))
        }
    };
    streams.out.write_all(text.as_bytes())?;
    if let Some(threshold) = args.fail_if_slower
        && let Some(reason) = slower(&compare(&records, Some(0))?, threshold)
    {
        return Err(Exit::Regression.error(reason));
    }
    Ok(Exit::Fine)
}

/// Why the last machine is slower than the first by more than the threshold, if it is; speeds are relative to the first.
fn slower(comparison: &Comparison, threshold: f64) -> Option<String> {
    let limit = 1.0 / (1.0 + threshold);
    let percent = |speed: f64| units::percent(1.0 / speed - 1.0);
    let both = comparison.rows.iter().filter(|row| row.cells.first().is_some_and(Option::is_some));
    let speeds: Vec<_> = both.filter_map(|row| Some((&row.workload, row.cells.last()?.as_ref()?.speed))).collect();
    let overall = geometric_mean(&speeds.iter().map(|(_, speed)| speed.value).collect::<Vec<_>>());
    if overall < limit {
        return Some(format!("the last record is {} slower than the first on average", percent(overall)));
    }
    let slow = speeds.into_iter().filter(|(_, speed)| speed.high < limit);
    let (workload, speed) = slow.min_by(|a, b| a.1.high.total_cmp(&b.1.high))?;
    Some(format!(
        "{workload}: the last record is {} slower than the first, at least {}",
        percent(speed.value),
        percent(speed.high)
    ))
}

/// Columns that a machine's name may take.
const NAME: usize = 22;

fn tables(comparison: &Comparison, records: &[(String, Record)], style: TableStyle) -> String {
    let mut text = String::new();
    if !comparison.rankings.is_empty() {
        text += &ranking(comparison, records, style);
        text += "\n\n";
    }
    for block in blocks(comparison) {
        text += &side_by_side(comparison, &block, style);
        text += "\n\n";
    }
    let reference = match comparison.against {
        None => "the fastest machine, in the ranking or on the workload".to_owned(),
        Some(_) => comparison.reference().to_owned(),
    };
    text += &wrapped(
        &format!(
            "Times as fast as {reference}. ±: half the 95 % interval, in percent; ~: not to be trusted; *: the fastest, \
             or not to be told from it. Below a solver: n, and threads where they are not 1. Exact times: --format csv."
        ),
        0,
    );
    text.push('\n');
    if let Some(left_out) = &comparison.left_out {
        text += &format!("\n{left_out}\n");
    }
    let doubts: Vec<String> = comparison
        .order()
        .into_iter()
        .filter_map(|machine| {
            Some(format!("  {}: {}\n", comparison.machines[machine], doubt::line(&comparison.doubts[machine])?))
        })
        .collect();
    if !doubts.is_empty() {
        text += &format!("\nWhat spoils the comparison:\n{}", doubts.concat());
    }
    text
}

/// The machines, the fastest first, with a column for each ranking.
fn ranking(comparison: &Comparison, records: &[(String, Record)], style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(style);
    let heading = |ranking: &Ranking| {
        let threads = if ranking.threads == Threads::All { "all threads" } else { "one thread" };
        format!("{}\n{threads}", ranking.code.name())
    };
    let fixed = ["machine", "cores", "CPUs"].map(str::to_owned);
    table.set_header(fixed.into_iter().chain(comparison.rankings.iter().map(heading)));
    for machine in comparison.order() {
        let facts = &records[machine].1.machine;
        let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
        let fixed = [short(&comparison.machines[machine], NAME), cores, facts.usable_cpus.to_string()];
        let speeds = comparison.rankings.iter().map(|ranking| {
            let Some(place) = ranking.places.iter().find(|place| place.machine == machine) else {
                return "-".to_owned();
            };
            let mark = if place.is_doubtful { "~" } else { "" };
            let half = 50.0 * place.speed.relative_width();
            let spread = if half == 0.0 { String::new() } else { format!(" ±{half:.*}%", usize::from(half < 9.95)) };
            format!("{mark}{}{spread}", digits(place.speed.value))
        });
        table.add_row(fixed.into_iter().chain(speeds));
    }
    align(&mut table);
    trimmed(&table)
}

/// The workloads, as many at a time as are readable beside one another.
fn blocks(comparison: &Comparison) -> Vec<Vec<&Row>> {
    let mut solvers: Vec<&str> = Vec::new();
    for row in &comparison.rows {
        if !solvers.contains(&row.workload.solver.as_str()) {
            solvers.push(&row.workload.solver);
        }
    }
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    let place = |row: &Row| solvers.iter().position(|solver| *solver == row.workload.solver);
    rows.sort_by_key(|row| (place(row), row.workload.threads, row.workload.size));
    let mut blocks: Vec<Vec<&Row>> = Vec::new();
    let mut used = WIDTH;
    for row in rows {
        // A column has a space on both sides, a mark before the speed and one after.
        let width = heading(row).split('\n').map(|line| line.chars().count()).fold(6, usize::max) + 2;
        if used + width > WIDTH {
            blocks.push(Vec::new());
            used = NAME + 1;
        }
        used += width;
        if let Some(block) = blocks.last_mut() {
            block.push(row);
        }
    }
    blocks
}

fn heading(row: &Row) -> String {
    let threads = match row.workload.threads {
        Threads::Exactly(1) => String::new(),
        Threads::Exactly(threads) => format!(" t={threads}"),
        Threads::All => " all".to_owned(),
    };
    format!("{}\n{}{threads}", row.workload.solver, row.workload.size)
}

/// The machines below one another, some workloads beside one another.
fn side_by_side(comparison: &Comparison, block: &[&Row], style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(style);
    table.set_header(std::iter::once("machine".to_owned()).chain(block.iter().map(|row| heading(row))));
    for machine in comparison.order() {
        let cells = block.iter().map(|row| row.cells[machine].as_ref().map_or_else(|| "-".to_owned(), shown));
        table.add_row(std::iter::once(short(&comparison.machines[machine], NAME)).chain(cells));
    }
    let reference = block.iter().map(|row| {
        let fastest = row.cells.iter().flatten().map(|cell| cell.seconds).fold(f64::INFINITY, f64::min);
        let base = comparison.against.and_then(|machine| row.cells[machine].as_ref());
        let [value, unit] = time(base.map_or(fastest, |cell| cell.seconds));
        format!("{value}\n{unit}")
    });
    table.add_row(std::iter::once("1.00 is".to_owned()).chain(reference));
    align(&mut table);
    trimmed(&table)
}

/// A time in three digits, and its unit.
fn time(seconds: f64) -> [String; 2] {
    let text = units::seconds(seconds);
    let (value, unit) = text.split_once(' ').unwrap_or((&text, ""));
    [value.get(..5).unwrap_or(value).trim_end_matches('.').to_owned(), unit.to_owned()]
}

fn shown(cell: &Cell) -> String {
    let mark = if cell.is_doubtful { "~" } else { "" };
    format!("{mark}{}{}", digits(cell.speed.value), if cell.is_best { "*" } else { "" })
}

fn digits(speed: f64) -> String {
    match speed {
        _ if speed >= 99.5 => format!("{speed:.0}"),
        _ if speed >= 9.95 => format!("{speed:.1}"),
        _ if speed >= 0.095 => format!("{speed:.2}"),
        _ => format!("{speed:.3}"),
    }
}

/// A name cut in its middle where it is too long: beginnings and ends tell machines apart.
fn short(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= room {
        return name.to_owned();
    }
    let head = room / 2;
    let tail = room - head - 1;
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,solver,n,threads,machine,isa,seconds,seconds_low,seconds_high,samples,speed,speed_low,\
                    speed_high,best,doubtful,doubts\n"
        .to_owned();
    for row in &comparison.rows {
        for (machine, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let Cell { seconds, interval: [low, high], samples, threads, isa, speed, is_best, is_doubtful, .. } = cell;
            let (id, name) = (&row.workload, quoted(&comparison.machines[machine]));
            let doubts = quoted(&doubt::line(&comparison.doubts[machine]).unwrap_or_default());
            text += &format!(
                "{id},{},{},{threads},{name},{isa},{seconds},{low},{high},{samples},{},{},{},{is_best},{is_doubtful},{doubts}\n",
                id.solver, id.size, speed.value, speed.low, speed.high
            );
        }
    }
    text
}
