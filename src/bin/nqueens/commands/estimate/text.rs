//! An estimate as people read it.

use super::EstimateReport;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::{Streams, units};

pub(crate) fn show(report: &EstimateReport<'_>, streams: &mut Streams<'_>) -> std::io::Result<()> {
    let threads = report.threads as f64;
    let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
    line(
        &format!("n = {}", report.size),
        format!("{} ({}) on {}", report.solver, report.isa, plural(report.threads, "thread")),
    )?;
    let memory = format!("about {} predicted", units::bytes(report.predicted_bytes));
    match &report.sample {
        Some(sampled) => {
            let (seconds, error) = (sampled.core_seconds, sampled.core_seconds_error / threads);
            let time = in_words(seconds / threads);
            line("time", format!("about {time} on free cores, standard error {}", in_words(error)))?;
            line("core time", format!("about {}", in_words(seconds)))?;
            let peak =
                sampled.peak_bytes.map_or_else(String::new, |it| format!("; the sample took {}", units::bytes(it)));
            line("memory", memory + &peak)?;
            let percent = 100.0 * sampled.solutions_error / sampled.solutions.max(1.0);
            line("solutions", format!("about {:.4e}, standard error {percent:.2} %", sampled.solutions))?;
            line(
                "sample",
                format!(
                    "{} parts{}, {:.2} % of the predicted work, in {} on {}; sum {}",
                    sampled.parts,
                    if sampled.rough { " (few: errors may be twice as large)" } else { "" },
                    100.0 * sampled.share,
                    in_words(sampled.elapsed_seconds),
                    plural(sampled.threads, "thread"),
                    sampled.sum
                ),
            )?;
        }
        None => {
            let seconds = report.predicted_core_seconds;
            line("time", format!("about {} on free cores, predicted", in_words(seconds / threads)))?;
            line("core time", format!("about {}", in_words(seconds)))?;
            line("memory", memory)?;
        }
    }
    line("shards", format!("{}, by 'nqueens run plan {} --dir RUN'", report.shards, report.size))
}
