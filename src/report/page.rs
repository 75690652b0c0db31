//! The page around the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::draw::{Width, inline};
use super::theme::page_style;
use super::{Machine, Section, facts};
use crate::version;

/// What the page may load: nothing. Its style stands in it, and it runs no script.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

pub(super) fn page(machines: &[Machine<'_>], sections: &[Section<'_>]) -> Markup {
    let title = match machines {
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
                    @if machines.len() > 1 {
                        p { @for (index, machine) in machines.iter().enumerate() {
                            @if index > 0 { " · " } bdi { (machine.name) }
                        } }
                    }
                    nav aria-label="Parts of this page" { ul {
                        @for section in sections { li { a href={ "#" (section.name) } { (section.title) } } }
                        li { a href="#machines" { "Machines" } }
                    } }
                }
                main {
                    (warnings(machines))
                    @for section in sections { (part(section)) }
                    section id="machines" aria-labelledby="machines-heading" {
                        h2 id="machines-heading" { "Machines" }
                        p.about { "What ran where, as each record tells it." }
                        (facts::table(machines))
                    }
                }
                footer { p { "Made by nqueens " (version::VERSION) " from " (machines.len()) @if machines.len() == 1 { " record" } @else { " records" } ". Every count in them was held against the published one." } }
            }
        }
    }
}

fn part(section: &Section<'_>) -> Markup {
    let Section { name, title, about, missing, draw, table } = section;
    html! {
        section id=(name) aria-labelledby={ (name) "-heading" } {
            h2 id={ (name) "-heading" } { (title) }
            @match missing {
                Some(missing) => p { (missing) },
                None => {
                    p.about { (about) }
                    figure {
                        @for width in [Width::Wide, Width::Narrow] {
                            div class=(width.name()) { (inline(&draw(width), &section.texts(), &format!("{name}-{}", width.name()))) }
                        }
                    }
                    details { summary { "The numbers" } (table.markup()) }
                }
            }
        }
    }
}

fn warnings(machines: &[Machine<'_>]) -> Markup {
    let count: usize = machines.iter().map(|machine| machine.record.warnings.len()).sum();
    html! {
        @if count > 0 {
            aside.warnings aria-labelledby="warnings-heading" {
                h2 id="warnings-heading" { "What may have spoilt these measurements" }
                ul { @for machine in machines { @for warning in &machine.record.warnings {
                    li { @if machines.len() > 1 { strong { bdi { (machine.name) } } ": " } (warning.message) }
                } } }
            }
        }
    }
}
