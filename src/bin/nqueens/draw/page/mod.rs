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

/// The report about a set of records.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    comparison: Comparison,
    /// In the order of the first ranking.
    machines: Vec<PageMachine<'a>>,
}

/// A picture as a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The name of its file, without the ending.
    pub(crate) name: &'static str,
    pub(crate) svg: String,
}

/// A record with its name in this report.
#[derive(Debug)]
struct PageMachine<'a> {
    /// Its index among the records.
    at: usize,
    name: String,
    file: &'a str,
    record: &'a Record,
}

impl<'a> Report<'a> {
    /// A report about records, each with the name of its file. Speeds are relative to the record `against`, or to the
    /// fastest.
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

    /// All pictures as files. If there is nothing to draw, the picture says why.
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

    /// The machine with this index among the records.
    fn machine(&self, at: usize) -> &PageMachine<'a> {
        self.machines.iter().find(|machine| machine.at == at).unwrap_or(&self.machines[0])
    }
}

/// A part of the page: pictures, how to read them, and their numbers.
struct Section {
    /// The name of its link and of its file.
    name: &'static str,
    title: &'static str,
    /// How to read the picture.
    about: String,
    /// Why there is no picture.
    missing: Option<&'static str>,
    drawings: Vec<svg::Drawing>,
    table: Option<table::PageTable>,
}

impl Section {
    fn texts(&self) -> svg::Texts<'_> {
        svg::Texts { title: self.title, about: self.missing.unwrap_or(&self.about) }
    }
}

/// The text without characters that XML does not allow.
fn legible(text: String) -> String {
    let is_illegal = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) { text.replace(is_illegal, "\u{fffd}") } else { text }
}
