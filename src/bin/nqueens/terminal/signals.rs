//! Ctrl-C and requests to terminate.

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

/// How often signals are looked for: soon enough for whoever waits, seldom enough to leave a measurement alone.
const TICK: Duration = Duration::from_millis(100);

/// The signals that ask the program to end, and how it ends then. Windows has only the first two.
const SIGNALS: &[(i32, Exit)] = &[
    (SIGINT, Exit::Interrupted),
    (SIGTERM, Exit::Terminated),
    #[cfg(unix)]
    (SIGHUP, Exit::HungUp),
    #[cfg(unix)]
    (SIGQUIT, Exit::Quit),
];

/// How often this program has begun or ended to wait for whoever is at the other end of a pipe: odd while it waits.
static WAITS: AtomicUsize = AtomicUsize::new(0);

/// Reads from or writes to what may be a pipe. Nobody may be at work at its other end, and then a signal ends the program:
/// there is nothing that it could stop in order. Only for the thread that writes what the program prints.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    WAITS.fetch_add(1, Relaxed);
    let result = wait();
    WAITS.fetch_add(1, Relaxed);
    result
}

/// Catches the signals that ask the program to end, from its making on. The first is only noted, so that whoever works
/// can stop in order; the second ends the program at once.
#[derive(Debug)]
pub(crate) struct Interrupts {
    caught: Arc<AtomicUsize>,
    /// Whether the next signal ends the program at once.
    is_deadly: Arc<AtomicBool>,
}

impl Interrupts {
    pub(crate) fn catch() -> io::Result<Self> {
        Self::caught_with(true)
    }

    /// The same, but no signal ends the program at once before [`Interrupts::obey`]: it has processes to end first, and
    /// does so as soon as the first signal has come.
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
            // Whoever started the program may have told it to outlive this signal, as nohup does.
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

    /// Ends the program when a signal has come, and as often as it only waits.
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

    /// From now on the next signal ends the program at once.
    pub(crate) fn obey(&self) {
        self.is_deadly.store(true, Relaxed);
    }

    /// How the program is to end, once a signal has come.
    pub(crate) fn caught(&self) -> Option<Exit> {
        let caught = self.caught.load(Relaxed);
        SIGNALS.iter().find(|(signal, _)| *signal as usize == caught).map(|&(_, exit)| exit)
    }

    /// Does the work on this thread while another one looks for signals, on which it cancels the token; as long as
    /// there is none, it calls `tick` every tenth of a second.
    pub(crate) fn while_cancelling<T>(
        &self,
        cancel: &CancelToken,
        tick: impl FnMut() + Send,
        work: impl FnOnce() -> T,
    ) -> anyhow::Result<T> {
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            let look = move || {
                // What `tick` owns, a bar say, is gone before the work's result is used, and on a signal at once: a second
                // one would leave it on the screen.
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

/// From now on a file that grows beyond the limit set for this process (`ulimit -f`) is an error of writing, and no signal
/// that ends the program. Every command passes here, because each of them writes, be it to a standard output that is a file.
pub(crate) fn survive_a_size_limit() {
    #[cfg(unix)]
    {
        // Where it cannot be registered, writing beyond the limit ends the program as it does others.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// The signals that this process was started to ignore, as a mask; none where the system does not tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
