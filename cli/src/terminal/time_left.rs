//! The time left of a count while it runs. [`Forecast`](crate::forecast::Forecast) is the forecast before it begins.

use nqueens::Snapshot;
use nqueens::solver::Plan;

use super::durations::in_words;

/// The weight of the prediction, in finished units of each thread.
const PREDICTION_WEIGHT: f64 = 2.0;

/// The time left, computed from a prediction and from the finished units.
///
/// If the time left were computed from the share of finished units alone, it would rise during each unit and fall at
/// its end. Therefore the total time is computed only when a unit is finished, and the prediction loses weight with
/// each unit.
pub(crate) struct TimeLeft {
    threads: usize,
    /// The share of the whole work that was done before.
    done_before: f64,
    /// The predicted time on all threads. `None` for hardware that nobody has timed.
    predicted_seconds: Option<f64>,
    /// The total time as computed at the end of the last finished unit. `None` before it, without a prediction.
    whole_seconds: Option<f64>,
    elapsed: f64,
    progress: Snapshot,
}

impl TimeLeft {
    /// Starts with a prediction of `seconds` on this number of threads, if there is one.
    pub(crate) fn new(seconds: Option<f64>, threads: usize) -> Self {
        Self {
            threads,
            done_before: 0.0,
            predicted_seconds: seconds,
            whole_seconds: seconds,
            elapsed: 0.0,
            progress: Snapshot::default(),
        }
    }

    /// Starts with a prediction for some units of a plan, all of whose units together take `whole_seconds` on these
    /// threads. A single unit may take longer than all others together.
    pub(crate) fn of_units(plan: &dyn Plan, units: &[usize], whole_seconds: Option<f64>, threads: usize) -> Self {
        let whole: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
        let costs = units.iter().map(|&unit| plan.cost(unit));
        let longest = costs.clone().fold(0.0, f64::max);
        let share = costs.sum::<f64>().max(longest * threads as f64) / whole.max(1e-300);
        Self::new(whole_seconds.map(|seconds| share * seconds), threads)
    }

    /// Shows the progress as a part of the whole work, of which the share `done_before` was done before.
    pub(crate) fn of_the_rest(self, done_before: f64) -> Self {
        Self { done_before, ..self }
    }

    /// Returns the share of the whole work that is done.
    pub(crate) fn fraction(&self) -> f64 {
        self.done_before + (1.0 - self.done_before) * self.progress.fraction
    }

    /// Notes the progress after `elapsed` seconds.
    pub(crate) fn update(&mut self, elapsed: f64, progress: Snapshot) {
        let is_news = progress.units_done > self.progress.units_done;
        (self.elapsed, self.progress) = (elapsed, progress);
        if is_news {
            // On average, a unit in progress is half done.
            let left = progress.units.saturating_sub(progress.units_done);
            let in_flight = (1.0 - progress.fraction) / left.max(1) as f64 * self.threads.min(left) as f64;
            let measured_seconds = elapsed / (progress.fraction + 0.5 * in_flight);
            let done = progress.units_done as f64;
            let trust = done / (done + PREDICTION_WEIGHT * self.threads as f64);
            // A mean of logarithms, because both times may be wrong by a factor.
            let mean = |predicted: f64| measured_seconds.powf(trust) * predicted.powf(1.0 - trust);
            self.whole_seconds = Some(self.predicted_seconds.map_or(measured_seconds, mean));
        }
    }

    /// Returns the seconds left, or `None` if nothing is predicted yet or the predicted time is up.
    fn seconds_left(&self) -> Option<f64> {
        self.whole_seconds.map(|whole| whole - self.elapsed).filter(|&left| left > 0.0)
    }

    /// Describes the progress in words that fit beside a bar on a terminal of 80 columns.
    pub(crate) fn in_words(&self) -> String {
        // Work without units, and work that has not yet planned them, does not say which share is done.
        let has_units = self.progress.units > 0;
        let done = if has_units { format!("{:.1} % done, ", 100.0 * self.fraction()) } else { String::new() };
        let left = match self.seconds_left() {
            Some(left) => format!("about {} left", in_words(left)),
            None if self.progress.fraction > 0.9 => "nearly done".to_owned(),
            None => "estimating the time left".to_owned(),
        };
        format!("{done}{left}, {} elapsed", in_words(self.elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(units: usize, units_done: usize, fraction: f64) -> Snapshot {
        let mut progress = Snapshot::default();
        (progress.units, progress.units_done, progress.fraction) = (units, units_done, fraction);
        progress
    }

    /// Counts sixty units of one second each on two threads, with a prediction three times too long.
    #[test]
    fn the_forecast_follows_the_units_more_and_more() {
        let mut time_left = TimeLeft::new(Some(90.0), 2);
        let wholes = [2, 10, 30, 58].map(|done| {
            let elapsed = done as f64 / 2.0;
            time_left.update(elapsed, progress(60, done, done as f64 / 60.0));
            elapsed + time_left.seconds_left().unwrap()
        });
        assert!(
            wholes.is_sorted_by(|a, b| a > b) && wholes[0] > 45.0 && (28.0..33.0).contains(&wholes[3]),
            "{wholes:?}"
        );
    }

    #[test]
    fn where_nothing_is_known_nothing_is_said() {
        let mut time_left = TimeLeft::new(Some(30.0), 2);
        time_left.update(4.0, Snapshot::default());
        assert_eq!(time_left.in_words(), "about 26 s left, 4.0 s elapsed");
        let mut left = |elapsed, units_done, fraction| {
            time_left.update(elapsed, progress(100, units_done, fraction));
            time_left.seconds_left()
        };
        assert_eq!(left(5.0, 0, 0.0).map(f64::round), Some(25.0));
        assert_eq!(left(31.0, 0, 0.0), None);
        // The first unit shows how wrong the prediction was. Extrapolated from this unit alone, the count takes 1555 s.
        assert!((1.0..1500.0).contains(&left(31.1, 1, 0.01).unwrap()));
        assert!(time_left.in_words().starts_with("1.0 % done"), "{}", time_left.in_words());
        let mut rest = TimeLeft::new(Some(30.0), 2).of_the_rest(0.6);
        rest.update(5.0, progress(100, 50, 0.5));
        assert!(rest.in_words().starts_with("80.0 % done"), "{}", rest.in_words());
        let mut on_cards = TimeLeft::new(None, 2);
        on_cards.update(4.0, progress(100, 0, 0.0));
        assert_eq!(on_cards.in_words(), "0.0 % done, estimating the time left, 4.0 s elapsed");
        // One unit more on each card is half done.
        on_cards.update(6.0, progress(100, 2, 0.02));
        assert_eq!(on_cards.seconds_left().map(f64::round), Some(194.0));
    }
}
