//! The processes of a command: the resources they use, how they end, and which of them the command leaves running.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use wait4::Wait4;

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

/// Waits for the end of a process. On Linux, it is an error if the process stops to wait for the terminal, which it
/// never gets.
pub(crate) fn wait(child: &mut Child) -> io::Result<End> {
    #[cfg(target_os = "linux")]
    let queued = queued_until_end(child.id())?;
    #[cfg(not(target_os = "linux"))]
    let queued = Duration::ZERO;
    let used = child.wait4()?;
    Ok(End { status: used.status, moment: Instant::now(), queued, memory: used.rusage.maxrss })
}

/// Waits for the end of a process, leaves it as a zombie, and returns how long its main thread was queued.
#[cfg(target_os = "linux")]
fn queued_until_end(id: u32) -> io::Result<Duration> {
    use nix::sys::signal::Signal::{SIGTTIN, SIGTTOU};
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let process = nix::unistd::Pid::from_raw(id.cast_signed());
    let end_or_stop = WaitPidFlag::WEXITED | WaitPidFlag::WSTOPPED;
    while let WaitStatus::Stopped(_, signal) = waitid(Id::Pid(process), end_or_stop | WaitPidFlag::WNOWAIT)? {
        if matches!(signal, SIGTTIN | SIGTTOU) {
            return Err(io::Error::other("waits for the terminal, which no command gets: give its input with --input"));
        }
        // Any other stop ends when somebody continues the process.
        waitid(Id::Pid(process), WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG)?;
    }
    let times = std::fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
    let nanoseconds = times.split(' ').nth(1).and_then(|time| time.parse().ok());
    Ok(Duration::from_nanos(nanoseconds.unwrap_or(0)))
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

/// A process that a command left running.
struct LeftOver {
    id: u32,
    name: String,
}

/// The children that this process had when the gate began, such as those of a shell that replaced itself with the gate.
#[cfg(target_os = "linux")]
static STRANGERS: std::sync::OnceLock<Vec<u32>> = std::sync::OnceLock::new();

/// On Linux, makes this process the parent of every process below it whose own parent ends. The gate therefore finds
/// everything that a command leaves running, whatever group or session it joined, and collects zombies, which not every
/// container does.
pub(crate) fn adopt() {
    #[cfg(target_os = "linux")]
    {
        STRANGERS.get_or_init(|| children().iter().map(|child| child.id).collect());
        let _ = nix::sys::prctl::set_child_subreaper(true);
    }
}

/// Kills the processes that a command left running, and returns a description of them, if there were any. Linux finds
/// all of them, other kinds of Unix those in the process group of the command, and Windows none.
pub(crate) fn end_left_over(group: u32) -> Option<String> {
    /// The time that helpers may need to end if a command stops them just before it ends itself.
    const GRACE: Duration = Duration::from_millis(5);
    if left_over(group).is_empty() {
        return None;
    }
    thread::sleep(GRACE);
    let mut left = left_over(group);
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
        left = left_over(group);
    }
    Some(found)
}

/// Returns the processes that a command left running, after collecting those that ended. A process that this one may
/// not kill does not count.
#[cfg(target_os = "linux")]
fn left_over(_group: u32) -> Vec<LeftOver> {
    use nix::sys::signal::kill;
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => {}
            Ok(_) => break,
            // There are no children.
            Err(_) => return Vec::new(),
        }
    }
    let strangers = STRANGERS.get().map_or(&[][..], Vec::as_slice);
    let mut left = children();
    left.retain(|one| {
        kill(nix::unistd::Pid::from_raw(one.id.cast_signed()), None).is_ok() && !strangers.contains(&one.id)
    });
    left
}

#[cfg(all(unix, not(target_os = "linux")))]
fn left_over(group: u32) -> Vec<LeftOver> {
    let is_left = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group.cast_signed()), None).is_ok();
    if is_left { vec![LeftOver { id: group, name: "of its group".to_owned() }] } else { Vec::new() }
}

#[cfg(not(unix))]
fn left_over(_group: u32) -> Vec<LeftOver> {
    Vec::new()
}

/// Returns the processes whose parent is this one.
#[cfg(target_os = "linux")]
fn children() -> Vec<LeftOver> {
    let own = std::process::id();
    let child = |folder: std::fs::DirEntry| {
        let id = folder.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read(folder.path().join("stat")).ok()?;
        let status = String::from_utf8_lossy(&status);
        // `ID (NAME) STATE PARENT ...`, where the name may contain any byte.
        let (name, rest) = status.split_once('(')?.1.rsplit_once(')')?;
        let parent: u32 = rest.split_whitespace().nth(1)?.parse().ok()?;
        (parent == own).then(|| LeftOver { id, name: name.to_owned() })
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(child).collect()
}
