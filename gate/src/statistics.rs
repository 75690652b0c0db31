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
    /// An exact value.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

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
        let Some(last) = sorted.len().checked_sub(1) else { return Self::exact(f64::NAN) };
        let low = lower_end(sorted.len(), confidence);
        let value = sorted[last / 2].midpoint(sorted[last.div_ceil(2)]);
        Self { value, low: sorted[low], high: sorted[last - low] }
    }

    /// The median of repetitions. Its interval is that of their intervals, so it includes differences between samples
    /// and between repetitions.
    pub fn of_repetitions(each: &[Self]) -> Self {
        let of = |pick: fn(&Self) -> f64| Self::of_median(&each.iter().map(pick).collect::<Vec<_>>());
        Self { value: of(|one| one.value).value, low: of(|one| one.low).low, high: of(|one| one.high).high }
    }

    /// The product of powers of values. Its interval holds every product of values in their intervals: a disturbance or a
    /// restart shifts all times of a machine together, so errors do not cancel. A quotient has the powers 1 and -1, a
    /// geometric mean of two has 0.5 twice.
    pub fn product(factors: &[(Self, f64)]) -> Self {
        let of = |pick: fn(&Self) -> f64, inverse: fn(&Self) -> f64| {
            let power =
                |(factor, power): &(Self, f64)| if *power > 0.0 { pick(factor) } else { inverse(factor) }.powf(*power);
            factors.iter().map(power).product()
        };
        Self {
            value: of(|one| one.value, |one| one.value),
            low: of(|one| one.low, |one| one.high),
            high: of(|one| one.high, |one| one.low),
        }
    }

    /// Half the interval's width divided by the value.
    pub fn spread(&self) -> f64 {
        (self.high - self.low) / self.value / 2.0
    }

    /// Whether the interval is so wide that the value says little.
    pub fn is_wide(&self) -> bool {
        self.spread() > 0.025
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

    #[test]
    fn repetitions_are_in_the_interval_with_all_their_samples() {
        let [a, b, c] = [[1.0, 3.0, 2.0], [5.0, 4.0, 6.0], [7.0, 8.0, 9.0]].map(|one| Estimate::of_median(&one));
        assert_eq!(Estimate::of_repetitions(&[a, b, c]), Estimate { value: 5.0, low: 1.0, high: 9.0 });
    }

    #[test]
    fn the_interval_of_a_product_holds_every_product() {
        // The upper end of what is divided by gives the lower end.
        let half = Estimate { value: 2.0, low: 1.0, high: 8.0 };
        let found = Estimate::product(&[(Estimate { value: 3.0, low: 2.0, high: 4.0 }, 2.0), (half, -1.0)]);
        assert_eq!(found, Estimate { value: 4.5, low: 0.5, high: 16.0 });
    }
}
