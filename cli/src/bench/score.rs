//! The scores: which workloads give a machine its points, and which records they compare.

use std::collections::BTreeSet;

use super::Record;
use super::workload::{Measured, SUITE};
use crate::terminal::units::plural;

/// A score: the geometric mean of a machine's speeds in some workloads of the [suite](SUITE).
///
/// Its unit is exact: a machine that counts each workload in the time of its anchor scores 1000 points, with one thread
/// or with all, so the points of all threads divided by the points of one say how many single threads the machine is
/// worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Score {
    /// By solvers whose code does not change, so that scores of different years compare machines and not programs.
    Frozen,
    /// By the fastest solver, which uses vector instructions, large caches and memory. It is still getting faster, so
    /// its scores compare machines only among records of one commit.
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

    /// What the score measures, what 1000 points are, and when to quote it.
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

    /// The workloads that give points.
    pub(crate) fn workloads(self) -> impl Iterator<Item = &'static Measured> {
        SUITE.iter().filter(move |measured| measured.score == self)
    }

    /// Why machines have no such score side by side, or `None` if they can have one. Takes a record of each machine.
    pub(crate) fn refusal(self, machines: &[&Record]) -> Option<String> {
        if self == Self::Frozen || machines.len() < 2 {
            return None;
        }
        let commits: BTreeSet<String> = machines.iter().map(|record| record.commit()).collect();
        let commits: Vec<String> = commits.into_iter().collect();
        let built_from = match &commits[..] {
            [one] if !one.is_empty() && one != "unknown" && !one.contains("modified") => return None,
            [one] if one.contains("modified") => "uncommitted changes".to_owned(),
            [_] => "an unknown commit".to_owned(),
            all => plural(all.len(), "commit"),
        };
        Some(format!(
            "There is no {}, because the solver changes from commit to commit and these programs were built from \
             {built_from}: measure all machines with builds of one commit.",
            self.name()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::records::record;

    #[test]
    fn the_color_score_compares_only_records_of_one_known_commit() {
        let of = |commit: &str| Record { program: format!("0.1.0 ({commit}), rustc 1.95.0"), ..record() };
        for (commits, reason) in [
            (&["0123456789ab"; 2][..], None),
            (&["0123456789ab, modified"], None),
            (&["0123456789ab", "ba9876543210"], Some("2 commits")),
            (&["0123456789ab", "0123456789ab, modified"], Some("2 commits")),
            (&["0123456789ab, modified"; 2], Some("uncommitted changes")),
            (&["unknown"; 2], Some("an unknown commit")),
        ] {
            let records: Vec<Record> = commits.iter().map(|commit| of(commit)).collect();
            let records: Vec<&Record> = records.iter().collect();
            let found = Score::Color.refusal(&records);
            assert_eq!(found.is_some(), reason.is_some(), "{commits:?}");
            assert!(found.is_none_or(|found| found.contains(reason.unwrap())), "{commits:?}");
            assert_eq!(Score::Frozen.refusal(&records), None);
        }
    }
}
