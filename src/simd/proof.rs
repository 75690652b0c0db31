//! Macros that declare the proof of an instruction set and its operations.
//!
//! A proof wraps one from the crate `archmage`, which calls it a token. That crate derives both the detection and the
//! `#[target_feature]` attributes from the same list of features, so that the two cannot differ.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_macros))]

/// Declares a proof that wraps one from `archmage`: `proof! { Avx2(X64V3Token) }`.
macro_rules! proof {
    ($(#[doc = $doc:literal])* $name:ident($proof:ident)) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub(super) struct $name(pub(super) $proof);

        impl $name {
            /// Runs a kernel in a function that is compiled for the instruction set. Returns the kernel if this machine
            /// lacks the set.
            pub(super) fn run<K: super::Kernel>(kernel: K) -> Result<K::Output, K> {
                #[archmage::arcane]
                fn with_features<K: super::Kernel>(proof: $proof, kernel: K) -> K::Output {
                    kernel.run($name(proof))
                }
                match archmage::SimdToken::summon() {
                    Some(proof) => Ok(with_features(proof, kernel)),
                    None => Err(kernel),
                }
            }
        }
    };
}

/// Declares methods that are compiled for an instruction set. Their bodies use `proof` instead of `self`:
/// `operations! { X64V3Token as proof: fn op(self, a: A) -> B { .. } }`
macro_rules! operations {
    ($type:ident as $proof:ident:
        $($(#[$attribute:meta])* fn $name:ident(self $(, $argument:ident: $of:ty)* $(,)?) $(-> $output:ty)? $body:block)*
    ) => {$(
        $(#[$attribute])*
        #[inline(always)]
        fn $name(self $(, $argument: $of)*) $(-> $output)? {
            #[archmage::arcane]
            #[allow(unused_variables, reason = "most operations need only the features, not the proof itself")]
            fn operation($proof: $type $(, $argument: $of)*) $(-> $output)? $body
            operation(self.0 $(, $argument)*)
        }
    )*};
}
