//! The constants of the color split that change its speed and not its result, in one place.
//!
//! Tuned on one core of an AMD EPYC 9004 (Zen 4: 32 KiB L1, 1 MiB L2, 32 MiB L3) with AVX-512.

use crate::solver::Isa;

/// Bytes of a word of 512 bits: what packs and tables are made of.
const WORD_BYTES: usize = 64;

/// Rows that a walk has below its prefix: see [`Tuning::depths`].
const ROWS_LEFT: usize = 4;

/// Memory for the turned tables of one thread: for their low bytes, so twice as much where all have high ones too. 32
/// and 128 MiB are equally fast at n = 26 with 6 white rows of 13, where a table has nearly 3 MiB.
const TABLE_BYTES: usize = 32 << 20;

/// Memory for the packs of the summing side: see [`Tuning::summing_packs`].
const PACK_BYTES: usize = 4 << 20;

/// Memory for the packs of the filling side: see [`Tuning::filling_packs`].
const FILLING_PACK_BYTES: usize = 128 << 20;

/// Bytes of a table that are used at a time: see [`Tuning::range_bytes`].
const RANGE_BYTES: usize = 384 << 10;

/// Queens of the summing side's walks, in thousandths of the rows there are for them (n / 2), from which on so few keys are
/// left alive at a leaf that they are dealt without lanes, in families that keep all column sets. Three pairs of numbers:
/// of the portable code, of code with vectors, and where two blocks share their words, so that lanes are better
/// filled; the first of each pair for even sizes, the second for odd ones.
///
/// Families that keep fewer column sets are dealt so from fewer queens on ([`SPARSE_SLOPE`]). They are those of lower rank:
/// their rows attack each other more, so that lists are shorter and fewer keys are left alive.
///
/// Time against that with lanes, of units whose O keep about this share (Zen 4; n, white even rows; per mille):
///
/// | | two blocks share | AVX-512 | AVX2 | portable |
/// |---|---|---|---|---|
/// | 22, 4 (636) | 0.7 to 0.8 up to .8, 0.9 to 1.0 up to .9, 1.05 to 1.1 above | | | |
/// | 26, 5 (615) | 0.60 at .28, 0.66 at .54, 0.77 at .71, 0.95 at .87, 1.37 at .95 | | | |
/// | 20, 4 (600) | 0.93 up to .6, 0.87 at .65, 1.03 at .70, 1.3 at .8, 3.0 at .98 | 0.73 at .54, 0.80 at .74, 0.89 at .79, 1.55 at .98 | 0.70, 0.69, 0.76, 1.30 | 0.64, 0.62, 0.65, 0.78 |
/// | 24, 5 (583) | 0.75 at .5, 1.02 at .75, 1.28 at .83, 3.2 at .995 | 0.66, 0.91 at .77, 0.97, 2.3 | 0.60, 0.82, 0.74, 1.25 | |
/// | 18, 4 (556) | | 1.0 at .4, 1.2 at .65, 2.6 at .87 | 1.0, 1.1, 2.2 | 0.86, 0.81, 1.29 |
/// | 22, 5 (545) | 1.22 at .5, 1.4 at .6, 4 at .82 | 0.98, 1.12, 2.6 | 0.92, 1.02, 2.1 | |
///
/// Odd sizes, where two blocks share: 23, 5 (609) 0.64 to 0.96, 21, 4 (667) 0.73 to 0.97, 19, 4 (632) 0.94 to 1.2, 21, 5
/// (571) 0.93 to 2.8, 25, 6 (560) 0.87 to 2.8. AVX-512 19, 4 0.64 to 0.72, AVX2 0.56 to 0.66.
///
/// With tallies: 17, 4 (588) 0.76, 20, 4 (600) 0.67, 21, 5 (571) 0.74; but 22, 5 (545) 1.32, 19, 5 (526) 1.37.
const SPARSE_PER_MILLE: [[usize; 2]; 3] = [[586, 600], [624, 640], [652, 672]];

/// By how many thousandths these are fewer for a family that keeps no column set; in between, by its share.
const SPARSE_SLOPE: [usize; 3] = [150, 150, 240];

/// The least of them where two blocks share.
const LEAST_PER_MILLE: usize = 575;

/// The same for boards up to 21 where two blocks share their words, for even and for odd sizes, whatever a family keeps:
/// packs are larger there ([`Tuning::depths`]) and leave lanes better filled.
const SPARSE_TO_21: [usize; 2] = [690, 660];

/// Queens of flat walks, in thousandths of the rows there are for them, from which on most parents leave no key alive, and
/// these are passed over with their leaves. Where fewer are empty, the processor mispredicts too often: with 22, 4 (636)
/// passing over takes 1.11 of the time, with 24, 4 (667) 1.06; with 23, 4 (696) and 26, 4 (692) 0.98 and 0.93, with 20, 3
/// (700) and 22, 3 (727) 0.96 and 0.85.
const SKIPPED_PER_MILLE: usize = 690;

/// Boards from which on the leaves of the summing side's programs are grouped by the table row they meet, with
/// AVX-512: from here on many entries need two bytes, and tables leave the near caches. Time against programs by
/// parents, all of a board or some units of a class, with BITALG (Zen 5, A B A B):
///
/// | n, white | 17 | 18 | 20 | 21, 5 | 21, 6 | 22, 5 | 23, 6 | 23, 7 | 24, 5 | 24, 6 | 26, 5 | 26, 6 |
/// |---|---|---|---|---|---|---|---|---|---|---|---|---|
/// | | 1.03 | 1.02 | 1.03 | 1.03 | 0.96 | 1.00 | 0.89 | 0.86 | 0.89 | 0.85 | 1.00 | 0.93 |
///
/// Without BITALG the summing side's replay takes 0.85 of the time at 24, 5, 0.78 at 24, 6 and 0.98 at 23, 5 (Zen 4).
const GROUPED_FROM: usize = 23;

/// Boards up to this size have units of about equal cost: of larger ones there are thousands of units anyway.
const FINE_UP_TO: usize = 21;

/// How many units of equal cost those boards would have.
const FINE_UNITS: u64 = 2048;

/// Predicted nanoseconds below which a unit is not divided further.
const LEAST_UNIT: u64 = 1_000_000;

/// Keys of a list that are packed at a time: see [`Tuning::segment_keys`].
const SEGMENT_KEYS: usize = 1 << 20;

/// What replaying a walk on one more tile costs, in words: packs are divided into the tiles that cost least. Nearly a
/// free choice: with 0, 1 and 4 n = 18, 20, 24 (5 white rows of 12) and 26 (5 and 6 of 13) take within 1 % of the same
/// time, except that 0 takes 2 % longer at n = 26 with 6, and 8 takes 4 % longer at n = 18.
pub(crate) const TILE_COST: usize = 2;

/// Words of a flat tile at most, with any code: a leaf's words are stored one by one and need no registers.
pub(crate) const FLAT_TILE_WORDS: usize = 8;

/// Sums that the products of a replay are added to by turns, because each product waits for the one before: with one
/// sum n = 18 takes 2 % longer, with four as long.
pub(crate) const SUMS: usize = 2;

/// Cells of the first chunk of a store's memory (64 KiB) and of the largest (1 MiB; more only for a single large pack).
/// Each is twice the one before, so that small boards do not wait for memory they do not need. With 1 MiB from the
/// first n = 16 takes 9 % longer.
pub(crate) const CHUNKS: [usize; 2] = [1 << 10, 1 << 14];

/// By how many parents the summing side's walk is ahead in prefetching table rows, where tables have more than a byte:
/// only those leave L1 for long. 17 % less time with the largest ones at n = 26 (6 white rows of 13), 0 to 10 % with
/// smaller ones; 8 is no better.
pub(crate) const PARENTS_AHEAD: usize = 4;

/// By how many groups a grouped walk is ahead in prefetching table rows: with none n = 24 with 6 white rows takes 3 %
/// longer, with 12 as long (Zen 5).
pub(crate) const GROUPS_AHEAD: usize = 6;

/// How many cells of the next tile's planes the filling side's walk asks for with each parent. Its packs are kept for
/// the E to come and so lie far away: n = 24 with 6 white rows takes 0.88 of the time (the fill alone 0.82), 20 and 22 as
/// long (Zen 4). Asked for by groups, on the summing side, whose packs are in L2 or L3: 0.99 to 1.00 at 24, 5.
pub(crate) const FILL_CELLS_AHEAD: usize = 4;

/// How a count is cut and packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Queens that a pack of the filling side has behind it, `None` for the measured choice. One more: fewer words a
    /// leaf, more packs.
    pub fill_depth: Option<usize>,
    /// The same for the summing side, where counts meet the table in a dot.
    pub dot_depth: Option<usize>,
    /// Sets of odd rows that share programs, `None` for the measured choice. More: programs are written less often, but
    /// more of their leaves are wasted on sets that drop them, and sharing helps only where more neighbouring units are
    /// counted in one run.
    pub family: Option<usize>,
    /// Leaves of the programs of one family, 6 bytes each, `None` for the measured choice; the sets E are cut into
    /// ranges to stay below. More: packs are shared by more E, programs need more memory.
    pub program_leaves: Option<u64>,
    /// Terms whose tables are filled before the summing side is packed and walked for all of them, `None` for the
    /// measured choice. More: packs are built less often, the tables of more terms must be kept.
    pub terms_together: Option<usize>,
    /// Bytes of the summing side's packs that are kept, `None` for the measured choice. More: packs are built less
    /// often, they are walked when they have left the near caches.
    pub pack_bytes: Option<usize>,
    /// Bytes of the filling side's packs that are kept, `None` for the measured choice. More: packs are built less
    /// often, and each thread holds so much more.
    pub filling_pack_bytes: Option<usize>,
    /// How many states the trunk of a program may have for one prefix, and how many parents with equally many children;
    /// `None` for as many as 16 bits can number; fewer than 2 stand for 2. Fewer: more programs are given longer prefixes
    /// than the others.
    pub longest_part: Option<u16>,
    /// Queens of the summing side's walks from which on its keys are dealt without lanes, `None` for the measured choice.
    pub sparse_from: Option<usize>,
    /// The size from which on the leaves of the summing side's programs are grouped, where they may be; `None` for
    /// the measured choice.
    pub grouped_from: Option<usize>,
    /// Bytes of a table that are used at a time, by all packs, before the next lanes' turn; `None` for the measured
    /// choice. More: programs are read less often, but the table leaves L2 where it is larger.
    pub range_bytes: Option<usize>,
    /// How many units of equal cost boards up to 21 would have; `None` for the measured choice. More: threads are busy
    /// longer at the end of a count, but those that share a set of odd rows list it each.
    pub fine_units: Option<u64>,
    /// Keys of a list that are packed at a time, for all prefixes; `None` for the measured choice. Fewer: less memory
    /// for the keys that prefixes leave alive, more and smaller packs.
    pub segment_keys: Option<usize>,
}

impl Tuning {
    /// Queens of the prefixes, `[filling, summing]`, where the walks have `queens` queens.
    ///
    /// Four rows are left to walk where the board is large enough. Up to n = 21 the summing side's prefixes are a queen
    /// shorter, because that leaves fuller packs.
    pub(crate) fn depths(&self, n: usize, queens: [usize; 2]) -> [usize; 2] {
        let deepest = match n {
            0..=15 => [1, 1],
            16..=19 => [2, 1],
            20 => [2, 2],
            21 => [3, 2],
            22..=23 => [3, 3],
            _ => [4, 4],
        };
        let given = [self.fill_depth, self.dot_depth];
        std::array::from_fn(|side| {
            let depth = queens[side].saturating_sub(ROWS_LEFT).min(deepest[side]);
            given[side].unwrap_or(depth).min(queens[side])
        })
    }

    /// Terms that are summed together, with tables of so many bytes. More than 16 make no difference at n = 22 but in
    /// memory; at n = 24 64 build a quarter fewer packs than 16, for 2 % of the time.
    pub(crate) fn terms_together(&self, n: usize, bytes: usize) -> usize {
        let most = if n < 24 { 16 } else { 64 };
        self.terms_together.unwrap_or(most).min(TABLE_BYTES / bytes.max(1)).max(1)
    }

    /// Where tables have so many bytes: how many cells of the summing side's packs make a batch, and how many are kept.
    ///
    /// A batch is small, so that it is still in L2 when it is walked, but large enough to be worth reading the tables
    /// again: half a MiB is best where a table has up to 200 KiB (n = 24 with 4 of 12 white rows: 24 % less time than
    /// with all packs built first, with 5: 9 %; n = 22: 15 %), 3.4 MiB where it has 860 (with 6: as fast as all packs
    /// first; half a MiB took 35 % longer). Eight tables' worth instead of four takes 5 to 7 % less at n = 24 with 5, where
    /// the list is long (Zen 4); at n = 22 it takes as long, and 3 MiB a thread.
    pub(crate) fn summing_packs(&self, n: usize, bytes: usize) -> [usize; 2] {
        let tables = if n < 24 { 4 } else { 8 };
        let kept = self.pack_bytes.unwrap_or(PACK_BYTES);
        [(tables * bytes).clamp(kept / 8, kept), kept].map(|bytes| bytes / WORD_BYTES)
    }

    /// Whether a family whose walks have so many queens on the summing side, and which keeps this share of the column sets,
    /// deals its keys without lanes, with the code for `isa`: see [`SPARSE_PER_MILLE`].
    pub(crate) fn is_sparse(&self, n: usize, queens: usize, kept: f64, isa: Isa) -> bool {
        queens >= self.sparse_from.unwrap_or_else(|| (sparse_per_mille(n, kept, isa) * n).div_ceil(2000))
    }

    /// Whether flat walks of so many queens pass over parents that leave no key alive: see [`SKIPPED_PER_MILLE`].
    pub(crate) fn skips(&self, n: usize, queens: usize) -> bool {
        2000 * queens >= SKIPPED_PER_MILLE * n
    }

    /// Whether the summing side's programs are by groups, with the code for `isa`: see [`GROUPED_FROM`].
    pub(crate) fn is_grouped(&self, n: usize, isa: Isa) -> bool {
        let measured = if matches!(isa, Isa::Avx512 | Isa::Avx512Bitalg) { GROUPED_FROM } else { usize::MAX };
        n >= self.grouped_from.unwrap_or(measured)
    }

    /// The longest part of a program for one prefix. Two are always allowed: where the whole walk is in the prefix, its
    /// only leaf takes the pack's state and an ending, and the prefix cannot be longer.
    pub(crate) fn longest_part(&self) -> u16 {
        self.longest_part.unwrap_or(u16::MAX).max(2)
    }

    /// Cells of packs of the filling side that are kept for the E to come. Where there are more, they are packed again
    /// for each E, so many at a time.
    pub(crate) fn filling_packs(&self) -> usize {
        self.filling_pack_bytes.unwrap_or(FILLING_PACK_BYTES) / WORD_BYTES
    }

    /// Bytes of a table that are used at a time. 128 to 512 KiB are equally good; against whole tables they save 4 to 8
    /// % of the time at n = 24, and 9 % at n = 26.
    pub(crate) fn range_bytes(&self) -> usize {
        self.range_bytes.unwrap_or(RANGE_BYTES)
    }

    /// Keys of a list that are packed at a time.
    pub(crate) fn segment_keys(&self) -> usize {
        self.segment_keys.unwrap_or(SEGMENT_KEYS)
    }

    /// Sets of odd rows in a family, where their class has so many: the root of that, but 32 at least. With 16 at
    /// least, n = 17 and 18 took 4 % longer, 20 5 %, 21 6 to 14 %; 48 or 64 are no better.
    pub(crate) fn family(&self, units: usize) -> usize {
        let root = units.isqrt();
        let root = if root * root < units { root + 1 } else { root };
        self.family.unwrap_or(root.max(32)).max(1)
    }

    /// The most that a unit of a board may cost, in the unit of `all`, the predicted cost of all units.
    pub(crate) fn unit_cost(&self, n: usize, all: u64) -> u64 {
        if n > FINE_UP_TO { u64::MAX } else { (all / self.fine_units.unwrap_or(FINE_UNITS).max(1)).max(LEAST_UNIT) }
    }

    /// Leaves of the programs of one family. The more, the more E share packs: at n = 22 2 million take 9 % longer than
    /// 4 million, and 12 million 3 % less, in more memory; at n = 18 and 20 1 to 100 million are equal. At n = 26 with
    /// 5 white rows of 13, 128 million took 35 % less time a word than 16 million, 64 million 28 %; with 6 less than 10
    /// %. At n = 24 two threads in different families came to 500 MiB with 24 million, and to 420 with 16 million,
    /// which take 3 % longer. From 28 on nothing was timed.
    pub(crate) fn program_leaves(&self, n: usize) -> u64 {
        let leaves = match n {
            0..=23 => 4_000_000,
            24 | 25 => 16_000_000,
            26 | 27 => 64_000_000,
            28 | 29 => 200_000_000,
            30 => 1_000_000_000,
            // 400 GB: with fewer there would be millions of units, which take a second to number.
            _ => 64_000_000_000,
        };
        self.program_leaves.unwrap_or(leaves)
    }
}

/// See [`SPARSE_PER_MILLE`].
fn sparse_per_mille(n: usize, kept: f64, isa: Isa) -> usize {
    let (kind, odd) = match isa {
        Isa::Portable => (0, n % 2),
        Isa::Avx512Bitalg => (2, n % 2),
        _ => (1, n % 2),
    };
    if kind == 2 && n < 22 {
        return SPARSE_TO_21[odd];
    }
    let per_mille = SPARSE_PER_MILLE[kind][odd] - (SPARSE_SLOPE[kind] as f64 * (1.0 - kept)) as usize;
    if kind == 2 { per_mille.max(LEAST_PER_MILLE) } else { per_mille }
}
