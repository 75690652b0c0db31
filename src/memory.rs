//! Allocations that can fail: if the system refuses memory, a count returns an error, and the process goes on.
//!
//! Lists, packs, programs, tables, and lists of units and of tallies are allocated here. Workers, threads, names and
//! errors are left to the standard library, which aborts the process if the system refuses them. Each of these requests
//! should be below 1 MiB, which `tests/memory.rs` checks for workers, families and names. Plans that an
//! [`Audit`](crate::solver::Audit) derives from others are left to the standard library too, although they may take
//! megabytes from n = 28 on.

use crate::{Error, Result};

/// Reserves memory for `more` more elements.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    // Doubling would waste up to half of the memory.
    elements.try_reserve_exact(more).map_err(|_| refused::<T>(more))
}

/// Makes room for `more` more elements, and at least doubles the vector if it must grow.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn make_room<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    elements.try_reserve(more).map_err(|_| refused::<T>(more.max(elements.len())))
}

/// Appends an element.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn push<T>(elements: &mut Vec<T>, element: T) -> Result<()> {
    make_room(elements, 1)?;
    elements.push(element);
    Ok(())
}

/// Collects elements into a vector.
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

/// Grows a vector to at least `length` elements, filling it with copies of `filler`.
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

    /// No allocator grants these sizes. `tests/memory.rs` covers real counts.
    #[test]
    fn an_error_names_the_bytes_that_were_refused() {
        let bytes = Err(Error::Memory { bytes: u64::MAX });
        assert_eq!(reserve(&mut vec![0u64], usize::MAX), bytes);
        assert_eq!(make_room(&mut vec![0u64], usize::MAX), bytes);
        assert_eq!(grow(&mut vec![0u16], isize::MAX as usize, 0), Err(Error::Memory { bytes: usize::MAX as u64 - 3 }));
    }
}
