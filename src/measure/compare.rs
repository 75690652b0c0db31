//! Sets records side by side: the same workload, in the same version, on each machine; and ranks the machines.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::doubt::{self, Doubt};
use super::record::Workload;
use super::score::{self, Code, KINDS, find, mean, quotient, weight};
use super::statistics::Estimate;
use super::workload::Threads;
use super::{Error, Record, Result, WorkloadId};

/// Records side by side.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// What the records' machines are called; where two are called the same, the file is added.
    pub machines: Vec<String>,
    /// The machine that speeds are relative to; `None` where it is the fastest, for each workload and ranking its own.
    pub against: Option<usize>,
    /// What the speeds of workloads are relative to where there is one record alone: the anchor, by its name.
    pub anchor: Option<&'static str>,
    /// The machines in order of their speed, for each code and number of threads that they have workloads of.
    pub rankings: Vec<Ranking>,
    /// A row for every workload that enough of the records have, in the first record's order.
    pub rows: Vec<Row>,
    /// How many workloads all records have.
    pub common: usize,
    /// What was left out because the records have it in different versions, in a sentence.
    pub left_out: Option<String>,
    /// What spoils the comparison, machine by machine.
    pub doubts: Vec<Vec<Doubt>>,
}

/// Machines in order of their speed.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Ranking {
    /// The code.
    pub code: Code,
    /// The threads: 1 or all.
    #[serde(serialize_with = "as_text")]
    pub threads: Threads,
    /// The anchor, by its name, where speeds are relative to that: then they are scores, of which 1 is
    /// [`score::POINTS`] points. Else they are relative to the machine that was asked for, or to the fastest.
    pub anchor: Option<&'static str>,
    /// What the speeds are means over, all of which every ranked machine has: those that more than half of the records have.
    pub workloads: Vec<WorkloadId>,
    /// The machines that have all of these, the fastest first.
    pub places: Vec<Place>,
}

/// A machine in a ranking.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// Which machine.
    pub machine: usize,
    /// Its rank, from 1. Machines whose intervals overlap share one.
    pub rank: usize,
    /// How many times as fast as the reference, with its 95 % interval.
    pub speed: Estimate,
    /// Whether there is a grave doubt about the machine's times, or most of these workloads scatter.
    pub is_doubtful: bool,
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
    /// The median's 95 % interval, in seconds.
    pub interval: [f64; 2],
    /// How many samples it is of.
    pub samples: usize,
    /// The threads it ran on.
    pub threads: usize,
    /// The instruction set whose code ran.
    pub isa: String,
    /// How many times as fast as the reference, or where that did not run the workload as the fastest, with its 95 %
    /// interval.
    pub speed: Estimate,
    /// Whether it is the fastest, or cannot be told from the fastest.
    pub is_best: bool,
    /// Whether the interval is too wide, or there is a grave doubt about the machine's times.
    pub is_doubtful: bool,
}

fn as_text<S: Serializer>(threads: &Threads, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(threads)
}

impl Ranking {
    /// What is ranked, in words.
    #[must_use]
    pub fn title(&self) -> String {
        let threads = if self.threads == Threads::All { "all threads" } else { "one thread" };
        format!("{threads}, {}", self.code.name())
    }
}

/// Compares records, each given with the name of its file, against one of them or against the fastest.
///
/// # Errors
/// [`Error::NothingInCommon`] where no workload is in two of them.
pub fn compare(records: &[(String, Record)], against: Option<usize>) -> Result<Comparison> {
    let comparison = Comparison::of(records, against, 2);
    if comparison.rows.is_empty() {
        return Err(Error::NothingInCommon {
            files: records.iter().map(|(file, _)| file.as_str()).collect::<Vec<_>>().join(", "),
        });
    }
    Ok(comparison)
}

impl Comparison {
    /// Compares records on the workloads that at least so many of them have.
    pub(crate) fn of(records: &[(String, Record)], against: Option<usize>, fewest: usize) -> Self {
        let (ids, left_out) = comparable(records);
        let doubts = doubt::of_records(records);
        let is_grave: Vec<bool> = doubts.iter().map(|doubts| doubts.iter().any(|doubt| doubt.is_grave)).collect();
        let found: Vec<Vec<Option<Found<'_>>>> =
            ids.iter().map(|id| records.iter().map(|(_, record)| find(record, id).map(Found::new)).collect()).collect();
        let anchored: Vec<Option<Found<'_>>> =
            ids.iter().map(|id| score::anchor().and_then(|anchor| find(anchor, id)).map(Found::new)).collect();
        let has_score: Vec<bool> = records.iter().map(|(_, record)| score::may_have_one(record)).collect();
        let rankings = KINDS.into_iter().filter_map(|(code, threads)| {
            let mine = |id: &WorkloadId| id.threads == threads && Code::of(&id.solver) == Some(code);
            let chosen: Vec<usize> = (0..ids.len())
                .filter(|&index| mine(ids[index]) && 2 * found[index].iter().flatten().count() > records.len())
                .collect();
            let (anchor, places) = rank(&chosen, &ids, &found, (against, &anchored), (&is_grave, &has_score));
            let workloads = chosen.iter().map(|&index| ids[index].clone()).collect();
            (!places.is_empty()).then_some(Ranking { code, threads, anchor, workloads, places })
        });
        let rankings = rankings.collect();
        let rows = ids.iter().zip(&found).zip(&anchored);
        let rows: Vec<Row> = rows
            .filter(|((_, found), _)| found.iter().flatten().count() >= fewest)
            .map(|((id, found), anchor)| {
                let anchor = anchor.as_ref().filter(|_| records.len() == 1);
                let reference = against.and_then(|against| found[against].as_ref()).or(anchor);
                Row { workload: (*id).clone(), cells: cells(found, reference, &is_grave) }
            })
            .collect();
        let common = rows.iter().filter(|row| row.cells.iter().all(Option::is_some)).count();
        // One machine alone is the fastest, which tells nobody anything.
        let anchor = score::anchor().filter(|_| records.len() == 1).map(|anchor| anchor.name.as_str());
        Self { machines: machine_names(records), against, anchor, rankings, rows, common, left_out, doubts }
    }

    /// The machines in the order in which they are shown: by the first ranking, then those that it leaves out.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let ranked = self.rankings.iter().flat_map(|ranking| &ranking.places).map(|place| place.machine);
        let mut order = Vec::with_capacity(self.machines.len());
        for machine in ranked.chain(0..self.machines.len()) {
            if !order.contains(&machine) {
                order.push(machine);
            }
        }
        order
    }

    /// What the speeds of workloads are relative to, in words.
    #[must_use]
    pub fn reference(&self) -> &str {
        self.against.map(|machine| self.machines[machine].as_str()).or(self.anchor).unwrap_or("the fastest")
    }
}

/// A workload in a record, with its interval.
struct Found<'a> {
    workload: &'a Workload,
    estimate: Estimate,
}

impl<'a> Found<'a> {
    fn new(workload: &'a Workload) -> Self {
        Self { workload, estimate: workload.estimate() }
    }

    fn is_wide(&self) -> bool {
        self.estimate.relative_width() / 2.0 > doubt::WIDE
    }
}

/// The workloads of all records, each once, in the order in which they are met. Where a workload is there in several
/// versions, the one that most records have, or of equally many the newest, is kept, and the second value tells of the rest.
fn comparable(records: &[(String, Record)]) -> (Vec<&WorkloadId>, Option<String>) {
    let mut ids: Vec<&WorkloadId> = Vec::new();
    let mut versions: BTreeMap<String, BTreeMap<u32, usize>> = BTreeMap::new();
    for workload in records.iter().flat_map(|(_, record)| &record.workloads) {
        *versions.entry(workload.id.name()).or_default().entry(workload.id.version).or_default() += 1;
        if !ids.contains(&&workload.id) {
            ids.push(&workload.id);
        }
    }
    let is_kept = |id: &WorkloadId| {
        let best = versions[&id.name()].iter().max_by_key(|(version, count)| (**count, **version));
        best.is_some_and(|(version, _)| *version == id.version)
    };
    let mut dropped: BTreeMap<(&str, u32), (usize, Vec<&str>)> = BTreeMap::new();
    for (file, record) in records {
        for id in record.workloads.iter().map(|workload| &workload.id).filter(|id| !is_kept(id)) {
            let (count, files) = dropped.entry((&id.solver, id.version)).or_default();
            *count += 1;
            if !files.contains(&file.as_str()) {
                files.push(file);
            }
        }
    }
    let parts: Vec<String> = dropped
        .into_iter()
        .map(|((solver, version), (count, files))| {
            let times = if count == 1 { "once" } else { &format!("{count} times") };
            format!("{solver}@{version} ({times}, in {})", files.join(", "))
        })
        .collect();
    ids.retain(|id| is_kept(id));
    let left_out = format!("left out, because most records have another version of it: {}", parts.join("; "));
    (ids, (!parts.is_empty()).then_some(left_out))
}

fn rank(
    chosen: &[usize],
    ids: &[&WorkloadId],
    found: &[Vec<Option<Found<'_>>>],
    (against, anchored): (Option<usize>, &[Option<Found<'_>>]),
    (is_grave, has_score): (&[bool], &[bool]),
) -> (Option<&'static str>, Vec<Place>) {
    if chosen.is_empty() {
        return (None, Vec::new());
    }
    let times = |machine: usize| -> Option<Vec<&Found<'_>>> {
        chosen.iter().map(|&index| found[index][machine].as_ref()).collect()
    };
    let anchor: Option<Vec<&Found<'_>>> = chosen.iter().map(|&index| anchored[index].as_ref()).collect();
    let anchor = anchor.filter(|_| against.is_none());
    let ranked: Vec<(usize, Vec<&Found<'_>>)> = (0..is_grave.len())
        .filter(|&machine| anchor.is_none() || has_score[machine])
        .filter_map(|machine| Some((machine, times(machine)?)))
        .collect();
    let weights: Vec<f64> = chosen.iter().map(|&index| weight(ids[index])).collect();
    let index = |times: &[&Found<'_>]| {
        let parts: Vec<_> = times.iter().zip(&weights).map(|(time, weight)| (time.estimate, *weight)).collect();
        mean(&parts).map_or(f64::NAN, |time| time.value)
    };
    let asked = || ranked.iter().find(|(machine, _)| Some(*machine) == against);
    // Without the machine that was asked for, speeds are relative to the fastest.
    let fastest = || ranked.iter().min_by(|(_, a), (_, b)| index(a).total_cmp(&index(b)));
    let name = score::anchor().filter(|_| anchor.is_some()).map(|anchor| anchor.name.as_str());
    let (base, reference) = match (anchor, asked().or_else(fastest)) {
        (Some(anchor), _) => (None, anchor),
        (None, Some((machine, times))) => (Some(*machine), times.clone()),
        (None, None) => return (None, Vec::new()),
    };
    let mut places: Vec<Place> = ranked
        .iter()
        .filter_map(|(machine, times)| {
            let parts = reference.iter().zip(times).zip(&weights);
            let parts: Vec<_> =
                parts.map(|((base, time), weight)| (quotient(base.estimate, time.estimate), *weight)).collect();
            let same = Estimate { value: 1.0, low: 1.0, high: 1.0 };
            let speed = if Some(*machine) == base { same } else { mean(&parts)? };
            let wide = times.iter().filter(|time| time.is_wide()).count();
            Some(Place { machine: *machine, rank: 0, speed, is_doubtful: is_grave[*machine] || 2 * wide > times.len() })
        })
        .collect();
    places.sort_by(|a, b| b.speed.value.total_cmp(&a.speed.value));
    share_ranks(&mut places);
    (name, places)
}

/// Gives ranks to places in order of their speed. Where the interval of any machine up to here overlaps with that of any
/// machine from here on, both share a rank, and so do those between them.
fn share_ranks(places: &mut [Place]) {
    let mut rank = 1;
    for at in 0..places.len() {
        let (faster, slower) = places.split_at(at);
        let least = faster.iter().map(|place| place.speed.low).fold(f64::INFINITY, f64::min);
        if slower.iter().all(|place| place.speed.high < least) {
            rank = at + 1;
        }
        places[at].rank = rank;
    }
}

fn cells(found: &[Option<Found<'_>>], reference: Option<&Found<'_>>, is_grave: &[bool]) -> Vec<Option<Cell>> {
    let fastest = found.iter().flatten().min_by(|a, b| a.estimate.value.total_cmp(&b.estimate.value));
    let reference = reference.or(fastest);
    let cell = |found: &Found<'_>, is_grave: bool| {
        let Found { workload, estimate } = found;
        let (fastest, reference) = (fastest?, reference?);
        let ratio = |base: &Found<'_>| match std::ptr::eq(base.workload, *workload) {
            true => Estimate { value: 1.0, low: 1.0, high: 1.0 },
            false => quotient(base.estimate, *estimate),
        };
        Some(Cell {
            seconds: estimate.value,
            interval: [estimate.low, estimate.high],
            samples: workload.seconds.len(),
            threads: workload.threads,
            isa: workload.isa.clone(),
            speed: ratio(reference),
            is_best: ratio(fastest).high >= 1.0,
            is_doubtful: is_grave || found.is_wide(),
        })
    };
    found.iter().zip(is_grave).map(|(found, &is_grave)| cell(found.as_ref()?, is_grave)).collect()
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

/// The record that is meant by its file or by its machine's name.
///
/// # Errors
/// [`Error::Against`] where there is none, or more than one.
pub fn find_machine(records: &[(String, Record)], given: &str) -> Result<usize> {
    let by = |is_it: &dyn Fn(&(String, Record)) -> bool| -> Vec<usize> {
        records.iter().enumerate().filter(|(_, record)| is_it(record)).map(|(index, _)| index).collect()
    };
    for found in [by(&|(file, _)| file == given), by(&|(_, record)| record.name == given)] {
        match found[..] {
            [one] => return Ok(one),
            [] => {}
            _ => return Err(Error::Against { given: given.to_owned(), found: found.len() }),
        }
    }
    Err(Error::Against { given: given.to_owned(), found: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(factors: &[f64]) -> Vec<(String, Record)> {
        let base = score::anchor().unwrap();
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
    fn the_fastest_is_first_and_speeds_are_relative_to_it_or_to_whom_one_asks_for() {
        let records = records(&[1.0, 0.5, 4.0]);
        for (against, expected, scores) in [
            (None, [1.0, 0.5, 0.125], [2.0, 1.0, 0.25]),
            (Some(0), [2.0, 1.0, 0.25], [2.0, 1.0, 0.25]),
            (Some(2), [8.0, 4.0, 1.0], [8.0, 4.0, 1.0]),
        ] {
            let comparison = compare(&records, against).unwrap();
            assert_eq!((comparison.order(), comparison.rankings.len()), (vec![1, 0, 2], 4));
            for ranking in &comparison.rankings {
                // Machines are ranked by their scores, unless somebody asks how they are against one of them.
                assert_eq!(ranking.anchor.is_some(), against.is_none());
                for (place, (expected, rank)) in ranking.places.iter().zip(scores.into_iter().zip(1..)) {
                    let Estimate { value, low, high } = place.speed;
                    assert!((value - expected).abs() < 1e-9 && low <= value && value <= high, "{}", ranking.title());
                    assert_eq!(place.rank, rank);
                }
            }
            for row in &comparison.rows {
                let cells: Vec<&Cell> = row.cells.iter().flatten().collect();
                assert_eq!(cells.iter().map(|cell| cell.is_best).collect::<Vec<_>>(), [false, true, false]);
                assert!((cells[1].speed.value - expected[0]).abs() < 1e-9);
            }
        }
        let comparison = compare(&records, None).unwrap();
        assert_eq!(comparison.machines[1], format!("{} (1.json)", score::anchor().unwrap().name));
        // What cannot be told from the best is marked like it.
        let same = compare(&super::tests::records(&[1.0, 1.0]), None).unwrap();
        assert!(same.rows.iter().all(|row| row.cells.iter().all(|cell| cell.as_ref().unwrap().is_best)));
    }

    #[test]
    fn machines_whose_intervals_overlap_share_a_rank() {
        let places = |intervals: &[[f64; 3]]| {
            let place = |&[low, value, high]: &[f64; 3]| Place {
                machine: 0,
                rank: 0,
                speed: Estimate { value, low, high },
                is_doubtful: false,
            };
            let mut places: Vec<Place> = intervals.iter().map(place).collect();
            share_ranks(&mut places);
            places.iter().map(|place| place.rank).collect::<Vec<_>>()
        };
        assert_eq!(places(&[[9.0, 10.0, 11.0], [7.0, 8.0, 8.9], [1.0, 2.0, 3.0]]), [1, 2, 3]);
        assert_eq!(places(&[[9.0, 10.0, 11.0], [8.0, 9.5, 10.0], [7.0, 8.0, 8.5], [1.0, 2.0, 3.0]]), [1, 1, 1, 4]);
        // The third is so wide that it cannot be told from the first, nor the second from it.
        assert_eq!(places(&[[9.0, 10.0, 11.0], [7.0, 8.0, 8.5], [1.0, 7.0, 20.0]]), [1, 1, 1]);
        // Two runs of one machine differ by less than they know.
        let same = compare(&records(&[1.0, 1.000_01, 2.0]), None).unwrap();
        assert_eq!(same.rankings[0].places.iter().map(|place| place.rank).collect::<Vec<_>>(), [1, 1, 3]);
    }

    #[test]
    fn a_machine_that_was_busy_has_no_score() {
        let mut three = records(&[1.0, 0.5, 4.0]);
        let warning = super::super::record::Warning { kind: "busy".to_owned(), message: "0.6 CPUs".to_owned() };
        three[1].1.warnings.push(warning);
        let ranked = |against| {
            let comparison = compare(&three, against).unwrap();
            comparison.rankings[0].places.iter().map(|place| place.machine).collect::<Vec<_>>()
        };
        assert_eq!(ranked(None), [0, 2]);
        // Against another machine it is compared all the same, and marked.
        assert_eq!(ranked(Some(0)), [1, 0, 2]);
        assert_eq!(score::scores(&three[1].1, score::anchor().unwrap()).one_thread, None);
    }

    #[test]
    fn versions_are_never_mixed_and_the_rest_is_compared() {
        let mut three = records(&[1.0, 1.0, 1.0]);
        let name = three[0].1.workloads[0].id.name();
        three[1].1.workloads[0].id.version = 2;
        let comparison = compare(&three, None).unwrap();
        assert_eq!(
            comparison.left_out.unwrap(),
            "left out, because most records have another version of it: arrays@2 (once, in 1.json)"
        );
        assert_eq!(comparison.rows.iter().filter(|row| row.workload.name() == name).count(), 1);
        assert!(comparison.rows[0].cells[1].is_none() && comparison.rows[0].cells[0].is_some());
        // The machine without it is not ranked among the others, whose mean holds it.
        assert_eq!(comparison.rankings[0].places.len(), 2);
        assert_eq!(comparison.rankings[1].places.len(), 3);
    }

    #[test]
    fn workloads_that_one_machine_did_not_run_are_blank() {
        let mut three = records(&[1.0, 0.5, 0.5]);
        three[2].1.workloads.remove(0);
        let comparison = compare(&three, None).unwrap();
        assert!(comparison.rows[0].cells[2].is_none());
        assert_eq!(comparison.common, comparison.rows.len() - 1);
        three[1].1.workloads.truncate(1);
        let two: Vec<_> = three.drain(1..).collect();
        assert!(matches!(compare(&two, None), Err(Error::NothingInCommon { .. })));
    }

    #[test]
    fn a_machine_is_found_by_its_file_or_its_name() {
        let mut two = records(&[1.0, 1.0]);
        two[1].1.name = "fast".to_owned();
        assert_eq!(find_machine(&two, "0.json").unwrap(), 0);
        assert_eq!(find_machine(&two, "fast").unwrap(), 1);
        assert!(find_machine(&two, "slow").unwrap_err().to_string().contains("'slow'"));
        two[0].1.name = "fast".to_owned();
        assert!(find_machine(&two, "fast").is_err());
    }
}
