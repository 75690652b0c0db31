//! The threads that this process may use: the least of affinity, a quota, and what a scheduler granted.

use std::env;

use nqueens::engine::default_threads;

use super::{cpu_quota, logical_cpus};

/// The variables that say how many threads this process may use: those of Slurm, `PBS`, Grid Engine and LSF, and the user's own
/// limit for programs with rayon.
const GRANTS: [&str; 6] = ["SLURM_CPUS_PER_TASK", "NCPUS", "PBS_NP", "NSLOTS", SLOTS, "RAYON_NUM_THREADS"];

/// LSF counts slots, and a slot may have several cores.
const SLOTS: &str = "LSB_DJOB_NUMPROC";

/// `HTCondor` says the cores of a slot in variables of libraries. Elsewhere this one is about other programs.
const OF_CONDOR: &str = "OMP_NUM_THREADS";

/// A variable of a scheduler. The value is the number of threads, or the text if it is none.
type Grant = (&'static str, Result<usize, String>);

/// The variables of schedulers that are set and not empty. If affinity or a quota is the limit, slots say nothing more.
fn grants(is_bound: bool, variable: impl Fn(&str) -> Option<String>) -> Vec<Grant> {
    let number = |text: &str| text.parse().ok().filter(|&threads| threads > 0);
    let grant = |name| {
        let text = variable(name)?.trim().to_owned();
        // Rayon takes 0 for all threads.
        let is_unset = text.is_empty() || name == "RAYON_NUM_THREADS" && text == "0";
        (!is_unset).then(|| (name, number(&text).ok_or(text)))
    };
    let is_condor = variable("BATCH_SYSTEM").is_some_and(|system| system == "HTCondor");
    let names = GRANTS.into_iter().chain(is_condor.then_some(OF_CONDOR));
    names.filter(|&name| name != SLOTS || !is_bound).filter_map(grant).collect()
}

fn grants_here() -> Vec<Grant> {
    let variable = |name: &str| Some(env::var_os(name)?.to_string_lossy().into_owned());
    grants(env::var_os(SLOTS).is_some() && default_threads() < logical_cpus(), variable)
}

/// The scheduler's variable with the least number of threads, and that number.
fn least(grants: &[Grant]) -> Option<(&'static str, usize)> {
    grants.iter().filter_map(|(name, threads)| Some((*name, *threads.as_ref().ok()?))).min_by_key(|grant| grant.1)
}

/// The number of threads that schedulers leave of `threads`.
pub(crate) fn granted(threads: usize) -> usize {
    least(&grants_here()).map_or(threads, |(_, granted)| granted.min(threads))
}

/// The number of threads that this process may use.
pub(crate) fn usable_threads() -> usize {
    granted(default_threads())
}

/// What the number of usable threads is, in words.
pub(crate) fn usable_in_words() -> String {
    in_words(default_threads(), logical_cpus(), cpu_quota(), &grants_here())
}

/// `allowed` threads are left by affinity and `quota` of `all` threads.
fn in_words(allowed: usize, all: usize, quota: Option<f64>, grants: &[Grant]) -> String {
    let who = match (least(grants), quota) {
        (Some((variable, granted)), _) if granted < allowed => format!("{variable} grants"),
        // Rust's library does not ask Windows for the affinity.
        _ if allowed >= all && cfg!(windows) => {
            return "every hardware thread of its processor group; if this machine has several, or an affinity, give --threads".to_owned();
        }
        _ if allowed >= all => return "every hardware thread that this process may use".to_owned(),
        (_, Some(quota)) if quota < (allowed + 1) as f64 => {
            format!("a quota of {quota:.2} cores, rounded down, leaves")
        }
        _ => "affinity leaves".to_owned(),
    };
    format!("{who} no more of {all} hardware threads")
}

/// Says which variable of a scheduler is no number of threads, if there is one.
pub(crate) fn unreadable_grant() -> Option<String> {
    let (name, text) = grants_here().into_iter().find_map(|(name, threads)| Some((name, threads.err()?)))?;
    Some(format!("{name} is '{text}', which is no number of threads, such as 4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Vec<Grant> {
        grants(false, |name| Some(variables.iter().find(|(set, _)| *set == name)?.1.to_owned()))
    }

    #[test]
    fn every_scheduler_says_how_many_threads_it_granted() {
        for name in ["SLURM_CPUS_PER_TASK", "NCPUS", "PBS_NP", "NSLOTS", SLOTS, "RAYON_NUM_THREADS"] {
            assert_eq!(least(&of(&[(name, "3")])), Some((name, 3)));
            for wrong in ["-1", "2.5", "4(x2)", "2 compact", "many", "99999999999999999999"] {
                assert_eq!(of(&[(name, wrong)]), [(name, Err(wrong.to_owned()))]);
            }
        }
        assert_eq!(of(&[("NSLOTS", ""), ("OMP_NUM_THREADS", "1")]), []);
        assert_eq!(of(&[("RAYON_NUM_THREADS", "0")]), []);
        // HTCondor sets a dozen variables of libraries. LSF's slots may have several cores, if it binds the process to them.
        let condor = of(&[("BATCH_SYSTEM", "HTCondor"), ("OMP_NUM_THREADS", "6"), ("ROOT_MAX_THREADS", "6")]);
        assert_eq!(least(&condor), Some((OF_CONDOR, 6)));
        assert_eq!(grants(true, |name| (name == SLOTS).then(|| "2".to_owned())), []);
        // A task of Grid Engine inside a job of Slurm.
        let inside = of(&[("SLURM_CPUS_PER_TASK", "64"), ("NSLOTS", "2"), ("NCPUS", "x")]);
        assert_eq!(least(&inside), Some(("NSLOTS", 2)));
    }

    #[test]
    fn the_reason_is_what_leaves_the_fewest_threads() {
        let slurm = |threads: usize| vec![("SLURM_CPUS_PER_TASK", Ok(threads))];
        for (allowed, quota, grants, begin) in [
            (8, None, slurm(8), "every hardware thread"),
            (8, Some(9.5), slurm(64), "every hardware thread"),
            (8, None, slurm(3), "SLURM_CPUS_PER_TASK grants no more of 8"),
            (2, None, slurm(2), "affinity leaves no more of 8"),
            (1, Some(0.5), vec![], "a quota of 0.50 cores"),
            (2, Some(2.9), slurm(2), "a quota of 2.90 cores"),
            (2, Some(3.0), vec![], "affinity"),
        ] {
            let words = in_words(allowed, 8, quota, &grants);
            assert!(words.starts_with(begin), "{words}");
        }
    }
}
