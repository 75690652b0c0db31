//! Catches the signals that would end the gate but not the command that it is running.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

#[cfg(unix)]
const SIGNALS: &[i32] = {
    use signal_hook::consts::{SIGALRM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
    &[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU]
};
#[cfg(not(unix))]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// The signal that was caught last, or 0.
static CAUGHT: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Whether the next signal ends the program at once.
static IS_DEADLY: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns the number of the signal that was caught last, if any.
pub(crate) fn caught() -> Option<u8> {
    u8::try_from(CAUGHT.load(Relaxed)).ok().filter(|signal| *signal > 0)
}

/// Catches the signals from now on. Until [`obey`], none of them ends this process, because the running command has to
/// be ended first.
///
/// Two more signals get a handler that does nothing. If the gate was started with SIGCHLD ignored, as many daemons do,
/// the system would forget the times of children that end. SIGXFSZ would end the gate at a limit on file sizes (`ulimit
/// -f`); with a handler, the limit causes a write error instead.
pub(crate) fn catch() -> io::Result<()> {
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGCHLD, signal_hook::consts::SIGXFSZ] {
        flag::register(signal, Arc::default())?;
    }
    let ignored = ignored_signals();
    for &signal in SIGNALS {
        // A signal that `nohup` or another parent made this process ignore stays ignored.
        if ignored & (1 << (signal - 1)) != 0 {
            continue;
        }
        flag::register_conditional_default(signal, Arc::clone(&IS_DEADLY))?;
        flag::register_usize(signal, Arc::clone(&CAUGHT), signal as usize)?;
    }
    Ok(())
}

/// Lets the next signal end the program at once.
pub(crate) fn obey() {
    IS_DEADLY.store(true, Relaxed);
}

/// Ends the program by the signal that this exit status stands for, if it stands for one. A shell leaves a loop only if
/// the command in it was ended by the signal.
pub(crate) fn end_by_signal(status: u8) {
    // The first process of a container cannot end itself by a signal, and Windows has no such signals.
    if cfg!(unix) && status > 128 && std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(status - 128));
    }
}

/// Returns the mask of the signals that this process ignored when it was started. Only Linux reports it.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
