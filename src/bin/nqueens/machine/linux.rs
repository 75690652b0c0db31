//! Facts from files under /proc and /sys. If a file is missing, so are its facts.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use super::Conditions;
use crate::bench::record::{Cache, Clock, Machine};

const CPUS: &str = "/sys/devices/system/cpu";

/// Bytes in a "KiB" of these files.
const KIBIBYTE: u64 = 1024;

pub(crate) fn facts() -> Machine {
    let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
    Machine {
        cpu_model: cpu_field(&cpuinfo, "model name").map(collapse).unwrap_or_default(),
        logical_cpus: cpu_list(&text(format!("{CPUS}/online")).unwrap_or_default()).map_or(0, |cpus| cpus.len()),
        cores: cores(),
        numa_nodes: numbered("/sys/devices/system/node", "node").map(|nodes| nodes.len()).filter(|&nodes| nodes > 0),
        hybrid: Path::new("/sys/devices/cpu_core").exists().then(|| Path::new("/sys/devices/cpu_atom").exists()),
        caches: caches(),
        memory_bytes: memory_field(&read_to_string("/proc/meminfo").unwrap_or_default(), "MemTotal"),
        clock: clock(),
        virtualised: cpu_field(&cpuinfo, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
        hypervisor: text("/sys/hypervisor/type"),
        os: os_name(&read_to_string("/etc/os-release").unwrap_or_default()).unwrap_or_default(),
        kernel: text("/proc/sys/kernel/osrelease"),
        ..Machine::default()
    }
}

pub(crate) fn conditions() -> Conditions {
    let stat = read_to_string("/proc/stat").unwrap_or_default();
    let own = read_to_string("/proc/self/stat").unwrap_or_default();
    let busy = processor_times(&stat);
    Conditions {
        busy_seconds: busy.map(|(busy, _)| busy),
        stolen_seconds: busy.map(|(_, stolen)| stolen),
        own_seconds: own_times(&own),
        thermal_throttles: thermal_throttles(),
        quota_throttles: quota_throttles(),
        on_battery: on_battery(),
    }
}

/// The trimmed text of a small file; `None` if it is missing or empty.
fn text(path: impl AsRef<Path>) -> Option<String> {
    read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The first value of a name in /proc/cpuinfo.
fn cpu_field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(field, _)| field.trim() == name)
        .map(|(_, value)| value.trim())
        .filter(|value| !value.is_empty())
}

/// The text with single spaces: some models pad their names.
fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Free memory in bytes.
pub(crate) fn free_memory() -> Option<u64> {
    memory_field(&text("/proc/meminfo")?, "MemAvailable")
}

/// The address space that this process uses, in bytes.
pub(crate) fn address_space_used() -> Option<u64> {
    memory_field(&text("/proc/self/status")?, "VmSize")
}

/// A field of /proc/meminfo or of a process's status, in bytes.
fn memory_field(meminfo: &str, name: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(KIBIBYTE)
}

/// A list such as `0-3,8`.
fn cpu_list(list: &str) -> Option<BTreeSet<usize>> {
    let mut cpus = BTreeSet::new();
    for part in list.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if last > 1 << 20 {
            return None;
        }
        cpus.extend(first..=last);
    }
    (!cpus.is_empty()).then_some(cpus)
}

/// The folders `PREFIX0`, `PREFIX1`, ... in a folder.
fn numbered(folder: &str, prefix: &str) -> Option<Vec<PathBuf>> {
    let is_numbered = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str()?.strip_prefix(prefix))
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let entries = std::fs::read_dir(folder).ok()?;
    Some(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_numbered).collect())
}

fn cores() -> Option<usize> {
    let mut cores = BTreeSet::new();
    for cpu in numbered(CPUS, "cpu").unwrap_or_default() {
        let Some(core) = text(cpu.join("topology/core_id")) else { continue };
        let socket = text(cpu.join("topology/physical_package_id"));
        // Cores on two dies of a socket may have the same number; their lists of siblings differ.
        cores.insert((socket, core, text(cpu.join("topology/thread_siblings_list"))));
    }
    (!cores.is_empty()).then_some(cores.len())
}

fn caches() -> Vec<Cache> {
    let folder = format!("{CPUS}/cpu0/cache");
    let mut caches: Vec<Cache> = numbered(&folder, "index")
        .unwrap_or_default()
        .iter()
        .filter_map(|index| {
            Some(Cache {
                level: text(index.join("level"))?.parse().ok()?,
                kind: text(index.join("type"))?.to_lowercase(),
                bytes: size(&text(index.join("size"))?)?,
                shared_by: text(index.join("shared_cpu_list")).and_then(|list| Some(cpu_list(&list)?.len())),
            })
        })
        .collect();
    caches.sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    caches
}

/// A size such as `32K`.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, KIBIBYTE),
        None => text.strip_suffix('M').map_or((text, 1), |digits| (digits, KIBIBYTE * KIBIBYTE)),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn clock() -> Clock {
    let folder = format!("{CPUS}/cpu0/cpufreq");
    Clock {
        governor: text(format!("{folder}/scaling_governor")),
        driver: text(format!("{folder}/scaling_driver")),
        max_mhz: text(format!("{folder}/cpuinfo_max_freq")).and_then(|khz| Some(khz.parse::<f64>().ok()? / 1000.0)),
    }
}

/// The folder of this process's control group for a controller, and whether it is of version 2.
fn cgroup(controller: &str) -> Option<(PathBuf, bool)> {
    let own = read_to_string("/proc/self/cgroup").ok()?;
    let mut unified = None;
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|name| name == controller) {
            return Some((Path::new("/sys/fs/cgroup").join(controller).join(path), false));
        }
        if controllers.is_empty() {
            unified = Some((Path::new("/sys/fs/cgroup").join(path), true));
        }
    }
    unified
}

/// The tightest limit of the process's group and of the groups above it.
fn tightest(controller: &str, limit: impl Fn(&Path, bool) -> Option<f64>) -> Option<f64> {
    let (group, is_unified) = cgroup(controller)?;
    group
        .ancestors()
        .take_while(|folder| folder.starts_with("/sys/fs/cgroup"))
        .filter_map(|folder| limit(folder, is_unified))
        .min_by(f64::total_cmp)
}

/// The limit of a control group on memory, in bytes.
fn memory_limit(folder: &Path, is_unified: bool) -> Option<f64> {
    let name = if is_unified { "memory.max" } else { "memory.limit_in_bytes" };
    // In version 1 a number near 2^63 means no limit.
    text(folder.join(name))?.parse::<f64>().ok().filter(|&bytes| bytes < 9e18)
}

/// Bytes that this process's control group may still take.
pub(crate) fn control_group_room() -> Option<u64> {
    tightest("memory", memory_room).map(|bytes| bytes as u64)
}

/// The cores that this process's control group may use, by its quota of processor time.
pub(crate) fn quota_of_cores() -> Option<f64> {
    tightest("cpu", |folder, is_unified| {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|&number| number > 0.0);
        if is_unified {
            let limit = text(folder.join("cpu.max"))?;
            let (quota, period) = limit.split_once(' ')?;
            return Some(number(quota)? / number(period)?);
        }
        Some(number(&text(folder.join("cpu.cfs_quota_us"))?)? / number(&text(folder.join("cpu.cfs_period_us"))?)?)
    })
}

/// The limit of a control group minus the memory in use. Cached files do not count: the kernel frees them when needed.
fn memory_room(folder: &Path, is_unified: bool) -> Option<f64> {
    let limit = memory_limit(folder, is_unified)?;
    // In version 1 the usage includes the groups below, and so do the totals.
    let (usage, total) = if is_unified { ("memory.current", "") } else { ("memory.usage_in_bytes", "total_") };
    let used = text(folder.join(usage)).and_then(|bytes| bytes.parse::<f64>().ok()).unwrap_or(0.0);
    let stat = text(folder.join("memory.stat")).unwrap_or_default();
    let field = |name: &str| {
        let line = stat.lines().find_map(|line| line.strip_prefix(total)?.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|bytes| bytes.parse::<f64>().ok()).unwrap_or(0.0)
    };
    let files = field("inactive_file") + field("active_file");
    Some((limit - (used - files).max(0.0)).max(0.0))
}

fn os_name(release: &str) -> Option<String> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

/// Clock ticks per second in the files below: always 100.
const TICKS: f64 = 100.0;

/// Busy and stolen seconds of all CPUs together.
fn processor_times(stat: &str) -> Option<(f64, f64)> {
    let times: Vec<f64> =
        stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map_while(|time| time.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal
    let [user, nice, system, _, _, irq, softirq, steal, ..] = times[..] else { return None };
    Some(((user + nice + system + irq + softirq) / TICKS, steal / TICKS))
}

/// The processor time of a process, from its stat file.
fn own_times(stat: &str) -> Option<f64> {
    // The program's name, in parentheses, may have spaces.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?);
    Some((user + system) / TICKS)
}

fn thermal_throttles() -> Option<u64> {
    numbered(CPUS, "cpu")?
        .iter()
        .filter_map(|cpu| text(cpu.join("thermal_throttle/core_throttle_count"))?.parse::<u64>().ok())
        .reduce(u64::saturating_add)
}

fn quota_throttles() -> Option<u64> {
    let (group, _) = cgroup("cpu")?;
    text(group.join("cpu.stat"))?.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.parse().ok()
}

/// Whether a battery is discharging; `None` if there is none.
fn on_battery() -> Option<bool> {
    let supplies = std::fs::read_dir("/sys/class/power_supply").ok()?;
    let states: Vec<String> = supplies
        .filter_map(|supply| supply.ok().map(|supply| supply.path()))
        .filter(|supply| text(supply.join("type")).as_deref() == Some("Battery"))
        // Batteries of mice and the like have the scope "Device".
        .filter(|supply| text(supply.join("scope")).as_deref() != Some("Device"))
        .filter_map(|supply| text(supply.join("status")))
        .collect();
    (!states.is_empty()).then(|| states.iter().any(|state| state == "Discharging"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_control_group_uses_is_not_there_to_be_taken() {
        for (is_unified, limit, usage, total) in [
            (true, "memory.max", "memory.current", ""),
            (false, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
            let room = || memory_room(folder.path(), is_unified);
            assert_eq!(room(), None);
            write(limit, "1000000\n");
            assert_eq!(room(), Some(1_000_000.0));
            write(usage, "700000\n");
            assert_eq!(room(), Some(300_000.0));
            let files = format!("{total}inactive_file 150000\n{total}active_file 50000\n");
            write("memory.stat", &format!("inactive_file_like 1\nanon 500000\nfile 200000\n{files}"));
            assert_eq!(room(), Some(500_000.0));
            write(usage, "1300000\n");
            assert_eq!(room(), Some(0.0));
            write(usage, "100000\n");
            assert_eq!(room(), Some(1_000_000.0));
        }
    }

    #[test]
    fn the_files_are_read_as_linux_writes_them() {
        let cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\nmodel name\t: Some  CPU @ 2GHz\n";
        assert_eq!(cpu_field(cpuinfo, "model"), Some("85"));
        assert_eq!(collapse(cpu_field(cpuinfo, "model name").unwrap()), "Some CPU @ 2GHz");
        assert_eq!(cpu_field(cpuinfo, "stepping"), None);
        assert_eq!(memory_field("MemTotal:       24684096 kB\nMemFree: 1 kB\n", "MemTotal"), Some(24_684_096 * 1024));
        assert_eq!(cpu_list("0-2,8,10-11\n").unwrap().len(), 6);
        assert_eq!(cpu_list("x"), None);
        assert_eq!(size("32K"), Some(32_768));
        assert_eq!(size("2M"), Some(2 << 20));
        assert_eq!(os_name("ID=x\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
        assert_eq!(processor_times("cpu  100 50 25 1000 7 3 2 40 0 0\ncpu0 ..."), Some((1.8, 0.4)));
        assert_eq!(own_times("12 (a b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0"), Some(2.0));
        assert_eq!(own_times("nonsense"), None);
    }
}
