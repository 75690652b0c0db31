//! What only Linux reports: how long a process was queued, and everything that a command leaves running.

use std::fs::{self, DirEntry};
use std::io;
use std::process;
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::Signal::{SIGTTIN, SIGTTOU};
use nix::sys::signal::kill;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;

use super::LeftOver;

/// The children that this process had when the gate began, such as those of a shell that replaced itself with the gate.
static STRANGERS: OnceLock<Vec<u32>> = OnceLock::new();

/// Makes this process the parent of every process below it whose own parent ends. The gate therefore finds everything
/// that a command leaves running, whatever group or session it joined, and collects zombies, which not every container
/// does.
pub(crate) fn adopt() {
    STRANGERS.get_or_init(|| children().iter().map(|child| child.id).collect());
    let _ = set_child_subreaper(true);
}

/// Waits for the end of a process, leaves it as a zombie, and returns how long its main thread was queued.
pub(super) fn queued_until_end(id: u32) -> io::Result<Duration> {
    let process = Pid::from_raw(id.cast_signed());
    let end_or_stop = WaitPidFlag::WEXITED | WaitPidFlag::WSTOPPED;
    while let WaitStatus::Stopped(_, signal) = waitid(Id::Pid(process), end_or_stop | WaitPidFlag::WNOWAIT)? {
        if matches!(signal, SIGTTIN | SIGTTOU) {
            return Err(io::Error::other("waits for the terminal, which no command gets: give its input with --input"));
        }
        // Any other stop ends when somebody continues the process.
        waitid(Id::Pid(process), WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG)?;
    }
    let times = fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
    let nanoseconds = times.split(' ').nth(1).and_then(|time| time.parse().ok());
    Ok(Duration::from_nanos(nanoseconds.unwrap_or(0)))
}

/// Returns the processes that a command left running, after collecting those that ended. A process that this one may
/// not kill does not count.
pub(super) fn left_over(_group: u32) -> Vec<LeftOver> {
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
    left.retain(|one| kill(Pid::from_raw(one.id.cast_signed()), None).is_ok() && !strangers.contains(&one.id));
    left
}

/// Returns the processes whose parent is this one.
fn children() -> Vec<LeftOver> {
    let child = |folder: DirEntry| {
        let id = folder.file_name().to_str()?.parse().ok()?;
        let status = fs::read(folder.path().join("stat")).ok()?;
        let status = String::from_utf8_lossy(&status);
        // `ID (NAME) STATE PARENT ...`, where the name may contain any byte.
        let (name, rest) = status.split_once('(')?.1.rsplit_once(')')?;
        let parent: u32 = rest.split_whitespace().nth(1)?.parse().ok()?;
        (parent == process::id()).then(|| LeftOver { id, name: name.to_owned() })
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(child).collect()
}
