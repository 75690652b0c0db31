//! Facts about the machine, its clocks and its random numbers; also raises the limit on open files. A fact that cannot
//! be read is `None`, and nothing here fails.

mod disturbance;
pub(crate) mod frequency;
mod limits;
mod linux;
mod memory;
pub(crate) mod stopwatch;
mod threads;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, System};

pub(crate) use disturbance::{Disturbance, Watched};
pub(crate) use limits::{advice_on_limit, raise_open_files};
pub(crate) use linux::cpu_quota;
pub(crate) use memory::{MemoryLimit, address_space, memory_limit, restart_with_one_heap};
use nqueens::solver::Isa;
pub(crate) use threads::{granted, usable_threads};

/// Facts about the machine, as they are saved in records. `None` stands for a fact that the system does not report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineFacts {
    /// The processor's model, by its own name.
    pub(crate) cpu_model: String,
    /// Hardware threads online.
    pub(crate) logical_cpus: usize,
    /// Hardware threads that affinity, quota and scheduler leave to this process: the threads that `all` stands for.
    pub(crate) usable_cpus: usize,
    pub(crate) cores: Option<usize>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) virtualized: Option<bool>,
    /// The numbers by which an x86 processor identifies itself, besides its name.
    pub(crate) family: Option<u32>,
    pub(crate) model: Option<u32>,
    pub(crate) stepping: Option<u32>,
    pub(crate) microcode: Option<String>,
    /// The caches of the first core, such as `L1d 32 KiB` and `L3 32 MiB of 8 CPUs`.
    pub(crate) caches: Vec<String>,
    /// The policy by which the system sets the frequency, such as `performance`.
    pub(crate) governor: Option<String>,
    /// The hypervisor if this machine is virtual, such as `Amazon EC2 m7i.large` or `kvm`.
    pub(crate) hypervisor: Option<String>,
    /// The names of the instruction sets ([`Isa`]) that the machine has, slowest first.
    pub(crate) instruction_sets: Vec<String>,
    /// The operating system, such as `Linux (Debian GNU/Linux 12)`.
    pub(crate) os: String,
    /// The release of the kernel.
    pub(crate) kernel: Option<String>,
}

/// Returns the facts about this machine. Only the first call asks the system.
pub(crate) fn facts() -> &'static MachineFacts {
    static FACTS: OnceLock<MachineFacts> = OnceLock::new();
    FACTS.get_or_init(ask)
}

fn ask() -> MachineFacts {
    let mut system = System::new();
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system.refresh_memory();
    let usable_cpus = usable_threads();
    let unnamed = || format!("unknown {} processor", std::env::consts::ARCH);
    MachineFacts {
        cpu_model: system.cpus().first().and_then(|cpu| stated(cpu.brand())).unwrap_or_else(unnamed),
        logical_cpus: system.cpus().len().max(usable_cpus),
        usable_cpus,
        cores: System::physical_core_count().filter(|&cores| cores > 0),
        memory_bytes: Some(system.total_memory()).filter(|&bytes| bytes > 0),
        virtualized: linux::is_virtual(),
        family: linux::processor("cpu family"),
        model: linux::processor("model"),
        stepping: linux::processor("stepping"),
        microcode: linux::processor("microcode"),
        caches: linux::caches(),
        governor: linux::governor(),
        hypervisor: linux::hypervisor(),
        instruction_sets: Isa::available().iter().map(|isa| isa.name().to_owned()).collect(),
        os: System::long_os_version().as_deref().and_then(stated).unwrap_or_else(|| std::env::consts::OS.to_owned()),
        kernel: System::kernel_version().as_deref().and_then(stated),
    }
}

/// Returns the number of cores among the hardware threads that this process may use. That many threads can run at full
/// speed.
pub(crate) fn cores() -> usize {
    let &MachineFacts { logical_cpus, usable_cpus, cores, .. } = facts();
    (usable_cpus * cores.unwrap_or(logical_cpus)).div_ceil(logical_cpus).clamp(1, usable_cpus)
}

/// Returns in words what limits the number of usable threads, if anything does.
pub(crate) fn limit_in_words() -> Option<String> {
    threads::limit_in_words(facts().logical_cpus)
}

/// Returns the text with single spaces, or `None` if it is empty or "unknown".
fn stated(text: &str) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty() && !text.eq_ignore_ascii_case("unknown")).then_some(text)
}

/// Returns the time in UTC, to the second, such as `2026-11-26T18:10:36Z`. A clock outside the years 1970 to 9999
/// counts as the nearest time within them, because `humantime` writes no others.
pub(crate) fn now() -> String {
    in_utc(SystemTime::now())
}

fn in_utc(time: SystemTime) -> String {
    const LAST: Duration = Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_seconds(time.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST)).to_string()
}

/// Returns a random number, which differs from call to call and from process to process.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_reports_its_processor_memory_and_name() {
        let machine = facts();
        assert!(!machine.cpu_model.is_empty() && !machine.os.is_empty(), "{machine:?}");
        assert!((1..=machine.usable_cpus).contains(&cores()) && machine.usable_cpus <= machine.logical_cpus);
        if cfg!(any(target_os = "linux", target_os = "macos", windows)) {
            let memory = machine.memory_bytes.expect("a size of the memory");
            assert!(memory > 64 << 20, "{machine:?}");
            assert!(memory_limit().is_some_and(|limit| limit.bytes <= memory));
        }
    }

    #[test]
    fn a_clock_far_from_this_century_is_no_panic() {
        assert_eq!(in_utc(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00Z");
        assert_eq!(in_utc(UNIX_EPOCH + Duration::from_secs(253_402_300_800)), "9999-12-31T23:59:59Z");
    }
}
