//! Facts about the machine. A fact that cannot be read is left out; nothing here fails.

mod cpuid;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod memory;
pub(crate) mod name;
pub(crate) mod pace;
pub(crate) mod stopwatch;

pub(crate) use memory::{Room, address_space, quota_of_cores, room};

use crate::bench::record::Machine;
use nqueens::engine::default_threads;
use nqueens::solver::Isa;

/// The machine this runs on.
pub(crate) fn facts() -> Machine {
    #[cfg(target_os = "linux")]
    let mut machine = linux::facts();
    #[cfg(not(target_os = "linux"))]
    let mut machine = elsewhere::facts();
    let cpuid = cpuid::facts();
    if machine.cpu_model.is_empty() {
        machine.cpu_model = cpuid.model.unwrap_or_default();
    }
    machine.hypervisor = machine.hypervisor.or(cpuid.hypervisor);
    machine.virtualised = machine.virtualised.or(cpuid.virtualised);
    machine.hybrid = machine.hybrid.or(cpuid.hybrid);
    // Linux names processors of other architectures by numbers, if at all.
    #[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
    if machine.cpu_model.is_empty() {
        machine.cpu_model = elsewhere::processor().unwrap_or_default();
    }
    if machine.cpu_model.is_empty() {
        machine.cpu_model = format!("unknown {} processor", std::env::consts::ARCH);
    }
    machine.usable_cpus = default_threads();
    machine.logical_cpus = machine.logical_cpus.max(machine.usable_cpus);
    machine.instruction_sets = Isa::available().iter().map(|isa| isa.name().to_owned()).collect();
    if machine.os.is_empty() {
        machine.os = std::env::consts::OS.to_owned();
    }
    machine
}

/// The time in UTC, to the second, such as `2026-11-26T18:10:36Z`.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// What may spoil a measurement: other programs, the battery, throttling.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Conditions {
    /// Processor time of all processes so far, in seconds.
    pub(crate) busy_seconds: Option<f64>,
    /// Processor time that the hypervisor gave to other machines so far, in seconds.
    pub(crate) stolen_seconds: Option<f64>,
    /// Processor time of this process so far, in seconds.
    pub(crate) own_seconds: Option<f64>,
    /// How often a hot core was slowed down.
    pub(crate) thermal_throttles: Option<u64>,
    /// How often this process's control group used up its quota.
    pub(crate) quota_throttles: Option<u64>,
    /// Whether it runs on a battery.
    pub(crate) on_battery: Option<bool>,
}

/// The conditions now. The difference of two is what happened between them. They are known on Linux only.
pub(crate) fn conditions() -> Conditions {
    #[cfg(target_os = "linux")]
    return linux::conditions();
    #[cfg(not(target_os = "linux"))]
    Conditions::default()
}
