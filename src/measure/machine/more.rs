//! Facts of Linux machines that few systems tell whole: microcode, mitigations, memory modules, containers.

use std::path::Path;

use super::linux::text;

const CPUS: &str = "/sys/devices/system/cpu";

/// Whether a core runs more than one thread at a time.
pub(super) fn smt() -> Option<bool> {
    flag(&text(format!("{CPUS}/smt/active"))?)
}

/// Whether the clock may rise above its base.
pub(super) fn turbo() -> Option<bool> {
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
pub(super) fn mitigations() -> Option<String> {
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
pub(super) fn container() -> Option<String> {
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

/// Type and speed of the memory modules, from the firmware's tables; only root may read them on most systems.
pub(super) fn memory_kind() -> Option<String> {
    modules(&std::fs::read("/sys/firmware/dmi/tables/DMI").ok()?)
}

/// Modules in the tables of the System Management BIOS (DMTF DSP0134, structure 17).
fn modules(tables: &[u8]) -> Option<String> {
    const MODULE: u8 = 17;
    let mut kinds: Vec<(String, usize)> = Vec::new();
    let mut rest = tables;
    while let [kind, length, ..] = *rest {
        let body = rest.get(..usize::from(length)).filter(|body| body.len() >= 4)?;
        let word = |at: usize| Some(u16::from_le_bytes([*body.get(at)?, *body.get(at + 1)?]));
        // A size of 0 is an empty place.
        if kind == MODULE && word(0x0c).is_some_and(|size| size != 0) {
            let generation = match body.get(0x12) {
                Some(0x18) => "DDR3",
                Some(0x1a) => "DDR4",
                Some(0x1e) => "LPDDR4",
                Some(0x22) => "DDR5",
                Some(0x23) => "LPDDR5",
                _ => "memory",
            };
            // The speed it is configured for, else the one it could have.
            let speed = [word(0x20), word(0x15)].into_iter().flatten().find(|speed| !matches!(speed, 0 | 0xffff));
            let words = speed.map_or_else(|| generation.to_owned(), |speed| format!("{generation}-{speed}"));
            match kinds.iter_mut().find(|(known, _)| *known == words) {
                Some((_, count)) => *count += 1,
                None => kinds.push((words, 1)),
            }
        }
        // Its texts follow, up to two zeros.
        let texts = &rest[usize::from(length)..];
        let end = texts.windows(2).position(|pair| pair == [0, 0]);
        rest = end.map_or(&[], |end| &texts[end + 2..]);
    }
    let words: Vec<String> = kinds.into_iter().map(|(words, count)| format!("{count} × {words}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_modules_are_read_from_the_firmwares_tables() {
        let module = |size: u16, kind: u8, speed: u16| {
            let mut body = vec![0u8; 0x22];
            body[0] = 17;
            body[1] = 0x22;
            body[0x0c..0x0e].copy_from_slice(&size.to_le_bytes());
            body[0x12] = kind;
            body[0x20..0x22].copy_from_slice(&speed.to_le_bytes());
            body.extend(b"DIMM 0\0Somebody\0\0");
            body
        };
        let mut tables = vec![1, 4, 0, 0, 0, 0];
        for part in [module(16, 0x22, 4800), module(0, 0x22, 4800), module(16, 0x22, 4800), module(8, 0x1a, 0)] {
            tables.extend(part);
        }
        assert_eq!(modules(&tables).as_deref(), Some("2 × DDR5-4800, 1 × DDR4"));
        assert_eq!(modules(&[17, 200, 0]), None);
        assert_eq!(modules(&[]), None);
    }

    #[test]
    fn mitigations_are_counted_and_what_is_open_is_named() {
        let found = [("mds", "Not affected"), ("retbleed", "Mitigation: IBRS"), ("spectre_v2", "Vulnerable: no")];
        let found = found.map(|(name, state)| (name.to_owned(), state.to_owned()));
        assert_eq!(summary(&found).as_deref(), Some("1 of 3 at work, open: spectre_v2"));
        assert_eq!(summary(&found[..2]).as_deref(), Some("1 of 2 at work, none open"));
        assert_eq!(summary(&[]), None);
    }
}
