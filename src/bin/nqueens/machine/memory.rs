//! The memory that this process may still take.

#[cfg(not(target_os = "linux"))]
use super::elsewhere::free_memory;
#[cfg(target_os = "linux")]
use super::linux::free_memory;

/// A limit on the memory of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes that it may still take.
    pub(crate) bytes: u64,
    /// The limit in words, such as "this machine has free".
    pub(crate) limit: &'static str,
    /// Bytes of a thread's stack, if the limit counts stacks: a limit on the address space does.
    pub(crate) bytes_of_stack: u64,
}

impl Room {
    /// A limit that does not count stacks before they are used.
    pub(crate) fn of_memory(bytes: u64, limit: &'static str) -> Self {
        Self { bytes, limit, bytes_of_stack: 0 }
    }
}

/// The stack of a thread in Rust's library.
#[cfg(unix)]
const STACK: u64 = 2 << 20;

/// The tightest limit: the machine's free memory, the control group's, or the address space's (`ulimit -v`). `None` if
/// none is known.
pub(crate) fn room() -> Option<Room> {
    let limits = [
        free_memory().map(|bytes| Room::of_memory(bytes, "this machine has free")),
        control_group().map(|bytes| Room::of_memory(bytes, "this process's control group may take")),
        address_space(),
    ];
    limits.into_iter().flatten().min_by_key(|room| room.bytes)
}

#[cfg(target_os = "linux")]
fn control_group() -> Option<u64> {
    super::linux::control_group_room()
}

/// Only Linux has control groups.
#[cfg(not(target_os = "linux"))]
fn control_group() -> Option<u64> {
    None
}

/// The cores that the control group's quota allows, if it has a quota.
pub(crate) fn quota_of_cores() -> Option<f64> {
    #[cfg(target_os = "linux")]
    return super::linux::quota_of_cores();
    #[cfg(not(target_os = "linux"))]
    None
}

/// The limit on the address space; `None` if there is none.
#[cfg(unix)]
pub(crate) fn address_space() -> Option<Room> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    #[cfg(target_os = "linux")]
    let used = super::linux::address_space_used().unwrap_or(0);
    // Other systems do not tell how much is used.
    #[cfg(not(target_os = "linux"))]
    let used = 0;
    let limit_in_words = "this process may take (ulimit -v)";
    Some(Room { bytes: limit.saturating_sub(used), limit: limit_in_words, bytes_of_stack: STACK })
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub(crate) fn address_space() -> Option<Room> {
    None
}
