//! The table of `nqueens verify`.

use nqueens::board::Size;
use nqueens::solver::Isa;

use crate::terminal::Streams;

/// What was found about one solver with one instruction set; about the reference's own boards in the first row.
pub(crate) struct VerifyRow {
    name: &'static str,
    isa: Option<Isa>,
    /// The smallest size that is checked.
    pub(crate) first: usize,
    /// The largest size that was checked, if any.
    finished: Option<Size>,
    checked: u64,
    pub(crate) disagreements: usize,
    seconds: f64,
    is_shown: bool,
}

impl VerifyRow {
    pub(crate) fn new(name: &'static str, isa: Option<Isa>) -> Self {
        Self { name, isa, first: 0, finished: None, checked: 0, disagreements: 0, seconds: 0.0, is_shown: false }
    }

    pub(crate) fn label(&self) -> String {
        self.isa.map_or_else(|| self.name.to_owned(), |isa| format!("{} ({})", self.name, isa.name()))
    }

    pub(crate) fn note(&mut self, size: Size, checked: u64, found: &[String], seconds: f64, streams: &Streams<'_>) {
        /// A wrong rule makes thousands; the first ones tell which.
        const SHOWN: usize = 5;
        for disagreement in found.iter().take(SHOWN) {
            streams.complain(format_args!("n = {size}, {}: {disagreement}", self.label()));
        }
        if found.len() > SHOWN {
            streams.complain(format_args!("n = {size}, {}: and {} more", self.label(), found.len() - SHOWN));
        }
        self.finished = Some(size);
        self.checked += checked;
        self.disagreements += found.len();
        self.seconds += seconds;
    }

    /// Shows it, unless it was shown or has nothing to show.
    pub(crate) fn show(&mut self, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let Some(max) = self.finished.filter(|_| !self.is_shown) else { return Ok(()) };
        self.is_shown = true;
        let what = if self.isa.is_none() { "boards" } else { "units" };
        writeln!(
            streams.out,
            "{:<24} {:>8} {:>9} {what:<6} {:>10} {:>9.3}",
            self.label(),
            format!("{}..={max}", self.first),
            self.checked,
            if self.disagreements == 0 { "agrees" } else { "DISAGREES" },
            self.seconds,
        )?;
        streams.out.flush()
    }
}
