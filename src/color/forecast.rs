//! Predicts the time and the memory of counts. The formulas are fitted to the measurements in docs/color-split.md.

use super::tuning::{LARGEST, PackTuning, UnitTuning};
use crate::board::Size;
use crate::solver::Isa;

/// Predicts the time of a count in seconds of one core of the Xeon in docs/color-split.md, within a factor of two. From
/// n = 16 on, the prediction is within a quarter of each time that the paper's table of programs lists for `color` on
/// one thread of this Xeon.
pub(super) fn seconds(size: Size, isa: Isa) -> f64 {
    let n = size.get().min(LARGEST) as f64;
    let lists = 10f64.powf(n / 8.0 - 5.0);
    // An odd board takes 1.3 times as long as interpolation between its even neighbors suggests.
    let odd = 0.107 * (n % 2.0);
    // Sparse packs and pieces make large boards faster.
    let large = 0.0009 * (n - 20.0).max(0.0).powi(3);
    let walks = 10f64.powf(0.65 + 0.683 * (n - 20.0) + 0.02 * (n - 20.0).powi(2) - large + odd);
    (lists + walks) * slower(n, isa)
}

/// Returns the time with an instruction set, divided by the time with AVX-512 (BITALG). Small boards spend their time
/// on lists and programs, which are portable code. From n = 20 on, walks take nearly all of it.
fn slower(n: f64, isa: Isa) -> f64 {
    let most = match isa {
        Isa::Portable => 3.9,
        // The factor of NEON is assumed, because nobody has timed it.
        Isa::Avx2 | Isa::Neon => 1.85,
        Isa::Avx512 => 1.4,
        _ => 1.0,
    };
    let share = ((n - 12.0) / 8.0).clamp(0.0, 1.0);
    1.0 + (most - 1.0) * share * share * (3.0 - 2.0 * share)
}

/// Predicts the peak memory of a count in bytes: at least the highest measured peak, and at most 1.5 times that peak.
pub(super) fn bytes(size: Size, threads: usize) -> u64 {
    let n = size.get().min(LARGEST);
    let threads = threads.max(1) as f64;
    // In mebibytes. Programs take about 4.2 bytes for each leaf that `program_leaves` allows (measured at n = 24 and
    // 26; a leaf that is written takes at least 30 bytes / 7). Some threads begin the next family while others still
    // count the one before.
    let most = 4.2 * UnitTuning::new(n).program_leaves as f64 / MEBIBYTE;
    let programs = (2.0 - 1.0 / threads) * most.min(2.2 * 7f64.powf((n / 2) as f64 - 9.0));
    // A thread keeps at most a batch of the filling side. Small batches of both sides, and the packs by which these
    // exceed their limits, take less than 8 MiB. The limits do not depend on the instruction set.
    let tuning = PackTuning::new(n, Isa::Portable);
    let batch = tuning.batch_bytes.filling as f64 / MEBIBYTE;
    let packs = batch.max(8.0).min(23.0 * 2.15f64.powf(n as f64 - 22.0));
    // The lists of both sides and the keys of the largest one that filters leave alive. Each further odd row multiplies
    // the number of keys by about 6.5.
    let lists = 540.0 * 6.5f64.powf(n.div_ceil(2) as f64 - 14.0);
    // Turned tables with three layers and, from n = 26 on, a piece of a filled table for each term.
    let filled = if n < 26 { 0 } else { tuning.terms_together * tuning.piece_bytes };
    let tables = if n < 24 { 0.0 } else { (3 * tuning.table_bytes + filled) as f64 / MEBIBYTE };
    let of_thread = STACK + packs + lists + tables;
    (MARGIN * (programs + threads * of_thread) * MEBIBYTE) as u64
}

const MEBIBYTE: f64 = (1 << 20) as f64;

/// Mebibytes of its stack that a thread uses.
const STACK: f64 = 0.03;

/// The forecast of memory, divided by the fitted peak. It is above 1, because peaks differ by a tenth between runs and
/// instruction sets.
const MARGIN: f64 = 1.25;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells of each row of a table in docs/color-split.md, starting with the line that begins with `head`.
    fn rows(head: &str) -> impl Iterator<Item = Vec<&'static str>> {
        let lines = include_str!("../../docs/color-split.md").lines().skip_while(move |line| !line.starts_with(head));
        let rows = lines.take_while(|line| line.starts_with('|'));
        rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
    }

    #[test]
    fn seconds_are_near_each_measured_time() {
        let sizes = rows("| program | processor | threads | n = 8").next().unwrap();
        let times = rows("| `color` | Xeon | 1 |").next().unwrap();
        let measured = sizes.iter().zip(times).skip(3).filter(|(_, time)| !time.is_empty());
        let ratios = measured.map(|(n, time)| {
            let size = Size::new(n.trim_start_matches("n = ").parse().unwrap()).unwrap();
            let ratio = seconds(size, Isa::Avx512Bitalg) / time.parse::<f64>().unwrap();
            let range = if size.get() < 16 { 0.5..=2.0 } else { 0.75..=1.25 };
            assert!(range.contains(&ratio), "n = {size}: {ratio:.2}");
        });
        assert!(ratios.count() > 5);
    }

    /// Mebibytes that the program itself takes, which the measured peaks include.
    const PROGRAM: f64 = 5.0;

    #[test]
    fn memory_is_predicted_between_each_measured_peak_and_half_more() {
        let mut sizes = 0;
        for cells in rows("| n | MiB, 1 thread").skip(2) {
            let size = Size::new(cells[0].parse().unwrap()).unwrap();
            sizes += 1;
            for (threads, cell) in [1, 2, 16].into_iter().zip(&cells[1..]).filter(|(_, cell)| !cell.is_empty()) {
                let peak: f64 = cell.parse().unwrap();
                let above = (bytes(size, threads) as f64 / MEBIBYTE + PROGRAM) / peak;
                assert!((1.05..=1.5).contains(&above), "n = {size}, {threads} threads: {above:.2}");
            }
        }
        assert!(sizes > 5, "the table has {sizes} sizes");
    }

    /// On many threads, which nobody has measured, the memory of each thread decides. At n = 26, two more threads took
    /// 426 MiB more. At n = 28, one thread took 590 MiB without its programs, when its first packs were made.
    #[test]
    fn a_further_thread_takes_at_least_as_much_as_was_measured() {
        for (n, measured) in [(26, 213.0), (28, 590.0)] {
            let [fewer, more] = [127, 128].map(|threads| bytes(Size::new(n).unwrap(), threads) as f64 / MEBIBYTE);
            assert!(more - fewer >= measured, "n = {n}: {:.0} MiB", more - fewer);
        }
    }

    /// Forecasts grow with the number of threads and, from n = 3 on, with n. Only n = 26 may take less memory than 25,
    /// because it keeps fewer packs.
    #[test]
    fn forecasts_grow() {
        for n in 3..=LARGEST {
            let [before, size] = [n - 1, n].map(|n| Size::new(n).unwrap());
            for &isa in Isa::ALL {
                assert!(seconds(before, isa) < seconds(size, isa), "n = {n}");
            }
            for threads in 1..130 {
                assert!(bytes(size, threads) <= bytes(size, threads + 1), "n = {n}, {threads} threads");
                assert!(n == 26 || bytes(before, threads) <= bytes(size, threads), "n = {n}, {threads} threads");
            }
        }
    }
}
