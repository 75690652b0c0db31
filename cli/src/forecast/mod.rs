//! The forecast of a count before it begins: how long it takes, and how reliable that is.

mod calibration;

use nqueens::board::Size;
use nqueens::solver::{Isa, Solver};

use crate::machine;
use crate::terminal::durations::between;
use crate::terminal::units::plural;

pub(crate) use calibration::predicted_seconds;

/// The largest size whose count was compared with its forecast.
const VALIDATED_SIZE: usize = 25;

/// The largest number of threads with which a machine was timed.
const TIMED_THREADS: usize = 2;

/// The range of actual times, in shares of their forecasts: see docs/long-runs.md.
pub(crate) const USUAL_RANGE: [f64; 2] = [0.5, 2.0];

/// Core seconds below which a forecast assumes a core for each thread, because asking for the cores and the quota takes
/// a twentieth of so short a count.
const SHORT_SECONDS: f64 = 1.0;

/// The minimum predicted time of a count whose note contains the forecast.
const WORTH_SHOWING_SECONDS: f64 = 1.0;

/// A predicted time above which a count needs a confirmation.
pub(crate) const YEAR_SECONDS: f64 = 365.25 * 86_400.0;

/// Core seconds with the ends of their interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The predicted time of a count, with its range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forecast {
    size: usize,
    threads: usize,
    /// Seconds of one free core: of this machine, or of another one that has the instruction set.
    pub(crate) core_seconds: f64,
    /// The cores that the threads get, limited by the machine and by a quota.
    cores: f64,
    /// The CPU quota, if it limits the cores.
    pub(crate) quota: Option<f64>,
    /// Whether graphics cards count, which nobody has timed.
    is_of_cards: bool,
    /// The instruction set, if this machine lacks it. Then the speed of this machine says nothing about the count.
    missing_isa: Option<Isa>,
    /// The ends of the range, in shares of the predicted time.
    ends: [f64; 2],
}

impl Forecast {
    /// Returns the forecast of a complete count on this machine.
    pub(crate) fn new(solver: &dyn Solver, size: Size, isa: Isa, threads: usize) -> Self {
        let core_seconds = calibration::core_seconds(solver, size, isa, threads);
        let (size, cores) = (size.get(), threads as f64);
        let missing_isa = Some(isa).filter(|isa| !isa.is_available());
        let ends = USUAL_RANGE;
        let forecast = Self { size, threads, core_seconds, cores, quota: None, is_of_cards: false, missing_isa, ends };
        if core_seconds < SHORT_SECONDS {
            return forecast;
        }
        forecast.on_cores(machine::cores(), machine::cpu_quota())
    }

    /// Returns the forecast for a machine with this many free cores, of which a CPU quota may allow a part.
    fn on_cores(self, cores: usize, quota: Option<f64>) -> Self {
        let cores = self.threads.min(cores) as f64;
        let quota = quota.filter(|&quota| quota < cores);
        Self { cores: quota.unwrap_or(cores), quota, ..self }
    }

    /// Returns the forecast for another machine, with a free core for each of these threads.
    pub(crate) fn elsewhere(self) -> Self {
        Self { cores: self.threads as f64, quota: None, ..self }
    }

    /// Returns the forecast for graphics cards instead of the processor.
    pub(crate) fn on_cards(self) -> Self {
        Self { is_of_cards: true, ..self }
    }

    /// Returns the forecast of a share of the work.
    pub(crate) fn part(self, share: f64) -> Self {
        Self { core_seconds: share * self.core_seconds, ..self }
    }

    /// Returns the forecast with the core seconds of a sample of timed units. `None` if their interval is wider than
    /// the range without a sample, and therefore says less.
    pub(crate) fn narrowed(self, Interval { mean, low, high }: Interval) -> Option<Self> {
        let is_close = high * USUAL_RANGE[0] <= low * USUAL_RANGE[1];
        is_close.then(|| Self { core_seconds: mean, ends: [low / mean, high / mean], ..self })
    }

    /// Returns the ends of the range of core seconds.
    pub(crate) fn core_seconds_between(&self) -> [f64; 2] {
        self.ends.map(|end| end * self.core_seconds)
    }

    /// Returns the range of the elapsed time in words, such as `40 to 90 s` or `2 to 5 days`.
    pub(crate) fn range(&self) -> String {
        between(self.ends.map(|end| end * self.seconds()))
    }

    /// Returns the message for a count that takes too long to be begun by mistake.
    pub(crate) fn refusal(&self, solver: &dyn Solver) -> String {
        let time = self.range();
        format!("n = {} takes {time} here: to count it anyway, add '--solver {}'", self.size, solver.name())
    }

    /// Returns whether nobody will see the end of the count: it takes more than a thousand years.
    pub(crate) fn takes_ages(&self) -> bool {
        self.seconds() > 1000.0 * YEAR_SECONDS
    }

    /// Returns whether a note about the count should contain its forecast.
    pub(crate) fn is_worth_showing(&self) -> bool {
        self.known_seconds().is_some_and(|seconds| seconds >= WORTH_SHOWING_SECONDS)
    }

    /// Returns the elapsed seconds, on the processor.
    pub(crate) fn seconds(&self) -> f64 {
        self.core_seconds / self.cores
    }

    /// Returns the elapsed seconds, or `None` if cards count.
    pub(crate) fn known_seconds(&self) -> Option<f64> {
        (!self.is_of_cards).then(|| self.seconds())
    }

    /// Returns the reasons why the forecast may be wrong.
    pub(crate) fn caveats(&self) -> Vec<String> {
        let size = (self.size > VALIDATED_SIZE).then(|| format!("not validated above n = {VALIDATED_SIZE}"));
        let threads = || format!("no machine with {} was timed", plural(self.threads, "thread"));
        let threads = (self.threads > TIMED_THREADS).then(threads);
        let isa = self.missing_isa.map(|isa| format!("not adjusted to the speed of a machine with {isa}"));
        [size, threads, isa].into_iter().flatten().collect()
    }

    /// Returns the caveats as clauses to append to the forecast, or an empty string if there are none.
    pub(crate) fn caveats_in_words(&self) -> String {
        self.caveats().iter().map(|caveat| format!("; {caveat}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::registry;

    #[test]
    fn it_says_what_nobody_has_checked() {
        let solver = registry::find("color").unwrap();
        let with = |isa, n, threads| Forecast::new(solver, Size::new(n).unwrap(), isa, threads).elsewhere();
        let of = |n, threads| with(Isa::Portable, n, threads);
        let narrowed = |high| of(22, 2).narrowed(Interval { mean: 2.0, low: 1.0, high });
        assert_eq!(of(22, 2).caveats_in_words(), "");
        assert!(of(22, 2).is_worth_showing() && !of(22, 2).on_cards().is_worth_showing());
        assert!(narrowed(3.9).is_some() && narrowed(4.1).is_none());
        assert_eq!(of(26, 1).caveats(), ["not validated above n = 25"]);
        let both = "; not validated above n = 25; no machine with 64 threads was timed";
        assert_eq!(of(26, 64).caveats_in_words(), both);
        // No machine has the instruction sets of two architectures.
        let missing = if cfg!(target_arch = "x86_64") { Isa::Neon } else { Isa::Avx2 };
        assert_eq!(with(missing, 24, 1).caveats(), [format!("not adjusted to the speed of a machine with {missing}")]);
        assert_eq!(Some(with(missing, 24, 1).core_seconds), solver.predicted_seconds(Size::new(24).unwrap(), missing));
        assert!((of(24, 64).seconds() * 64.0 / of(24, 1).seconds() - 1.0).abs() < 1e-9);
        assert!((of(24, 4).part(0.25).seconds() * 4.0 / of(24, 4).seconds() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn threads_share_the_cores_that_the_machine_and_a_quota_allow() {
        let solver = registry::find("color").unwrap();
        for (threads, cores, quota, expected) in [
            (2, 4, None, (2.0, None)),
            (4, 2, None, (2.0, None)),
            (4, 2, Some(1.5), (1.5, Some(1.5))),
            (1, 2, Some(1.5), (1.0, None)),
            (2, 2, Some(2.0), (2.0, None)),
        ] {
            let forecast = Forecast::new(solver, Size::new(12).unwrap(), Isa::Portable, threads);
            let limited = forecast.on_cores(cores, quota);
            assert_eq!((limited.cores, limited.quota), expected, "{threads} threads, {cores} cores, {quota:?}");
            assert!((limited.seconds() - limited.core_seconds / expected.0).abs() < 1e-9);
        }
    }
}
