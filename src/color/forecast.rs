//! Predicts the time and the memory of counts.

use super::LARGEST;
use crate::board::Size;
use crate::solver::Isa;

/// Predicts the seconds of one core of the machine in docs/measuring.md.
pub(super) fn seconds(size: Size, isa: Isa) -> f64 {
    10f64.powf(LOG_SECONDS[size.get().min(LARGEST)]) * slower(size.get(), isa)
}

/// Base-10 logarithms of the seconds that one core takes with AVX-512 (BITALG), for n = 0, 1, 2, ..., 30. Up to 22 and
/// for 24 they are measured. The others are six tenths of the sum of the plan's costs.
const LOG_SECONDS: [f64; LARGEST + 1] = [
    -5.0, -4.9, -4.8, -4.7, -4.6, -4.5, -4.4, -4.2, -4.0, -3.8, -3.75, -3.28, -3.17, -2.7, -2.53, -1.95, -1.735, -1.04,
    -0.7, 0.04, 0.64, 1.41, 2.09, 2.93, 3.656, 4.58, 5.344, 6.29, 7.21, 8.2, 9.306,
];

/// The time with an instruction set, divided by the time with AVX-512 (BITALG). Small boards spend their time on lists
/// and programs, which are portable code. Linear between the sizes of [`SLOWER_AT`].
fn slower(n: usize, isa: Isa) -> f64 {
    let factors = match isa {
        Isa::Portable => [1.0, 1.37, 2.25, 3.5, 3.9],
        Isa::Avx2 | Isa::Neon => [1.0, 1.05, 1.27, 1.7, 1.85],
        Isa::Avx512 => [1.0, 1.07, 1.17, 1.4, 1.4],
        _ => [1.0; 5],
    };
    let n = n.clamp(SLOWER_AT[0], SLOWER_AT[4]);
    let next = SLOWER_AT.iter().position(|&at| n < at).unwrap_or(4);
    let share = (n - SLOWER_AT[next - 1]) as f64 / (SLOWER_AT[next] - SLOWER_AT[next - 1]) as f64;
    factors[next - 1] + share * (factors[next] - factors[next - 1])
}

/// The sizes whose factors [`slower`] has.
const SLOWER_AT: [usize; 5] = [12, 14, 16, 18, 20];

/// Predicts the bytes of a count at its peak, with those of the program.
pub(super) fn bytes(size: Size, threads: usize) -> u64 {
    let [one, two, many] = PEAKS[size.get().clamp(PEAKS_FROM, LARGEST) - PEAKS_FROM];
    let of_thread = (many - two) / 14.0;
    let peak = if threads < 2 { one } else { two + of_thread * (threads - 2) as f64 };
    (ABOVE_PEAK * peak * f64::from(1 << 20)) as u64
}

/// The forecast of memory, divided by the measured peak. Peaks differ by a tenth between runs and instruction sets.
const ABOVE_PEAK: f64 = 1.2;

/// The smallest size of [`PEAKS`]. Smaller boards take as much memory.
const PEAKS_FROM: usize = 12;

/// Peaks in mebibytes with 1, 2 and 16 threads, for n = 12, 13, ..., 30: the highest of several runs and instruction
/// sets. docs/measuring.md says which are measured. The others are extrapolated: with n + 2 a list has about 6.5 times as
/// many keys, and [`Tuning::program_leaves`](super::Tuning) limits programs.
const PEAKS: [[f64; 3]; LARGEST + 1 - PEAKS_FROM] = [
    [6.0, 6.1, 6.6],
    [6.0, 6.0, 6.7],
    [5.9, 6.1, 6.7],
    [6.4, 6.8, 8.7],
    [6.4, 7.2, 10.1],
    [6.7, 8.0, 18.7],
    [9.2, 10.6, 28.3],
    [10.7, 13.9, 49.8],
    [29.1, 34.4, 107.0],
    [36.7, 56.8, 229.0],
    [48.6, 88.0, 445.0],
    [110.0, 144.0, 900.0],
    [290.0, 558.0, 2800.0],
    [520.0, 870.0, 4650.0],
    [900.0, 1114.0, 4334.0],
    [1200.0, 1460.0, 5240.0],
    [1580.0, 1900.0, 6380.0],
    [3700.0, 4500.0, 15_700.0],
    [8300.0, 10_300.0, 38_200.0],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CancelToken;
    use crate::color::{COLOR, ColorPlan, Tuning};
    use crate::solver::{Plan, Solver};

    /// The forecast of a size that nobody counted must not contradict the costs of its units.
    #[test]
    fn seconds_are_within_a_quarter_of_the_sum_of_the_plans_costs() {
        for n in 18..=28 {
            let size = Size::new(n).unwrap();
            let plan = ColorPlan::new(size, Isa::Avx512Bitalg, Tuning::new(n, Isa::Avx512Bitalg), &CancelToken::new())
                .unwrap();
            let of_units: f64 = (0..plan.units()).map(|unit| plan.cost(unit)).sum();
            let ratio = seconds(size, Isa::Avx512Bitalg) / of_units;
            assert!((0.75..=1.25).contains(&ratio), "n = {n}: {ratio:.2}");
        }
    }

    /// Each measured peak in docs/measuring.md: 10 to 30 % below the forecast, with every instruction set.
    #[test]
    fn memory_is_predicted_10_to_30_percent_above_each_measured_peak() {
        let page = include_str!("../../docs/measuring.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("| n | MiB, 1 thread")).skip(2);
        let mut sizes = Vec::new();
        for row in rows.take_while(|line| line.starts_with('|')) {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let size = Size::new(cells[0].parse().unwrap()).unwrap();
            sizes.push(size.get());
            for (threads, cell) in [1, 2, 16].into_iter().zip(&cells[1..]).filter(|(_, cell)| !cell.is_empty()) {
                let peak: f64 = cell.parse().unwrap();
                for &isa in Isa::ALL {
                    let predicted = COLOR.predicted_bytes(size, isa, threads) as f64 / f64::from(1 << 20);
                    let above = predicted / peak;
                    assert!((1.1..=1.3).contains(&above), "n = {size}, {threads} threads: {above:.2}");
                }
            }
        }
        assert_eq!(sizes, (8..=26).collect::<Vec<_>>());
    }

    #[test]
    fn portable_code_falls_behind_with_every_size_from_12_to_20() {
        assert!((12..20).all(|n| slower(n, Isa::Portable) < slower(n + 1, Isa::Portable)));
        assert_eq!([11, 12, 20, 21].map(|n| slower(n, Isa::Portable)), [1.0, 1.0, 3.9, 3.9]);
    }

    /// More threads and larger boards never take less, apart from noise of a third.
    #[test]
    fn forecasts_grow() {
        for n in 1..=LARGEST {
            let [before, size] = [n - 1, n].map(|n| Size::new(n).unwrap());
            for &isa in Isa::ALL {
                assert!(seconds(before, isa) < seconds(size, isa), "n = {n}");
            }
            for threads in 1..130 {
                assert!(bytes(size, threads) <= bytes(size, threads + 1), "n = {n}, {threads} threads");
                assert!(bytes(before, threads) * 2 / 3 <= bytes(size, threads), "n = {n}, {threads} threads");
            }
        }
    }
}
