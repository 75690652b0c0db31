//! `nqueens bench compare`: the same workloads on several machines, ranked and side by side.

use std::path::PathBuf;

use clap::ValueEnum;

use super::tables;
use crate::bench::compare::Comparison;
use crate::bench::record;
use crate::bench::statistics::Estimate;
use crate::draw::page;
use crate::exit::{Exit, Fault};
use crate::terminal::Streams;
use crate::terminal::escape::csv as quoted;
use crate::terminal::units::plural;

/// Compares the records of several machines or builds
///
/// It ranks the machines by their scores. Then it shows the speeds side by side, workload by workload. Records of one
/// machine are merged: measure it several times for a more trustworthy result.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench compare here.json there.json                      ranks two machines
  nqueens bench compare here.json there.json --against here.json  shows relative speeds
  nqueens bench compare *.json --format csv                       prints every number
  nqueens bench compare *.json --format html >page.html           makes a page
  nqueens bench compare *.json --format html --title 'Our lab'    makes a page with this title")]
pub(crate) struct Args {
    /// Files of 'nqueens bench machine'
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Makes the speeds of workloads relative to this one of the records. Default: the fastest machine of each is 1
    #[arg(long, value_name = "RECORD")]
    against: Option<PathBuf>,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
    /// Title of the page that --format html makes. Default: the name or the number of the machines
    #[arg(long, conflicts_with = "json")]
    title: Option<String>,
    /// Prints JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For people, at most 80 columns wide
    Table,
    /// A page that needs no network: the ranking, a heat map, the scaling over threads, and the facts of each machine
    Html,
    /// One line for each score, and for each workload and machine
    Csv,
    /// Every number, and the facts of each machine
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.title.is_some() && args.format != CompareFormat::Html {
        return Err(Fault::Usage.error("only a page has a title: leave out --title, or give --format html"));
    }
    let comparison = compared(args, streams)?;
    let text = match if args.json { CompareFormat::Json } else { args.format } {
        CompareFormat::Json => {
            let mut value = serde_json::to_value(comparison)?;
            value["schema"] = 2.into();
            value["kind"] = "nqueens-compare".into();
            streams.json(&value)?;
            return Ok(Exit::Fine);
        }
        CompareFormat::Table => tables::text(&comparison),
        CompareFormat::Html => page::html(&comparison, args.title.as_deref()),
        CompareFormat::Csv => csv(&comparison),
    };
    streams.out.write_all(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Reads the records, and names every file that holds none.
fn compared(args: &Args, streams: &Streams<'_>) -> anyhow::Result<Comparison> {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for file in &args.records {
        match record::read(file) {
            Ok(record) => records.push((file.display().to_string(), record)),
            Err(error) => {
                streams.complain(format_args!("{error:#}"));
                faults.push(Fault::of(&error));
            }
        }
    }
    if let Some(fault) = faults.first() {
        let (wrong, all) = (faults.len(), plural(args.records.len(), "file"));
        return Err(fault.error(format!("{wrong} of {all} cannot be compared: leave them out")));
    }
    let against = args.against.as_ref().map(|file| file.display().to_string());
    let comparison = Comparison::of(records, against.as_deref());
    match against {
        Some(file) if comparison.against.is_none() => Err(Fault::Usage
            .error(format!("--against {file} is not among the records: give the name of one of these files"))),
        _ => Ok(comparison),
    }
}

/// A line for each row and machine. Scores have points, workloads have seconds.
fn csv(comparison: &Comparison) -> String {
    let mut text = "workload,threads,machine,cpus,isa,points,points_low,points_high,seconds,seconds_low,seconds_high,\
                    speed,speed_low,speed_high,rank,mark,warnings,processor,cores,memory_bytes,date\n"
        .to_owned();
    let numbers = |estimate: Option<Estimate>| match estimate {
        Some(Estimate { value, low, high }) => [value, low, high].map(|number| number.to_string()),
        None => Default::default(),
    };
    for row in &comparison.rows {
        for (machine, cell) in comparison.machines.iter().zip(&row.cells) {
            let facts = &machine.record().machine;
            let (figure, speed) = (cell.as_ref().map(|cell| cell.figure), cell.as_ref().and_then(|cell| cell.speed));
            let threads = row.threads.map_or_else(|| "all".to_owned(), |threads| threads.to_string());
            let mut fields = vec![row.name.clone(), threads, machine.name.clone(), facts.usable_cpus.to_string()];
            fields.push(machine.record().isa.clone());
            fields.extend(numbers(figure.filter(|_| row.is_score())));
            fields.extend(numbers(figure.filter(|_| !row.is_score())));
            fields.extend(numbers(speed));
            fields.extend([
                cell.as_ref().map_or_else(String::new, |cell| cell.rank.to_string()),
                cell.as_ref().map_or("", |cell| machine.mark(cell)).to_owned(),
                machine.warnings(),
                facts.cpu_model.clone(),
                facts.cores.map_or_else(String::new, |cores| cores.to_string()),
                facts.memory_bytes.map_or_else(String::new, |bytes| bytes.to_string()),
                machine.dates(),
            ]);
            text += &(fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n");
        }
    }
    text
}
