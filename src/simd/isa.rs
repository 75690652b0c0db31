//! The list of instruction sets, with their names, detection and dispatch.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "x86_64")]
use super::bitalg::Bitalg;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::portable::Portable;
#[cfg(test)]
use super::tests::Sharing;
use super::{Kernel, Words};
use crate::{Error, Result};

/// An instruction set for which the solver `color` has code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust, for every processor of the architecture.
    Portable,
    /// Plain Rust whose words are shared and spread as with BITALG, which tests these layouts on every machine. The
    /// tuning and the forecast use the figures of BITALG.
    #[cfg(test)]
    Sharing,
    /// 128-bit vectors of 64-bit Arm.
    Neon,
    /// 256-bit vectors (AVX2 and the rest of x86-64-v3), in Haswell, Zen and later processors.
    Avx2,
    /// 512-bit vectors with byte and word operations (AVX-512 F, BW, CD, DQ, VL), in Skylake servers.
    Avx512,
    /// AVX-512 with population counts of bytes and bit-matrix products (BITALG, VBMI, VBMI2, VNNI, GFNI), in Ice Lake,
    /// Zen 4 and later processors.
    Avx512Bitalg,
}

impl Isa {
    /// All instruction sets. Those of one architecture are in order of speed, slowest first.
    pub const ALL: &'static [Self] = &[
        Self::Portable,
        #[cfg(test)]
        Self::Sharing,
        Self::Neon,
        Self::Avx2,
        Self::Avx512,
        Self::Avx512Bitalg,
    ];

    /// Returns the name that users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(test)]
            Self::Sharing => "sharing",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Bitalg => "avx512-bitalg",
        }
    }

    /// Returns whether the processor and the operating system support this instruction set, which is checked at run
    /// time.
    #[must_use]
    pub fn is_available(self) -> bool {
        struct Nothing;
        impl Kernel for Nothing {
            type Output = ();
            #[inline(always)]
            fn run<T: Words>(self, _simd: T) {}
        }
        self == Self::Portable || run(self, Nothing).is_ok()
    }

    /// Returns the instruction sets of this machine, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|isa| isa.is_available()).collect()
    }

    /// Returns `self` if this machine has the instruction set.
    ///
    /// # Errors
    /// [`Error::IsaMissing`] if this machine lacks it.
    pub fn checked(self) -> Result<Self> {
        if self.is_available() {
            return Ok(self);
        }
        Err(Error::IsaMissing { name: self.name(), available: names(&Self::available()) })
    }
}

/// Runs a kernel with the code for `isa`, or with portable code if the machine lacks `isa`.
#[inline(always)]
pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    run(isa, kernel).unwrap_or_else(|kernel| kernel.run(Portable))
}

/// Runs a kernel with the vector instructions of `isa`. Returns the kernel if the machine lacks them or `isa` is
/// portable.
#[inline(always)]
fn run<K: Kernel>(isa: Isa, kernel: K) -> Result<K::Output, K> {
    match isa {
        #[cfg(test)]
        Isa::Sharing => Ok(kernel.run(Sharing)),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => Neon::run(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => Avx2::run(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => Avx512::run(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bitalg => Bitalg::run(kernel),
        // Portable code and instruction sets of other architectures.
        _ => Err(kernel),
    }
}

/// Returns the names of `sets`, separated by commas.
fn names(sets: &[Isa]) -> String {
    sets.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ")
}

/// Writes the name that users type.
impl std::fmt::Display for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|isa| isa.name() == name).ok_or_else(|| Error::Unknown {
            what: "instruction set",
            name: name.to_owned(),
            known: names(Self::ALL),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_sets_are_found_by_name_and_checked() {
        for &isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
            assert_eq!(isa.checked().is_ok(), Isa::available().contains(&isa));
        }
        assert_eq!(Isa::available()[0], Isa::Portable);
        assert!(matches!("avx".parse::<Isa>(), Err(Error::Unknown { .. })));
    }
}
