//! Sets records side by side: the same workload, in the same version, on each machine.

use std::collections::BTreeMap;

use serde::Serialize;

use super::statistics::{Estimate, geometric_mean, ratio_of_medians};
use super::{Error, Record, Result, WorkloadId};

/// Records side by side.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// What the records' machines are called; where two are called the same, the file is added.
    pub machines: Vec<String>,
    /// A row for every workload that two records or more have, in the first record's order.
    pub rows: Vec<Row>,
    /// Over the workloads that all records have: how many times as fast as the first record each is, as geometric mean.
    pub overall: Vec<f64>,
    /// How many workloads all records have.
    pub common: usize,
}

/// A workload on every machine.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The workload.
    pub workload: WorkloadId,
    /// One for each machine; `None` where it did not run the workload.
    pub cells: Vec<Option<Cell>>,
}

/// A workload on one machine.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Cell {
    /// The median time.
    pub seconds: f64,
    /// The threads it ran on.
    pub threads: usize,
    /// The instruction set whose code ran.
    pub isa: String,
    /// How many times as fast as the first machine that ran this workload, with its 95 % interval.
    pub speed: Estimate,
    /// Whether it is the fastest, or cannot be told from the fastest.
    pub is_best: bool,
}

/// Compares records, each given with the name of its file.
///
/// # Errors
/// [`Error::Versions`] where a workload is there in two versions, naming all such; [`Error::NothingInCommon`].
pub fn compare(records: &[(String, Record)]) -> Result<Comparison> {
    check_versions(records)?;
    let mut order: Vec<&WorkloadId> = Vec::new();
    for workload in records.iter().flat_map(|(_, record)| &record.workloads) {
        if !order.contains(&&workload.id) {
            order.push(&workload.id);
        }
    }
    let rows: Vec<Row> = order.into_iter().filter_map(|id| row(id, records)).collect();
    if rows.is_empty() {
        return Err(Error::NothingInCommon {
            files: records.iter().map(|(file, _)| file.as_str()).collect::<Vec<_>>().join(", "),
        });
    }
    let common: Vec<Vec<&Cell>> =
        rows.iter().filter_map(|row| row.cells.iter().map(Option::as_ref).collect()).collect();
    let overall = (0..records.len()).map(|machine| {
        geometric_mean(&common.iter().map(|cells| cells[0].seconds / cells[machine].seconds).collect::<Vec<_>>())
    });
    Ok(Comparison {
        machines: machine_names(records),
        overall: if common.is_empty() { Vec::new() } else { overall.collect() },
        common: common.len(),
        rows,
    })
}

pub(crate) fn check_versions(records: &[(String, Record)]) -> Result<()> {
    let mut versions: BTreeMap<String, BTreeMap<u32, &str>> = BTreeMap::new();
    for (file, record) in records {
        for workload in &record.workloads {
            versions.entry(workload.id.name()).or_default().entry(workload.id.version).or_insert(file);
        }
    }
    let conflicts: Vec<String> = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            let places: Vec<String> =
                versions.into_iter().map(|(version, file)| format!("version {version} in {file}")).collect();
            format!("{name} is {}", places.join(" and "))
        })
        .collect();
    if conflicts.is_empty() { Ok(()) } else { Err(Error::Versions { conflicts: conflicts.join("; ") }) }
}

/// A row where two machines or more ran the workload.
fn row(id: &WorkloadId, records: &[(String, Record)]) -> Option<Row> {
    let found: Vec<_> =
        records.iter().map(|(_, record)| record.workloads.iter().find(|workload| workload.id == *id)).collect();
    if found.iter().flatten().count() < 2 {
        return None;
    }
    let first = found.iter().flatten().next()?;
    let best = found.iter().flatten().min_by(|a, b| a.median_seconds().total_cmp(&b.median_seconds()))?;
    let cells = found.iter().map(|workload| {
        let workload = (*workload)?;
        let against_best = ratio_of_medians(&best.seconds, &workload.seconds);
        Some(Cell {
            seconds: workload.median_seconds(),
            threads: workload.threads,
            isa: workload.isa.clone(),
            speed: ratio_of_medians(&first.seconds, &workload.seconds),
            is_best: std::ptr::eq(workload, *best) || against_best.high >= 1.0,
        })
    });
    Some(Row { workload: id.clone(), cells: cells.collect() })
}

pub(crate) fn machine_names(records: &[(String, Record)]) -> Vec<String> {
    let is_shared = |name: &str| records.iter().filter(|(_, record)| record.name == name).count() > 1;
    records
        .iter()
        .map(
            |(file, record)| {
                if is_shared(&record.name) { format!("{} ({file})", record.name) } else { record.name.clone() }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::*;

    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let base = score::baseline().unwrap();
        let scaled = |factor: &f64| {
            let mut record = base.clone();
            for seconds in record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds) {
                *seconds *= factor;
            }
            record
        };
        factors.iter().enumerate().map(|(index, factor)| (format!("{index}.json"), scaled(factor))).collect()
    }

    #[test]
    fn twice_as_fast_is_2_and_best() {
        let comparison = compare(&records(&[1.0, 0.5, 3.0])).unwrap();
        for row in &comparison.rows {
            let speeds: Vec<f64> = row.cells.iter().map(|cell| cell.as_ref().unwrap().speed.value).collect();
            assert!(
                (speeds[0] - 1.0).abs() < 1e-9
                    && (speeds[1] - 2.0).abs() < 1e-9
                    && (speeds[2] - 1.0 / 3.0).abs() < 1e-9
            );
            assert_eq!(
                row.cells.iter().map(|cell| cell.as_ref().unwrap().is_best).collect::<Vec<_>>(),
                [false, true, false]
            );
        }
        assert!((comparison.overall[1] - 2.0).abs() < 1e-9);
        assert_eq!(comparison.machines[1], format!("{} (1.json)", score::baseline().unwrap().name));
        // What cannot be told from the best is marked like it.
        let same = compare(&records(&[1.0, 1.0])).unwrap();
        assert!(same.rows.iter().all(|row| row.cells.iter().all(|cell| cell.as_ref().unwrap().is_best)));
    }

    #[test]
    fn versions_are_never_mixed() {
        let mut both = records(&[1.0, 1.0]);
        both[1].1.workloads[0].id.version = 2;
        let name = both[0].1.workloads[0].id.name();
        let error = compare(&both).unwrap_err().to_string();
        assert!(error.contains(&format!("{name} is version 1 in 0.json and version 2 in 1.json")), "{error}");
    }

    #[test]
    fn workloads_that_one_machine_did_not_run_are_blank_and_not_in_the_mean() {
        let mut three = records(&[1.0, 0.5, 0.5]);
        three[2].1.workloads.remove(0);
        let comparison = compare(&three).unwrap();
        assert!(comparison.rows[0].cells[2].is_none());
        assert_eq!(comparison.common, comparison.rows.len() - 1);
        three[1].1.workloads.truncate(1);
        let three: Vec<_> = three.drain(1..).collect();
        assert!(matches!(compare(&three), Err(Error::NothingInCommon { .. })));
    }
}
