//! Signals that ask the program to stop.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The signals to catch. Windows has only the first two.
pub(crate) const SIGNALS: &[i32] = &[
    SIGINT,
    SIGTERM,
    #[cfg(unix)]
    SIGHUP,
    #[cfg(unix)]
    SIGQUIT,
];

/// The last signal that was caught, or 0.
static CAUGHT: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Whether the next signal ends the program at once.
static IS_DEADLY: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns the number of the signal that was caught, if any.
pub(crate) fn caught() -> Option<u8> {
    u8::try_from(CAUGHT.load(Relaxed)).ok().filter(|signal| *signal > 0)
}

/// Starts to catch signals. The first one is only recorded, so that the work can stop cleanly. The second one ends the
/// program at once.
pub(crate) fn catch() -> io::Result<()> {
    static ARE_CAUGHT: AtomicBool = AtomicBool::new(false);
    if ARE_CAUGHT.swap(true, Relaxed) {
        return Ok(());
    }
    let ignored = ignored_signals();
    for &signal in SIGNALS {
        // A signal that is ignored at the start, as under `nohup`, stays ignored.
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        // The order matters: at the first signal, the first action finds the flag unset, and the second action sets it.
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

/// Ends the program by the signal that this exit status stands for, if any, because a shell loop stops only if the
/// signal itself ended its command.
pub(crate) fn end_by_signal(status: u8) {
    // The first process of a container cannot end itself by a signal, and Windows has no such signals.
    if cfg!(unix) && status > 128 && std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(status - 128));
    }
}

/// Turns the limit on file sizes (`ulimit -f`) into a write error, because its signal would end the program.
pub(crate) fn survive_a_size_limit() {
    #[cfg(unix)]
    {
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// Returns the mask of the signals that were ignored when this process started, or 0 on systems other than Linux, which
/// do not say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
