//! Runs one process of a build under test, with limits on its time and on its output.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nqueens::CancelToken;

/// The most that a process may print on each stream: a hundred times the usual answer.
pub(crate) const MAX_OUTPUT_BYTES: u64 = 64 << 10;

/// The time between two checks of a running process. A process of the gate takes 80 ms or more.
const TICK: Duration = Duration::from_millis(2);

/// The output of a process, and its exit status.
pub(crate) struct ChildOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why a process gave no output.
pub(crate) enum Stop {
    /// The user stopped the gate.
    Cancelled,
    /// The process ran longer than its timeout.
    Late,
    /// The process printed more than [`MAX_OUTPUT_BYTES`].
    Endless,
    /// The system cannot run it.
    CannotRun(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::CannotRun(error)
    }
}

/// Runs a process to its end. A process that is stopped is killed together with its process group.
pub(crate) fn run(command: &mut Command, timeout: Duration, cancel: &CancelToken) -> Result<ChildOutput, Stop> {
    // Output goes to files. A pipe would have to be read while the process runs.
    let (stdout, stderr) = (temporary()?, temporary()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A wrapper script is killed together with what it started.
        command.process_group(0);
    }
    let mut running = RunningChild(start(command)?);
    let deadline = Instant::now() + timeout;
    let status = loop {
        if let Some(status) = running.0.try_wait()? {
            break status;
        }
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if Instant::now() >= deadline {
            return Err(Stop::Late);
        }
        if is_long(&stdout) || is_long(&stderr) {
            return Err(Stop::Endless);
        }
        std::thread::sleep(TICK);
    };
    if is_long(&stdout) || is_long(&stderr) {
        return Err(Stop::Endless);
    }
    Ok(ChildOutput { status, stdout: text(stdout)?, stderr: text(stderr)? })
}

fn temporary() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| {
        let folder = std::env::temp_dir();
        io::Error::new(error.kind(), format!("no temporary file can be made in {}: {error}", folder.display()))
    })
}

fn is_long(file: &File) -> bool {
    file.metadata().is_ok_and(|file| file.len() > MAX_OUTPUT_BYTES)
}

fn text(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Starts a process. Tries again for a second if the program's file is still open for writing, as just after a build.
fn start(command: &mut Command) -> io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// A running process. Dropping it kills the process and its process group.
struct RunningChild(Child);

impl Drop for RunningChild {
    fn drop(&mut self) {
        // After the process has ended, another process may get its number.
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
