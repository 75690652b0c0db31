//! Ranks machines by their speed, and gives the speed of each machine on each workload.

use serde::{Serialize, Serializer};

use super::doubt::{self, Doubt};
use super::record::Workload;
use super::score::{self, find, mean, quotient, weight};
use super::statistics::Estimate;
use super::workload::Threads;
use super::{Record, WorkloadId};
use crate::terminal::units;

/// Machines in order of their speed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Ranking {
    /// The threads: 1 or all.
    #[serde(serialize_with = "as_text")]
    pub(crate) threads: Threads,
    /// The anchor's name if speeds are scores, of which 1 is [`score::POINTS`] points. `None`: speeds are relative to
    /// the machine that the user chose.
    pub(crate) anchor: Option<&'static str>,
    /// The speeds are means over these workloads. More than half of the records have them.
    pub(crate) workloads: Vec<WorkloadId>,
    /// The machines that have all these workloads, the fastest first.
    pub(crate) places: Vec<Place>,
}

/// A machine in a ranking.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Place {
    pub(crate) machine: usize,
    /// Its rank, from 1. Machines whose intervals overlap share a rank.
    pub(crate) rank: usize,
    /// How many times as fast as the reference, with its 95 % interval.
    pub(crate) speed: Estimate,
    /// Whether most of these workloads are doubtful on this machine.
    pub(crate) is_doubtful: bool,
}

/// A workload on every machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankRow {
    pub(crate) workload: WorkloadId,
    /// One cell for each machine. `None`: the machine did not run the workload.
    pub(crate) cells: Vec<Option<RankCell>>,
}

/// A workload on one machine.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RankCell {
    /// The median in seconds, with its 95 % interval.
    pub(crate) time: Estimate,
    pub(crate) samples: usize,
    pub(crate) threads: usize,
    pub(crate) isa: String,
    /// How many times as fast as the reference, with its 95 % interval. If the reference did not run the workload: as
    /// the fastest.
    pub(crate) speed: Estimate,
    /// Whether the machine is the fastest, or cannot be told from the fastest.
    pub(crate) is_best: bool,
    /// Whether the interval is too wide, or there is a grave doubt about the machine's times.
    pub(crate) is_doubtful: bool,
}

impl Ranking {
    /// The machine's place; `None` if it is not ranked.
    pub(crate) fn place(&self, machine: usize) -> Option<&Place> {
        self.places.iter().find(|place| place.machine == machine)
    }

    /// A speed of this ranking: points, or times as fast as the reference.
    pub(crate) fn figure(&self, speed: f64) -> String {
        if self.anchor.is_some() { score::points(speed) } else { units::speed(speed, 1e5) }
    }
}

fn as_text<S: Serializer>(threads: &Threads, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(threads)
}

/// Returns how many times as fast as `base` a time is.
pub(crate) fn speed(time: Estimate, base: Estimate) -> Estimate {
    if time == base { Estimate::exact(1.0) } else { quotient(base, time) }
}

fn anchor_time(id: &WorkloadId) -> Option<Estimate> {
    Some(find(score::anchor(), id)?.estimate())
}

/// Makes a row for each workload that at least `fewest` of the records have. Each version of a workload has its own
/// row.
pub(crate) fn rows(
    records: &[(String, Record)],
    against: Option<usize>,
    fewest: usize,
    doubts: &[Vec<Doubt>],
) -> Vec<RankRow> {
    let mut ids: Vec<&WorkloadId> = Vec::new();
    for workload in records.iter().flat_map(|(_, record)| &record.workloads) {
        if !ids.contains(&&workload.id) {
            ids.push(&workload.id);
        }
    }
    let is_grave: Vec<bool> = doubts.iter().map(|doubts| doubts.iter().any(|doubt| doubt.is_grave)).collect();
    let row = |id: &WorkloadId| {
        let found: Vec<_> = records.iter().map(|(_, record)| find(record, id)).collect();
        let cells = (found.iter().flatten().count() >= fewest).then(|| cells(&found, against, &is_grave))?;
        Some(RankRow { workload: id.clone(), cells })
    };
    ids.into_iter().filter_map(row).collect()
}

fn cells(found: &[Option<&Workload>], against: Option<usize>, is_grave: &[bool]) -> Vec<Option<RankCell>> {
    let times: Vec<Option<Estimate>> = found.iter().map(|found| Some((*found)?.estimate())).collect();
    let fastest = times.iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value)).copied();
    let anchor = match found {
        [Some(alone)] => anchor_time(&alone.id),
        _ => None,
    };
    let reference = against.and_then(|against| times[against]).or(anchor).or(fastest);
    let cell = |machine: usize| {
        let (workload, time) = (found[machine]?, times[machine]?);
        Some(RankCell {
            time,
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

/// Ranks machines by the frozen solvers on `threads`, by points or by speed relative to `against`. `None` if no such
/// workload is in more than half of the records. `has_score` says which machines may have a score.
pub(crate) fn ranking(
    rows: &[RankRow],
    threads: Threads,
    against: Option<usize>,
    has_score: &[bool],
) -> Option<Ranking> {
    let reference = |row: &RankRow| match against {
        Some(machine) => row.cells[machine].as_ref().map(|cell| cell.time),
        None => anchor_time(&row.workload),
    };
    let is_common = |row: &&RankRow| 2 * row.cells.iter().flatten().count() > row.cells.len();
    let counted = rows.iter().filter(|row| score::counts(&row.workload, threads)).filter(is_common);
    let counted: Vec<(&RankRow, Estimate)> = counted.filter_map(|row| Some((row, reference(row)?))).collect();
    let place = |machine: usize| {
        let cells = counted.iter().map(|(row, _)| row.cells[machine].as_ref()).collect::<Option<Vec<&RankCell>>>()?;
        let part =
            |(cell, (row, time)): (&&RankCell, &(&RankRow, Estimate))| (speed(cell.time, *time), weight(&row.workload));
        let speed = mean(&cells.iter().zip(&counted).map(part).collect::<Vec<_>>())?;
        let doubtful = cells.iter().filter(|cell| cell.is_doubtful).count();
        Some(Place { machine, rank: 0, speed, is_doubtful: 2 * doubtful > cells.len() })
    };
    let machines = (0..has_score.len()).filter(|&machine| against.is_some() || has_score[machine]);
    let mut places: Vec<Place> = machines.filter_map(place).collect();
    places.sort_by(|a, b| b.speed.value.total_cmp(&a.speed.value));
    share_ranks(&mut places);
    (!places.is_empty()).then(|| Ranking {
        threads,
        anchor: against.is_none().then_some(score::anchor().name.as_str()),
        workloads: counted.iter().map(|(row, _)| row.workload.clone()).collect(),
        places,
    })
}

/// Gives ranks to places, which are in order of their speed. Machines whose intervals overlap share a rank with all
/// machines between them.
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
