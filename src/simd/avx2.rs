//! AVX2. A word is two registers. Since AVX2 has no instruction that moves selected parts of a register to its front,
//! tables of permutations serve instead.

use std::arch::x86_64::*;

use archmage::X64V3Token;
use safe_unaligned_simd::x86_64::{_mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256, _mm256_storeu_si256};

use super::swap::swap_submatrices;
use super::words::{ByteMatrix, LinePlanes};
use super::{Cell, Ends, MAX_COUNT, WORD_BYTES, Words};

proof! {
    /// The proof of AVX2, BMI1, BMI2 and POPCNT. The token of `archmage` requires all of x86-64-v3, and thus also FMA,
    /// F16C, LZCNT, MOVBE and CMPXCHG16B. A virtual machine that hides one of them counts with portable code.
    Avx2(X64V3Token)
}

/// A word.
type Pair = [__m256i; 2];

/// In `maddubs`, counts are signed bytes, and the sum of two products must fit in 16 signed bits.
const _: () = assert!(MAX_COUNT <= i8::MAX as usize && 2 * MAX_COUNT * 255 <= i16::MAX as usize);

impl Words for Avx2 {
    type Word = Pair;
    type Sums = __m256i;
    const PRODUCTS_PER_SUM: usize = 8;
    /// A word takes two of the 16 registers. With 1, 2 or 8 words, n = 17 takes 2 to 3 % longer (Zen 5).
    const TILE_WORDS: usize = 4;
    const SHARING: usize = 16;
    const SPREADS: bool = true;

    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &Ends, planes: &mut LinePlanes) {
        line_planes_by_transposing::<4, Self>(self, keys, ends, planes);
    }

    operations! { X64V3Token as proof:
        fn load(self, cell: &Cell) -> Pair {
            let halves = cell.0.as_chunks::<32>().0;
            [_mm256_loadu_si256(&halves[0]), _mm256_loadu_si256(&halves[1])]
        }

        fn store(self, word: Pair, cell: &mut Cell) {
            let halves = cell.0.as_chunks_mut::<32>().0;
            _mm256_storeu_si256(&mut halves[0], word[0]);
            _mm256_storeu_si256(&mut halves[1], word[1]);
        }

        fn or(self, a: Pair, b: Pair) -> Pair {
            [_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])]
        }

        fn and_not(self, plane: Pair, word: Pair) -> Pair {
            [_mm256_andnot_si256(plane[0], word[0]), _mm256_andnot_si256(plane[1], word[1])]
        }

        fn counts(self, word: Pair) -> Pair {
            // The table contains the population counts of nibbles (Mula).
            let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm256_set1_epi8(0x0f);
            let mut counts = word;
            for half in &mut counts {
                let low = _mm256_shuffle_epi8(table, _mm256_and_si256(*half, nibble));
                let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(*half), nibble));
                *half = _mm256_add_epi8(low, high);
            }
            counts
        }

        fn pick(self, pair: [Pair; 2], lanes: Pair) -> Pair {
            // The lowest 4 bits of a lane select one of 16 bytes.
            [_mm256_shuffle_epi8(pair[0][0], lanes[0]), _mm256_shuffle_epi8(pair[0][1], lanes[1])]
        }

        fn permute(self, word: Pair, places: Pair) -> Pair {
            // A place with its highest bit set selects 0.
            [_mm256_shuffle_epi8(word[0], places[0]), _mm256_shuffle_epi8(word[1], places[1])]
        }

        fn add_saturating(self, a: Pair, b: Pair) -> Pair {
            [_mm256_adds_epu8(a[0], b[0]), _mm256_adds_epu8(a[1], b[1])]
        }

        fn add(self, a: Pair, b: Pair) -> (Pair, Option<Pair>) {
            // A sum above 255 wraps and is less than `b`. Any other sum is the maximum of itself and `b`.
            let sum = [_mm256_add_epi8(a[0], b[0]), _mm256_add_epi8(a[1], b[1])];
            let low = _mm256_cmpeq_epi8(_mm256_max_epu8(sum[0], b[0]), sum[0]);
            let high = _mm256_cmpeq_epi8(_mm256_max_epu8(sum[1], b[1]), sum[1]);
            if _mm256_movemask_epi8(_mm256_and_si256(low, high)) == -1 {
                return (sum, None);
            }
            let one = _mm256_set1_epi8(1);
            (sum, Some([_mm256_add_epi8(low, one), _mm256_add_epi8(high, one)]))
        }

        fn zero_sums(self) -> __m256i {
            _mm256_setzero_si256()
        }

        fn dot(self, sums: __m256i, counts: Pair, table: Pair) -> __m256i {
            // `maddubs` does not saturate, as asserted above. The other sums have 32 bits.
            let one = _mm256_set1_epi16(1);
            let low = _mm256_madd_epi16(_mm256_maddubs_epi16(table[0], counts[0]), one);
            let high = _mm256_madd_epi16(_mm256_maddubs_epi16(table[1], counts[1]), one);
            _mm256_add_epi32(sums, _mm256_add_epi32(low, high))
        }

        fn total(self, sums: __m256i) -> u64 {
            let mut each = [0u32; 8];
            _mm256_storeu_si256(&mut each, sums);
            each.into_iter().map(u64::from).sum()
        }

        fn parts(self, word: Pair) -> u8 {
            let zero = _mm256_setzero_si256();
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(word[0], zero)));
            let high = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(word[1], zero)));
            !(low | high << 4) as u8
        }

        // In a submatrix of 16 x 16 bytes, 8 bits give the position of a byte: 4 bits for the row, then 4 for the
        // column. Each round interleaves the first 8 rows with the last 8, which rotates these bits by one, so that
        // four rounds exchange row and column. A register contains a row of two submatrices.
        fn transpose(self, matrix: &mut ByteMatrix) {
            for cells in matrix.as_chunks_mut::<16>().0 {
                for half in 0..2 {
                    let mut rows = [_mm256_setzero_si256(); 16];
                    for row in 0..16 {
                        rows[row] = _mm256_loadu_si256(&cells[row].0.as_chunks::<32>().0[half]);
                    }
                    for _ in 0..4 {
                        let before = rows;
                        for row in 0..8 {
                            rows[2 * row] = _mm256_unpacklo_epi8(before[row], before[row + 8]);
                            rows[2 * row + 1] = _mm256_unpackhi_epi8(before[row], before[row + 8]);
                        }
                    }
                    for row in 0..16 {
                        _mm256_storeu_si256(&mut cells[row].0.as_chunks_mut::<32>().0[half], rows[row]);
                    }
                }
            }
            swap_submatrices(matrix);
        }

        fn filter(
            self,
            keys: &[u64],
            lanes: &[u32],
            lines: u64,
            out_keys: &mut [u64],
            out_lanes: &mut [u32],
        ) -> usize {
            let length = keys.len();
            assert!(length.is_multiple_of(4) && lanes.len() == length);
            let (out_keys, out_lanes) = (&mut out_keys[..length], &mut out_lanes[..length]);
            let lines = _mm256_set1_epi64x(lines as i64);
            let mut kept = 0;
            for (four_keys, four_lanes) in keys.as_chunks::<4>().0.iter().zip(lanes.as_chunks::<4>().0) {
                let four_keys = _mm256_loadu_si256(four_keys);
                let free = _mm256_cmpeq_epi64(_mm256_and_si256(four_keys, lines), _mm256_setzero_si256());
                // `& 15` spares the bounds checks of the tables.
                let mask = _mm256_movemask_pd(_mm256_castsi256_pd(free)) as usize & 15;
                let four_keys = _mm256_permutevar8x32_epi32(four_keys, _mm256_loadu_si256(&KEPT_KEYS[mask]));
                let four_lanes = _mm_castsi128_ps(_mm_loadu_si128(four_lanes));
                let four_lanes = _mm_castps_si128(_mm_permutevar_ps(four_lanes, _mm_loadu_si128(&KEPT_LANES[mask])));
                // One bounds check is enough for both outputs, because they are equally long.
                let room = kept..kept + 4;
                _mm256_storeu_si256(out_keys[room.clone()].first_chunk_mut::<4>().expect("4 keys"), four_keys);
                _mm_storeu_si128(out_lanes[room].first_chunk_mut::<4>().expect("4 lanes"), four_lanes);
                kept += mask.count_ones() as usize;
            }
            kept
        }
    }
}

/// Masks for 8 keys: the eight numbers from index `8 - count` on select the first `count` keys.
static PRESENT: [u64; 16] = [!0, !0, !0, !0, !0, !0, !0, !0, 0, 0, 0, 0, 0, 0, 0, 0];

/// [`Words::line_planes`] for AVX2 and AVX-512. A register holds `EIGHTS` numbers of eight bytes.
#[inline(always)]
pub(super) fn line_planes_by_transposing<const EIGHTS: usize, T: Words>(
    simd: T,
    keys: &[u64],
    ends: &Ends,
    planes: &mut LinePlanes,
) {
    let mut matrix = [Cell::ZERO; WORD_BYTES];
    for (cell, &[from, to]) in matrix.iter_mut().zip(ends) {
        let (from, count) = (from as usize, (to - from) as usize);
        let eight: &[u64; 8] = keys[from..].first_chunk().expect("there are 8 more keys");
        let present: &[u64; 8] = PRESENT[8 - count..].first_chunk().expect("a byte has at most 8 keys");
        for (bytes, (key, present)) in cell.0.as_chunks_mut().0.iter_mut().zip(eight.iter().zip(present)) {
            *bytes = (key & present).to_le_bytes();
        }
    }
    simd.transpose(&mut matrix);
    // Cell 8k + b now contains byte b of the k-th key of each byte. Its bit l goes to bit k of cell 8b + l.
    for at in 0..WORD_BYTES / EIGHTS {
        let (b, part) = (at % 8, at / 8);
        let mut rows = [[0; EIGHTS]; 8];
        for k in 0..8 {
            rows[k] = eights(&matrix[8 * k + b], part);
        }
        // Exchanging bits between rows that are 4, 2 and 1 apart transposes 8 x 8 bits (Warren, Hacker's Delight, 7-3).
        for (distance, mask) in [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)] {
            for low in (0..8).filter(|row| row & distance == 0) {
                let high = low + distance;
                let [mut lower, mut upper] = [rows[low], rows[high]];
                for i in 0..EIGHTS {
                    let moved = (lower[i] >> distance ^ upper[i]) & mask;
                    lower[i] ^= moved << distance;
                    upper[i] ^= moved;
                }
                [rows[low], rows[high]] = [lower, upper];
            }
        }
        for l in 0..8 {
            let to = &mut planes[8 * b + l].0.as_chunks_mut().0[EIGHTS * part..][..EIGHTS];
            for i in 0..EIGHTS {
                to[i] = rows[l][i].to_ne_bytes();
            }
        }
    }
}

/// Returns part number `part` of a cell as numbers of eight bytes.
#[inline(always)]
fn eights<const EIGHTS: usize>(cell: &Cell, part: usize) -> [u64; EIGHTS] {
    let mut eights = [0; EIGHTS];
    let bytes = &cell.0.as_chunks().0[EIGHTS * part..][..EIGHTS];
    for i in 0..EIGHTS {
        eights[i] = u64::from_ne_bytes(bytes[i]);
    }
    eights
}

/// For each subset of 4 keys, the new order of their 32-bit pieces.
static KEPT_KEYS: [[u32; 8]; 16] = kept(2);
/// For each subset of 4 lanes, which are numbers of 32 bits, the new order of these lanes.
static KEPT_LANES: [[u32; 4]; 16] = kept(1);

/// Returns, for each subset of 4 elements of `of_each` pieces, the pieces of these elements in order, then zeros.
const fn kept<const PIECES: usize, const SETS: usize>(of_each: usize) -> [[u32; PIECES]; SETS] {
    let mut kept = [[0; PIECES]; SETS];
    let mut set = 0;
    while set < SETS {
        let (mut piece, mut to) = (0, 0);
        while piece < PIECES {
            if set >> (piece / of_each) & 1 == 1 {
                kept[set][to] = piece as u32;
                to += 1;
            }
            piece += 1;
        }
        set += 1;
    }
    kept
}
