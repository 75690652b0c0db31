//! The records of a benchmark's repetitions as one: they are one measurement, with one interval.

use super::record::{Record, Warning};

/// One record of several, of which there is at least one: each workload has the samples of all, kept apart by repetition.
pub(crate) fn merge(records: &[&Record]) -> Record {
    let mut merged = records[0].clone();
    if records.len() == 1 {
        return merged;
    }
    for record in &records[1..] {
        merged.created = merged.created.min(record.created.clone());
        merged.elapsed_seconds += record.elapsed_seconds;
        for warning in &record.warnings {
            if !merged.warnings.iter().any(|Warning { kind, .. }| *kind == warning.kind) {
                merged.warnings.push(warning.clone());
            }
        }
        for workload in &record.workloads {
            match merged.workloads.iter_mut().find(|mine| mine.id == workload.id) {
                Some(mine) => mine.add(workload),
                None => merged.workloads.push(workload.clone()),
            }
        }
        merged.sustained = merged.sustained.or_else(|| record.sustained.clone());
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::super::{export, read, score};
    use super::*;

    #[test]
    fn repetitions_are_one_record_whose_interval_holds_all_of_them() {
        let given = [1.0, 1.1, 1.05].map(|factor| {
            let mut record = score::anchor().unwrap().clone();
            record.workloads.truncate(3);
            record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds).for_each(|time| *time *= factor);
            record
        });
        let merged = merge(&given.each_ref());
        let alone = |at: usize| given[at].workloads[0].estimate();
        let workload = &merged.workloads[0];
        let estimate = workload.estimate();
        // The middle of the three, and from below the least to above the greatest of them.
        assert_eq!(estimate.value, alone(2).value);
        assert!(estimate.low <= alone(0).value && estimate.high >= alone(1).value, "{estimate:?}");
        assert!(workload.median_seconds() == estimate.value && workload.repetitions.len() == 3);
        assert_eq!(workload.seconds.len(), workload.repetitions.iter().sum::<usize>());
        // It is a record as any other.
        assert_eq!(read::parse(export::json(&merged).as_bytes(), "x").unwrap(), merged);
    }
}
