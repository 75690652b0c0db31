//! The memory that this process may still take.

use sysinfo::System;

use super::linux;

/// A limit on the memory of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryLimit {
    /// Bytes that it may still take.
    pub(crate) bytes: u64,
    /// The limit in words, such as "this machine has free".
    pub(crate) words: &'static str,
    /// Bytes of a thread's stack, if the limit counts stacks: a limit on the address space does.
    pub(crate) bytes_of_stack: u64,
}

/// The tightest limit: the machine's free memory, the control group's, or the address space's (`ulimit -v`). `None` if
/// none is known.
pub(crate) fn memory_limit() -> Option<MemoryLimit> {
    let mut system = System::new();
    system.refresh_memory();
    let of_memory = |bytes: Option<u64>, words| Some(MemoryLimit { bytes: bytes?, words, bytes_of_stack: 0 });
    let limits = [
        of_memory(Some(system.available_memory()).filter(|&bytes| bytes > 0), "this machine has free"),
        of_memory(linux::control_group_room(), "this process's control group may take"),
        address_space(),
    ];
    limits.into_iter().flatten().min_by_key(|limit| limit.bytes)
}

/// The stack of a thread in Rust's library.
const STACK: u64 = 2 << 20;

/// The user's limit on the address space. Windows has no such limit.
pub(crate) fn address_space() -> Option<MemoryLimit> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok().filter(|(limit, _)| *limit != RLIM_INFINITY)?;
        // Systems other than Linux do not tell how much is used.
        #[allow(clippy::unnecessary_cast, reason = "it has 32 bits on some systems")]
        let bytes = (limit as u64).saturating_sub(linux::address_space_used().unwrap_or(0));
        Some(MemoryLimit { bytes, words: "this process may take (ulimit -v)", bytes_of_stack: STACK })
    }
    #[cfg(not(unix))]
    None
}
