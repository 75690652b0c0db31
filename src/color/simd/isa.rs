//! The list of instruction sets. Names, detection and dispatch follow from it.

use super::Kernel;
use super::portable::Portable;
use crate::{Error, Result};

/// Makes [`Isa`] and [`dispatch`] from the list of instruction sets. An entry has the name in code, the name that users
/// type, the instruction set that it extends, its architecture and its token.
macro_rules! instruction_sets {
    (
        $(#[doc = $least_doc:literal])*
        $least:ident = $least_name:literal,
        $($(#[doc = $doc:literal])* $name:ident = $text:literal extends $below:ident on $arch:literal by $module:ident::$token:ident,)*
    ) => {
        /// An instruction set that the fast solvers have code for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
        #[non_exhaustive]
        pub enum Isa {
            $(#[doc = $least_doc])*
            $least,
            $($(#[doc = $doc])* $name,)*
        }

        impl Isa {
            /// All instruction sets. Within an architecture, the slowest comes first.
            pub const ALL: &'static [Self] = &[Self::$least, $(Self::$name),*];

            /// The name that users type.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    Self::$least => $least_name,
                    $(Self::$name => $text,)*
                }
            }

            /// Whether this machine has it. Asks the processor and the operating system at run time.
            #[must_use]
            pub fn is_available(self) -> bool {
                match self {
                    Self::$least => true,
                    $(
                        #[cfg(target_arch = $arch)]
                        Self::$name => super::$module::$token::detect().is_some(),
                        #[cfg(not(target_arch = $arch))]
                        Self::$name => false,
                    )*
                }
            }

            /// The instruction set that this one extends.
            pub(crate) fn extended(self) -> Option<Self> {
                match self {
                    Self::$least => None,
                    $(Self::$name => Some(Self::$below),)*
                }
            }
        }

        /// Runs a kernel with the code for `isa`, or with portable code if the machine lacks `isa`.
        pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
            match isa {
                Isa::$least => {}
                $(
                    #[cfg(target_arch = $arch)]
                    Isa::$name => {
                        if let Some(token) = super::$module::$token::detect() {
                            return token.enter(kernel);
                        }
                    }
                    #[cfg(not(target_arch = $arch))]
                    Isa::$name => {}
                )*
            }
            kernel.run(Portable)
        }
    };
}

instruction_sets! {
    /// Plain Rust, for every processor of the architecture.
    Portable = "portable",
    /// 128-bit vectors of 64-bit Arm.
    Neon = "neon" extends Portable on "aarch64" by neon::Neon,
    /// 256-bit vectors (AVX2, BMI1, BMI2, POPCNT): Haswell, Zen and later.
    Avx2 = "avx2" extends Portable on "x86_64" by avx2::Avx2,
    /// 512-bit vectors with byte and word operations (AVX-512 F, BW, CD, DQ, VL), as Skylake servers have.
    Avx512 = "avx512" extends Avx2 on "x86_64" by avx512::Avx512,
    /// AVX-512 with population counts of bytes and bit-matrix products (BITALG, VBMI, VBMI2, VNNI, GFNI): Ice Lake, Zen
    /// 4 and later.
    Avx512Bitalg = "avx512-bitalg" extends Avx512 on "x86_64" by bitalg::Bitalg,
}

impl Isa {
    /// The instruction sets of this machine, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|isa| isa.is_available()).collect()
    }

    /// Returns `self` if the machine has it.
    ///
    /// # Errors
    /// [`Error::IsaMissing`] if it does not.
    pub fn checked(self) -> Result<Self> {
        if self.is_available() {
            return Ok(self);
        }
        Err(Error::IsaMissing { name: self.name(), available: names(&Self::available()) })
    }
}

/// The names of `sets`, separated by commas.
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
    fn what_the_machine_has_is_checked_by_name() {
        for &isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
            assert_eq!(isa.checked().is_ok(), Isa::available().contains(&isa));
        }
        assert_eq!(Isa::available()[0], Isa::Portable);
        assert!(matches!("avx".parse::<Isa>(), Err(Error::Unknown { .. })));
    }

    #[test]
    fn a_machine_has_what_its_instruction_sets_extend_and_lists_it_before_them() {
        for (at, isa) in Isa::ALL.iter().enumerate() {
            let Some(extended) = isa.extended() else { continue };
            assert!(Isa::ALL[..at].contains(&extended), "{isa}");
            assert!(!isa.is_available() || extended.is_available(), "{isa}");
        }
    }
}
