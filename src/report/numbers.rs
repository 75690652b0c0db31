//! Every number: a row for each workload on each machine.

use super::Report;
use super::ranking::shown;
use super::table::{Cell, Row, Table};
use crate::measure::compare::Cell as Measured;
use crate::measure::statistics::Estimate;
use crate::measure::{score, units};

pub(super) fn table(report: &Report<'_>) -> Table {
    let mut rows = Vec::new();
    for row in &report.comparison.rows {
        for machine in &report.machines {
            let Some(cell) = &row.cells[machine.at] else { continue };
            let Some(workload) = score::find(machine.record, &row.workload) else { continue };
            let Measured { seconds, interval: [low, high], samples, threads, isa, speed, is_doubtful, .. } = cell;
            let least = workload.seconds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = workload.seconds.iter().copied().fold(0.0, f64::max);
            let estimate = Estimate { value: *seconds, low: *low, high: *high };
            let ratio = if speed.low == speed.high {
                shown(speed.value)
            } else {
                format!("{} ({} to {})", shown(speed.value), shown(speed.low), shown(speed.high))
            };
            let mark = if *is_doubtful { "~ " } else { "" };
            let cells = vec![
                Cell::from(row.workload.to_string()),
                machine.name.clone().into(),
                (*threads).into(),
                isa.clone().into(),
                Cell(units::seconds(*seconds), Some(*seconds)),
                Cell(format!("{mark}{}", units::spread(&estimate, *samples)), Some(estimate.relative_width())),
                Cell(format!("{samples} × {}", workload.runs_per_sample), Some(*samples as f64)),
                Cell(units::seconds(least), Some(least)),
                Cell(units::seconds(most), Some(most)),
                Cell(ratio, Some(speed.value)),
            ];
            rows.push(Row { machine: Some(machine.at), cells });
        }
    }
    let head =
        ["workload", "machine", "threads", "code", "median", "±", "samples × runs", "least", "most", "times as fast"];
    Table {
        caption: format!(
            "Every number. {}; times as fast as {}, with the 95 % interval; ~: not to be trusted",
            units::SPREAD_DEFINED,
            report.comparison.reference()
        ),
        head: head.map(str::to_owned).to_vec(),
        words: 2,
        rows,
    }
}
