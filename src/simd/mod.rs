//! Vector instructions: the list of instruction sets ([`Isa`]), and a thin file for each of them. The color split uses
//! them.
//!
//! A solver writes an algorithm once, as a [`Kernel`] that is generic over an instruction set. [`dispatch`] runs the
//! kernel with a value that proves the instruction set. The value exists only where the processor has the instructions,
//! so all its operations are safe to call. The trait [`Words`] defines them.
//!
//! [`dispatch`] calls the kernel from one function that is compiled for the instruction set (`proof.rs`). The
//! operations become single instructions there, because all code that uses them below that function is
//! `#[inline(always)]`.
//!
//! To add an instruction set, write a file with its proof and the trait, and add it to the enum and the matches of
//! `isa.rs`. Tests and solvers go by `Isa::ALL`. Outside of this folder only a test has `cfg(target_arch)`.

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
pub(crate) use words::{BLOCK_LANES, Cell, KEYS_PER_BYTE, LINES, MAX_COUNT, WORD_BYTES, Words};

/// Code that runs with any instruction set. Implementations mark `run` and all it calls `#[inline(always)]`.
pub(crate) trait Kernel {
    type Output;
    fn run<S: Words>(self, simd: S) -> Self::Output;
}
