//! Processes that a command starts: their processor time, how to end them, and those that it leaves running: background
//! jobs and daemons. Their work is outside of its time.

/// The seconds of processor time, and the interruptions, of all processes so far that this one started and waited for, and
/// of what they waited for.
pub(crate) fn usage_of_children() -> Option<[f64; 2]> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
        let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
        Some([microseconds as f64 * 1e-6, usage.involuntary_context_switches() as f64])
    }
    #[cfg(not(unix))]
    None
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

/// Finds and ends what commands leave running. On Linux it finds daemons too, on other Unixes only the process group of
/// the command, on Windows nothing. Nothing finds what another program started for the command, such as a container.
pub(crate) struct Leftovers {
    /// The children that this process had before any command.
    #[cfg(target_os = "linux")]
    before: Vec<nix::unistd::Pid>,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::time::Duration;

    use nix::errno::Errno;
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::Pid;

    use super::Leftovers;

    /// How long a process may take to end that was told so.
    const GRACE: Duration = Duration::from_millis(5);

    impl Leftovers {
        /// From now on, processes whose parent ends become children of this process.
        pub(crate) fn adopt() -> Self {
            let _ = nix::sys::prctl::set_child_subreaper(true);
            Self { before: children().map(|(pid, _)| pid).collect() }
        }

        /// Ends all that a command left, and returns the names of what was still running.
        pub(crate) fn end(&self, _group: u32) -> Vec<String> {
            let mut names = Vec::new();
            if has_children() {
                std::thread::sleep(GRACE);
            }
            while has_children() {
                let left: Vec<_> = children().filter(|(pid, _)| !self.before.contains(pid)).collect();
                if left.is_empty() {
                    break;
                }
                for (pid, name) in left {
                    let _ = kill(pid, Signal::SIGKILL);
                    // It may have ended by itself just before.
                    if matches!(waitpid(pid, None), Ok(WaitStatus::Signaled(_, Signal::SIGKILL, _))) {
                        names.push(name);
                    }
                }
            }
            names
        }
    }

    /// Whether any child is left, after those that have ended are waited for.
    fn has_children() -> bool {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return true,
                Err(Errno::EINTR) | Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    /// The children of this process and their names.
    fn children() -> impl Iterator<Item = (Pid, String)> {
        let me = std::process::id().to_string();
        let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(move |number: i32| {
            // Such as `17 (sleep) S 1 ...`: the name may have any letter in it.
            let stat = String::from_utf8_lossy(&fs::read(format!("/proc/{number}/stat")).ok()?).into_owned();
            let (before, after) = stat.rsplit_once(')')?;
            let is_mine = after.split_whitespace().nth(1)? == me;
            is_mine.then(|| (Pid::from_raw(number), before.split_once('(').unwrap_or_default().1.to_owned()))
        })
    }
}

#[cfg(not(target_os = "linux"))]
impl Leftovers {
    pub(crate) fn adopt() -> Self {
        Self {}
    }

    pub(crate) fn end(&self, group: u32) -> Vec<String> {
        if cfg!(unix) && kill(group) { vec!["a process of its group".to_owned()] } else { Vec::new() }
    }
}
