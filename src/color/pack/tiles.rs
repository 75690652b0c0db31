//! Tiles: the words of a pack that are walked together.

use crate::memory::push;
use crate::{Error, Result};

/// The maximum number of words in a sparse tile. Walks store these words one by one, so they need no registers.
pub(crate) const SPARSE_TILE_WORDS: usize = 8;

/// Words of a pack that are walked together: those on neighboring levels of one stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Number of words in the pack's tiles before this one.
    pub(super) offset: u32,
    pub(crate) stack: u16,
    /// The first level.
    pub(crate) level: u16,
    /// Number of words, one on each level.
    pub(crate) words: u8,
}

/// Divides stacks into tiles of at most `most` words, and returns the number of words of all tiles. `levels` holds the
/// number of levels of each stack.
///
/// # Errors
/// [`Error::Bug`] if a stack has more levels than 16 bits can number; [`Error::Memory`].
pub(crate) fn divide(levels: &[usize], most: usize, tiles: &mut Vec<Tile>) -> Result<usize> {
    let mut offset = 0;
    for (stack, &levels) in levels.iter().enumerate() {
        // A level takes 8 keys of a lane, so 65 536 levels are half a million keys of one lane after a prefix, or a
        // quarter of a million in each lane of two blocks. A sparse pack is one stack, which takes 512 keys on each
        // level, so 65 536 levels are 33 million keys. Boards up to n = 30 stay below these numbers.
        if levels > usize::from(u16::MAX) {
            let problem = "a stack of a pack has more levels than 16 bits can number".to_owned();
            return Err(Error::Bug { unit: None, problem });
        }
        for level in (0..levels).step_by(most) {
            let words = (levels - level).min(most);
            let (stack, level) = (stack as u16, level as u16);
            push(tiles, Tile { offset: offset as u32, stack, level, words: words as u8 })?;
            offset += words;
        }
    }
    Ok(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic would end a process that is built with `panic = "abort"`.
    #[test]
    fn a_level_that_16_bits_cannot_number_is_an_error() {
        let most = usize::from(u16::MAX);
        assert_eq!(divide(&[1, most], 8, &mut Vec::new()), Ok(1 + most));
        assert!(matches!(divide(&[1, most + 1], 8, &mut Vec::new()), Err(Error::Bug { unit: None, .. })));
    }
}
