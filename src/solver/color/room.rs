//! Memory that may not be there: what grows with the board is asked for so that a refusal is an error, not the end of
//! the program.

use crate::{Error, Result};

/// Makes room for so many more elements.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve<T>(elements: &mut Vec<T>, more: usize) -> Result<()> {
    #[cfg(test)]
    if refusal::is_due() {
        return Err(refused(more.saturating_mul(size_of::<T>())));
    }
    // What is asked for is what is used: doubling would hold twice as much.
    elements.try_reserve_exact(more).map_err(|_| refused(more.saturating_mul(size_of::<T>())))
}

/// Makes a vector at least so long, with copies of `filler` at its end.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn grow<T: Clone>(elements: &mut Vec<T>, length: usize, filler: T) -> Result<()> {
    if elements.len() < length {
        // Where the vector moves, what it held is copied with it, though nobody who makes room for more needs that.
        reserve(elements, length - elements.len())?;
        elements.resize(length, filler);
    }
    Ok(())
}

fn refused(bytes: usize) -> Error {
    Error::Memory { bytes: bytes as u64 }
}

/// Stands for a system that has no more memory, on this thread.
#[cfg(test)]
pub(crate) mod refusal {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Refuses what is asked for after this many requests, or nothing any more.
    pub(crate) fn after(requests: Option<usize>) {
        LEFT.set(requests);
    }

    pub(super) fn is_due() -> bool {
        let left = LEFT.get();
        LEFT.set(left.map(|left| left.saturating_sub(1)));
        left == Some(0)
    }
}
