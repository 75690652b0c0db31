//! AVX2: a word is two registers.

use std::arch::x86_64::*;

use super::Cell;
use super::{Kernel, Lanes, MAX_COUNT};
use crate::solver::Isa;
use crate::solver::color::tuning::AVX2_TILE_WORDS;

/// Proof of AVX2, BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx2.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn with_features<K: Kernel>(lanes: Avx2, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: an `Avx2` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

type Pair = [__m256i; 2];

/// `maddubs` takes signed counts, and adds two products in signed 16 bits.
const _: () = assert!(MAX_COUNT <= i8::MAX as usize && 2 * MAX_COUNT * 255 <= i16::MAX as usize);

#[inline(always)]
fn both(a: Pair, b: Pair, operation: impl Fn(__m256i, __m256i) -> __m256i) -> Pair {
    [operation(a[0], b[0]), operation(a[1], b[1])]
}

/// 16 x 16 bytes, row by row.
type Block = [__m128i; 16];

impl Avx2 {
    /// The bit matrix of at most 8 keys, transposed: byte l holds bit l of every key, the first key in its lowest bit.
    #[inline(always)]
    fn key_bytes(self, keys: &[u64]) -> Pair {
        assert!(keys.len() <= 8, "a lane has at most 8 keys");
        // SAFETY: the token proves AVX2; masked loads touch `keys.len()` keys only; with at most 8, the mask's 8
        // numbers lie within the 16.
        unsafe {
            let present = PRESENT.as_ptr().add(8 - keys.len());
            let start = keys.as_ptr().cast::<i64>();
            let first = _mm256_maskload_epi64(start, _mm256_loadu_si256(present.cast()));
            let last = _mm256_maskload_epi64(start.wrapping_add(4), _mm256_loadu_si256(present.add(4).cast()));
            // Bytes of two keys by turns, then of four, then of eight: the eight lowest ones first.
            let by_turns =
                _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
            let (first, last) = (_mm256_shuffle_epi8(first, by_turns), _mm256_shuffle_epi8(last, by_turns));
            let (even, odd) =
                (_mm256_permute2x128_si256::<0x20>(first, last), _mm256_permute2x128_si256::<0x31>(first, last));
            let (low, high) = (_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd));
            let (first, last) =
                (_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high));
            let (low, high) = (_mm256_unpacklo_epi32(first, last), _mm256_unpackhi_epi32(first, last));
            let mut halves =
                [_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high)];
            // Exchanges of bits 7, 14 and 28 places apart transpose 8 x 8 bits (Warren, Hacker's Delight, 7-3).
            for half in &mut halves {
                *half = self.swap_bits::<7>(*half, 0x00aa_00aa_00aa_00aa);
                *half = self.swap_bits::<14>(*half, 0x0000_cccc_0000_cccc);
                *half = self.swap_bits::<28>(*half, 0x0000_0000_f0f0_f0f0);
            }
            halves
        }
    }

    /// Exchanges the bits in `mask` with those so many places higher.
    #[inline(always)]
    fn swap_bits<const DISTANCE: i32>(self, bits: __m256i, mask: i64) -> __m256i {
        // SAFETY: the token proves AVX2.
        unsafe {
            let moved = _mm256_xor_si256(bits, _mm256_srli_epi64::<DISTANCE>(bits));
            let moved = _mm256_and_si256(moved, _mm256_set1_epi64x(mask));
            _mm256_xor_si256(bits, _mm256_xor_si256(moved, _mm256_slli_epi64::<DISTANCE>(moved)))
        }
    }

    #[inline(always)]
    fn block(self, square: &[Cell; 64], i: usize, j: usize) -> Block {
        // SAFETY: the token proves AVX; the slice has 16 bytes.
        unsafe {
            let mut rows = [_mm_setzero_si128(); 16];
            for row in 0..16 {
                rows[row] = _mm_loadu_si128(square[16 * i + row].0[16 * j..][..16].as_ptr().cast());
            }
            rows
        }
    }

    #[inline(always)]
    fn set_block(self, square: &mut [Cell; 64], i: usize, j: usize, rows: Block) {
        for row in 0..16 {
            // SAFETY: the token proves AVX; the slice has 16 bytes.
            unsafe { _mm_storeu_si128(square[16 * i + row].0[16 * j..][..16].as_mut_ptr().cast(), rows[row]) };
        }
    }

    /// A block transposed. A byte's place is a number of 8 bits, 4 for its row and 4 for its column. Interleaving the
    /// bytes of the first 8 rows with those of the last 8 makes the highest of these bits the lowest; four times that
    /// exchanges row and column.
    #[inline(always)]
    fn transpose_block(self, mut rows: Block) -> Block {
        for _ in 0..4 {
            let halves = rows;
            for row in 0..8 {
                // SAFETY: the token proves AVX.
                unsafe {
                    rows[2 * row] = _mm_unpacklo_epi8(halves[row], halves[row + 8]);
                    rows[2 * row + 1] = _mm_unpackhi_epi8(halves[row], halves[row + 8]);
                }
            }
        }
        rows
    }
}

impl Lanes for Avx2 {
    type Word = Pair;
    type Sums = __m256i;
    const PRODUCTS_PER_SUM: usize = 8;
    const TILE_WORDS: usize = AVX2_TILE_WORDS;

    #[inline(always)]
    fn load(self, cell: &Cell) -> Pair {
        let start = cell.0.as_ptr().cast::<__m256i>();
        // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX.
        unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
    }

    #[inline(always)]
    fn store(self, word: Pair, cell: &mut Cell) {
        let start = cell.0.as_mut_ptr().cast::<__m256i>();
        // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX.
        unsafe {
            _mm256_store_si256(start, word[0]);
            _mm256_store_si256(start.add(1), word[1]);
        }
    }

    #[inline(always)]
    fn or(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(a, b, |x, y| unsafe { _mm256_or_si256(x, y) })
    }

    #[inline(always)]
    fn and_not(self, plane: Pair, word: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(plane, word, |x, y| unsafe { _mm256_andnot_si256(x, y) })
    }

    #[inline(always)]
    fn counts(self, mut word: Pair) -> Pair {
        for half in &mut word {
            // SAFETY: the token proves AVX2. Population counts of nibbles by table (Mula).
            unsafe {
                let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
                let nibble = _mm256_set1_epi8(0x0f);
                let low = _mm256_shuffle_epi8(table, _mm256_and_si256(*half, nibble));
                let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(*half), nibble));
                *half = _mm256_add_epi8(low, high);
            }
        }
        word
    }

    const SHARING: usize = 16;

    #[inline(always)]
    fn pick(self, pair: [Pair; 2], numbers: Pair) -> Pair {
        // SAFETY: the token proves AVX2. Each 16 bytes are picked from by the lowest 4 bits of a number.
        both(pair[0], numbers, |x, y| unsafe { _mm256_shuffle_epi8(x, y) })
    }

    #[inline(always)]
    fn add_saturating(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves AVX2.
        both(a, b, |x, y| unsafe { _mm256_adds_epu8(x, y) })
    }

    #[inline(always)]
    fn add(self, a: Pair, b: Pair) -> (Pair, Option<Pair>) {
        // SAFETY: the token proves AVX2. Where the sum is below one of its terms it has passed 255; everywhere else
        // it is the larger of the two.
        unsafe {
            let sum = both(a, b, |x, y| _mm256_add_epi8(x, y));
            let whole = both(sum, b, |x, y| _mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x));
            let any = _mm256_movemask_epi8(_mm256_and_si256(whole[0], whole[1])) != -1;
            (sum, any.then(|| whole.map(|whole| _mm256_add_epi8(whole, _mm256_set1_epi8(1)))))
        }
    }

    #[inline(always)]
    fn zero_sums(self) -> __m256i {
        // SAFETY: the token proves AVX.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn dot(self, sums: __m256i, counts: Pair, table: Pair) -> __m256i {
        // SAFETY: the token proves AVX2. The first products do not saturate (asserted above); the two halves' pairs are
        // added in 32 bits.
        unsafe {
            let one = _mm256_set1_epi16(1);
            let low = _mm256_madd_epi16(_mm256_maddubs_epi16(table[0], counts[0]), one);
            let high = _mm256_madd_epi16(_mm256_maddubs_epi16(table[1], counts[1]), one);
            _mm256_add_epi32(sums, _mm256_add_epi32(low, high))
        }
    }

    #[inline(always)]
    fn total(self, sums: __m256i) -> u64 {
        // SAFETY: 32 bytes are 8 sums of 32 bits, all bit patterns valid.
        let sums: [u32; 8] = unsafe { std::mem::transmute(sums) };
        sums.into_iter().map(u64::from).sum()
    }

    #[inline(always)]
    fn is_zero(self, word: Pair) -> bool {
        // SAFETY: the token proves AVX2.
        unsafe {
            let any = _mm256_or_si256(word[0], word[1]);
            _mm256_testz_si256(any, any) == 1
        }
    }

    #[inline(always)]
    fn parts(self, word: Pair) -> u8 {
        let [low, high] = word.map(|half| {
            // SAFETY: the token proves AVX2.
            unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(half, _mm256_setzero_si256()))) }
        });
        !(low | high << 4) as u8
    }

    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &[[u32; 2]; 64], lines: &mut [Cell; 64]) {
        for (&[from, to], cell) in ends.iter().zip(&mut *lines) {
            // Most lanes of a sparse word have none, and a masked load of an empty slice is slow.
            if from < to {
                self.store(self.key_bytes(&keys[from as usize..to as usize]), cell);
            } else {
                *cell = Cell::ZERO;
            }
        }
        self.transpose(lines);
    }

    #[inline(always)]
    fn transpose(self, square: &mut [Cell; 64]) {
        for i in 0..4 {
            for j in 0..=i {
                let (upper, lower) = (self.block(square, i, j), self.block(square, j, i));
                self.set_block(square, j, i, self.transpose_block(upper));
                self.set_block(square, i, j, self.transpose_block(lower));
            }
        }
    }

    #[inline(always)]
    fn filter(self, keys: &[u64], groups: &[u32], lines: u64, out_keys: &mut [u64], out_groups: &mut [u32]) -> usize {
        let length = keys.len();
        assert!(length.is_multiple_of(8) && groups.len() == length);
        assert!(out_keys.len() >= length && out_groups.len() >= length);
        let mut kept = 0;
        // SAFETY: the token proves AVX2. Reads stay below `length`, a multiple of 4 and the length of both inputs.
        // `kept` never passes the number of keys read before, so its 4 writes end below `length` too.
        unsafe {
            let lines = _mm256_set1_epi64x(lines as i64);
            for at in (0..length).step_by(4) {
                let four = _mm256_loadu_si256(keys.as_ptr().add(at).cast());
                let free = _mm256_cmpeq_epi64(_mm256_and_si256(four, lines), _mm256_setzero_si256());
                let mask = _mm256_movemask_pd(_mm256_castsi256_pd(free)) as usize & 15;
                let order = _mm256_loadu_si256(KEPT_KEYS[mask].as_ptr().cast());
                let four = _mm256_permutevar8x32_epi32(four, order);
                _mm256_storeu_si256(out_keys.as_mut_ptr().add(kept).cast(), four);
                let four = _mm_loadu_ps(groups.as_ptr().add(at).cast());
                let order = _mm_loadu_si128(KEPT_GROUPS[mask].as_ptr().cast());
                _mm_storeu_ps(out_groups.as_mut_ptr().add(kept).cast(), _mm_permutevar_ps(four, order));
                kept += mask.count_ones() as usize;
            }
        }
        kept
    }
}

/// Eight times all bits, eight times none: which of 8 keys are there.
static PRESENT: [i64; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// For each mask of four: which 32-bit parts it keeps, in order.
static KEPT_KEYS: [[u32; 8]; 16] = kept(2);
static KEPT_GROUPS: [[u32; 4]; 16] = kept(1);

const fn kept<const PARTS: usize>(of_each: usize) -> [[u32; PARTS]; 16] {
    let mut kept = [[0; PARTS]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut part, mut at) = (0, 0);
        while part < PARTS {
            if mask >> (part / of_each) & 1 == 1 {
                kept[mask][at] = part as u32;
                at += 1;
            }
            part += 1;
        }
        mask += 1;
    }
    kept
}
