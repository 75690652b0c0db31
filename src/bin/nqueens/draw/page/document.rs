//! The page around the tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Report, facts, heat, ranking, scaling};
use crate::terminal::plural::plural;
use crate::version;

/// The page may not load or run anything. Its style is inside.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = include_str!("../page.css");

pub(crate) fn page(report: &Report<'_>) -> Markup {
    let machines = &report.machines;
    let title = match &machines[..] {
        [machine] => format!("nqueens on {}", machine.name),
        _ => format!("nqueens on {} machines", machines.len()),
    };
    let sections = [
        ("ranking", "Ranking", ranking::section(report)),
        ("workloads", "Workload by workload", heat::section(report)),
        ("scaling", "Thread scaling", scaling::section(report)),
        ("machines", "Machines", facts::section(report)),
    ];
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "nqueens " (version::VERSION) };
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    nav aria-label="Parts of this page" {
                        @for (name, title, _) in &sections { a href={ "#" (name) } { (title) } " " }
                    }
                }
                main {
                    @for (name, title, body) in &sections {
                        section id=(name) aria-labelledby={ (name) "-heading" } {
                            h2 id={ (name) "-heading" } { (title) }
                            (body)
                        }
                    }
                }
                footer { p {
                    "Made by nqueens " (version::VERSION) " from "
                    (plural(machines.len(), "record"))
                    ". Every count in them is the published one. For every number: nqueens bench compare --format csv, and \
                     nqueens bench export for a record's samples."
                } }
            }
        }
    }
}
