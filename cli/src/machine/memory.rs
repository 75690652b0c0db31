//! The memory that this process may still take.

use sysinfo::System;

use super::linux;

/// A limit on the memory of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryLimit {
    /// The bytes that the process may still take.
    pub(crate) bytes: u64,
    /// The limit in words, which follow its bytes, such as "that this machine has free".
    pub(crate) words: &'static str,
    /// The advice on how to raise the limit.
    pub(crate) remedy: &'static str,
    /// The bytes that each thread takes besides its data. They are 0 unless the limit is on the address space, which
    /// includes stacks.
    pub(crate) bytes_of_stack: u64,
}

impl MemoryLimit {
    /// Returns how much of this limit `threads` threads use up if their data take `bytes`.
    pub(crate) fn charged(&self, bytes: u64, threads: usize) -> u64 {
        bytes.saturating_add(self.bytes_of_stack.saturating_mul(threads as u64))
    }
}

/// Returns the tightest limit: the free memory of the machine, the rest of the control group, or the rest of the
/// address space (`ulimit -v`). `None` if none is known.
pub(crate) fn memory_limit() -> Option<MemoryLimit> {
    let mut system = System::new();
    system.refresh_memory();
    let of_machine = MemoryLimit {
        bytes: system.available_memory(),
        words: "that this machine has free",
        remedy: "count on a machine with more memory",
        bytes_of_stack: 0,
    };
    let of_group = |bytes| MemoryLimit {
        bytes,
        words: "that its control group leaves to this process",
        remedy: "raise the memory limit of the control group",
        bytes_of_stack: 0,
    };
    let of_machine = (of_machine.bytes > 0).then_some(of_machine);
    let limits = [of_machine, linux::control_group_room().map(of_group), address_space()];
    limits.into_iter().flatten().min_by_key(|limit| limit.bytes)
}

/// The bytes of address space that a thread needs besides its data: a stack of 2 MiB, the default of Rust's library,
/// and the gaps that the allocator leaves between the blocks of a thread.
#[cfg(unix)]
const STACK: u64 = 4 << 20;

/// Returns the user's limit on the address space. Windows has no such limit.
pub(crate) fn address_space() -> Option<MemoryLimit> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok().filter(|(limit, _)| *limit != RLIM_INFINITY)?;
        // Systems other than Linux do not report how much is used.
        #[allow(clippy::unnecessary_cast, reason = "the limit has 32 bits on some systems")]
        let bytes = (limit as u64).saturating_sub(linux::address_space_used().unwrap_or(0));
        Some(MemoryLimit {
            bytes,
            words: "that 'ulimit -v' leaves to this process",
            remedy: "raise the limit on the address space with 'ulimit -v'",
            bytes_of_stack: STACK,
        })
    }
    #[cfg(not(unix))]
    None
}

/// Makes all threads share one heap if the address space is limited. By default, glibc reserves 64 MiB of addresses for
/// the heap of each thread, which fills a limit long before the memory is used.
///
/// Because glibc reads its variable when a program starts, this function replaces the process with the same program and
/// the same arguments. If the system refuses, or if the program was started by a loader such as `ld-linux.so.2`, which
/// is then the program of the process, each thread keeps its own heap.
pub(crate) fn restart_with_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::env;
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        const HEAPS: (&str, &str) = ("MALLOC_ARENA_MAX", "1");
        if address_space().is_some() && env::var_os(HEAPS.0).is_none_or(|heaps| heaps != HEAPS.1) {
            let Ok(program) = env::current_exe() else { return };
            if program.file_name().is_some_and(|name| name.to_string_lossy().contains(".so")) {
                return;
            }
            let mut arguments = env::args_os();
            let name = arguments.next().unwrap_or_else(|| program.clone().into());
            // `exec` returns only if the system refuses.
            let _ = Command::new(program).arg0(name).args(arguments).env(HEAPS.0, HEAPS.1).exec();
        }
    }
}
