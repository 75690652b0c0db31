//! The processes of a command: the resources they use, how they end, and which of them the command leaves running.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;
use wait4::Wait4;

pub(crate) use system::adopt;

/// The longest time that a killed process may need to end, for example to free gigabytes of memory on a busy machine. A
/// process that takes longer never ends, such as one that waits for a network drive that is gone.
pub(crate) const STOPPING: Duration = Duration::from_secs(5);

/// Returns the processor time and the number of waits, summed over all children that this process has waited for and,
/// in turn, over the children that they waited for. Returns `None` on Windows.
///
/// `wait4` reports neither waits nor the processes that the gate has adopted, and this sum has no peak memory of one
/// run, so both are needed.
pub(crate) fn usage_of_children() -> Option<(Duration, u64)> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
        let processor = (usage.user_time() + usage.system_time()).num_microseconds();
        Some((Duration::from_micros(processor.cast_unsigned()), usage.voluntary_context_switches() as u64))
    }
    #[cfg(not(unix))]
    None
}

/// The end of a process.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) moment: Instant,
    /// The time for which its main thread waited for a free processor. Only Linux reports it.
    pub(crate) queued: Duration,
    /// Peak memory in bytes, of the process or of a child that it waited for.
    pub(crate) memory: u64,
}

/// A process that a command left running.
struct LeftOver {
    id: u32,
    name: String,
}

/// Waits for the end of a process. On Linux, it is an error if the process stops to wait for the terminal, which it
/// never gets.
pub(crate) fn wait(child: &mut Child) -> io::Result<End> {
    let queued = system::queued_until_end(child.id())?;
    let used = child.wait4()?;
    Ok(End { status: used.status, moment: Instant::now(), queued, memory: used.rusage.maxrss })
}

/// Kills a process, and the process group that it leads.
pub(crate) fn kill(id: u32) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill, killpg};
        let id = nix::unistd::Pid::from_raw(id.cast_signed());
        let _ = killpg(id, Signal::SIGKILL);
        let _ = kill(id, Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    {
        let _ = std::process::Command::new("taskkill").args(["/F", "/T", "/PID", &id.to_string()]).output();
    }
}

/// Kills the processes that a command left running, and returns a description of them, if there were any. Linux finds
/// all of them, other kinds of Unix those in the process group of the command, and Windows none.
pub(crate) fn end_left_over(group: u32) -> Option<String> {
    /// The time that helpers may need to end if a command stops them just before it ends itself.
    const GRACE: Duration = Duration::from_millis(5);
    if system::left_over(group).is_empty() {
        return None;
    }
    thread::sleep(GRACE);
    let mut left = system::left_over(group);
    let first = left.first()?;
    let found = match left.len() {
        1 => format!("a process ({})", first.name),
        number => format!("{number} processes ({}, ...)", first.name),
    };
    let start = Instant::now();
    // When a killed process ends, this process becomes the parent of its children, which are killed next.
    while !left.is_empty() && start.elapsed() < STOPPING {
        left.iter().for_each(|process| kill(process.id));
        thread::sleep(Duration::from_millis(1));
        left = system::left_over(group);
    }
    Some(found)
}
