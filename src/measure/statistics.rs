//! Medians and their bootstrapped intervals, from a seeded generator: the same samples always give the same figures.

use serde::Serialize;

use crate::splitmix::SplitMix64;

/// Resamples drawn for an interval.
const RESAMPLES: usize = 2000;

/// Up to here resamples are drawn sample by sample; beyond, only the place of their median among the sorted samples is drawn,
/// from the normal distribution that it then has (center 1/2, deviation 1 / (2 sqrt n)). So the work of an interval is
/// bounded by that of sorting.
const MOST_DRAWN: usize = 1000;

/// A value and where it lies with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

impl Estimate {
    /// The interval's width over the value.
    #[must_use]
    pub fn relative_width(&self) -> f64 {
        (self.high - self.low) / self.value
    }
}

/// The median; NaN where there are no samples.
#[must_use]
pub fn median(samples: &[f64]) -> f64 {
    quantile(samples, 0.5)
}

/// The value below which a share of the samples lies, between two of them in proportion; NaN where there are none.
#[must_use]
pub fn quantile(samples: &[f64], share: f64) -> f64 {
    quantile_of(&mut samples.to_vec(), share)
}

/// The same, of samples that may be put in another order.
fn quantile_of(samples: &mut [f64], share: f64) -> f64 {
    if samples.is_empty() {
        return f64::NAN;
    }
    let place = share * (samples.len() - 1) as f64;
    let (_, &mut low, above) = samples.select_nth_unstable_by(place as usize, f64::total_cmp);
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
    low + (high - low) * place.fract()
}

/// The median with its 95 % interval by the percentile bootstrap. One sample alone has itself as interval,
/// none have NaN.
#[must_use]
pub fn median_with_interval(samples: &[f64]) -> Estimate {
    if samples.is_empty() {
        return Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    }
    let mut resampler = Resampler::new(samples);
    interval(resampler.center, || resampler.median())
}

/// The median of the medians of several repetitions, each of which has samples, with its 95 % interval. Repetitions are
/// resampled, and samples within each: what differs from one start to the next is in the interval.
#[must_use]
pub fn repeated_median_with_interval(repetitions: &[&[f64]]) -> Estimate {
    if let [alone] = repetitions {
        return median_with_interval(alone);
    }
    let mut resamplers: Vec<Resampler> = repetitions.iter().map(|samples| Resampler::new(samples)).collect();
    let centers: Vec<f64> = resamplers.iter().map(|resampler| resampler.center).collect();
    let mut generator = SplitMix64::new(centers.iter().fold(0, |seed, center| seed.rotate_left(9) ^ center.to_bits()));
    interval(median(&centers), || {
        let drawn = || resamplers[generator.below(repetitions.len())].median();
        median(&std::iter::repeat_with(drawn).take(repetitions.len()).collect::<Vec<_>>())
    })
}

/// The median of `above` over the median of `below`, with the 95 % interval where both are resampled, each by itself:
/// for samples that are not pairs.
#[must_use]
pub fn ratio_of_medians(above: &[f64], below: &[f64]) -> Estimate {
    if above.is_empty() || below.is_empty() {
        return Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };
    }
    let (mut above_again, mut below_again) = (Resampler::new(above), Resampler::new(below));
    interval(above_again.center / below_again.center, || above_again.median() / below_again.median())
}

/// A value with the middle 95 % of what resampling gives for it.
fn interval(value: f64, mut resampled: impl FnMut() -> f64) -> Estimate {
    let mut values: Vec<f64> = (0..RESAMPLES).map(|_| resampled()).collect();
    values.sort_unstable_by(f64::total_cmp);
    Estimate { value, low: values[RESAMPLES / 40], high: values[RESAMPLES - 1 - RESAMPLES / 40] }
}

/// Draws resamples of the same size, with repetition.
struct Resampler {
    /// In ascending order where there are more than are drawn.
    samples: Vec<f64>,
    /// Their median.
    center: f64,
    drawn: Vec<f64>,
    generator: SplitMix64,
}

impl Resampler {
    fn new(samples: &[f64]) -> Self {
        // Another seed for other samples: two sets of the same size must not be resampled in step.
        let seed = samples.iter().fold(samples.len() as u64, |seed, sample| seed.rotate_left(9) ^ sample.to_bits());
        let (mut samples, center) = (samples.to_vec(), median(samples));
        let mut drawn = Vec::new();
        if samples.len() > MOST_DRAWN {
            samples.sort_unstable_by(f64::total_cmp);
        } else {
            drawn = vec![0.0; samples.len()];
        }
        Self { samples, center, drawn, generator: SplitMix64::new(seed) }
    }

    fn median(&mut self) -> f64 {
        let Self { samples, drawn, generator, .. } = self;
        if drawn.is_empty() {
            let place = 0.5 + normal(generator) * 0.5 / (samples.len() as f64).sqrt();
            return samples[((place * samples.len() as f64) as usize).min(samples.len() - 1)];
        }
        drawn.fill_with(|| samples[generator.below(samples.len())]);
        quantile_of(drawn, 0.5)
    }
}

/// A number from the standard normal distribution (Box and Muller's way).
fn normal(generator: &mut SplitMix64) -> f64 {
    let (radius, angle) = (1.0 - generator.unit(), generator.unit());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The geometric mean; NaN where there are no values.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_the_middle() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0, 5.0, 4.0], 0.25), 2.0);
        assert_eq!(quantile(&[2.0, 1.0], 0.75), 1.75);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
        assert_eq!([quantile(&[2.0, 1.0], 0.0), quantile(&[2.0, 1.0], 1.0)], [1.0, 2.0]);
        assert!(quantile(&[], 0.25).is_nan());
    }

    #[test]
    fn the_geometric_mean_is_that_of_factors() {
        assert!((geometric_mean(&[1.0, 4.0, 16.0]) - 4.0).abs() < 1e-12);
    }

    /// Half a million samples take a moment, and the interval is as wide as that of fewer samples lets expect.
    #[test]
    fn many_samples_take_bounded_work() {
        let mut generator = SplitMix64::new(2);
        let mut width = |count: usize| {
            let samples: Vec<f64> = (0..count).map(|_| 1.0 + generator.unit()).collect();
            let start = std::time::Instant::now();
            let estimate = median_with_interval(&samples);
            assert!(start.elapsed().as_secs_f64() < 1.0, "{count}: {:?}", start.elapsed());
            assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
            estimate.high - estimate.low
        };
        // 2 * 1.96 / (2 sqrt n), by both ways.
        for count in [900, 1100, 80_000, 500_000] {
            let expected = 1.96 / (count as f64).sqrt();
            let found = width(count);
            assert!((0.8..1.25).contains(&(found / expected)), "{count}: {found} for {expected}");
        }
    }

    /// Of intervals that claim 95 %, about 95 % hold the true median; and the same samples give the same interval.
    #[test]
    fn intervals_hold_the_median_as_often_as_they_say() {
        let mut generator = SplitMix64::new(1);
        let mut held = 0;
        for _ in 0..400 {
            let samples: Vec<f64> = (0..25).map(|_| 1.0 + generator.unit()).collect();
            let estimate = median_with_interval(&samples);
            assert_eq!(estimate, median_with_interval(&samples));
            assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
            held += usize::from(estimate.low <= 1.5 && 1.5 <= estimate.high);
        }
        assert!((365..=395).contains(&held), "{held} of 400");
    }
}
