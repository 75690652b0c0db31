//! Signals that ask the program to end.

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use nqueens::CancelToken;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;

/// The interval of looking for signals. A shorter one would disturb measurements.
const TICK: Duration = Duration::from_millis(100);

/// The signals, and the exit status of each. Windows has the first two.
const SIGNALS: &[(i32, Exit)] = &[
    (SIGINT, Exit::Interrupted),
    (SIGTERM, Exit::Terminated),
    #[cfg(unix)]
    (SIGHUP, Exit::HungUp),
    #[cfg(unix)]
    (SIGQUIT, Exit::Quit),
];

/// How often [`waiting`] has begun or ended: odd while it waits.
static WAITS: AtomicUsize = AtomicUsize::new(0);

/// Reads from or writes to a pipe, perhaps. If the other end does nothing, a signal ends the program at once. Only for
/// the thread that writes the output.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    WAITS.fetch_add(1, Relaxed);
    let result = wait();
    WAITS.fetch_add(1, Relaxed);
    result
}

/// Catches [`SIGNALS`]. The first signal is noted, so that the work can stop in order. The second ends the program at
/// once.
#[derive(Debug)]
pub(crate) struct Interrupts {
    caught: Arc<AtomicUsize>,
    /// Whether the next signal ends the program.
    is_deadly: Arc<AtomicBool>,
}

impl Interrupts {
    pub(crate) fn catch() -> io::Result<Self> {
        Self::caught_with(true)
    }

    /// Like [`Interrupts::catch`], but no signal ends the program at once before [`Interrupts::obey`]: after the first
    /// signal, the caller ends its processes or restores the terminal.
    pub(crate) fn catch_patiently() -> io::Result<Self> {
        Self::caught_with(false)
    }

    fn caught_with(second_ends: bool) -> io::Result<Self> {
        let caught = Arc::new(AtomicUsize::new(0));
        let is_deadly = Arc::new(AtomicBool::new(false));
        let ignored = ignored_signals();
        #[cfg(unix)]
        let (heard, told) = UnixStream::pair()?;
        for &(signal, _) in SIGNALS {
            // nohup and others start the program with ignored signals.
            if ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&is_deadly))?;
            if second_ends {
                flag::register(signal, Arc::clone(&is_deadly))?;
            }
            flag::register_usize(signal, Arc::clone(&caught), signal as usize)?;
            #[cfg(unix)]
            signal_hook::low_level::pipe::register(signal, told.try_clone()?)?;
        }
        let interrupts = Self { caught, is_deadly };
        #[cfg(unix)]
        interrupts.end_waiting(heard)?;
        Ok(interrupts)
    }

    /// Starts a thread that ends the program after a signal, while the program is in [`waiting`].
    #[cfg(unix)]
    fn end_waiting(&self, mut heard: UnixStream) -> io::Result<()> {
        let caught = Self { caught: Arc::clone(&self.caught), is_deadly: Arc::clone(&self.is_deadly) };
        let watch = move || {
            if io::Read::read(&mut heard, &mut [0]).is_err() {
                return;
            }
            loop {
                let before = WAITS.load(Relaxed);
                thread::sleep(2 * TICK);
                if before % 2 == 1
                    && WAITS.load(Relaxed) == before
                    && let Some(exit) = caught.caught()
                {
                    std::process::exit(exit as i32);
                }
            }
        };
        thread::Builder::new().spawn(watch).map(drop)
    }

    /// Lets the next signal end the program at once.
    pub(crate) fn obey(&self) {
        self.is_deadly.store(true, Relaxed);
    }

    /// The exit status of the signal that has come, if any.
    pub(crate) fn caught(&self) -> Option<Exit> {
        let caught = self.caught.load(Relaxed);
        SIGNALS.iter().find(|(signal, _)| *signal as usize == caught).map(|&(_, exit)| exit)
    }

    /// Does the work on this thread. Another thread calls `tick` every tenth of a second. After a signal it cancels the
    /// token.
    pub(crate) fn while_cancelling<T>(
        &self,
        cancel: &CancelToken,
        tick: impl FnMut() + Send,
        work: impl FnOnce() -> T,
    ) -> anyhow::Result<T> {
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let look = move || {
                // A progress bar that `tick` owns vanishes before the result is printed, and at once on a signal,
                // because a second signal would leave it on the screen.
                let mut tick = Some(tick);
                while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    if self.caught().is_some() {
                        tick = None;
                        cancel.cancel();
                    } else if let Some(tick) = &mut tick {
                        tick();
                    }
                }
                drop(tick);
            };
            let looking = thread::Builder::new().spawn_scoped(scope, look).map_err(|error| {
                anyhow::Error::from(error).context("cannot start the thread that waits for signals")
            })?;
            let result = work();
            drop(done);
            let _ = looking.join();
            Ok(result)
        })
    }
}

/// Makes the limit on file sizes (`ulimit -f`) an error of writing, instead of a signal that ends the program.
pub(crate) fn survive_a_size_limit() {
    #[cfg(unix)]
    {
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// The mask of signals that this process was started with as ignored. Only Linux tells it.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
