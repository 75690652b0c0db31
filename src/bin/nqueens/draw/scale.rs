//! Scales: where a value lies in a picture, and which values to label.

/// A logarithmic scale: maps values from `low` to `high` to places from `start` to `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

/// A value to label, and its label.
pub(crate) type Tick = (f64, String);

impl Scale {
    /// A scale over these values. They need not differ: then they lie in the middle.
    pub(crate) fn new((low, high): (f64, f64), (start, end): (f64, f64)) -> Self {
        Self { low, high, start, end }
    }

    /// Where a value lies. What is outside of the scale lies at its end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln());
        let share = if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) };
        self.start + share * (self.end - self.start)
    }
}

/// The least and the greatest of the values, infinite ones left out.
pub(crate) fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Round figures that enclose a range of them, at most about `most`.
pub(crate) fn figures(range: (f64, f64), most: usize) -> Vec<Tick> {
    decades(range, most, |multiple, power| format!("{}", multiple * 10f64.powi(power)))
}

/// Round values that enclose a range of them: powers of ten, or their doubles and fivefolds too where the range is short.
pub(crate) fn decades((low, high): (f64, f64), most: usize, label: impl Fn(f64, i32) -> String) -> Vec<Tick> {
    // Some numbers beyond have no power of ten above or below them.
    let (low, high) = (low.clamp(1e-300, 1e300), high.clamp(1e-300, 1e300));
    let is_short = high / low < 30.0;
    let multiples: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
    // Within rounding, so that a time of exactly 1 ms needs no tick below it.
    let (first, last) = ((low.log10() - 1e-9).floor() as i32, (high.log10() + 1e-9).ceil() as i32);
    let all: Vec<(f64, i32, f64)> = (first..=last)
        .flat_map(|power| multiples.iter().map(move |&multiple| (multiple * 10f64.powi(power), power, multiple)))
        .collect();
    let begin = all.iter().rposition(|tick| tick.0 <= low * (1.0 + 1e-9)).unwrap_or(0);
    let end = all.iter().position(|tick| tick.0 >= high * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
    // One value alone gets the next tick as well.
    let end = end.max((begin + 1).min(all.len() - 1));
    let step = (end - begin).div_ceil(most.max(1)).max(1);
    // The last tick encloses the range even where the steps pass it.
    let end = begin + (end - begin).div_ceil(step) * step;
    (begin..=end)
        .step_by(step)
        .map(|index| match all.get(index) {
            Some(&(value, power, multiple)) => (value, label(multiple, power)),
            None => {
                let power = first + index as i32;
                (10f64.powi(power), label(1.0, power))
            }
        })
        .filter(|(value, _)| value.is_finite() && *value > 0.0)
        .collect()
}

/// Powers of two that enclose a range.
pub(crate) fn doublings((low, high): (f64, f64)) -> Vec<Tick> {
    let (first, last) = ((low.log2() + 1e-9).floor() as i32, (high.log2() - 1e-9).ceil() as i32);
    (first.max(-40)..=last.max(first + 1).min(40)).map(|power| (2f64.powi(power), power_label(power))).collect()
}

fn power_label(power: i32) -> String {
    match power {
        -3..=-1 => format!("{}", 2f64.powi(power)),
        _ if power < -3 => format!("1/{}", 2f64.powi(-power)),
        _ => format!("{}", 2f64.powi(power)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> String {
        ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn ticks_are_labelled_with_round_figures() {
        assert_eq!(labels(figures((0.2, 1.4e5), 4)), "0.1 | 10 | 1000 | 100000 | 10000000");
        assert_eq!(labels(figures((3.0, 240_000.0), 9)), "1 | 10 | 100 | 1000 | 10000 | 100000 | 1000000");
        assert_eq!(labels(figures((0.3, 4.2), 9)), "0.2 | 0.5 | 1 | 2 | 5");
        // Whatever a record may hold.
        for range in [(f64::MIN_POSITIVE, 3.2e9), (5e-324, 5e-324), (3.2e9, 3.2e9), (1e-12, 2e-12)] {
            let ticks = figures(range, 9);
            assert!(!ticks.is_empty() && ticks.len() <= 12, "{ticks:?}");
            assert!(ticks[ticks.len() - 1].0 >= range.1 * 0.999, "{ticks:?}");
        }
    }

    #[test]
    fn other_ticks_enclose_their_range() {
        assert_eq!(labels(doublings((1.0, 24.0))), "1 | 2 | 4 | 8 | 16 | 32");
        assert_eq!(labels(doublings((0.9, 1.0))), "0.5 | 1");
        assert_eq!(labels(doublings((1.0, 1.0))), "1 | 2");
    }

    #[test]
    fn values_lie_where_they_belong() {
        let scale = Scale::new((1.0, 100.0), (0.0, 200.0));
        for (value, place) in [(1.0, 0.0), (10.0, 100.0), (100.0, 200.0), (1e9, 200.0), (0.0, 0.0), (f64::NAN, 100.0)] {
            assert!((scale.at(value) - place).abs() < 1e-9, "{value}");
        }
        assert_eq!(Scale::new((3.0, 3.0), (0.0, 10.0)).at(3.0), 5.0);
        assert_eq!(range([2.0, f64::INFINITY, 1.0]), Some((1.0, 2.0)));
    }
}
