//! The memory that this process may still take.

use sysinfo::System;

use super::linux;

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
        linux::control_group_room().map(|bytes| Room::of_memory(bytes, "this process's control group may take")),
        address_space(),
    ];
    limits.into_iter().flatten().min_by_key(|room| room.bytes)
}

/// Free memory of the machine in bytes.
fn free_memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

/// The limit on the address space; `None` if there is none.
#[cfg(unix)]
pub(crate) fn address_space() -> Option<Room> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    // Systems other than Linux do not tell how much is used.
    let used = linux::address_space_used().unwrap_or(0);
    let limit_in_words = "this process may take (ulimit -v)";
    Some(Room { bytes: limit.saturating_sub(used), limit: limit_in_words, bytes_of_stack: STACK })
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub(crate) fn address_space() -> Option<Room> {
    None
}
