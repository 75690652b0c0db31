//! Medians with exact intervals from order statistics, and means with standard errors.

/// A median and its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// Returns the median of at least one sample with its interval at a confidence such as 0.95. The ends of the
    /// interval are samples, and nothing is assumed about the distribution, because the number of samples below the
    /// true median is binomial. With five samples or fewer, the interval is their whole range, whose confidence is
    /// below 95 %.
    pub(crate) fn of_median(mut samples: Vec<f64>, confidence: f64) -> Self {
        samples.sort_unstable_by(f64::total_cmp);
        let low = lower_end(samples.len(), confidence);
        Self { value: quantile(&samples, 0.5), low: samples[low], high: samples[samples.len() - 1 - low] }
    }
}

/// A mean and its standard error.
pub(crate) struct Mean {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Mean {
    /// Returns the mean of at least two samples.
    pub(crate) fn of(samples: &[f64]) -> Self {
        let number = samples.len() as f64;
        let value = samples.iter().sum::<f64>() / number;
        let squares: f64 = samples.iter().map(|sample| (sample - value).powi(2)).sum();
        Self { value, error: (squares / (number - 1.0) / number).sqrt() }
    }
}

/// Returns a quantile of ascending samples, such as the median for a share of 0.5. Between two samples it is their
/// midpoint.
pub(crate) fn quantile(ascending: &[f64], share: f64) -> f64 {
    let at = share * (ascending.len() - 1) as f64;
    ascending[at.floor() as usize].midpoint(ascending[at.ceil() as usize])
}

/// Returns the index of the interval's lower end among `n` ascending samples. The upper end is equally far from the
/// last sample.
fn lower_end(n: usize, confidence: f64) -> usize {
    // `probability` is the probability that exactly `below` samples are below the true median, and `held` that their
    // number is between `below` and `n - below`.
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
    fn medians_are_the_middle_and_means_know_their_error() {
        let median = |samples: &[f64]| Estimate::of_median(samples.to_vec(), 0.95).value;
        assert_eq!([median(&[3.0]), median(&[4.0, 1.0, 3.0]), median(&[4.0, 1.0, 3.0, 2.0])], [3.0, 3.0, 2.5]);
        let Mean { value, error } = Mean::of(&[1.0, 3.0, 1.0, 3.0, 2.0]);
        assert_eq!((value, error), (2.0, 0.2_f64.sqrt()));
    }

    /// The ranks come from tables of the sign test for 95 %, which count from 1.
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
