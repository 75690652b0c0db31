//! Runs one process of a build under test, with limits on its time and on its output.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::exit::Exit;
use nqueens::CancelToken;

/// The most that a process may print on each stream: a hundred times the usual answer.
const MAX_OUTPUT_BYTES: u64 = 64 << 10;

/// The time between two checks of a running process. A process of the gate takes 80 ms or more.
const TICK: Duration = Duration::from_millis(2);

/// The output of a process, and its exit status.
pub(crate) struct ChildOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a process to its end. A process that is stopped is killed together with its process group.
pub(crate) fn run(command: &mut Command, timeout: Duration, cancel: &CancelToken) -> Result<ChildOutput> {
    // Output goes to files. A pipe would have to be read while the process runs.
    let temporary = || tempfile::tempfile().context("no temporary file can be made");
    let (stdout, stderr) = (temporary()?, temporary()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // A wrapper script is killed together with what it started.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let program = std::path::Path::new(command.get_program());
    let way_out = match program.try_exists() {
        Ok(false) => "; give a path, such as ./nqueens",
        _ if program.is_dir() => "; it is a folder: give the program in it",
        _ => "",
    };
    let cannot_run = |error: io::Error| Exit::Failure.error(format!("it cannot be run: {error}{way_out}"));
    let mut running = RunningChild(start(command).map_err(cannot_run)?);
    let deadline = Instant::now() + timeout;
    loop {
        let status = running.0.try_wait()?;
        for stream in [&stdout, &stderr] {
            ensure!(
                stream.metadata()?.len() <= MAX_OUTPUT_BYTES,
                "it printed more than {} KiB",
                MAX_OUTPUT_BYTES >> 10
            );
        }
        if let Some(status) = status {
            return Ok(ChildOutput { status, stdout: text(stdout)?, stderr: text(stderr)? });
        }
        if cancel.is_cancelled() {
            return Err(Exit::Interrupted.error("it was interrupted"));
        }
        if Instant::now() >= deadline {
            bail!(
                "it did not finish within {} s and was stopped: give it longer with --timeout, or choose a smaller workload",
                timeout.as_secs_f64()
            );
        }
        std::thread::sleep(TICK);
    }
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
