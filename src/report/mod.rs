//! Pictures and a page made from records: SVG that follows the reader's light or dark theme, and one self-contained HTML
//! file around it, which asks the network for nothing and holds no script.
//!
//! Every picture is drawn twice, wide and narrow, and the page shows the one that fits: text that is scaled down to a
//! phone cannot be read. Everything that comes from a record is text, and is escaped where it is written (by `maud`).

mod draw;
mod facts;
mod growth;
mod page;
mod samples;
mod scale;
mod scaling;
mod scores;
mod table;
mod theme;

use crate::measure::compare::{check_versions, machine_names};
use crate::measure::{Record, Result, WorkloadId};
use draw::Width;

/// What is told about a set of records.
#[derive(Debug)]
pub struct Report<'a> {
    machines: Vec<Machine<'a>>,
}

/// A picture as a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// A word to name its file with.
    pub name: &'static str,
    /// The file.
    pub svg: String,
}

/// A record, with what it is called in this report.
#[derive(Debug)]
struct Machine<'a> {
    name: String,
    file: &'a str,
    record: &'a Record,
}

impl<'a> Report<'a> {
    /// A report of these records, each given with the name of its file.
    ///
    /// # Errors
    /// [`crate::measure::Error::Versions`] where a workload is there in two versions.
    pub fn new(records: &'a [(String, Record)]) -> Result<Self> {
        check_versions(records)?;
        let machines = machine_names(records)
            .into_iter()
            .zip(records)
            .map(|(name, (file, record))| Machine { name, file, record })
            .collect();
        Ok(Self { machines })
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        legible(page::page(&self.machines, &sections(&self.machines)).into_string())
    }

    /// The pictures, always all of them: where there is nothing to draw, the picture says why.
    #[must_use]
    pub fn pictures(&self) -> Vec<Picture> {
        sections(&self.machines)
            .into_iter()
            .map(|section| {
                // Where something is missing, there may be nothing to draw axes for.
                let drawing = section.missing.is_none().then(|| (section.draw)(Width::Wide));
                Picture { name: section.name, svg: legible(draw::file(drawing, &section.texts())) }
            })
            .collect()
    }
}

/// A part of the report: a picture with its words and its numbers.
struct Section<'a> {
    /// A word for its anchor and its file.
    name: &'static str,
    title: &'static str,
    /// How to read the picture.
    about: String,
    /// Why there is no picture, where there is none.
    missing: Option<&'static str>,
    draw: Box<dyn Fn(Width) -> draw::Drawing + 'a>,
    table: table::Table,
}

impl Section<'_> {
    fn texts(&self) -> draw::Texts<'_> {
        draw::Texts { title: self.title, about: self.missing.unwrap_or(&self.about) }
    }
}

fn sections<'a>(machines: &'a [Machine<'a>]) -> [Section<'a>; 4] {
    [scores::section(machines), growth::section(machines), scaling::section(machines), samples::section(machines)]
}

/// The workloads of all records, each once, in the order in which they are met.
fn workloads<'a>(machines: &[Machine<'a>]) -> Vec<&'a WorkloadId> {
    let mut ids = Vec::new();
    for workload in machines.iter().flat_map(|machine| &machine.record.workloads) {
        if !ids.contains(&&workload.id) {
            ids.push(&workload.id);
        }
    }
    ids
}

/// The solvers of all records, each once, in the order in which they are met.
fn solvers<'a>(machines: &[Machine<'a>]) -> Vec<&'a str> {
    let mut solvers = Vec::new();
    for id in workloads(machines) {
        if !solvers.contains(&id.solver.as_str()) {
            solvers.push(id.solver.as_str());
        }
    }
    solvers
}

/// The text without the characters that XML has no place for: names in records may hold any.
fn legible(text: String) -> String {
    let is_illegal = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) { text.replace(is_illegal, "\u{fffd}") } else { text }
}
