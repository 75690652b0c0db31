//! Signals that ask the program to end.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock};
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

/// The signal that was caught last; 0 if none was.
static CAUGHT: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// The exit status of the signal that was caught, if any.
pub(crate) fn caught() -> Option<Exit> {
    let caught = CAUGHT.load(Relaxed);
    SIGNALS.iter().find(|(signal, _)| *signal as usize == caught).map(|&(_, exit)| exit)
}

/// Ends the program by the signal of this exit status, if it has one. A shell that runs commands in a loop ends the
/// loop only if the command died by the signal.
pub(crate) fn end_by_signal(exit: Exit) {
    // Signals to itself do not end the first process of a container. Windows has no such end.
    if cfg!(unix)
        && std::process::id() != 1
        && let Some((signal, _)) = SIGNALS.iter().find(|(_, of_signal)| *of_signal == exit)
    {
        let _ = signal_hook::low_level::emulate_default_handler(*signal);
    }
}

/// Catches [`SIGNALS`]. The first signal is noted, so that the work can stop in order. The second ends the program at
/// once.
#[derive(Debug)]
pub(crate) struct Interrupts {
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
        let is_deadly = Arc::new(AtomicBool::new(false));
        let ignored = ignored_signals();
        for &(signal, _) in SIGNALS {
            // nohup and others start the program with ignored signals.
            if ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&is_deadly))?;
            if second_ends {
                flag::register(signal, Arc::clone(&is_deadly))?;
            }
            flag::register_usize(signal, Arc::clone(&CAUGHT), signal as usize)?;
        }
        Ok(Self { is_deadly })
    }

    /// Lets the next signal end the program at once.
    pub(crate) fn obey(&self) {
        self.is_deadly.store(true, Relaxed);
    }

    /// The exit status of the signal that has come, if any.
    pub(crate) fn caught(&self) -> Option<Exit> {
        caught()
    }

    /// Does the work on this thread. Another thread calls `tick` every tenth of a second. After a signal it cancels the
    /// token.
    pub(crate) fn while_cancelling<T>(
        &self,
        cancel: &CancelToken,
        tick: impl FnMut() + Send,
        work: impl FnOnce() -> T,
    ) -> T {
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
            let looking = thread::Builder::new().spawn_scoped(scope, look);
            if looking.is_err() {
                // The system refuses this thread. The work needs none: a signal ends the program at once.
                self.obey();
            }
            let result = work();
            drop(done);
            let _ = looking.map(thread::ScopedJoinHandle::join);
            result
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
