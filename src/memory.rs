//! Allocation that can fail. If the system refuses memory, a count returns an error and the process goes on.
//!
//! Lists, packs, programs, tables and lists of units are allocated here. The standard library allocates the rest: plans,
//! workers, threads, names. `tests/memory.rs` has the limit of these, for one request.

use crate::{Error, Result};

/// Reserves memory for `more` more elements.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    // Exact, because doubling would waste up to half of the memory.
    elements.try_reserve_exact(more).map_err(|_| refused::<T>(more))
}

/// Makes room for `more` more elements. If there is too little, the vector doubles.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn make_room<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    elements.try_reserve(more).map_err(|_| refused::<T>(more.max(elements.len())))
}

/// Adds an element.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn push<T>(elements: &mut Vec<T>, element: T) -> Result<()> {
    make_room(elements, 1)?;
    elements.push(element);
    Ok(())
}

/// Makes a vector.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn collect<T>(elements: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let elements = elements.into_iter();
    let mut all = Vec::new();
    reserve(&mut all, elements.size_hint().0)?;
    for element in elements {
        push(&mut all, element)?;
    }
    Ok(all)
}

/// Replaces the elements of a vector.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn refill<T>(all: &mut Vec<T>, elements: impl ExactSizeIterator<Item = T>) -> Result<()> {
    all.clear();
    reserve(all, elements.len())?;
    all.extend(elements);
    Ok(())
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

fn refused<T>(elements: usize) -> Error {
    Error::Memory { bytes: elements.saturating_mul(size_of::<T>()) as u64 }
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
            assert_eq!(make_room(&mut bytes, longest), Err(Error::Memory { bytes: longest as u64 }));
            assert_eq!(grow(&mut bytes, longest, 0), Err(Error::Memory { bytes: longest as u64 - 1 }));
            assert_eq!(collect(0..longest), Err(Error::Memory { bytes: u64::MAX }));
        }
        assert_eq!(grow(&mut vec![0u64], usize::MAX, 0), Err(Error::Memory { bytes: usize::MAX as u64 }));
        assert_eq!(grow(&mut bytes, 3, 1), Ok(()));
        assert_eq!(bytes, [7, 1, 1]);
        assert_eq!(push(&mut bytes, 2), Ok(()));
        assert_eq!(refill(&mut bytes, [5, 6].into_iter()), Ok(()));
        assert_eq!((bytes, collect([3, 4])), (vec![5, 6], Ok(vec![3, 4])));
    }
}
