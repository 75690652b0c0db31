//! Names of instruction sets. What the machine has is detected here; code that needs it lives with its solver.

use crate::{Error, Result};

/// An instruction set that some solver has code for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Isa {
    /// Code for every processor of the architecture: plain Rust, and SSE2 in places on x86-64.
    Portable,
    /// 128-bit vectors of 64-bit Arm.
    Neon,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with byte and word operations (AVX-512 F, BW, DQ, VL), as Skylake servers have.
    Avx512,
    /// The same with population counts per byte and bit-matrix products (BITALG, VBMI, VBMI2, VNNI, GFNI):
    /// Ice Lake, Zen 4 and later.
    Avx512Bitalg,
}

impl Isa {
    /// All of them, slowest first.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512, Self::Avx512Bitalg];

    /// The name users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Bitalg => "avx512-bitalg",
        }
    }

    /// Whether this machine has it, as the processor and the operating system say at run time.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Bitalg => {
                Self::Avx512.is_available()
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("gfni")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns, reason = "which patterns remain depends on the architecture")]
            _ => false,
        }
    }

    /// What this machine has, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// This instruction set, if the machine has it.
    ///
    /// # Errors
    /// [`Error::IsaMissing`] where it does not.
    pub fn checked(self) -> Result<Self> {
        if self.is_available() {
            return Ok(self);
        }
        let available = Self::available().iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ");
        Err(Error::IsaMissing { name: self.name(), available })
    }
}

/// The name users type.
impl std::fmt::Display for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name() == name)
            .ok_or_else(|| Error::UnknownIsa { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Those of `sets` that this machine has. The others are named once, where nothing captures it: what was skipped
    /// was not tested.
    pub(crate) fn available(sets: &[Isa]) -> Vec<Isa> {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            let missing: Vec<&str> = Isa::ALL.into_iter().filter(|isa| !isa.is_available()).map(Isa::name).collect();
            if !missing.is_empty() {
                let line = format!("skipped, because this machine lacks them: {}\n", missing.join(", "));
                // A test run without a standard error has nobody to tell.
                let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
            }
        });
        sets.iter().copied().filter(|isa| isa.is_available()).collect()
    }

    #[test]
    fn what_the_machine_has_is_checked_by_name() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
            assert_eq!(isa.checked().is_ok(), Isa::available().contains(&isa));
        }
        let available = Isa::available();
        assert_eq!(available[0], Isa::Portable);
        assert!(available.is_sorted());
        // More of AVX-512 is not without less of it.
        assert!(!Isa::Avx512Bitalg.is_available() || Isa::Avx512.is_available());
        assert!(!Isa::Avx512.is_available() || Isa::Avx2.is_available());
        assert!(matches!("avx".parse::<Isa>(), Err(Error::UnknownIsa { .. })));
    }
}
