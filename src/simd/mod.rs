//! Vector instructions for the color split: the list of instruction sets ([`Isa`]), and a thin file for each of them.
//! The README of `color/` explains its words: line, key, lane, block, plane, tile.
//!
//! A solver writes an algorithm once, as a [`Kernel`] that is generic over the instruction set. [`dispatch`] runs the
//! kernel with a value that proves the instruction set: because the value exists only if the processor has the
//! instructions, all its operations, which the trait [`Words`] defines, are safe to call.
//!
//! [`dispatch`] calls the kernel from a single function that is compiled for the instruction set (`proof.rs`). All code
//! below that function is `#[inline(always)]`, so that each operation becomes an instruction or two there.
//!
//! To add an instruction set, write a file that contains its proof and implements the trait, then add it to the enum
//! and the matches in `isa.rs`. Tests and solvers loop over `Isa::ALL`; tests have one more, `Isa::Sharing`. Outside
//! this folder, only a test uses `cfg(target_arch)`.

#[macro_use]
mod proof;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bitalg;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod swap;
#[cfg(test)]
mod tests;
mod words;

pub use isa::Isa;
pub(crate) use isa::dispatch;
pub(crate) use words::{
    BLOCK_LANES, Cell, Ends, KEYS_PER_BYTE, LINES, MAX_COUNT, NO_PLACE, QUARTER_BYTES, WORD_BYTES, Words,
};

/// Code that runs with any instruction set. `run` and everything that it calls must be `#[inline(always)]`.
pub(crate) trait Kernel {
    type Output;
    fn run<T: Words>(self, simd: T) -> Self::Output;
}
