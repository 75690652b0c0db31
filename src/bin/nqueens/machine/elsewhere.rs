//! Facts from the crate sysinfo, for all machines except x86-64 Linux.

use sysinfo::{CpuRefreshKind, System};

#[cfg(not(target_os = "linux"))]
use crate::bench::record::Machine;

/// The name of the first processor. On Arm, Linux has only numbers; sysinfo knows the names.
#[cfg(target_os = "linux")]
pub(crate) fn processor() -> Option<String> {
    first_processor(&processors())
}

fn processors() -> System {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system
}

fn first_processor(system: &System) -> Option<String> {
    known(system.cpus().first()?.brand())
}

/// A text, unless it is empty or says "unknown".
fn known(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && !text.eq_ignore_ascii_case("unknown")).then_some(text)
}

/// The machine, on systems other than Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn facts() -> Machine {
    let mut system = processors();
    system.refresh_memory();
    let positive = |bytes: u64| (bytes > 0).then_some(bytes);
    Machine {
        cpu_model: first_processor(&system).unwrap_or_default(),
        logical_cpus: system.cpus().len(),
        cores: System::physical_core_count(),
        memory_bytes: positive(system.total_memory()),
        os: System::long_os_version().as_deref().and_then(known).unwrap_or_default(),
        kernel: System::kernel_version().as_deref().and_then(known),
        ..Machine::default()
    }
}

/// Free memory in bytes, on systems other than Linux.
#[cfg(not(target_os = "linux"))]
pub(crate) fn free_memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_unknown() {
        assert_eq!(known("  Some  CPU @ 2GHz "), Some("Some CPU @ 2GHz".to_owned()));
        for nothing in ["", "  ", "unknown", "Unknown"] {
            assert_eq!(known(nothing), None, "{nothing:?}");
        }
    }

    #[cfg(any(target_os = "macos", windows))]
    #[test]
    fn the_system_tells_its_processor_memory_and_name() {
        let machine = facts();
        assert!(!machine.cpu_model.is_empty() && !machine.os.is_empty(), "{machine:?}");
        assert!(machine.logical_cpus >= 1 && machine.cores.is_some_and(|cores| cores >= 1), "{machine:?}");
        let memory = machine.memory_bytes.expect("a size of the memory");
        assert!(memory > 64 << 20, "{machine:?}");
        assert!(free_memory().is_some_and(|free| free <= memory));
    }
}
