//! How much memory this process may yet take.

#[cfg(not(target_os = "linux"))]
use super::elsewhere::free_memory;
#[cfg(target_os = "linux")]
use super::linux::free_memory;

/// What limits the memory of this process, and to how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes that it may yet take.
    pub(crate) bytes: u64,
    /// What limits it, as a sentence has it: "this machine has free".
    pub(crate) limit: &'static str,
    /// What each thread takes of it beside its memory: its stack counts where the address space is limited, used or not.
    pub(crate) bytes_of_stack: u64,
}

impl Room {
    /// So much memory, of which stacks take nothing until they are used.
    pub(crate) fn of_memory(bytes: u64, limit: &'static str) -> Self {
        Self { bytes, limit, bytes_of_stack: 0 }
    }
}

/// The stack of a thread, as Rust's library makes it.
const STACK: u64 = 2 << 20;

/// The tightest limit on this process's memory: what the machine has free, what its control group leaves, or the limit of
/// its address space (`ulimit -v`). `None` where nothing is known.
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

/// What is left of the limit on the address space; `None` where there is no such limit.
#[cfg(unix)]
pub(crate) fn address_space() -> Option<Room> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    #[cfg(target_os = "linux")]
    let used = super::linux::address_space_used().unwrap_or(0);
    // Other systems do not say how much is taken.
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
