//! The report: one HTML file with tables made from records. It needs no network and has no script.
//!
//! The parts are the ranking, the heat map of workloads, the thread scaling and the facts of each machine. `maud`
//! escapes every text of a record for HTML.

mod document;
mod facts;
mod heat;
mod ranking;
mod scaling;

use maud::{Markup, html};

use crate::bench::Record;
use crate::bench::compare::Comparison;
use crate::terminal::escape::terminal_lines;

/// The report about a set of records.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    comparison: Comparison,
    /// The records, in the order of the first ranking.
    machines: Vec<PageMachine<'a>>,
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
    /// Makes a report about records, each with the name of its file. Speeds are relative to the record `against`, or to
    /// the fastest machine.
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
        terminal_lines(&document::page(self).into_string()).into_owned()
    }
}

/// A table that scrolls in a narrow window. `head` is the cells of its first row, `body` its other rows.
fn table(caption: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { (head) } }
                tbody { (body) }
            }
        }
    }
}
