//! AVX-512 with population counts of bytes, dot products of bytes and bit-matrix products (Ice Lake, Zen 4 and later).
//! This file contains the operations that these instructions make faster. All other operations call `avx512.rs`.

use std::arch::x86_64::*;

use archmage::X64V4xToken;
use safe_unaligned_simd::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};

use super::avx512::{Avx512, eight_keys};
use super::words::{ByteMatrix, LinePlanes};
use super::{BLOCK_LANES, Cell, Ends, WORD_BYTES, Words};

proof! {
    /// The proof of AVX-512 with VBMI, VBMI2, VNNI, BITALG and GFNI. The token of `archmage` also requires IFMA,
    /// VPOPCNTDQ, VAES and VPCLMULQDQ, which all processors with BITALG have.
    Bitalg(X64V4xToken)
}

impl Bitalg {
    /// Returns the proof of AVX-512.
    #[inline(always)]
    fn avx512(self) -> Avx512 {
        Avx512(self.0.v4())
    }
}

/// Declares operations that call those of [`Avx512`].
macro_rules! operations_of_avx512 {
    ($(fn $name:ident(self $(, $argument:ident: $of:ty)*) $(-> $output:ty)?;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: $of)*) $(-> $output)? {
            Avx512::$name(self.avx512(), $($argument),*)
        }
    )*};
}

/// A permutation of 64 bytes: byte b of key k goes to byte 7 - k of matrix b. The product of such a matrix and the
/// identity matrix is the transposed matrix.
const OCTETS_OF_KEYS: [u8; WORD_BYTES] = {
    let mut bytes = [0; WORD_BYTES];
    let mut to = 0;
    while to < WORD_BYTES {
        bytes[to] = (8 * (7 - to % 8) + to / 8) as u8;
        to += 1;
    }
    bytes
};

impl Words for Bitalg {
    type Word = __m512i;
    type Sums = __m512i;
    const PRODUCTS_PER_SUM: usize = Avx512::PRODUCTS_PER_SUM;
    const TILE_WORDS: usize = Avx512::TILE_WORDS;
    const SHARING: usize = 2 * BLOCK_LANES;
    const SPREADS: bool = true;

    operations_of_avx512! {
        fn load(self, cell: &Cell) -> __m512i;
        fn store(self, word: __m512i, cell: &mut Cell);
        fn or(self, a: __m512i, b: __m512i) -> __m512i;
        fn and_not(self, plane: __m512i, word: __m512i) -> __m512i;
        fn permute(self, word: __m512i, places: __m512i) -> __m512i;
        fn add_small(self, a: __m512i, b: __m512i) -> __m512i;
        fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i;
        fn add(self, a: __m512i, b: __m512i) -> (__m512i, Option<__m512i>);
        fn zero_sums(self) -> __m512i;
        fn total(self, sums: __m512i) -> u64;
        fn parts(self, word: __m512i) -> u8;
        fn transpose(self, matrix: &mut ByteMatrix);
        fn filter(self, keys: &[u64], lanes: &[u32], lines: u64, out_keys: &mut [u64], out_lanes: &mut [u32]) -> usize;
    }

    #[inline(always)]
    fn line_planes(self, keys: &[u64], ends: &Ends, planes: &mut LinePlanes) {
        self.key_bytes(keys, ends, planes);
        self.transpose(planes);
    }

    operations! { X64V4xToken as proof:
        fn counts(self, word: __m512i) -> __m512i {
            _mm512_popcnt_epi8(word)
        }

        fn dot(self, sums: __m512i, counts: __m512i, table: __m512i) -> __m512i {
            // The table is the unsigned operand, and the counts are the signed one.
            _mm512_dpbusd_epi32(sums, table, counts)
        }

        fn pick(self, pair: [__m512i; 2], lanes: __m512i) -> __m512i {
            _mm512_permutex2var_epi8(pair[0], lanes, pair[1])
        }
    }
}

impl Bitalg {
    operations! { X64V4xToken as proof:
        /// Transposes the bit matrix of the keys in each byte of a word. Byte l of a cell then contains bit l of every
        /// key, with the first key in the lowest bit.
        fn key_bytes(self, keys: &[u64], ends: &Ends, bytes: &mut ByteMatrix) {
            let identity = _mm512_set1_epi64(0x8040_2010_0804_0201u64.cast_signed());
            let octets = _mm512_loadu_si512(&OCTETS_OF_KEYS);
            for (&[from, to], cell) in ends.iter().zip(bytes) {
                let rows = eight_keys(proof.v4(), keys, [from as usize, to as usize]);
                let matrices = _mm512_permutexvar_epi8(octets, rows);
                _mm512_storeu_si512(&mut cell.0, _mm512_gf2p8affine_epi64_epi8::<0>(identity, matrices));
            }
        }
    }
}
