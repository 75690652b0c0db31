//! The table of `nqueens verify`.

use nqueens::board::Size;

use crate::terminal::Streams;

/// What was found about one solver with one instruction set; about the reference's own boards in the first row.
pub(crate) struct VerifyRow {
    name: &'static str,
    /// The instruction set, or the device.
    code: Option<&'static str>,
    /// The smallest size that is checked.
    pub(crate) first: usize,
    /// The largest size that was checked, if any.
    finished: Option<Size>,
    checked: u64,
    pub(crate) disagreements: usize,
    seconds: f64,
}

impl VerifyRow {
    pub(crate) fn new(name: &'static str, code: Option<&'static str>) -> Self {
        Self { name, code, first: 0, finished: None, checked: 0, disagreements: 0, seconds: 0.0 }
    }

    pub(crate) fn label(&self) -> String {
        self.code.map_or_else(|| self.name.to_owned(), |code| format!("{} ({code})", self.name))
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
}

/// Writes the table of what was checked.
pub(crate) fn write(rows: &[VerifyRow], streams: &mut Streams<'_>) -> std::io::Result<()> {
    writeln!(streams.out, "{:<24} {:>8} {:>16} {:>10} {:>9}", "solver", "sizes", "checked", "verdict", "seconds")?;
    for row in rows {
        let Some(max) = row.finished else { continue };
        writeln!(
            streams.out,
            "{:<24} {:>8} {:>9} {:<6} {:>10} {:>9.3}",
            row.label(),
            format!("{}..={max}", row.first),
            row.checked,
            if row.code.is_none() { "boards" } else { "units" },
            if row.disagreements == 0 { "agrees" } else { "DISAGREES" },
            row.seconds,
        )?;
    }
    streams.out.flush()
}
