//! How much memory this process may yet take.

#[cfg(not(target_os = "linux"))]
use super::elsewhere::free_memory;
#[cfg(target_os = "linux")]
use super::linux::free_memory;

/// What limits the memory of this process, and to how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that it may yet take.
    pub bytes: u64,
    /// What limits it, as a sentence has it: "this machine has free".
    pub limit: &'static str,
}

/// The tightest limit on this process's memory: what the machine has free, its control group's limit, or the limit of
/// its address space (`ulimit -v`). `None` where nothing is known.
#[must_use]
pub fn room() -> Option<Room> {
    let limits = [
        (free_memory(), "this machine has free"),
        (control_group(), "this process's control group may take"),
        (address_space(), "this process may take (ulimit -v)"),
    ];
    let known = limits.into_iter().filter_map(|(bytes, limit)| Some(Room { bytes: bytes?, limit }));
    known.min_by_key(|room| room.bytes)
}

#[cfg(target_os = "linux")]
fn control_group() -> Option<u64> {
    super::linux::limits().memory_bytes
}

/// Only Linux has control groups.
#[cfg(not(target_os = "linux"))]
fn control_group() -> Option<u64> {
    None
}

/// What is left of the limit on the address space.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    #[cfg(target_os = "linux")]
    let used = super::linux::address_space_used().unwrap_or(0);
    // Other systems do not say how much is taken.
    #[cfg(not(target_os = "linux"))]
    let used = 0;
    Some(limit.saturating_sub(used))
}

/// Windows has no such limit.
#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}
