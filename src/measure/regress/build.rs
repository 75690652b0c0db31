//! A build of this program as a file: runs it on a workload and takes nothing it says on trust.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::board::known;
use crate::measure::regress::protocol::{Answer, PROGRAM, PROTOCOL};
use crate::measure::{Error, Result, WorkloadId};
use crate::{CancelToken, Error as CountError};

/// The longest answer: a hundred times the usual one.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// How often it is looked whether the gate was told to stop.
const TICK: Duration = Duration::from_millis(100);

/// How much of what a failed build said is repeated.
const MAX_SAID: usize = 300;

/// A build under test.
#[derive(Debug, Clone)]
pub struct Build {
    /// `base` or `head`, as errors call it.
    pub role: &'static str,
    /// The program file.
    pub path: PathBuf,
}

/// What a build is asked to run.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The workload.
    pub workload: &'a WorkloadId,
    /// The instruction set to use at most.
    pub isa: Option<&'a str>,
    /// Samples in one process, of which the fastest counts.
    pub repetitions: usize,
    /// Runs in a sample; as many as it needs where nothing is given.
    pub runs: Option<u64>,
    /// When to give up.
    pub timeout: Duration,
}

impl Build {
    /// Runs a process of the build.
    ///
    /// # Errors
    /// [`Error::Build`] for a build that cannot be run, fails, hangs, or is not this program; [`Error::Refused`] where it
    /// says that it does not know the workload; [`Error::WrongCount`]; [`crate::Error::Cancelled`].
    pub fn ask(&self, question: &Question<'_>, cancel: &CancelToken) -> Result<Answer> {
        // A bare name is looked up among the installed programs: here it means the file.
        let is_bare = self.path.components().count() == 1;
        let mut command =
            if is_bare { Command::new(Path::new(".").join(&self.path)) } else { Command::new(&self.path) };
        command.arg("sample").args(["--workload", &question.workload.to_string()]);
        command.args(["--repetitions", &question.repetitions.to_string()]);
        if let Some(runs) = question.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        if let Some(isa) = question.isa {
            command.args(["--isa", isa]);
        }
        let output = self.run(command, question, cancel)?;
        if !output.status.success() {
            return Err(self.failure(&output, question));
        }
        self.read(&output.stdout, question)
    }

    fn run(&self, mut command: Command, question: &Question<'_>, cancel: &CancelToken) -> Result<Output> {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // The same first argument for both builds: the length of a path shifts the stack, and that can be measured.
            command.arg0(PROGRAM);
            // A group of its own, so that a wrapper script is ended together with what it started.
            command.process_group(0);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start(&mut command).map_err(|error| self.error(format!("cannot be run: {error}")))?;
        let (sender, receiver) = channel();
        for (index, stream) in
            [child.stdout.take().map(reader), child.stderr.take().map(reader)].into_iter().enumerate()
        {
            let Some(mut stream) = stream else { continue };
            let sender = sender.clone();
            // Not joined: a process that outlives the build may hold the pipe open.
            let read = move || {
                let mut bytes = Vec::new();
                let _ = stream.read_to_end(&mut bytes);
                let _ = sender.send((index, bytes));
            };
            std::thread::Builder::new()
                .spawn(read)
                .map_err(|error| CountError::ThreadPool { threads: 2, reason: error.to_string() })?;
        }
        drop(sender);
        let deadline = Instant::now() + question.timeout;
        let mut streams = [Vec::new(), Vec::new()];
        loop {
            match receiver.recv_timeout(TICK.min(deadline.saturating_duration_since(Instant::now()))) {
                Ok((index, bytes)) => streams[index] = bytes,
                // Both streams are at their end, or full.
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    end(&mut child);
                    return Err(CountError::Cancelled { units_done: 0, units: 1, per_mille: 0 }.into());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    end(&mut child);
                    let seconds = question.timeout.as_secs_f64();
                    let workload = question.workload;
                    return Err(self.error(format!(
                        "did not finish {workload} within {seconds} s and was stopped: does it hang? \
                         Give it longer with --timeout, or choose a smaller workload"
                    )));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let [stdout, stderr] = streams;
        if stdout.len() as u64 > MAX_ANSWER_BYTES {
            end(&mut child);
            return Err(self.not_this_program("it prints without end".to_owned()));
        }
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) => {
                    end(&mut child);
                    return Err(self.error("closed its output and went on running, and was stopped".to_owned()));
                }
                Err(error) => return Err(self.error(format!("cannot be waited for: {error}"))),
            }
        };
        Ok(Output { status, stdout, stderr })
    }

    fn failure(&self, output: &Output, question: &Question<'_>) -> Error {
        let said = said(&output.stderr);
        match output.status.code() {
            // What this program's builds do with a workload they do not have.
            Some(2) => Error::Refused { build: self.name(), workload: question.workload.to_string(), said },
            Some(3) => self.error(format!("counted wrong in {}: {said}", question.workload)).wrong(),
            _ => self.error(format!("ended with {} in {}: {said}", output.status, question.workload)),
        }
    }

    fn read(&self, stdout: &[u8], question: &Question<'_>) -> Result<Answer> {
        let line = String::from_utf8_lossy(stdout);
        let value: serde_json::Value = serde_json::from_str(line.trim())
            .map_err(|_| self.not_this_program(format!("it printed {} instead of a sample", quoted(&line))))?;
        if value["program"] != PROGRAM {
            return Err(self.not_this_program(format!("it printed {} instead of a sample", quoted(&line))));
        }
        if value["protocol"] != PROTOCOL {
            return Err(self.error(format!(
                "speaks protocol {}, and this program speaks {PROTOCOL}: compare with a build that is nearer in time",
                value["protocol"]
            )));
        }
        let answer: Answer = serde_path_to_error::deserialize(value).map_err(|error| {
            self.error(format!("gave an answer that cannot be right: {}: {}", error.path(), error.inner()))
        })?;
        self.check(&answer, question)?;
        Ok(answer)
    }

    fn check(&self, answer: &Answer, question: &Question<'_>) -> Result<()> {
        let wrong = |problem: String| Err(self.error(format!("gave an answer that cannot be right: {problem}")));
        if answer.workload != *question.workload {
            return wrong(format!("it ran {} when asked for {}", answer.workload, question.workload));
        }
        if answer.runs == 0 || question.runs.is_some_and(|runs| runs != answer.runs) {
            return wrong(format!("it took {} runs a sample", answer.runs));
        }
        if answer.seconds.len() != question.repetitions {
            return wrong(format!("{} samples when asked for {}", answer.seconds.len(), question.repetitions));
        }
        if let Some(seconds) = answer.seconds.iter().find(|seconds| !(seconds.is_finite() && **seconds > 0.0)) {
            return wrong(format!("{seconds} is not the time of a run"));
        }
        match known::solutions(answer.workload.size) {
            Some(published) if published != answer.count.0 => Err(Error::WrongCount {
                place: format!("{} in {}", self.name(), answer.workload),
                n: answer.workload.size.get(),
                found: answer.count.0,
                published,
                way_out: "there is no time for a wrong count",
            }),
            _ => Ok(()),
        }
    }

    fn name(&self) -> String {
        format!("{} ({})", self.role, self.path.display())
    }

    fn error(&self, problem: String) -> Error {
        Error::Build { build: self.name(), problem, counted_wrong: false }
    }

    fn not_this_program(&self, problem: String) -> Error {
        self.error(format!("is not an nqueens that can be compared: {problem}"))
    }
}

impl Error {
    fn wrong(self) -> Self {
        match self {
            Self::Build { build, problem, .. } => Self::Build { build, problem, counted_wrong: true },
            error => error,
        }
    }
}

struct Output {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
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

/// A stream that ends soon after the longest answer.
fn reader(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream.take(MAX_ANSWER_BYTES + 1))
}

/// Ends a build and what it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// What a build said on standard error, as much of it as helps.
fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    if text.trim().is_empty() { "it said nothing".to_owned() } else { format!("it said {}", quoted(&text)) }
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let short: String = text.chars().take(MAX_SAID).map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{short}{}\"", if text.chars().nth(MAX_SAID).is_some() { "..." } else { "" })
}

/// Whether two paths are one file, by whatever name.
pub(super) fn is_same_file(base: &Path, head: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(base), Ok(head)) = (std::fs::metadata(base), std::fs::metadata(head)) {
            return (base.dev(), base.ino()) == (head.dev(), head.ino());
        }
    }
    matches!((base.canonicalize(), head.canonicalize()), (Ok(base), Ok(head)) if base == head)
}
