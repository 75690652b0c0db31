//! Facts of Linux machines that few systems tell whole: clocks above the base, mitigations, containers.

use std::path::Path;

use super::linux::text;

const CPUS: &str = "/sys/devices/system/cpu";

/// Whether a core runs more than one thread at a time.
pub(crate) fn smt() -> Option<bool> {
    flag(&text(format!("{CPUS}/smt/active"))?)
}

/// Whether the clock may rise above its base.
pub(crate) fn turbo() -> Option<bool> {
    let barred = text(format!("{CPUS}/intel_pstate/no_turbo")).and_then(|value| flag(&value));
    barred.map(|barred| !barred).or_else(|| flag(&text(format!("{CPUS}/cpufreq/boost"))?))
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The kernel's measures against faults of the processor, in a line.
pub(crate) fn mitigations() -> Option<String> {
    let entries = std::fs::read_dir(format!("{CPUS}/vulnerabilities")).ok()?;
    let mut found: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().into_string().ok()?, text(entry.path())?))
        })
        .collect();
    found.sort_unstable();
    summary(&found)
}

fn summary(found: &[(String, String)]) -> Option<String> {
    let named = |beginning: &str| -> Vec<&str> {
        found.iter().filter(|(_, state)| state.starts_with(beginning)).map(|(name, _)| name.as_str()).collect()
    };
    let (mitigated, open) = (named("Mitigation").len(), named("Vulnerable"));
    let open = if open.is_empty() { "none open".to_owned() } else { format!("open: {}", open.join(", ")) };
    (!found.is_empty()).then(|| format!("{mitigated} of {} at work, {open}", found.len()))
}

/// The kind of container this runs in; `no` where nothing speaks of one.
pub(crate) fn container() -> Option<String> {
    if let Some(named) = text("/run/systemd/container") {
        return Some(named);
    }
    for (file, name) in [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")] {
        if Path::new(file).exists() {
            return Some(name.to_owned());
        }
    }
    let own = text("/proc/self/cgroup")?;
    let named = ["kubepods", "docker", "lxc", "containerd"].into_iter().find(|name| own.contains(name));
    Some(named.unwrap_or("no").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mitigations_are_counted_and_what_is_open_is_named() {
        let found = [("mds", "Not affected"), ("retbleed", "Mitigation: IBRS"), ("spectre_v2", "Vulnerable: no")];
        let found = found.map(|(name, state)| (name.to_owned(), state.to_owned()));
        assert_eq!(summary(&found).as_deref(), Some("1 of 3 at work, open: spectre_v2"));
        assert_eq!(summary(&found[..2]).as_deref(), Some("1 of 2 at work, none open"));
        assert_eq!(summary(&[]), None);
    }
}
