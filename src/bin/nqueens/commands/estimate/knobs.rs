//! Hidden options for whoever works on the color split.

use nqueens::solver::color::Tuning;

/// For whoever works on the color split.
#[derive(Debug, clap::Args)]
pub(super) struct Knobs {
    /// Only colorings with so many white even rows
    #[arg(long, hide = true)]
    pub(super) white: Option<usize>,
    #[arg(long, hide = true)]
    fill_depth: Option<usize>,
    #[arg(long, hide = true)]
    dot_depth: Option<usize>,
    #[arg(long, hide = true)]
    family: Option<usize>,
    #[arg(long, hide = true)]
    leaves: Option<u64>,
    #[arg(long, hide = true)]
    together: Option<usize>,
    #[arg(long, hide = true)]
    packs: Option<usize>,
    #[arg(long, hide = true)]
    fill_packs: Option<usize>,
    #[arg(long, hide = true)]
    range: Option<usize>,
    #[arg(long, hide = true)]
    segment: Option<usize>,
    #[arg(long, hide = true)]
    sparse_from: Option<usize>,
    #[arg(long, hide = true)]
    grouped_from: Option<usize>,
}

impl Knobs {
    pub(super) fn tuning(&self) -> Tuning {
        Tuning {
            fill_depth: self.fill_depth,
            dot_depth: self.dot_depth,
            family: self.family,
            terms_together: self.together,
            pack_bytes: self.packs,
            filling_pack_bytes: self.fill_packs,
            range_bytes: self.range,
            segment_keys: self.segment,
            sparse_from: self.sparse_from,
            grouped_from: self.grouped_from,
            program_leaves: self.leaves,
            ..Tuning::default()
        }
    }
}
