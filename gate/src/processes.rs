//! Processes that a command starts: what they use, how to end them, and those that it leaves running. Their work is outside
//! of its time.

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use wait4::Wait4;

/// The seconds of processor time, and how often they waited by themselves, of all processes so far that this one started
/// and waited for, and of what they waited for.
pub(crate) fn usage_of_children() -> Option<[f64; 2]> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
        let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
        Some([microseconds as f64 * 1e-6, usage.voluntary_context_switches() as f64])
    }
    #[cfg(not(unix))]
    None
}

/// The end of a process.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) moment: Instant,
    /// The seconds that its main thread could run and waited for a free processor. Only Linux tells it.
    pub(crate) queued: f64,
    /// The most memory that it, or a child that it waited for, had at a time, in bytes.
    pub(crate) memory: f64,
}

/// Waits for the end of a process.
pub(crate) fn wait(child: &mut Child) -> io::Result<End> {
    let queued = queued_until_end(child.id());
    let at_end = Instant::now();
    let used = child.wait4()?;
    let moment = if queued.is_some() { at_end } else { Instant::now() };
    Ok(End { status: used.status, moment, queued: queued.unwrap_or(0.0), memory: used.rusage.maxrss as f64 })
}

/// On Linux, waits for the end of a process, which stays a zombie, and returns how long its main thread was queued.
fn queued_until_end(id: u32) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::wait::{Id, WaitPidFlag, waitid};
        let process = nix::unistd::Pid::from_raw(id.cast_signed());
        waitid(Id::Pid(process), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).ok()?;
        let times = std::fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
        let nanoseconds: f64 = times.split(' ').nth(1)?.parse().ok()?;
        Some(nanoseconds * 1e-9)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = id;
        None
    }
}

/// Kills a process and its process group. On Unix it returns whether there was one.
pub(crate) fn kill(id: u32) -> bool {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        killpg(nix::unistd::Pid::from_raw(id.cast_signed()), Signal::SIGKILL).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = std::process::Command::new("taskkill").args(["/F", "/T", "/PID", &id.to_string()]).output();
        false
    }
}

/// Lets the processes whose parents end become children of this process, on Linux. There a command's zombies would count as
/// running where no process collects them, as in many containers.
pub(crate) fn adopt() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Kills what a command left running in its process group, and returns whether there was something. A process that joined
/// another group, such as a daemon, is not the command's any more. On Windows nothing is found.
pub(crate) fn end_group(group: u32) -> bool {
    /// How long a process may take to end that was told so.
    const GRACE: Duration = Duration::from_millis(5);
    let is_left = has_members(group) && {
        thread::sleep(GRACE);
        has_members(group)
    };
    is_left && kill(group)
}

/// Whether a process group has a process, after those that ended are collected. One that may not be stopped does not count.
fn has_members(group: u32) -> bool {
    #[cfg(unix)]
    {
        use nix::sys::signal::killpg;
        use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
        let group = nix::unistd::Pid::from_raw(group.cast_signed());
        while let Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) =
            waitpid(nix::unistd::Pid::from_raw(-group.as_raw()), Some(WaitPidFlag::WNOHANG))
        {}
        killpg(group, None).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = group;
        false
    }
}
