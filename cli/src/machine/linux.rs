//! Facts from files in /proc and /sys, which only Linux has. On other systems, every fact is `None`.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::terminal::units::bytes;

/// Returns the trimmed text of a small file, or `None` if the file is missing or empty.
fn text(path: impl AsRef<Path>) -> Option<String> {
    read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the rest of the first line that begins with `start`.
fn after<'a>(start: &str, text: &'a str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(start))
}

/// Returns whether this is a virtual machine, or `None` if the processor does not say so, as on Arm.
pub(crate) fn is_virtual() -> Option<bool> {
    Some(processor::<String>("flags")?.split(' ').any(|flag| flag == "hypervisor"))
}

/// Returns a field of the first processor in `/proc/cpuinfo`, such as `cpu family`, which only x86 processors report.
pub(crate) fn processor<T: FromStr>(field: &str) -> Option<T> {
    field_of(&text("/proc/cpuinfo")?, field)
}

fn field_of<T: FromStr>(cpuinfo: &str, field: &str) -> Option<T> {
    let fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    fields.map(|(name, value)| (name.trim(), value.trim())).find(|(name, _)| *name == field)?.1.parse().ok()
}

/// Returns the caches of the first core in the system's order, from the first level to the last.
pub(crate) fn caches() -> Vec<String> {
    let folder = Path::new("/sys/devices/system/cpu/cpu0/cache");
    (0..10).map_while(|index| cache(&folder.join(format!("index{index}")))).collect()
}

/// Returns the cache that a folder describes, such as `L3 32 MiB of 8 CPUs`.
fn cache(folder: &Path) -> Option<String> {
    let field = |name: &str| text(folder.join(name));
    let kind = match &*field("type")? {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    };
    let kilobytes: u64 = field("size")?.strip_suffix('K')?.parse().ok()?;
    let shared = field("shared_cpu_list").map_or(1, |list| cpus_of_list(&list));
    let of = if shared > 1 { format!(" of {shared} CPUs") } else { String::new() };
    Some(format!("L{}{kind} {}{of}", field("level")?, bytes(kilobytes << 10)))
}

/// Returns the number of CPUs in a list such as `0-3,8-11`.
fn cpus_of_list(list: &str) -> usize {
    let number = |text: &str| text.trim().parse::<usize>().unwrap_or(0);
    let ranges = list.split(',').map(|range| range.split_once('-').unwrap_or((range, range)));
    ranges.map(|(first, last)| number(last).saturating_sub(number(first)) + 1).sum()
}

/// Returns the frequency governor of the first processor.
pub(crate) fn governor() -> Option<String> {
    text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
}

/// Returns the hypervisor if this machine is virtual: the name that it gives the machine, or else its kind.
pub(crate) fn hypervisor() -> Option<String> {
    if is_virtual() != Some(true) {
        return None;
    }
    let named = ["sys_vendor", "product_name"].map(|name| text(Path::new("/sys/class/dmi/id").join(name)));
    let named: Vec<String> = named.into_iter().flatten().collect();
    let clock = || {
        let clock = text("/sys/devices/system/clocksource/clocksource0/available_clocksource")?;
        let kinds = [("kvm-clock", "kvm"), ("hyperv", "hyperv"), ("xen", "xen")];
        kinds.into_iter().find_map(|(name, kind)| clock.contains(name).then(|| kind.to_owned()))
    };
    if named.is_empty() { text("/sys/hypervisor/type").or_else(clock) } else { Some(named.join(" ")) }
}

/// Returns the processor seconds of this machine that the hypervisor gave to other guests.
pub(crate) fn stolen_seconds() -> Option<f64> {
    stolen(&text("/proc/stat")?)
}

/// Reads the stolen time in seconds. It is the eighth number in the first line of `/proc/stat`, which adds up all
/// processors in ticks of 10 ms.
fn stolen(stat: &str) -> Option<f64> {
    let ticks: f64 = after("cpu ", stat)?.split_whitespace().nth(7)?.parse().ok()?;
    Some(ticks / 100.0)
}

/// Returns the bytes of address space that this process uses.
#[cfg(unix)]
pub(crate) fn address_space_used() -> Option<u64> {
    let kilobytes: u64 = after("VmSize:", &text("/proc/self/status")?)?.trim().strip_suffix(" kB")?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns the bytes that this process's control group may still take, limited by the group and by those above it.
pub(crate) fn control_group_room() -> Option<u64> {
    least_of_groups("memory", memory_room).map(|bytes| bytes as u64)
}

/// Returns the CPU quota of this process's control group in cores, such as 0.5, or `None` without a quota.
pub(crate) fn cpu_quota() -> Option<f64> {
    least_of_groups("cpu", quota)
}

/// Returns the least value of `limit` for a controller's group and the groups above it. `limit` takes the folder of a
/// group, and whether control groups are of version 2.
fn least_of_groups(controller: &str, limit: impl Fn(&Path, bool) -> Option<f64>) -> Option<f64> {
    let (group, is_unified) = control_group(&text("/proc/self/cgroup")?, controller)?;
    let folders = group.ancestors().take_while(|folder| folder.starts_with("/sys/fs/cgroup"));
    folders.filter_map(|folder| limit(folder, is_unified)).min_by(f64::total_cmp)
}

/// Returns the folder of a process's control group for a controller, and whether the group is of version 2. `groups` is
/// the text of `/proc/self/cgroup`, with a line for each hierarchy: number, controllers, path.
fn control_group(groups: &str, controller: &str) -> Option<(PathBuf, bool)> {
    let mut unified = None;
    for line in groups.lines() {
        let [_, controllers, path] = line.splitn(3, ':').collect::<Vec<_>>()[..] else { continue };
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

/// Returns the limit of a control group minus the memory in use. Cached files do not count, because the kernel frees
/// them when needed.
fn memory_room(folder: &Path, is_unified: bool) -> Option<f64> {
    let name = if is_unified { "memory.max" } else { "memory.limit_in_bytes" };
    // In version 1, a number near 2^63 means that there is no limit.
    let limit = text(folder.join(name))?.parse::<f64>().ok().filter(|&bytes| bytes < 9e18)?;
    // In version 1, the usage and the totals include the groups below.
    let (usage, total) = if is_unified { ("memory.current", "") } else { ("memory.usage_in_bytes", "total_") };
    let used = text(folder.join(usage)).and_then(|bytes| bytes.parse::<f64>().ok()).unwrap_or(0.0);
    let stat = text(folder.join("memory.stat")).unwrap_or_default();
    let field = |name: &str| after(&format!("{total}{name} "), &stat).and_then(|bytes| bytes.parse::<f64>().ok());
    let files = field("inactive_file").unwrap_or(0.0) + field("active_file").unwrap_or(0.0);
    Some((limit - (used - files).max(0.0)).max(0.0))
}

/// Returns the quota of a control group in cores: its time in each period, divided by the period. A quota that is not a
/// number means no limit, so the result is `None`.
fn quota(folder: &Path, is_unified: bool) -> Option<f64> {
    let texts = if is_unified {
        let both = text(folder.join("cpu.max"))?;
        both.split_once(' ').map(|(quota, period)| [quota, period].map(str::to_owned))?
    } else {
        [text(folder.join("cpu.cfs_quota_us"))?, text(folder.join("cpu.cfs_period_us"))?]
    };
    let [quota, period]: [f64; 2] = [texts[0].parse().ok()?, texts[1].parse().ok()?];
    Some(quota / period).filter(|&cores| cores > 0.0 && cores.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_of_half_a_core_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert_eq!([true, false].map(|is_unified| quota(folder.path(), is_unified)), [None; 2]);
        for (unified, micros, cores) in [
            ("50000 100000\n", "50000\n", Some(0.5)),
            ("max 100000\n", "-1\n", None),
            ("400000 200000", "200000", Some(2.0)),
        ] {
            write("cpu.max", unified);
            write("cpu.cfs_quota_us", micros);
            write("cpu.cfs_period_us", "100000\n");
            assert_eq!([true, false].map(|is_unified| quota(folder.path(), is_unified)), [cores; 2]);
        }
    }

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
            write(usage, "700000\n");
            assert_eq!(room(), Some(300_000.0));
            write("memory.stat", &format!("anon 500000\n{total}inactive_file 150000\n{total}active_file 50000\n"));
            assert_eq!(room(), Some(500_000.0));
            write(usage, "1300000\n");
            assert_eq!(room(), Some(0.0));
        }
    }

    #[test]
    fn a_cache_has_its_level_kind_size_and_cpus() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(cache(folder.path()), None);
        for (level, kind, size, cpus, expected) in [
            ("1", "Data", "32K", "0", "L1d 32 KiB"),
            ("2", "Unified", "1024K", "0-1", "L2 1 MiB of 2 CPUs"),
            ("3", "Unified", "32768K", "0-7", "L3 32 MiB of 8 CPUs"),
        ] {
            let fields = [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", cpus)];
            for (name, text) in fields {
                std::fs::write(folder.path().join(name), format!("{text}\n")).unwrap();
            }
            assert_eq!(cache(folder.path()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_files_are_read_as_linux_writes_them() {
        assert_eq!(stolen("cpu  100 50 25 1000 7 3 2 40 0 0\ncpu0 100 ...\nintr 5"), Some(0.4));
        let cpuinfo = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\n\nprocessor\t: 1\nmodel\t\t: 9\n";
        let found = ["cpu family", "model", "stepping", "cores"].map(|field| field_of(cpuinfo, field));
        assert_eq!(found, [Some(25), Some(1), Some(1), None]);
        assert_eq!(field_of(cpuinfo, "microcode"), Some("0x1000065".to_owned()));
        assert_eq!(["0", "0-3,8-11", "0,2"].map(cpus_of_list), [1, 8, 2]);
        let groups = "12:cpu,cpuacct:/a\n5:memory:/docker/x\n0::/\n";
        let old = control_group(groups, "memory");
        assert_eq!(old, Some(("/sys/fs/cgroup/memory/docker/x".into(), false)));
        assert_eq!(control_group(groups, "cpu"), Some(("/sys/fs/cgroup/cpu/a".into(), false)));
        assert_eq!(control_group("0::/user.slice\n", "memory"), Some(("/sys/fs/cgroup/user.slice".into(), true)));
        assert_eq!(control_group("", "memory"), None);
    }
}
