//! The record of a benchmark as a person reads it.

use crate::bench::statistics::Estimate;
use crate::bench::{Record, doubt, score};
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::wrapped;

/// The marks of the table.
const EXPLAINED: &str = "time: for one board; all threads together count one in it. ± %: half the 95 % interval of the \
                         median, in percent. ~: too wide to say much.";

/// The scores of a record, its times, and reasons to doubt it.
pub(crate) fn table(record: &Record) -> String {
    let mut text = match score::of(&[record]) {
        Err(why) => format!("{}\n\n", wrapped(&format!("No score: {why}."), 0, 0)),
        Ok(scores) => {
            let lines = score::THREADS.into_iter().zip(scores).map(|(threads, Estimate { value, low, high })| {
                let ([value, low, high], title) = ([value, low, high].map(score::points), score::title(threads));
                format!("score, {title:<11}  {value} points (95 % interval {low} to {high})\n")
            });
            format!("{}{}\n\n", lines.collect::<String>(), wrapped(&format!("{}.", score::ABOUT), 0, 0))
        }
    };
    let mut table = Table::new(["workload", "solutions", "time", "± %", "samples"]);
    for workload in &record.workloads {
        let estimate = workload.estimate();
        let mark = if doubt::is_wide(estimate) { "~" } else { "" };
        table.add_row([
            workload.id.to_string(),
            workload.count.to_string(),
            units::seconds(estimate.value),
            format!("{mark}{:.1}", 50.0 * estimate.relative_width()),
            workload.seconds.len().to_string(),
        ]);
    }
    text += &format!("{table}\n\n{}\n", wrapped(EXPLAINED, 0, 0));
    if let Some(line) = doubt::line(&doubt::of_record(record)) {
        text += &format!("\n{}\n", wrapped(&format!("Doubts about this record: {line}"), 0, 0));
    }
    text
}
