//! Signals that ask the program to end. They are caught once for the whole program.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The signals that are caught. Windows has the first two.
const SIGNALS: &[i32] = &[
    SIGINT,
    SIGTERM,
    #[cfg(unix)]
    SIGHUP,
    #[cfg(unix)]
    SIGQUIT,
];

/// The signal that was caught last; 0 if none was.
static CAUGHT: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Whether the next signal ends the program at once.
static IS_DEADLY: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The number of the signal that was caught, if any.
pub(crate) fn caught() -> Option<u8> {
    u8::try_from(CAUGHT.load(Relaxed)).ok().filter(|signal| *signal > 0)
}

/// Catches the signals from now on. The first signal is noted, so that the work can stop in order. The second ends the
/// program at once.
pub(crate) fn catch() -> io::Result<()> {
    static ARE_CAUGHT: AtomicBool = AtomicBool::new(false);
    if ARE_CAUGHT.swap(true, Relaxed) {
        return Ok(());
    }
    let ignored = ignored_signals();
    for &signal in SIGNALS {
        // nohup and others start the program with ignored signals.
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        // The two actions run in this order: at the first signal, the first finds the flag unset, and the second sets it.
        flag::register_conditional_default(signal, Arc::clone(&IS_DEADLY))?;
        flag::register(signal, Arc::clone(&IS_DEADLY))?;
        flag::register_usize(signal, Arc::clone(&CAUGHT), signal as usize)?;
    }
    Ok(())
}

/// Lets the next signal end the program at once.
pub(crate) fn obey() {
    IS_DEADLY.store(true, Relaxed);
}

/// Ends the program by the signal of this exit status, if it has one. A shell that runs commands in a loop ends the
/// loop only if the command died by the signal.
pub(crate) fn end_by_signal(status: u8) {
    // Signals to itself do not end the first process of a container. Windows has no such end.
    if cfg!(unix) && status > 128 && std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(status - 128));
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
