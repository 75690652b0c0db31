//! Allocation that can fail. The large vectors of a count are allocated here. If the system refuses memory, the count
//! returns an error and the program goes on.

use crate::{Error, Result};

/// Reserves memory for `more` more elements.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    #[cfg(test)]
    if refusal::is_due() {
        return Err(refused(more.saturating_mul(size_of::<T>())));
    }
    // Exact, because doubling would waste up to half of the memory.
    elements.try_reserve_exact(more).map_err(|_| refused(more.saturating_mul(size_of::<T>())))
}

/// Grows a vector to `length` elements at least. New elements are copies of `filler`.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn grow<T: Clone>(elements: &mut Vec<T>, length: usize, filler: T) -> Result<()> {
    if elements.len() < length {
        reserve(elements, length - elements.len())?;
        elements.resize(length, filler);
    }
    Ok(())
}

fn refused(bytes: usize) -> Error {
    Error::Memory { bytes: bytes as u64 }
}

/// Simulates a system without memory, on this thread.
#[cfg(test)]
pub(crate) mod refusal {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Grants `requests` requests and refuses all later ones. `None` grants all.
    pub(crate) fn after(requests: Option<usize>) {
        LEFT.set(requests);
    }

    pub(super) fn is_due() -> bool {
        let left = LEFT.get();
        LEFT.set(left.map(|left| left.saturating_sub(1)));
        left == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes that the real allocator refuses: an invalid size, and a size larger than the address space of 64-bit
    /// systems.
    #[test]
    fn a_request_that_no_system_grants_is_an_error_and_changes_nothing() {
        let mut bytes = vec![7u8];
        assert_eq!(reserve(&mut bytes, usize::MAX), Err(Error::Memory { bytes: usize::MAX as u64 }));
        if cfg!(target_pointer_width = "64") {
            let longest = isize::MAX as usize - 1;
            assert_eq!(reserve(&mut bytes, longest), Err(Error::Memory { bytes: longest as u64 }));
            assert_eq!(grow(&mut bytes, longest, 0), Err(Error::Memory { bytes: longest as u64 - 1 }));
        }
        assert_eq!(grow(&mut vec![0u64], usize::MAX, 0), Err(Error::Memory { bytes: usize::MAX as u64 }));
        assert_eq!(grow(&mut bytes, 3, 1), Ok(()));
        assert_eq!(bytes, [7, 1, 1]);
    }
}
