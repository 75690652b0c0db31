//! The page around the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Report, Section, facts};
use crate::draw::svg::inline;
use crate::draw::theme::page_style;
use crate::terminal::plural::plural;
use crate::version;

/// The page may load and run nothing. Its style is inside.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

pub(crate) fn page(report: &Report<'_>, sections: &[Section]) -> Markup {
    let machines = &report.machines;
    let title = match &machines[..] {
        [machine] => format!("nqueens on {}", machine.name),
        _ => format!("nqueens on {} machines", machines.len()),
    };
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
                style { (PreEscaped(page_style())) }
            }
            body {
                header {
                    h1 { (title) }
                    nav aria-label="Parts of this page" { ul {
                        @for section in sections { li { a href={ "#" (section.name) } { (section.title) } } }
                        li { a href="#machines" { "Machines" } }
                    } }
                }
                main {
                    @for section in sections { (part(section)) }
                    section id="machines" aria-labelledby="machines-heading" {
                        h2 id="machines-heading" { "Machines" }
                        p.about { "The facts in each record, and what spoils a comparison with it." }
                        (facts::cards(report))
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

fn part(section: &Section) -> Markup {
    let Section { name, title, about, missing, drawings, table } = section;
    html! {
        section id=(name) aria-labelledby={ (name) "-heading" } {
            h2 id={ (name) "-heading" } { (title) }
            @match missing {
                Some(missing) => p { (missing) },
                None => {
                    p.about { (unbroken(about)) }
                    figure { (inline(drawings, &section.texts(), name)) }
                    @if let Some(table) = table { details { summary { "The numbers" } (table.markup()) } }
                }
            }
        }
    }
}

/// Keeps a number on one line with its sign and its unit.
fn unbroken(words: &str) -> String {
    words.replace("± ", "±\u{a0}").replace(" %", "\u{a0}%").replace("n = ", "n\u{a0}=\u{a0}")
}
