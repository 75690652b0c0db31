//! Medians and their exact 95 % intervals by order statistics.

use serde::Serialize;

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// An exact value.
    pub(crate) fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// The interval's width divided by the value.
    pub(crate) fn relative_width(&self) -> f64 {
        (self.high - self.low) / self.value
    }
}

/// The median. NaN if there are no samples.
pub(crate) fn median(samples: &[f64]) -> f64 {
    median_with_interval(samples).value
}

/// The median with its 95 % interval, whose ends are samples. It assumes nothing about the distribution: the number of
/// samples below the true median is binomial. For five samples or fewer the interval is their whole range, which holds
/// the true median with less than 95 % confidence.
pub(crate) fn median_with_interval(samples: &[f64]) -> Estimate {
    median_with_interval_of(samples, 0.95)
}

/// The median with the interval of a confidence such as 0.95.
pub(crate) fn median_with_interval_of(samples: &[f64], confidence: f64) -> Estimate {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return Estimate::exact(f64::NAN) };
    let low = lower_end(sorted.len(), confidence);
    Estimate { value: sorted[last / 2].midpoint(sorted[last.div_ceil(2)]), low: sorted[low], high: sorted[last - low] }
}

/// The median of the repetitions' medians. The interval is the interval of the repetitions' intervals, so it includes
/// differences between samples and between repetitions.
pub(crate) fn repeated_median_with_interval(repetitions: &[&[f64]]) -> Estimate {
    let each: Vec<Estimate> = repetitions.iter().map(|samples| median_with_interval(samples)).collect();
    let of = |pick: fn(&Estimate) -> f64| median_with_interval(&each.iter().map(pick).collect::<Vec<_>>());
    Estimate { value: of(|one| one.value).value, low: of(|one| one.low).low, high: of(|one| one.high).high }
}

/// The index of the interval's lower end among `n` samples in ascending order. The upper end is equally far from the
/// last sample.
fn lower_end(n: usize, confidence: f64) -> usize {
    // `probability` is that of exactly `below` samples below the true median; `held` that of `below` to `n - below`.
    let mut below = n / 2;
    let mut probability: f64 = (1..=n.div_ceil(2)).map(|i| (2 * i - 1) as f64 / (2 * i) as f64).product();
    let mut held = if n.is_multiple_of(2) { probability } else { 2.0 * probability };
    while below > 1 && held < confidence {
        probability *= below as f64 / (n - below + 1) as f64;
        below -= 1;
        held += 2.0 * probability;
    }
    below.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::splitmix::SplitMix64;

    #[test]
    fn medians_are_the_middle() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    /// The ranks are those that tables of the sign test give for 95 %. The tables count from 1.
    #[test]
    fn intervals_end_where_the_tables_say() {
        for (n, rank) in
            [(1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (16, 4), (25, 8), (50, 18), (100, 40)]
        {
            assert_eq!(lower_end(n, 0.95) + 1, rank, "{n}");
        }
        // With many samples, the interval is as wide as the normal distribution predicts.
        for n in [1001, 80_000, 500_000] {
            let distance = n as f64 / 2.0 - lower_end(n, 0.95) as f64;
            assert!((0.9..1.1).contains(&(distance / (0.98 * (n as f64).sqrt()))), "{n}: {distance}");
        }
    }

    #[test]
    fn repetitions_are_in_the_interval_with_all_their_samples() {
        let alone: &[f64] = &[1.0, 3.0, 2.0];
        assert_eq!(repeated_median_with_interval(&[alone]), median_with_interval(alone));
        let joined = repeated_median_with_interval(&[alone, &[5.0, 4.0, 6.0], &[7.0, 8.0, 9.0]]);
        assert_eq!(joined, Estimate { value: 5.0, low: 1.0, high: 9.0 });
    }

    /// At least about 95 % of the intervals for 95 % hold the true median.
    #[test]
    fn intervals_hold_the_median_as_often_as_they_say() {
        let mut generator = SplitMix64::new(1);
        let mut held = 0;
        for _ in 0..400 {
            let samples: Vec<f64> =
                (0..25).map(|_| 1.0 + generator.below(1 << 30) as f64 / f64::from(1 << 30)).collect();
            let estimate = median_with_interval(&samples);
            assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
            held += usize::from(estimate.low <= 1.5 && 1.5 <= estimate.high);
        }
        assert!((370..=398).contains(&held), "{held} of 400");
    }
}
