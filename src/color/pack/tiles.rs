//! Tiles: the words of a pack that are walked together.

use crate::Result;
use crate::memory::{push, reserve};

/// Cost of replaying a walk on one more tile, in words. More: larger tiles, with more empty words. 1 to 4 are equal.
const TILE_COST: usize = 2;

/// The most stacks of a tile. Wider tiles do not occur with words of AVX-512. 2 is up to 2.5 % slower.
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

/// Divides stacks into tiles of at most `most` words and [`TILE_STACKS`] stacks, with the least cost ([`TILE_COST`]).
/// Returns the number of words of all tiles. `levels` has the number of levels of each stack. `best` is memory: for each end,
/// the least cost of the stacks before it, and where the last of their tiles begins.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn divide(
    levels: &[usize],
    most: usize,
    best: &mut Vec<(usize, usize)>,
    tiles: &mut Vec<Tile>,
) -> Result<usize> {
    // A lane with 65 536 levels would have half a million keys after a prefix. Lanes of all boards have fewer.
    assert!(
        levels.iter().all(|&levels| levels <= usize::from(u16::MAX)),
        "a pack's tiles number their levels in 16 bits"
    );
    best.clear();
    reserve(best, levels.len() + 1)?;
    best.push((0, 0));
    for end in 1..=levels.len() {
        let mut deepest = 0;
        let mut choice = (usize::MAX, 0);
        for start in (0..end).rev() {
            deepest = deepest.max(levels[start]);
            let width = end - start;
            if width > TILE_STACKS.min(most) || width > 1 && width * deepest > most {
                break;
            }
            let passes = deepest.div_ceil(most);
            let cost = best[start].0 + passes * TILE_COST + width * deepest;
            choice = choice.min((cost, start));
        }
        best.push(choice);
    }
    let first = tiles.len();
    let mut end = levels.len();
    while end > 0 {
        let start = best[end].1;
        let deepest = levels[start..end].iter().copied().max().unwrap_or(0);
        for level in (0..deepest).step_by(most) {
            let tile = Tile {
                offset: 0,
                stack: start as u16,
                level: level as u16,
                width: (end - start) as u8,
                depth: (deepest - level).min(most) as u8,
            };
            push(tiles, tile)?;
        }
        end = start;
    }
    let mut words = 0;
    for tile in &mut tiles[first..] {
        tile.offset = words as u32;
        words += usize::from(tile.width) * usize::from(tile.depth);
    }
    Ok(words)
}
