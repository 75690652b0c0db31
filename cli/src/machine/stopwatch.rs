//! The processor time of one thread.

use std::time::{Duration, Instant};

/// A stopwatch for the processor time of the thread that starts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    started: Instant,
    processor_time: Option<Duration>,
    units_on_cards: u64,
}

impl Stopwatch {
    /// Starts a stopwatch.
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            processor_time: processor_time(Clock::Thread),
            units_on_cards: units_on_cards(),
        }
    }

    /// Returns the seconds of a core that this thread has used since the start, not counting the time when it slept or
    /// other programs ran. Call it on the thread that started the stopwatch. If a graphics card counted for this
    /// thread, or if the system does not report processor time, the result is the elapsed time.
    pub(crate) fn core_seconds(&self) -> f64 {
        if units_on_cards() > self.units_on_cards {
            return self.started.elapsed().as_secs_f64();
        }
        let used =
            self.processor_time.zip(processor_time(Clock::Thread)).map(|(before, now)| now.saturating_sub(before));
        used.unwrap_or_else(|| self.started.elapsed()).as_secs_f64()
    }
}

/// Returns the number of units that graphics cards have counted for this thread.
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

/// Returns whether this system reports the processor time of a thread. Where it does not, core seconds are elapsed
/// seconds.
pub(crate) fn is_by_thread() -> bool {
    processor_time(Clock::Thread).is_some()
}

/// Returns the processor seconds of this process, or `None` on systems other than Linux and macOS.
pub(super) fn seconds_of_process() -> Option<f64> {
    processor_time(Clock::Process).map(|time| time.as_secs_f64())
}

/// What a clock of the system measures: the processor time of this thread or of this process.
enum Clock {
    Thread,
    Process,
}

/// Returns the time on a clock.
fn processor_time(clock: Clock) -> Option<Duration> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        // `nix` asks the C library. `rustix` would look for the kernel's vDSO itself, which Valgrind hides.
        use nix::time::{ClockId, clock_gettime};
        let clock = match clock {
            Clock::Thread => ClockId::CLOCK_THREAD_CPUTIME_ID,
            Clock::Process => ClockId::CLOCK_PROCESS_CPUTIME_ID,
        };
        clock_gettime(clock).ok().map(Duration::from)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = clock;
        None
    }
}
