//! Facts from the CPUID instruction of x86.

/// Facts about the processor.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) model: Option<String>,
    pub(crate) hypervisor: Option<String>,
    pub(crate) virtualised: Option<bool>,
    pub(crate) hybrid: Option<bool>,
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn facts() -> Facts {
    let cpuid = raw_cpuid::CpuId::new();
    let hypervisor = cpuid.get_hypervisor_info().map(|info| format!("{:?}", info.identify()));
    Facts {
        model: cpuid.get_processor_brand_string().map(|brand| brand.as_str().trim().to_owned()),
        virtualised: cpuid.get_feature_info().map(|features| features.has_hypervisor()),
        // Bit 15 of EDX in leaf 7: cores of more than one kind.
        hybrid: (cpuid.get_vendor_info().is_some_and(|vendor| vendor.as_str() == "GenuineIntel"))
            .then(|| raw_cpuid::cpuid!(7, 0).edx & (1 << 15) != 0),
        hypervisor,
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn facts() -> Facts {
    Facts::default()
}
