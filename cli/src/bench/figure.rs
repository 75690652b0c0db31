//! Figures with the ranges of their samples.

/// The largest [spread](Figure::spread) of a figure that can be trusted and gives points.
pub(crate) const WIDE: f64 = 0.05;

/// The minimum number of samples of a figure that has a rank.
pub(crate) const FEWEST_RANKED: usize = 10;

/// A figure, and the middle 80 % of its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The number of samples; for a mean, the smallest number among its figures.
    pub(crate) samples: usize,
}

impl Figure {
    /// Returns the median of the medians of some runs, each with at least one sample. A tenth of all samples lies below
    /// the range and a tenth above it, so that runs that differ widen it. With fewer than ten samples, it is the range
    /// of all samples.
    pub(crate) fn of_runs(runs: &[&[f64]]) -> Self {
        let medians = runs.iter().map(|&run| median(&sorted(run.to_vec()))).collect();
        let all = sorted(runs.concat());
        let last = all.len() - 1;
        let outside = all.len() / 10;
        Self { value: median(&sorted(medians)), low: all[outside], high: all[last - outside], samples: all.len() }
    }

    /// Returns `work` divided by this time.
    pub(crate) fn as_pace(self, work: f64) -> Self {
        Self { value: work / self.value, low: work / self.high, high: work / self.low, ..self }
    }

    /// Returns the geometric mean of some figures. The ends of its range are the geometric means of the ends of their
    /// ranges.
    pub(crate) fn mean(figures: &[Self]) -> Self {
        let share = 1.0 / figures.len() as f64;
        let of = |pick: fn(&Self) -> f64| figures.iter().map(|figure| pick(figure).powf(share)).product();
        let samples = figures.iter().map(|figure| figure.samples).min().unwrap_or(0);
        Self { value: of(|one| one.value), low: of(|one| one.low), high: of(|one| one.high), samples }
    }

    /// Returns half the width of the range divided by the value.
    pub(crate) fn spread(&self) -> f64 {
        (self.high - self.low) / self.value / 2.0
    }
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}

/// Returns the median of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let last = sorted.len() - 1;
    sorted[last / 2].midpoint(sorted[last.div_ceil(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_of_ten_samples_lie_in_the_range() {
        let of = |samples: &[f64]| Figure::of_runs(&[samples]);
        let four = Figure { value: 2.5, low: 1.0, high: 9.0, samples: 4 };
        assert_eq!(of(&[3.0, 1.0, 2.0, 9.0]), four);
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(of(&hundred), Figure { value: 50.5, low: 11.0, high: 90.0, samples: 100 });
        assert_eq!(four.as_pace(18.0), Figure { value: 7.2, low: 2.0, high: 18.0, samples: 4 });
    }

    /// Each run alone is within 1 %, but all runs together are not.
    #[test]
    fn runs_that_differ_widen_the_range() {
        let run = |middle: f64| -> Vec<f64> { (0..10).map(|at| middle * (1.0 + 0.001 * f64::from(at - 5))).collect() };
        let [slow, usual, fast] = [1.2, 1.0, 0.9].map(run);
        let joined = Figure::of_runs(&[&slow, &usual, &fast]);
        assert!((joined.value - 0.9995).abs() < 1e-9 && joined.samples == 30, "{joined:?}");
        assert!((0.89..0.9).contains(&joined.low) && (1.19..1.21).contains(&joined.high), "{joined:?}");
        assert!(Figure::of_runs(&[&usual]).spread() < 0.01);
    }
}
