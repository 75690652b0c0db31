//! The scores: which workloads give a machine its points, and which records they compare.

use std::collections::BTreeMap;

use super::Record;
use super::workload::{SUITE, Workload};

/// A score: the geometric mean of a machine's speeds in some workloads of the [suite](SUITE).
///
/// Its unit is exact: a machine that counts each workload in the time of its anchor scores 1000 points, with one thread
/// or with all, so the points of all threads divided by the points of one say how many single threads the machine is
/// worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Score {
    /// Measured with solvers whose code does not change, so that scores of different years compare machines and not
    /// programs.
    Frozen,
    /// Measured with the fastest solver, which uses vector instructions, large caches and memory. It is still getting
    /// faster, so its scores compare machines only among records of one commit.
    Color,
}

impl Score {
    pub(crate) const ALL: [Self; 2] = [Self::Frozen, Self::Color];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Frozen => "score",
            Self::Color => "color score",
        }
    }

    /// Describes what the score measures, what 1000 points are, and when to quote it.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Frozen => {
                "The score measures integer work in the first-level cache of a core, with code that never changes: \
                 quote it to compare machines across years and builds. A machine that counts n = 10 in 2 ms with \
                 arrays and n = 12 in 3 ms with bitmask has 1000 points. Half the time is worth twice the points."
            }
            Self::Color => {
                "The color score measures the fastest solver, which also needs vector instructions, large caches and \
                 memory: quote it, with the commit, to say how fast a machine counts large boards. A machine that \
                 counts n = 18 in 0.4 s, a unit of n = 20 in 0.1 s and a unit of n = 24 in 0.4 s has 1000 points."
            }
        }
    }

    /// Returns the workloads that give points.
    pub(crate) fn workloads(self) -> impl Iterator<Item = &'static Workload> {
        SUITE.iter().filter(move |workload| workload.score == self)
    }
}

/// Returns the reason why these machines cannot be compared by color score, or `None` if they can. Takes a record of
/// each machine.
pub(super) fn color_refusal(machines: &[&Record]) -> Option<String> {
    let mut commits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in machines {
        commits.entry(record.commit.as_deref().unwrap_or("unknown")).or_default().push(&record.name);
    }
    // A commit may also be `unknown` or `0123456789ab, modified`.
    let is_known = |commit: &&str| !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    if machines.len() < 2 || commits.len() == 1 && commits.keys().all(is_known) {
        return None;
    }
    let built = |(commit, names): (&&str, &Vec<&str>)| {
        let others = if names.len() == 1 { String::new() } else { format!(" and {} more", names.len() - 1) };
        format!("{}{others} with {commit}", names[0])
    };
    let built = commits.iter().map(built).collect::<Vec<_>>().join("; ");
    Some(format!(
        "There is no color score, which compares only machines measured with one unmodified commit: {built}. Leave \
         machines out, or measure all with one commit."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::records::record;

    #[test]
    fn the_color_score_compares_only_records_of_one_known_commit() {
        let of = |commit: &str| Record { commit: Some(commit.to_owned()), ..record() };
        for (commits, is_refused) in [
            (&["0123456789ab"; 2][..], false),
            (&["0123456789ab, modified"], false),
            (&["0123456789ab", "ba9876543210"], true),
            (&["0123456789ab", "0123456789ab, modified"], true),
            (&["0123456789ab, modified"; 2], true),
            (&["unknown"; 2], true),
        ] {
            let records: Vec<Record> = commits.iter().map(|commit| of(commit)).collect();
            let records: Vec<&Record> = records.iter().collect();
            assert_eq!(color_refusal(&records).is_some(), is_refused, "{commits:?}");
        }
    }

    #[test]
    fn the_words_about_a_score_name_its_anchors() {
        for score in Score::ALL {
            for Workload { n, anchor, .. } in score.workloads() {
                let time = if *anchor < 0.1 { format!("{} ms", 1e3 * anchor) } else { format!("{anchor} s") };
                assert!(score.about().contains(&format!("n = {n} in {time}")), "{}: n = {n} in {time}", score.name());
            }
        }
    }
}
