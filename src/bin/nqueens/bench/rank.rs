//! The machines in order of their speed, and each workload's speeds.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::doubt::{self, Doubt};
use super::record::Workload;
use super::score::{self, find, mean, quotient, weight};
use super::statistics::Estimate;
use super::workload::Threads;
use super::{Record, WorkloadId};

/// Machines in order of their speed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Ranking {
    /// The threads: 1 or all.
    #[serde(serialize_with = "as_text")]
    pub(crate) threads: Threads,
    /// The anchor, by its name, where speeds are relative to that: then they are scores, of which 1 is
    /// [`score::POINTS`] points. Else they are relative to the machine that was asked for, or to the fastest.
    pub(crate) anchor: Option<&'static str>,
    /// What the speeds are means over, all of which every ranked machine has: those that more than half of the records have.
    pub(crate) workloads: Vec<WorkloadId>,
    /// The machines that have all of these, the fastest first.
    pub(crate) places: Vec<Place>,
}

/// A machine in a ranking.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Place {
    pub(crate) machine: usize,
    /// Its rank, from 1. Machines whose intervals overlap share one.
    pub(crate) rank: usize,
    /// How many times as fast as the reference, with its 95 % interval.
    pub(crate) speed: Estimate,
    /// Whether there is a grave doubt about the machine's times, or most of these workloads scatter.
    pub(crate) is_doubtful: bool,
}

/// A workload on every machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankRow {
    pub(crate) workload: WorkloadId,
    /// One for each machine; `None` where it did not run the workload.
    pub(crate) cells: Vec<Option<RankCell>>,
}

/// A workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankCell {
    pub(crate) seconds: f64,
    /// The median's 95 % interval, in seconds.
    pub(crate) interval: [f64; 2],
    pub(crate) samples: usize,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    /// How many times as fast as the reference, or where that did not run the workload as the fastest, with its 95 %
    /// interval.
    pub(crate) speed: Estimate,
    /// Whether it is the fastest, or cannot be told from the fastest.
    pub(crate) is_best: bool,
    /// Whether the interval is too wide, or there is a grave doubt about the machine's times.
    pub(crate) is_doubtful: bool,
}

fn as_text<S: Serializer>(threads: &Threads, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(threads)
}

impl RankCell {
    fn estimate(&self) -> Estimate {
        Estimate { value: self.seconds, low: self.interval[0], high: self.interval[1] }
    }
}

/// A row for each workload that at least `fewest` of the records have, and what was left out, in a sentence.
pub(crate) fn rows(
    records: &[(String, Record)],
    against: Option<usize>,
    fewest: usize,
    doubts: &[Vec<Doubt>],
) -> (Vec<RankRow>, Option<String>) {
    let (ids, left_out) = comparable(records);
    let is_grave: Vec<bool> = doubts.iter().map(|doubts| doubts.iter().any(|doubt| doubt.is_grave)).collect();
    let row = |id: &WorkloadId| {
        let found: Vec<_> = records.iter().map(|(_, record)| find(record, id)).collect();
        let cells = (found.iter().flatten().count() >= fewest).then(|| cells(&found, against, &is_grave))?;
        Some(RankRow { workload: id.clone(), cells })
    };
    (ids.into_iter().filter_map(row).collect(), left_out)
}

/// One workload on all machines, `None` for those that did not run it.
fn cells(found: &[Option<&Workload>], against: Option<usize>, is_grave: &[bool]) -> Vec<Option<RankCell>> {
    let times: Vec<Option<Estimate>> = found.iter().map(|found| Some((*found)?.estimate())).collect();
    let fastest = times.iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value)).copied();
    let anchor = found.iter().flatten().next().and_then(|workload| anchor_time(&workload.id));
    let asked = against.and_then(|against| times[against]);
    let reference = asked.or(anchor.filter(|_| found.len() == 1)).or(fastest);
    let speed = |time: Estimate, base: Estimate| if time == base { Estimate::exact(1.0) } else { quotient(base, time) };
    let cell = |machine: usize| {
        let (workload, time) = (found[machine]?, times[machine]?);
        Some(RankCell {
            seconds: time.value,
            interval: [time.low, time.high],
            samples: workload.seconds.len(),
            threads: workload.threads,
            isa: workload.isa.clone(),
            speed: speed(time, reference?),
            is_best: speed(time, fastest?).high >= 1.0,
            is_doubtful: is_grave[machine] || doubt::is_wide(workload),
        })
    };
    (0..found.len()).map(cell).collect()
}

fn anchor_time(id: &WorkloadId) -> Option<Estimate> {
    Some(find(score::anchor()?, id)?.estimate())
}

/// The ranking by the frozen solvers on `threads`, where more than half of the records have any of them; `has_score` says
/// which machines may have a score.
pub(crate) fn ranking(
    rows: &[RankRow],
    threads: Threads,
    against: Option<usize>,
    has_score: &[bool],
) -> Option<Ranking> {
    let is_common = |row: &&RankRow| 2 * row.cells.iter().flatten().count() > row.cells.len();
    let rows: Vec<&RankRow> =
        rows.iter().filter(|row| score::counts(&row.workload, threads)).filter(is_common).collect();
    let weights: Vec<f64> = rows.iter().map(|row| weight(&row.workload)).collect();
    let anchored: Option<Vec<Estimate>> = rows.iter().map(|row| anchor_time(&row.workload)).collect();
    let anchored = anchored.filter(|_| against.is_none());
    let is_anchored = anchored.is_some();
    let times = |machine: usize| rows.iter().map(|row| row.cells[machine].as_ref()).collect::<Option<Vec<&RankCell>>>();
    let ranked: Vec<(usize, Vec<&RankCell>)> = (0..has_score.len())
        .filter(|&machine| !is_anchored || has_score[machine])
        .filter_map(|machine| Some((machine, times(machine)?)))
        .collect();
    // Without the anchor speeds are relative to the machine that was asked for, or to the fastest.
    let time = |cells: &[&RankCell]| {
        let parts: Vec<_> = cells.iter().zip(&weights).map(|(cell, weight)| (cell.estimate(), *weight)).collect();
        mean(&parts).map_or(f64::NAN, |time| time.value)
    };
    let asked = ranked.iter().find(|(machine, _)| Some(*machine) == against);
    let base = asked.or_else(|| ranked.iter().min_by(|(_, a), (_, b)| time(a).total_cmp(&time(b))));
    let base = base.filter(|_| !is_anchored).map(|(machine, _)| *machine);
    let reference =
        anchored.or_else(|| Some(times(base?)?.into_iter().map(RankCell::estimate).collect::<Vec<Estimate>>()))?;
    let place = |(machine, cells): &(usize, Vec<&RankCell>)| {
        let speed = |(cell, time): (&&RankCell, &Estimate)| match base == Some(*machine) {
            true => Estimate::exact(1.0),
            false => quotient(*time, cell.estimate()),
        };
        let parts: Vec<_> = cells.iter().zip(&reference).map(speed).zip(weights.iter().copied()).collect();
        let doubtful = cells.iter().filter(|cell| cell.is_doubtful).count();
        Some(Place { machine: *machine, rank: 0, speed: mean(&parts)?, is_doubtful: 2 * doubtful > cells.len() })
    };
    let mut places: Vec<Place> = ranked.iter().filter_map(place).collect();
    places.sort_by(|a, b| b.speed.value.total_cmp(&a.speed.value));
    share_ranks(&mut places);
    (!places.is_empty()).then(|| Ranking {
        threads,
        anchor: score::anchor().filter(|_| is_anchored).map(|anchor| anchor.name.as_str()),
        workloads: rows.iter().map(|row| row.workload.clone()).collect(),
        places,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
