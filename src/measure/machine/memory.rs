//! How much memory this process may yet take.

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
        (super::linux::free_memory(), "this machine has free"),
        (super::linux::limits().memory_bytes, "this process's control group may take"),
        (address_space(), "this process may take (ulimit -v)"),
    ];
    let known = limits.into_iter().filter_map(|(bytes, limit)| Some(Room { bytes: bytes?, limit }));
    known.min_by_key(|room| room.bytes)
}

/// What is left of the limit on the address space.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(super::linux::address_space_used().unwrap_or(0)))
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}
