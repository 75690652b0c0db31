//! Medians and their exact 95 % intervals by order statistics.

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value itself.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// The median with its 95 % interval, whose ends are samples. It assumes nothing about the distribution: the number
    /// of samples below the true median is binomial. For five samples or fewer the interval is their whole range, which
    /// holds the true median with less than 95 % confidence. NaN if there are no samples.
    pub fn of_median(samples: &[f64]) -> Self {
        Self::of_median_with(samples, 0.95)
    }

    /// The median with the interval of a confidence such as 0.95.
    pub fn of_median_with(samples: &[f64], confidence: f64) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return Self { value: f64::NAN, low: f64::NAN, high: f64::NAN };
        };
        let low = lower_end(sorted.len(), confidence);
        let value = sorted[last / 2].midpoint(sorted[last.div_ceil(2)]);
        Self { value, low: sorted[low], high: sorted[last - low] }
    }
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

    #[test]
    fn medians_are_the_middle() {
        let median = |samples: &[f64]| Estimate::of_median(samples).value;
        assert_eq!([median(&[3.0]), median(&[4.0, 1.0, 3.0]), median(&[4.0, 1.0, 3.0, 2.0])], [3.0, 3.0, 2.5]);
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
}
