//! AVX-512: a word is one register. Two flavours: with per-byte population count, byte dot products and bit-matrix
//! products (Ice Lake, Zen 4 and later), and without them (Skylake servers).

use std::arch::x86_64::*;

use super::Cell;
use super::{Kernel, LANES, Lanes, MAX_COUNT};
use crate::solver::Isa;
use crate::solver::color::tuning::AVX512_TILE_WORDS;

/// Proof of AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VNNI, BITALG and GFNI, and of BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bitalg(());

/// Proof of AVX-512 F, BW, DQ and VL, and of BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain(());

impl Bitalg {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx512Bitalg.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,avx512bitalg,gfni,bmi1,bmi2,popcnt"
        )]
        fn with_features<K: Kernel>(lanes: Bitalg, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `Bitalg` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

impl Plain {
    pub(super) fn detect() -> Option<Self> {
        Isa::Avx512.is_available().then_some(Self(()))
    }

    pub(super) fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
        fn with_features<K: Kernel>(lanes: Plain, kernel: K) -> K::Output {
            kernel.run(lanes)
        }
        // SAFETY: a `Plain` exists only where `detect` found these features.
        unsafe { with_features(self, kernel) }
    }
}

impl Bitalg {
    /// What is proven of the plain flavour.
    #[inline(always)]
    fn plain(self) -> Plain {
        Plain(())
    }

    /// The bit matrix of at most 8 keys, transposed: byte l holds bit l of every key, the first key in its lowest bit.
    #[inline(always)]
    fn key_bytes(self, keys: &[u64]) -> __m512i {
        // SAFETY: the token proves VBMI and GFNI; the masked load touches `keys.len()` keys only.
        unsafe {
            let mask = ((1u32 << (keys.len() & 15)) - 1) as u8;
            let rows = _mm512_maskz_loadu_epi64(mask, keys.as_ptr().cast());
            let matrices = _mm512_permutexvar_epi8(self.load(&OCTETS_OF_KEYS), rows);
            _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x8040_2010_0804_0201u64 as i64), matrices)
        }
    }
}

impl Plain {
    #[inline(always)]
    fn plain(self) -> Self {
        self
    }

    /// The bit matrix of at most 8 keys, transposed: byte l holds bit l of every key, the first key in its lowest bit.
    #[inline(always)]
    fn key_bytes(self, keys: &[u64]) -> __m512i {
        // SAFETY: the token proves AVX-512 F and BW; the masked load touches `keys.len()` keys only.
        unsafe {
            let mask = ((1u32 << (keys.len() & 15)) - 1) as u8;
            let rows = _mm512_maskz_loadu_epi64(mask, keys.as_ptr().cast());
            let matrices = transpose_block(self, rows);
            let exchange = |x: __m512i, mask: u64, shift: u32| {
                let count = _mm_cvtsi32_si128(shift as i32);
                let moved =
                    _mm512_and_si512(_mm512_xor_si512(x, _mm512_srl_epi64(x, count)), _mm512_set1_epi64(mask as i64));
                _mm512_xor_si512(x, _mm512_xor_si512(moved, _mm512_sll_epi64(moved, count)))
            };
            let x = exchange(matrices, 0x00aa_00aa_00aa_00aa, 7);
            let x = exchange(x, 0x0000_cccc_0000_cccc, 14);
            exchange(x, 0x0000_0000_f0f0_f0f0, 28)
        }
    }
}

/// Counts are signed bytes here, and `maddubs` adds two products in signed 16 bits.
const _: () = assert!(MAX_COUNT <= i8::MAX as usize && 2 * MAX_COUNT * 255 <= i16::MAX as usize);

/// What both flavours do with the same instructions.
macro_rules! common {
    () => {
        type Word = __m512i;
        type Sums = __m512i;
        const PRODUCTS_PER_SUM: usize = 4;
        const TILE_WORDS: usize = AVX512_TILE_WORDS;

        #[inline(always)]
        fn load(self, cell: &Cell) -> __m512i {
            // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX-512 F.
            unsafe { _mm512_load_si512(cell.0.as_ptr().cast()) }
        }

        #[inline(always)]
        fn store(self, word: __m512i, cell: &mut Cell) {
            // SAFETY: a cell is 64 bytes, aligned to 64; the token proves AVX-512 F.
            unsafe { _mm512_store_si512(cell.0.as_mut_ptr().cast(), word) }
        }

        #[inline(always)]
        fn or(self, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: the token proves AVX-512 F.
            unsafe { _mm512_or_si512(a, b) }
        }

        #[inline(always)]
        fn and_not(self, plane: __m512i, word: __m512i) -> __m512i {
            // SAFETY: the token proves AVX-512 F.
            unsafe { _mm512_andnot_si512(plane, word) }
        }

        #[inline(always)]
        fn add_small(self, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: the token proves AVX-512 BW.
            unsafe { _mm512_add_epi8(a, b) }
        }

        #[inline(always)]
        fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: the token proves AVX-512 BW.
            unsafe { _mm512_adds_epu8(a, b) }
        }

        #[inline(always)]
        fn add(self, a: __m512i, b: __m512i) -> (__m512i, Option<__m512i>) {
            // SAFETY: the token proves AVX-512 BW. Where a sum is below one of its terms it has passed 255.
            unsafe {
                let sum = _mm512_add_epi8(a, b);
                let carried = _mm512_cmplt_epu8_mask(sum, b);
                let carry = if carried == 0 { None } else { Some(_mm512_maskz_set1_epi8(carried, 1)) };
                (sum, carry)
            }
        }

        #[inline(always)]
        fn zero_sums(self) -> __m512i {
            // SAFETY: the token proves AVX-512 F.
            unsafe { _mm512_setzero_si512() }
        }

        #[inline(always)]
        fn total(self, sums: __m512i) -> u64 {
            // SAFETY: the token proves AVX-512 F.
            unsafe {
                let low = _mm512_and_si512(sums, _mm512_set1_epi64(0xffff_ffff));
                _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_srli_epi64::<32>(sums))) as u64
            }
        }

        #[inline(always)]
        fn is_zero(self, word: __m512i) -> bool {
            // SAFETY: the token proves AVX-512 F.
            unsafe { _mm512_test_epi64_mask(word, word) == 0 }
        }

        #[inline(always)]
        fn parts(self, word: __m512i) -> u8 {
            // SAFETY: the token proves AVX-512 F.
            unsafe { _mm512_test_epi64_mask(word, word) }
        }

        #[inline(always)]
        fn line_planes(self, keys: &[u64], ends: &[[u32; 2]; 64], lines: &mut [Cell; 64]) {
            for (&[from, to], cell) in ends.iter().zip(&mut *lines) {
                self.store(self.key_bytes(&keys[from as usize..to as usize]), cell);
            }
            transpose(self.plain(), lines);
        }

        #[inline(always)]
        fn transpose(self, square: &mut [Cell; 64]) {
            transpose(self.plain(), square);
        }

        #[inline(always)]
        fn filter(
            self,
            keys: &[u64],
            groups: &[u32],
            lines: u64,
            out_keys: &mut [u64],
            out_groups: &mut [u32],
        ) -> usize {
            let length = keys.len();
            assert!(
                length % 8 == 0 && groups.len() == length && out_keys.len() >= length && out_groups.len() >= length
            );
            let mut kept = 0;
            // SAFETY: the token proves AVX-512 F and VL. Reads stay below `length`, a multiple of 8 and the length of
            // both inputs. `kept` never passes the number of keys read before, so its 8 writes end below `length` too.
            unsafe {
                let lines = _mm512_set1_epi64(lines as i64);
                for at in (0..length).step_by(8) {
                    let eight = _mm512_loadu_si512(keys.as_ptr().add(at).cast());
                    let mask = _mm512_testn_epi64_mask(eight, lines);
                    _mm512_storeu_si512(
                        out_keys.as_mut_ptr().add(kept).cast(),
                        _mm512_maskz_compress_epi64(mask, eight),
                    );
                    let eight = _mm256_loadu_si256(groups.as_ptr().add(at).cast());
                    _mm256_storeu_si256(
                        out_groups.as_mut_ptr().add(kept).cast(),
                        _mm256_maskz_compress_epi32(mask, eight),
                    );
                    kept += mask.count_ones() as usize;
                }
            }
            kept
        }
    };
}

impl Lanes for Bitalg {
    common!();

    const SHARING: usize = 2 * LANES;

    #[inline(always)]
    fn pick(self, pair: [__m512i; 2], numbers: __m512i) -> __m512i {
        // SAFETY: the token proves VBMI.
        unsafe { _mm512_permutex2var_epi8(pair[0], numbers, pair[1]) }
    }

    #[inline(always)]
    fn counts(self, word: __m512i) -> __m512i {
        // SAFETY: the token proves BITALG.
        unsafe { _mm512_popcnt_epi8(word) }
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, counts: __m512i, table: __m512i) -> __m512i {
        // SAFETY: the token proves VNNI. The table is the unsigned operand, the counts are the signed one.
        unsafe { _mm512_dpbusd_epi32(sums, table, counts) }
    }
}

impl Lanes for Plain {
    common!();

    const SHARING: usize = 16;

    #[inline(always)]
    fn pick(self, pair: [__m512i; 2], numbers: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 BW. Each 16 bytes are picked from by the lowest 4 bits of a number.
        unsafe { _mm512_shuffle_epi8(pair[0], numbers) }
    }

    #[inline(always)]
    fn counts(self, word: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 BW. Population counts of nibbles by table (Mula).
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let nibble = _mm512_set1_epi8(0x0f);
            let low = _mm512_shuffle_epi8(table, _mm512_and_si512(word, nibble));
            let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(word), nibble));
            _mm512_add_epi8(low, high)
        }
    }

    #[inline(always)]
    fn dot(self, sums: __m512i, counts: __m512i, table: __m512i) -> __m512i {
        // SAFETY: the token proves AVX-512 BW. Nothing saturates (asserted above).
        unsafe {
            let pairs = _mm512_maddubs_epi16(table, counts);
            _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }
    }
}

/// Byte b of key k goes to byte 7 - k of matrix b: the product with the identity matrix then transposes it.
const OCTETS_OF_KEYS: Cell = {
    let mut bytes = [0; 64];
    let mut to = 0;
    while to < 64 {
        bytes[to] = (8 * (7 - to % 8) + to / 8) as u8;
        to += 1;
    }
    Cell(bytes)
};

/// Transposes 64 x 64 bytes: 64-bit pieces change places within each eight rows, so that each row is a block of 8 x 8
/// bytes; the blocks are transposed; and pieces change places once more, between rows eight apart.
#[inline(always)]
fn transpose(plain: Plain, square: &mut [Cell; 64]) {
    // SAFETY: the token proves AVX-512 F; cells are 64 bytes, aligned.
    unsafe {
        let mut rows = [_mm512_setzero_si512(); 64];
        for (row, cell) in rows.iter_mut().zip(&*square) {
            *row = _mm512_load_si512(cell.0.as_ptr().cast());
        }
        // Within 8 rows: piece x (8 bytes) of row y to row x, piece y.
        for eight in rows.chunks_exact_mut(8) {
            exchange_pieces(plain, eight);
        }
        // Row 8 r + x now holds piece x of rows 8 r ..: an 8 x 8 byte block, transposed here.
        for row in &mut rows {
            *row = transpose_block(plain, *row);
        }
        for x in 0..8 {
            let mut eight = [rows[x]; 8];
            for r in 1..8 {
                eight[r] = rows[8 * r + x];
            }
            exchange_pieces(plain, &mut eight);
            for (y, row) in eight.into_iter().enumerate() {
                _mm512_store_si512(square[8 * x + y].0.as_mut_ptr().cast(), row);
            }
        }
    }
}

/// The 8 x 8 bytes of one register transposed: bytes within 128 bits, then pairs of bytes across.
#[inline(always)]
fn transpose_block(_: Plain, row: __m512i) -> __m512i {
    // SAFETY: the token proves AVX-512 BW.
    unsafe {
        let pairs = _mm512_shuffle_epi8(
            row,
            _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)),
        );
        let pieces = _mm512_set_epi16(
            31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24,
            16, 8, 0,
        );
        _mm512_permutexvar_epi16(pieces, pairs)
    }
}

/// 8 x 8 pieces of 64 bits transposed.
#[inline(always)]
fn exchange_pieces(_: Plain, rows: &mut [__m512i]) {
    // SAFETY: the token proves AVX-512 F.
    unsafe {
        let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
        for i in 0..4 {
            even[i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
            odd[i] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
        }
        for (first, pairs) in [(0, even), (1, odd)] {
            let a = _mm512_shuffle_i64x2::<0x88>(pairs[0], pairs[1]);
            let b = _mm512_shuffle_i64x2::<0x88>(pairs[2], pairs[3]);
            let c = _mm512_shuffle_i64x2::<0xdd>(pairs[0], pairs[1]);
            let d = _mm512_shuffle_i64x2::<0xdd>(pairs[2], pairs[3]);
            rows[first] = _mm512_shuffle_i64x2::<0x88>(a, b);
            rows[first + 4] = _mm512_shuffle_i64x2::<0xdd>(a, b);
            rows[first + 2] = _mm512_shuffle_i64x2::<0x88>(c, d);
            rows[first + 6] = _mm512_shuffle_i64x2::<0xdd>(c, d);
        }
    }
}
