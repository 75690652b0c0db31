//! Tiles: the words of a pack that are walked together.

use crate::Result;
use crate::memory::push;

/// Cost of replaying a walk on one more tile, in words. A higher cost makes larger tiles, with more empty words.
const TILE_COST: usize = 2;

/// The most stacks of a tile.
pub(crate) const TILE_STACKS: usize = 4;

/// The most words of a sparse tile. Its words are stored one by one and need no registers.
pub(crate) const SPARSE_TILE_WORDS: usize = 8;

/// Words of a pack that are walked together: the words of neighboring stacks on neighboring levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Number of words of the pack's tiles before this one.
    pub(super) offset: u32,
    /// The first stack.
    pub(crate) stack: u16,
    /// The first level.
    pub(crate) level: u16,
    /// Number of stacks.
    pub(crate) width: u8,
    /// Number of levels.
    pub(crate) depth: u8,
}

/// Divides stacks into tiles of at most `most` words and [`TILE_STACKS`] stacks. From the first stack on, a tile takes the
/// next stack while that costs no more than a tile of its own ([`TILE_COST`]). Returns the number of words of all tiles.
/// `levels` has the number of levels of each stack.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn divide(levels: &[usize], most: usize, tiles: &mut Vec<Tile>) -> Result<usize> {
    // A level of a lane takes 8 keys, so 65 536 levels are half a million keys of one lane after a prefix. The stack of a
    // sparse pack has 512 keys a level, so they are 33 million keys. Boards up to n = 30 stay below both.
    assert!(
        levels.iter().all(|&levels| levels <= usize::from(u16::MAX)),
        "a pack's tiles number their levels in 16 bits"
    );
    let (mut start, mut words) = (0, 0);
    while start < levels.len() {
        let (mut width, mut deepest) = (1, levels[start]);
        // A stack without levels needs no tile.
        while let Some(&next) = levels.get(start + width)
            && width < TILE_STACKS
            && deepest.min(next) > 0
        {
            let wider = (width + 1) * deepest.max(next);
            if wider > most || wider > width * deepest + next + TILE_COST {
                break;
            }
            (width, deepest) = (width + 1, deepest.max(next));
        }
        for level in (0..deepest).step_by(most) {
            let (offset, depth) = (words as u32, (deepest - level).min(most));
            let (stack, level) = (start as u16, level as u16);
            push(tiles, Tile { offset, stack, level, width: width as u8, depth: depth as u8 })?;
            words += width * depth;
        }
        start += width;
    }
    Ok(words)
}
