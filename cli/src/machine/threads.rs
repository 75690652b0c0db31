//! The number of threads that this process may use: the least that affinity, CPU quota and a scheduler allow.

use std::env;
use std::fs::read_to_string;

use nqueens::engine::default_threads;
use sysinfo::System;

use super::linux::cpu_quota;

/// A scheduler's variable, and the number of threads that it grants on this host. The number is `None` if the variable
/// is ignored: either it is not a number of threads, or it counts the threads of several hosts and no other variable
/// says how many are on this one.
type Grant = (&'static str, Option<usize>);

/// The environment in which the variables of schedulers are read, and the name of this host.
struct Environment<V> {
    variable: V,
    host: String,
}

impl<V: Fn(&str) -> Option<String>> Environment<V> {
    /// Returns the grant of each scheduler.
    fn grants(&self) -> Vec<Grant> {
        let mut grants = Vec::new();
        for name in ["SLURM_CPUS_PER_TASK", "NCPUS", "PBS_NP", "NSLOTS", "LSB_DJOB_NUMPROC"] {
            if (self.variable)(name).is_some_and(|value| !value.is_empty()) {
                let of_job = self.number(name);
                grants.push(match of_job.and_then(|_| self.on_several_hosts(name)) {
                    None => (name, of_job),
                    Some((_, None)) => (name, None),
                    Some(of_host) => of_host,
                });
            }
        }
        grants
    }

    /// Returns the grant for this host if a variable counts the threads of a job on several hosts. The variables of
    /// Slurm and PBS Professional count the threads of a task on its host.
    fn on_several_hosts(&self, name: &str) -> Option<Grant> {
        let are_several = |hosts: &str| self.number(hosts).is_some_and(|hosts| hosts > 1);
        match name {
            // Torque: `PBS_NUM_PPN` counts the threads of each of the `PBS_NUM_NODES` hosts.
            "PBS_NP" if are_several("PBS_NUM_NODES") => Some(("PBS_NUM_PPN", self.number("PBS_NUM_PPN"))),
            // Grid Engine: the file `PE_HOSTFILE` contains a line for each host, such as `node7 8 all.q@node7
            // UNDEFINED`.
            "NSLOTS" if are_several("NHOSTS") => {
                let file =
                    (self.variable)("PE_HOSTFILE").and_then(|path| read_to_string(path).ok()).unwrap_or_default();
                let lines = file.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
                let of_host = self.of_this_host(lines.filter_map(|line| Some([*line.first()?, *line.get(1)?])));
                Some(("PE_HOSTFILE", of_host))
            }
            // LSF: `LSB_MCPU_HOSTS` lists each host with its number, such as `node7 8 node8 4`.
            "LSB_DJOB_NUMPROC" => {
                let hosts = (self.variable)("LSB_MCPU_HOSTS").unwrap_or_default();
                let words: Vec<&str> = hosts.split_whitespace().collect();
                let of_host = self.of_this_host(words.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
                (words.len() > 2).then_some(("LSB_MCPU_HOSTS", of_host))
            }
            _ => None,
        }
    }

    /// Returns the number of threads in a variable, if it contains one.
    fn number(&self, name: &str) -> Option<usize> {
        (self.variable)(name)?.parse().ok().filter(|&number| number > 0)
    }

    /// Returns the sum of the numbers that follow this host's name, with or without a domain. `None` if the list does
    /// not contain the host.
    fn of_this_host<'a>(&self, numbers: impl Iterator<Item = [&'a str; 2]>) -> Option<usize> {
        let short = |name: &str| name.split('.').next().unwrap_or_default().to_lowercase();
        let of_host = numbers.filter(|[name, _]| short(name) == short(&self.host));
        let numbers = of_host.filter_map(|[_, number]| number.parse().ok());
        Some(numbers.fold(0, usize::saturating_add)).filter(|&number| number > 0)
    }
}

/// Returns the grants of schedulers to this process.
fn grants_here() -> Vec<Grant> {
    let host = System::host_name().unwrap_or_default();
    Environment { variable: |name: &str| env::var(name).ok(), host }.grants()
}

/// Returns the grant with the fewest threads.
fn least(grants: &[Grant]) -> Option<(&'static str, usize)> {
    grants.iter().filter_map(|&(name, threads)| Some((name, threads?))).min_by_key(|&(_, threads)| threads)
}

/// Returns how many of `threads` threads the schedulers allow.
pub(crate) fn granted(threads: usize) -> usize {
    least(&grants_here()).map_or(threads, |(_, granted)| granted.min(threads))
}

/// Returns the number of threads that this process may use.
pub(crate) fn usable_threads() -> usize {
    granted(default_threads())
}

/// Returns in words what limits the number of usable threads to fewer than `all` hardware threads, if anything does.
pub(super) fn limit_in_words(all: usize) -> Option<String> {
    in_words(default_threads(), all, cpu_quota(), &grants_here())
}

/// Returns what limits this process to fewer than `all` hardware threads, and names the variables that are ignored.
/// Affinity and quota, which is in cores, allow `allowed` of them.
fn in_words(allowed: usize, all: usize, quota: Option<f64>, grants: &[Grant]) -> Option<String> {
    let limit = match (least(grants), quota) {
        (Some((variable, granted)), _) if granted < allowed => Some(format!("{variable} allows {granted}")),
        _ if allowed >= all => None,
        (_, Some(quota)) if quota < (allowed + 1) as f64 => {
            let rounded = if quota < 1.0 { "" } else { ", rounded down," };
            Some(format!("a CPU quota of {quota:.2} cores{rounded} allows {allowed}"))
        }
        _ => Some(format!("affinity allows {allowed}")),
    };
    let limit = limit.map(|limit| format!("{limit} of {all} hardware threads"));
    let ignored = grants
        .iter()
        .filter(|(_, threads)| threads.is_none())
        .map(|(variable, _)| format!("{variable} is ignored, because it is not the number of threads on this host"));
    let words: Vec<String> = limit.into_iter().chain(ignored).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the grants on the host `node7` with these variables, such as `NSLOTS=2 NHOSTS=1`. A `+` stands for a
    /// space.
    fn grants(variables: &str) -> Vec<Grant> {
        let pairs: Vec<_> = variables.split(' ').filter_map(|pair| pair.split_once('=')).collect();
        let variable = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.replace('+', " "));
        Environment { variable, host: "node7".to_owned() }.grants()
    }

    #[test]
    fn variables_of_a_job_on_several_hosts_grant_the_share_of_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let hosts = folder.path().join("hosts");
        std::fs::write(
            &hosts,
            "node70 64 a.q@node70 UNDEFINED\nNODE7.example.org 4 a.q UNDEFINED\nnode7 2 b.q <NULL>\n",
        )
        .unwrap();
        let hosts = hosts.display();
        for (variables, expected) in [
            ("", vec![]),
            ("SLURM_CPUS_PER_TASK=8 NCPUS=x", vec![("SLURM_CPUS_PER_TASK", Some(8)), ("NCPUS", None)]),
            ("SLURM_CPUS_PER_TASK=abc NSLOTS=", vec![("SLURM_CPUS_PER_TASK", None)]),
            ("NCPUS=4", vec![("NCPUS", Some(4))]),
            ("PBS_NP=0", vec![("PBS_NP", None)]),
            ("PBS_NP=8", vec![("PBS_NP", Some(8))]),
            ("PBS_NP=8 PBS_NUM_NODES=1 PBS_NUM_PPN=8", vec![("PBS_NP", Some(8))]),
            ("PBS_NP=32 PBS_NUM_NODES=4 PBS_NUM_PPN=8", vec![("PBS_NUM_PPN", Some(8))]),
            ("PBS_NP=32 PBS_NUM_NODES=4", vec![("PBS_NP", None)]),
            ("NSLOTS=8", vec![("NSLOTS", Some(8))]),
            ("NSLOTS=8 NHOSTS=1 PE_HOSTFILE=none", vec![("NSLOTS", Some(8))]),
            ("NSLOTS=70 NHOSTS=2 PE_HOSTFILE=none", vec![("NSLOTS", None)]),
            (&format!("NSLOTS=70 NHOSTS=2 PE_HOSTFILE={hosts}"), vec![("PE_HOSTFILE", Some(6))]),
            ("LSB_DJOB_NUMPROC=8 LSB_MCPU_HOSTS=node7+8", vec![("LSB_DJOB_NUMPROC", Some(8))]),
            ("LSB_DJOB_NUMPROC=12 LSB_MCPU_HOSTS=node7+8+node8+4", vec![("LSB_MCPU_HOSTS", Some(8))]),
            ("LSB_DJOB_NUMPROC=12 LSB_MCPU_HOSTS=node8+8+node9+4", vec![("LSB_DJOB_NUMPROC", None)]),
        ] {
            assert_eq!(grants(variables), expected, "{variables}");
        }
        // A task of Grid Engine inside a job of Slurm.
        assert_eq!(least(&grants("SLURM_CPUS_PER_TASK=64 NSLOTS=2")), Some(("NSLOTS", 2)));
        assert_eq!(least(&grants("NSLOTS=2 NHOSTS=2")), None);
    }

    #[test]
    fn the_reason_is_what_leaves_the_fewest_threads() {
        for (allowed, quota, granted, says) in [
            (8, None, Some(8), ""),
            (8, None, Some(3), "NSLOTS allows 3 of 8 hardware threads"),
            (2, None, Some(2), "affinity allows 2 of 8 hardware threads"),
            (2, Some(2.9), Some(2), "a CPU quota of 2.90 cores, rounded down, allows 2 of 8 hardware threads"),
            (1, Some(0.5), Some(2), "a CPU quota of 0.50 cores allows 1 of 8 hardware threads"),
            (2, Some(3.0), Some(2), "affinity allows 2 of 8 hardware threads"),
            (
                2,
                None,
                None,
                "affinity allows 2 of 8 hardware threads; NSLOTS is ignored, because it is not the number of threads on this host",
            ),
        ] {
            assert_eq!(in_words(allowed, 8, quota, &[("NSLOTS", granted)]).unwrap_or_default(), says);
        }
    }
}
