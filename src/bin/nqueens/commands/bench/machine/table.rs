//! The record of a benchmark as a person reads it.

use crate::bench::record::Sustained;
use crate::bench::statistics::{Estimate, median};
use crate::bench::{Record, doubt, score};
use crate::terminal::table::Table;
use crate::terminal::units;
use crate::terminal::wrap::wrapped;

/// The marks of the table.
const SPREAD_DEFINED: &str = "± %: half the 95 % interval of the median in percent of it; ~: too \
     wide to say much; speed: times as fast as the anchor";

/// The times of a record, its scores, and reasons to doubt it.
pub(crate) fn table(record: &Record) -> String {
    let mut table = Table::new(["workload", "solutions", "time", "± %", "samples", "speed"]);
    for workload in &record.workloads {
        let estimate = workload.estimate();
        let base = score::find(score::anchor(), &workload.id);
        let mark = if doubt::is_wide(workload) { "~" } else { "" };
        table.add_row([
            workload.id.to_string(),
            workload.count.to_string(),
            units::seconds(estimate.value),
            format!("{mark}{:.1}", 50.0 * estimate.relative_width()),
            workload.seconds.len().to_string(),
            base.map_or_else(|| "-".to_owned(), |base| format!("{:.2}", base.estimate().value / estimate.value)),
        ]);
    }
    let mut text = format!("{table}\n\n{}\n", wrapped(SPREAD_DEFINED, 0, 0));
    let scores = score::of(record);
    for (threads, score) in score::THREADS.into_iter().zip(scores) {
        let Some(Estimate { value, low, high }) = score else { continue };
        let ([value, low, high], title) = ([value, low, high].map(score::points), score::title(threads));
        text += &format!("\nscore, {title:<11}  {value} points (95 % interval {low} to {high})");
    }
    if scores.iter().any(Option::is_some) {
        let (suite, anchor) = (&record.suite, &score::anchor().name);
        let about =
            format!("suite {suite}, the frozen solvers; the anchor {anchor} has speed 1 and {} points", score::POINTS);
        text += &format!("\n{}\n", wrapped(&about, 0, 0));
    }
    if let Some(sustained) = &record.sustained {
        text += &format!("\n{}\n", wrapped(&lasting(sustained), 0, 0));
    }
    if let Some(line) = doubt::line(&doubt::of_record(record)) {
        text += &format!("\n{}\n", wrapped(&format!("Doubts about this record: {line}"), 0, 0));
    }
    text
}

/// How much of its speed the machine keeps under load that lasts.
fn lasting(sustained: &Sustained) -> String {
    let seconds: Vec<f64> = sustained.points.iter().map(|point| point.seconds).collect();
    // A tenth of the time at both ends lasts longer than a disturbance.
    let share = seconds.len().div_ceil(10);
    let (first, last) = (median(&seconds[..share]), median(&seconds[seconds.len() - share..]));
    let after = sustained.points.last().map_or(0.0, |point| point.at_seconds);
    let kept = units::percent(first / last);
    format!("{} repeated: after {after:.0} s it runs at {kept} of its first speed", sustained.workload)
}
