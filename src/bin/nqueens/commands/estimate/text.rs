//! An estimate as people read it.

use super::EstimateReport;
use crate::terminal::duration::in_words;
use crate::terminal::{Streams, units};

/// Below this share of a core, the time that a count would take beside the other programs is told too.
const NEARLY_FREE: f64 = 0.95;

pub(crate) fn show(report: &EstimateReport<'_>, streams: &mut Streams<'_>) -> std::io::Result<()> {
    let (threads, of_threads) = (report.threads as f64, report.threads_in_words());
    let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
    let memory = format!("about {} predicted for {of_threads}", units::bytes(report.predicted_bytes));
    match &report.sample {
        Some(sampled) => {
            line(
                "time",
                format!(
                    "about {} on {of_threads}, each with a core to itself; standard error {}",
                    in_words(sampled.core_seconds / threads),
                    in_words(sampled.core_seconds_error / threads)
                ),
            )?;
            if sampled.core_share < NEARLY_FREE || sampled.threads < report.threads {
                let here = sampled.core_seconds / (sampled.threads as f64 * sampled.core_share.max(1e-6));
                line("right now", format!("about {} here, on {}", in_words(here), sampled.cores_in_words()))?;
            }
            line("core time", format!("about {}", in_words(sampled.core_seconds)))?;
            let peak = sampled
                .peak_bytes
                .map_or_else(String::new, |bytes| format!("; the sample took {}", units::bytes(bytes)));
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
                    sampled.cores_in_words(),
                    sampled.sum
                ),
            )?;
        }
        None => {
            let seconds = in_words(report.predicted_core_seconds / threads);
            line("time", format!("about {seconds} on {of_threads}, each with a core to itself (predicted)"))?;
            line("core time", format!("about {}", in_words(report.predicted_core_seconds)))?;
            line("memory", memory)?;
        }
    }
    line("shards", format!("{}, by 'nqueens run plan {} --dir RUN'", report.shards, report.size))
}
