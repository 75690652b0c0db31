//! Several records of one machine as one: its repeated benchmarks are one measurement, with one interval.

use super::record::{Record, Warning, Workload};
use super::score;

/// Merges the records of each machine, and says for each record which one it went into. A machine is known by its name
/// and facts; another build or another instruction set on it is compared like another machine. Records that all are of
/// one machine stay apart: who compares them wants to see how they differ.
pub(crate) fn by_machine(records: Vec<(String, Record)>) -> (Vec<(String, Record)>, Vec<usize>) {
    let mut groups: Vec<Vec<&(String, Record)>> = Vec::new();
    let mut places = Vec::with_capacity(records.len());
    for record in &records {
        let place = groups.iter().position(|group| is_same(&group[0].1, &record.1)).unwrap_or(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(record);
        places.push(place);
    }
    if groups.len() == 1 || groups.len() == records.len() {
        let places = (0..records.len()).collect();
        return (records, places);
    }
    let merged = |group: &Vec<&(String, Record)>| {
        let files: Vec<&str> = group.iter().map(|(file, _)| file.as_str()).collect();
        let records: Vec<&Record> = group.iter().map(|(_, record)| record).collect();
        (files.join(" + "), merge(&records))
    };
    (groups.iter().map(merged).collect(), places)
}

/// Whether two records measure the same: one build on one machine, with the same code on as many threads.
fn is_same(a: &Record, b: &Record) -> bool {
    let ran = |workload: &Workload| (workload.threads, workload.isa.clone(), workload.count);
    (&a.name, &a.program, a.machine.key()) == (&b.name, &b.program, b.machine.key())
        && a.workloads.iter().all(|mine| score::find(b, &mine.id).is_none_or(|other| ran(mine) == ran(other)))
}

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
    use super::*;

    /// Records of the anchor under these names, as many times as slow.
    fn records(machines: &[(&str, f64)]) -> Vec<(String, Record)> {
        let record = |(index, (name, factor)): (usize, &(&str, f64))| {
            let mut record = score::anchor().unwrap().clone();
            record.name = (*name).to_owned();
            record.workloads.truncate(3);
            record.workloads.iter_mut().flat_map(|workload| &mut workload.seconds).for_each(|time| *time *= factor);
            (format!("{index}.json"), record)
        };
        machines.iter().enumerate().map(record).collect()
    }

    #[test]
    fn records_of_one_machine_and_build_are_one_and_its_interval_holds_all_of_them() {
        let given = records(&[("a", 1.0), ("b", 2.0), ("a", 1.1), ("a", 1.05)]);
        let (machines, places) = by_machine(given.clone());
        assert_eq!(places, [0, 1, 0, 0]);
        let names: Vec<_> = machines.iter().map(|(file, record)| (file.as_str(), record.name.as_str())).collect();
        assert_eq!(names, [("0.json + 2.json + 3.json", "a"), ("1.json", "b")]);
        let alone = |at: usize| given[at].1.workloads[0].estimate();
        let workload = &machines[0].1.workloads[0];
        let merged = workload.estimate();
        // The middle of the three, and from below the least to above the greatest of them.
        assert_eq!(merged.value, alone(3).value);
        assert!(merged.low <= alone(0).value && merged.high >= alone(2).value, "{merged:?}");
        assert!(workload.median_seconds() == merged.value && workload.repetitions.len() == 3);
        assert_eq!(workload.seconds.len(), workload.repetitions.iter().sum::<usize>());
        assert_eq!(machines[1].1, given[1].1);
        // It is a record as any other.
        let (_, merged) = &machines[0];
        let text = super::super::export::json(merged);
        assert_eq!(super::super::read::parse(text.as_bytes(), "x").unwrap(), *merged);
    }

    #[test]
    fn other_builds_stay_apart_and_so_do_the_records_of_one_machine_alone() {
        let mut given = records(&[("a", 1.0), ("a", 1.1), ("a", 1.2), ("b", 1.0)]);
        given[1].1.program.commit = "another".to_owned();
        given[2].1.workloads[0].threads += 1;
        assert_eq!(by_machine(given.clone()), (given, vec![0, 1, 2, 3]));
        let given = records(&[("a", 1.0), ("a", 1.1)]);
        assert_eq!(by_machine(given.clone()), (given, vec![0, 1]));
    }
}
