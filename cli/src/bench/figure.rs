//! Figures and the ranges that samples show.

use serde::Serialize;

/// A figure, and the range in which eight of ten samples lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Figure {
    /// The median of at least one sample. A tenth of the samples lies below the range, and a tenth above. Of fewer than
    /// ten samples the range holds all.
    pub(crate) fn of_samples(mut samples: Vec<f64>) -> Self {
        samples.sort_unstable_by(f64::total_cmp);
        let (last, outside) = (samples.len() - 1, samples.len() / 10);
        let value = samples[last / 2].midpoint(samples[last.div_ceil(2)]);
        Self { value, low: samples[outside], high: samples[last - outside] }
    }

    /// `numerator` divided by this figure.
    pub(crate) fn dividing(self, numerator: f64) -> Self {
        Self { value: numerator / self.value, low: numerator / self.high, high: numerator / self.low }
    }

    /// The geometric mean of some figures.
    pub(crate) fn mean(figures: &[Self]) -> Self {
        let share = 1.0 / figures.len() as f64;
        let of = |pick: fn(&Self) -> f64| figures.iter().map(|figure| pick(figure).powf(share)).product();
        Self { value: of(|one| one.value), low: of(|one| one.low), high: of(|one| one.high) }
    }

    /// Half the width of the range divided by the value.
    pub(crate) fn spread(&self) -> f64 {
        (self.high - self.low) / self.value / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_of_ten_samples_lie_in_the_range() {
        let of = |samples: &[f64]| Figure::of_samples(samples.to_vec());
        assert_eq!(of(&[3.0, 1.0, 2.0, 9.0]), Figure { value: 2.5, low: 1.0, high: 9.0 });
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(of(&hundred), Figure { value: 50.5, low: 11.0, high: 90.0 });
        assert_eq!(of(&[3.0, 1.0, 2.0, 9.0]).dividing(18.0), Figure { value: 7.2, low: 2.0, high: 18.0 });
    }
}
