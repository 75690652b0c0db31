//! Temperature and energy, where the system lets programs read them. Only Linux is asked.

#[cfg(target_os = "linux")]
mod linux;

/// The processor's temperature in degrees Celsius: the hottest of those that name it.
pub(crate) fn celsius() -> Option<f64> {
    #[cfg(target_os = "linux")]
    return linux::celsius();
    #[cfg(not(target_os = "linux"))]
    None
}

/// What the processors' own counters of energy say, one a package: the counter and the value at which it begins anew, in
/// microjoules. Empty where they cannot be read, which on most systems only root can.
pub(crate) fn energy() -> Vec<(u64, u64)> {
    #[cfg(target_os = "linux")]
    return linux::energy();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// The power between two readings of the counters, in watts; a counter that began anew once is told from one that did not.
pub(crate) fn watts(before: &[(u64, u64)], after: &[(u64, u64)], seconds: f64) -> Option<f64> {
    if before.is_empty() || before.len() != after.len() || seconds <= 0.0 {
        return None;
    }
    let used = before.iter().zip(after).map(|(&(before, range), &(after, _))| {
        if after >= before { after - before } else { range.saturating_sub(before) + after }
    });
    Some(used.sum::<u64>() as f64 / 1e6 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_makes_power_and_counters_begin_anew() {
        assert_eq!(watts(&[(1_000_000, 9_000_000)], &[(5_000_000, 9_000_000)], 2.0), Some(2.0));
        assert_eq!(watts(&[(8_000_000, 9_000_000)], &[(1_000_000, 9_000_000)], 2.0), Some(1.0));
        assert_eq!(watts(&[], &[], 2.0), None);
    }
}
