//! The report: pictures made from records, and one HTML file around them that needs no network and has no script.
//!
//! The parts are the ranking, the heat map of workloads, the thread scaling and the facts of each machine. The pictures
//! are SVG and follow the reader's light or dark theme. `maud` escapes every text of a record.

mod document;
mod facts;
mod heat;
mod ranking;
mod scaling;
mod table;

use super::svg;
use crate::bench::Record;
use crate::bench::compare::Comparison;

/// What is told about a set of records.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    comparison: Comparison,
    /// In the order of the first ranking.
    machines: Vec<PageMachine<'a>>,
}

/// A picture as a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// A word to name its file with.
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) svg: String,
}

/// A record, with what it is called in this report.
#[derive(Debug)]
struct PageMachine<'a> {
    /// Its place among the records as they were given.
    at: usize,
    name: String,
    file: &'a str,
    record: &'a Record,
}

impl<'a> Report<'a> {
    /// A report of these records, each given with the name of its file. Speeds are relative to the record `against`, or to
    /// the fastest.
    pub(crate) fn new(records: &'a [(String, Record)], against: Option<usize>) -> Self {
        let comparison = Comparison::of(records, against, 1);
        let machine = |at: usize| PageMachine {
            at,
            name: comparison.machines[at].clone(),
            file: &records[at].0,
            record: &records[at].1,
        };
        let machines = comparison.order().into_iter().map(machine).collect();
        Self { comparison, machines }
    }

    /// The page.
    pub(crate) fn html(&self) -> String {
        legible(document::page(self, &self.sections()).into_string())
    }

    /// The pictures, always all of them: where there is nothing to draw, the picture says why.
    pub(crate) fn pictures(&self) -> Vec<Picture> {
        self.sections()
            .into_iter()
            .map(|section| {
                let svg = svg::file(&section.drawings, &section.texts());
                Picture { name: section.name, svg: legible(svg) }
            })
            .collect()
    }

    fn sections(&self) -> Vec<Section> {
        vec![ranking::section(self), heat::section(self), scaling::section(self)]
    }

    /// The machine that stands at this place among the records.
    fn machine(&self, at: usize) -> &PageMachine<'a> {
        self.machines.iter().find(|machine| machine.at == at).unwrap_or(&self.machines[0])
    }
}

/// A part of the report: a picture with its words and its numbers.
struct Section {
    /// A word for its anchor and its file.
    name: &'static str,
    title: &'static str,
    /// How to read the picture.
    about: String,
    /// Why there is no picture, where there is none.
    missing: Option<&'static str>,
    /// Empty where something is missing: there may be nothing to draw axes for.
    drawings: Vec<svg::Drawing>,
    /// The numbers, where they are not in the table of another part.
    table: Option<table::PageTable>,
}

impl Section {
    fn texts(&self) -> svg::Texts<'_> {
        svg::Texts { title: self.title, about: self.missing.unwrap_or(&self.about) }
    }
}

/// The text without the characters that XML has no place for: names in records may hold any.
fn legible(text: String) -> String {
    let is_illegal = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) { text.replace(is_illegal, "\u{fffd}") } else { text }
}
