//! The machines in order of their speed, and each workload's speeds.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::doubt;
use super::doubt::Doubt;
use super::record::Workload;
use super::score;
use super::score::{find, mean, quotient, weight};
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
    /// Which machine.
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
    /// The workload.
    pub(crate) workload: WorkloadId,
    /// One for each machine; `None` where it did not run the workload.
    pub(crate) cells: Vec<Option<RankCell>>,
}

/// A workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankCell {
    /// The median time.
    pub(crate) seconds: f64,
    /// The median's 95 % interval, in seconds.
    pub(crate) interval: [f64; 2],
    /// How many samples it is of.
    pub(crate) samples: usize,
    /// The threads it ran on.
    pub(crate) threads: usize,
    /// The instruction set whose code ran.
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

/// A workload in a record, with its interval.
struct RankedWorkload<'a> {
    workload: &'a Workload,
    estimate: Estimate,
}

impl<'a> RankedWorkload<'a> {
    fn in_record(record: &'a Record, id: &WorkloadId) -> Option<Self> {
        find(record, id).map(|workload| Self { workload, estimate: workload.estimate() })
    }

    fn is_wide(&self) -> bool {
        self.estimate.relative_width() / 2.0 > doubt::WIDE
    }

    /// How many times as fast this is as a base.
    fn speed(&self, base: &Self) -> Estimate {
        match std::ptr::eq(base.workload, self.workload) {
            true => Estimate::exact(1.0),
            false => quotient(base.estimate, self.estimate),
        }
    }
}

/// All workloads of all records, looked up once.
pub(crate) struct Grid<'a> {
    against: Option<usize>,
    lines: Vec<RankLine<'a>>,
    /// Of each machine: whether its times are gravely doubtful, and whether it may have a score.
    is_grave: Vec<bool>,
    has_score: Vec<bool>,
}

/// A workload in all records, and in the anchor.
struct RankLine<'a> {
    id: &'a WorkloadId,
    found: Vec<Option<RankedWorkload<'a>>>,
    anchor: Option<RankedWorkload<'a>>,
}

impl<'a> Grid<'a> {
    /// The grid, and what was left out of it, in a sentence.
    pub(crate) fn new(
        records: &'a [(String, Record)],
        against: Option<usize>,
        doubts: &[Vec<Doubt>],
    ) -> (Self, Option<String>) {
        let (ids, left_out) = comparable(records);
        let line = |id| RankLine {
            id,
            found: records.iter().map(|(_, record)| RankedWorkload::in_record(record, id)).collect(),
            anchor: score::anchor().and_then(|anchor| RankedWorkload::in_record(anchor, id)),
        };
        let grid = Self {
            against,
            lines: ids.into_iter().map(line).collect(),
            is_grave: doubts.iter().map(|doubts| doubts.iter().any(|doubt| doubt.is_grave)).collect(),
            has_score: records.iter().map(|(_, record)| score::may_have_one(record)).collect(),
        };
        (grid, left_out)
    }

    /// The ranking by the frozen solvers on so many threads, where more than half of the records have any of them.
    pub(crate) fn ranking(&self, threads: Threads) -> Option<Ranking> {
        let is_common = |line: &&RankLine<'_>| 2 * line.found.iter().flatten().count() > line.found.len();
        let lines = self.lines.iter().filter(|line| score::counts(line.id, threads));
        let lines: Vec<&RankLine<'_>> = lines.filter(is_common).collect();
        let anchored: Option<Vec<&RankedWorkload<'_>>> = lines.iter().map(|line| line.anchor.as_ref()).collect();
        let anchored = anchored.filter(|_| self.against.is_none());
        let ranked: Vec<(usize, Vec<&RankedWorkload<'_>>)> = (0..self.is_grave.len())
            .filter(|&machine| anchored.is_none() || self.has_score[machine])
            .filter_map(|machine| {
                Some((machine, lines.iter().map(|line| line.found[machine].as_ref()).collect::<Option<_>>()?))
            })
            .collect();
        let weights: Vec<f64> = lines.iter().map(|line| weight(line.id)).collect();
        let is_anchored = anchored.is_some();
        let reference = anchored.or_else(|| reference(&ranked, self.against, &weights))?;
        let place = |(machine, times): &(usize, Vec<&RankedWorkload<'_>>)| {
            let parts = times.iter().zip(&reference).zip(&weights);
            let parts: Vec<_> = parts.map(|((time, base), weight)| (time.speed(base), *weight)).collect();
            let wide = times.iter().filter(|time| time.is_wide()).count();
            let is_doubtful = self.is_grave[*machine] || 2 * wide > times.len();
            Some(Place { machine: *machine, rank: 0, speed: mean(&parts)?, is_doubtful })
        };
        let mut places: Vec<Place> = ranked.iter().filter_map(place).collect();
        places.sort_by(|a, b| b.speed.value.total_cmp(&a.speed.value));
        share_ranks(&mut places);
        (!places.is_empty()).then(|| Ranking {
            threads,
            anchor: score::anchor().filter(|_| is_anchored).map(|anchor| anchor.name.as_str()),
            workloads: lines.iter().map(|line| line.id.clone()).collect(),
            places,
        })
    }

    /// A row for each workload that at least so many of the records have.
    pub(crate) fn rows(&self, fewest: usize) -> Vec<RankRow> {
        let lines = self.lines.iter().filter(|line| line.found.iter().flatten().count() >= fewest);
        lines.map(|line| RankRow { workload: line.id.clone(), cells: self.cells(line) }).collect()
    }

    fn cells(&self, line: &RankLine<'_>) -> Vec<Option<RankCell>> {
        let fastest = line.found.iter().flatten().min_by(|a, b| a.estimate.value.total_cmp(&b.estimate.value));
        let anchor = line.anchor.as_ref().filter(|_| line.found.len() == 1);
        let reference = self.against.and_then(|against| line.found[against].as_ref()).or(anchor).or(fastest);
        let cell = |found: &RankedWorkload<'_>, is_grave: bool| {
            Some(RankCell {
                seconds: found.estimate.value,
                interval: [found.estimate.low, found.estimate.high],
                samples: found.workload.seconds.len(),
                threads: found.workload.threads,
                isa: found.workload.isa.clone(),
                speed: found.speed(reference?),
                is_best: found.speed(fastest?).high >= 1.0,
                is_doubtful: is_grave || found.is_wide(),
            })
        };
        line.found.iter().zip(&self.is_grave).map(|(found, &is_grave)| cell(found.as_ref()?, is_grave)).collect()
    }
}

/// What speeds are relative to without the anchor: the machine that was asked for, or the fastest.
fn reference<'f, 'a>(
    ranked: &[(usize, Vec<&'f RankedWorkload<'a>>)],
    against: Option<usize>,
    weights: &[f64],
) -> Option<Vec<&'f RankedWorkload<'a>>> {
    let time = |times: &[&RankedWorkload<'_>]| {
        let parts: Vec<_> = times.iter().zip(weights).map(|(time, weight)| (time.estimate, *weight)).collect();
        mean(&parts).map_or(f64::NAN, |time| time.value)
    };
    let asked = ranked.iter().find(|(machine, _)| Some(*machine) == against);
    let fastest = || ranked.iter().min_by(|(_, a), (_, b)| time(a).total_cmp(&time(b)));
    asked.or_else(fastest).map(|(_, times)| times.clone())
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
