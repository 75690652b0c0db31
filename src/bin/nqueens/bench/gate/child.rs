//! Processes of a build under test: started in a group of their own, heard as long as they are brief, ended with all they
//! started.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nqueens::{CancelToken, Error as CountError};

/// The longest answer: a hundred times the usual one.
pub(crate) const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// How often it is looked whether the gate was told to stop.
const TICK: Duration = Duration::from_millis(100);

/// The variable in the environment of every process under test that tells it from others; a build of this program that
/// finds it asks the system to end it with the gate.
pub(crate) const MARK: &str = "NQUEENS_UNDER_TEST";

/// What a process said and how it ended.
pub(crate) struct ChildOutput {
    pub(crate) status: ExitStatus,
    /// How long the process ran.
    pub(crate) seconds: f64,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// How much of a process's output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// All of it, which is brief: more is a fault.
    Brief,
    /// Its end, however much comes before.
    Tail,
}

/// Why a process gave no output that counts.
pub(crate) enum Stop {
    /// The gate was told to stop.
    Cancelled,
    /// It ran past its deadline.
    Late,
    /// It printed without end.
    Endless,
    /// It closed its output and went on running.
    Lingering,
    /// The system would not run it.
    CannotRun(std::io::Error),
    /// The system would not start the threads that listen to it.
    CannotListen(CountError),
}

/// Runs a process until it ends or its time is over. Whatever it leaves running in its group is ended.
pub(crate) fn run(
    command: &mut Command,
    hearing: Hearing,
    deadline: Instant,
    cancel: &CancelToken,
) -> Result<ChildOutput, Stop> {
    command.env(MARK, std::process::id().to_string());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A group of its own, so that a wrapper script is ended together with what it started.
        command.process_group(0);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut running = RunningChild(start(command).map_err(Stop::CannotRun)?);
    let [stdout, stderr] = listen(&mut running, hearing, deadline, cancel)?;
    if stdout.len() as u64 > MAX_ANSWER_BYTES {
        return Err(Stop::Endless);
    }
    // What is waited for is about to end: its last moments belong to its time.
    let mut pause = Duration::from_micros(20);
    while !running.has_ended() {
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if Instant::now() >= deadline {
            return Err(Stop::Lingering);
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(1));
    }
    let seconds = began.elapsed().as_secs_f64();
    running.end_group();
    let status = running.0.wait().map_err(Stop::CannotRun)?;
    Ok(ChildOutput { status, seconds, stdout, stderr })
}

/// What a process says on standard output and standard error, until it closes both.
fn listen(
    running: &mut RunningChild,
    hearing: Hearing,
    deadline: Instant,
    cancel: &CancelToken,
) -> Result<[Vec<u8>; 2], Stop> {
    let (sender, receiver) = channel();
    let out = running.0.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
    let complaints = running.0.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
    for (index, (stream, hearing)) in [(out, hearing), (complaints, Hearing::Tail)].into_iter().enumerate() {
        let Some(stream) = stream else { continue };
        let sender = sender.clone();
        // Not joined: a process that outlives the build may hold the pipe open.
        let read = move || {
            let _ = sender.send((index, hear(stream, hearing)));
        };
        std::thread::Builder::new()
            .spawn(read)
            .map_err(|error| Stop::CannotListen(CountError::ThreadPool { threads: 2, reason: error.to_string() }))?;
    }
    drop(sender);
    let mut streams = [Vec::new(), Vec::new()];
    let mut ended_at = None;
    loop {
        match receiver.recv_timeout(TICK.min(deadline.saturating_duration_since(Instant::now()))) {
            Ok((index, bytes)) => streams[index] = bytes,
            // Both streams are at their end, or full.
            Err(RecvTimeoutError::Disconnected) => return Ok(streams),
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err(Stop::Cancelled),
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => return Err(Stop::Late),
            // The build has ended, and something that it started holds its output open: that is ended too.
            Err(RecvTimeoutError::Timeout) if running.has_ended() => {
                if *ended_at.get_or_insert_with(Instant::now) + TICK < Instant::now() {
                    running.end_group();
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A process that is ended, with its group, when it is dropped.
struct RunningChild(Child);

impl RunningChild {
    /// Whether it has ended. It is not waited for, so that its number, and with it that of its group, stays its own.
    fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let pid = Pid::from_raw(self.0.id().cast_signed());
            pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
        }
        #[cfg(not(unix))]
        {
            !matches!(self.0.try_wait(), Ok(None))
        }
    }

    fn end_group(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.0.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        // Once it was waited for, its number may be another's.
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.end_group();
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// Ends whatever builds under test left behind outside their groups, known by [`MARK`] in its environment.
pub(crate) fn end_stragglers() {
    #[cfg(target_os = "linux")]
    {
        let mark = format!("{MARK}={}", std::process::id());
        for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let Ok(environment) = std::fs::read(process.path().join("environ")) else { continue };
            if environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
                && let Some(pid) = rustix::process::Pid::from_raw(pid)
            {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

/// Starts a process. A file that somebody still writes, as a build that has just ended may seem to, gets a second.
fn start(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// What a stream says: all of it up to a little more than the longest answer, or so much of its end.
fn hear(mut stream: Box<dyn Read + Send>, hearing: Hearing) -> Vec<u8> {
    let mut bytes = Vec::new();
    if hearing == Hearing::Brief {
        let _ = stream.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut bytes);
        return bytes;
    }
    let most = MAX_ANSWER_BYTES as usize;
    loop {
        let part = stream.by_ref().take(MAX_ANSWER_BYTES).read_to_end(&mut bytes);
        bytes.drain(..bytes.len().saturating_sub(most));
        if !matches!(part, Ok(1..)) {
            return bytes;
        }
    }
}
