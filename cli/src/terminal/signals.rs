//! Signals that ask the program to end. The program catches them in one place.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The signals that are caught. Windows has only the first two.
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

/// Catches the signals from now on. The first one is noted, so that the work can stop in order; the second one ends the
/// program at once.
pub(crate) fn catch() -> io::Result<()> {
    static ARE_CAUGHT: AtomicBool = AtomicBool::new(false);
    if ARE_CAUGHT.swap(true, Relaxed) {
        return Ok(());
    }
    let ignored = ignored_signals();
    for &signal in SIGNALS {
        // `nohup` and others start programs with signals ignored, and they stay ignored.
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

/// Ends the program by the signal that this exit status stands for, if any. A loop in a shell stops only if its command
/// was ended by the signal itself.
pub(crate) fn end_by_signal(status: u8) {
    // The first process of a container cannot end itself by a signal, and Windows has no such end.
    if cfg!(unix) && status > 128 && std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(status - 128));
    }
}

/// Turns the limit on file sizes (`ulimit -f`) into an error of writing; otherwise its signal would end the program.
pub(crate) fn survive_a_size_limit() {
    #[cfg(unix)]
    {
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// The mask of the signals that were ignored when this process started; 0 where the system is not Linux and does not
/// say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
