//! The processor time of one thread.

use std::time::{Duration, Instant};

/// A stopwatch of the thread that starts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    started: Instant,
    processor_time: Option<Duration>,
    units_on_cards: u64,
}

impl Stopwatch {
    /// A stopwatch that starts now.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), processor_time: processor_time(false), units_on_cards: units_on_cards() }
    }

    /// Seconds of a core that this thread used since the start, without sleep and other programs. Call it on the thread
    /// that started it. If a graphics card counted for this thread, or if the system does not report processor time,
    /// these are elapsed seconds.
    pub(crate) fn core_seconds(&self) -> f64 {
        if units_on_cards() > self.units_on_cards {
            return self.started.elapsed().as_secs_f64();
        }
        let used = self.processor_time.zip(processor_time(false)).map(|(before, now)| now.saturating_sub(before));
        used.unwrap_or_else(|| self.started.elapsed()).as_secs_f64()
    }
}

/// Number of units that graphics cards have counted for this thread.
fn units_on_cards() -> u64 {
    #[cfg(feature = "gpu")]
    {
        nqueens_gpu::units_of_this_thread()
    }
    #[cfg(not(feature = "gpu"))]
    {
        0
    }
}

/// Whether this system reports the processor time of a thread. Where it does not, core seconds are elapsed seconds.
pub(crate) fn is_by_thread() -> bool {
    processor_time(false).is_some()
}

/// Seconds of processor time of this process; `None` on systems other than Linux and macOS.
pub(super) fn seconds_of_process() -> Option<f64> {
    processor_time(true).map(|time| time.as_secs_f64())
}

/// The processor time of this process, or of this thread.
fn processor_time(is_of_process: bool) -> Option<Duration> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        // By the C library: `rustix` looks for the kernel's page of functions itself, and Valgrind hides that page.
        use nix::time::{ClockId, clock_gettime};
        let clock = if is_of_process { ClockId::CLOCK_PROCESS_CPUTIME_ID } else { ClockId::CLOCK_THREAD_CPUTIME_ID };
        clock_gettime(clock).ok().map(Duration::from)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = is_of_process;
        None
    }
}
