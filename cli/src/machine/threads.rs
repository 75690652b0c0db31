//! The threads that this process may use: the least of affinity, a quota, and what a scheduler granted.

use std::env;

use nqueens::engine::default_threads;

use super::{cpu_quota, facts};

/// The variables that say how many threads this process may use: those of Slurm, `PBS`, Grid Engine and LSF.
const GRANTS: [&str; 5] = ["SLURM_CPUS_PER_TASK", "NCPUS", "PBS_NP", "NSLOTS", "LSB_DJOB_NUMPROC"];

/// A scheduler's variable, and the number of threads that it grants.
type Grant = (&'static str, usize);

/// The variable that grants the fewest threads. What is no number of threads grants nothing.
fn least_grant(variable: impl Fn(&str) -> Option<String>) -> Option<Grant> {
    let grant = |name| Some((name, variable(name)?.parse().ok().filter(|&threads| threads > 0)?));
    GRANTS.into_iter().filter_map(grant).min_by_key(|&(_, threads)| threads)
}

fn least_grant_here() -> Option<Grant> {
    least_grant(|name| env::var(name).ok())
}

/// The number of threads that schedulers leave of `threads`.
pub(crate) fn granted(threads: usize) -> usize {
    least_grant_here().map_or(threads, |(_, granted)| granted.min(threads))
}

/// The number of threads that this process may use.
pub(crate) fn usable_threads() -> usize {
    granted(default_threads())
}

/// What the number of usable threads is, in words.
pub(crate) fn usable_in_words() -> String {
    in_words(default_threads(), facts().logical_cpus, cpu_quota(), least_grant_here())
}

/// `allowed` threads are left by affinity and `quota` of `all` threads.
fn in_words(allowed: usize, all: usize, quota: Option<f64>, grant: Option<Grant>) -> String {
    let who = match (grant, quota) {
        (Some((variable, granted)), _) if granted < allowed => format!("{variable} grants"),
        _ if allowed >= all => return "every hardware thread that this process may use".to_owned(),
        (_, Some(quota)) if quota < (allowed + 1) as f64 => {
            format!("a quota of {quota:.2} cores, rounded down, leaves")
        }
        _ => "affinity leaves".to_owned(),
    };
    format!("{who} no more of {all} hardware threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_of_grid_engine_inside_a_job_of_slurm_has_the_fewest_threads() {
        let of = |name: &str| match name {
            "SLURM_CPUS_PER_TASK" => Some("64".to_owned()),
            "NSLOTS" => Some("2".to_owned()),
            "NCPUS" => Some("x".to_owned()),
            "PBS_NP" => Some("0".to_owned()),
            _ => None,
        };
        assert_eq!(least_grant(of), Some(("NSLOTS", 2)));
        assert_eq!(least_grant(|_| None), None);
    }

    #[test]
    fn the_reason_is_what_leaves_the_fewest_threads() {
        for (allowed, quota, granted, begin) in [
            (8, None, 8, "every hardware thread"),
            (8, None, 3, "NSLOTS grants no more of 8"),
            (2, None, 2, "affinity leaves no more of 8"),
            (2, Some(2.9), 2, "a quota of 2.90 cores"),
            (2, Some(3.0), 2, "affinity"),
        ] {
            let words = in_words(allowed, 8, quota, Some(("NSLOTS", granted)));
            assert!(words.starts_with(begin), "{words}");
        }
    }
}
