//! The page around the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Report, Section, facts};
use crate::bench::doubt;
use crate::draw::svg::{Width, inline};
use crate::draw::theme::page_style;
use crate::version;

/// What the page may load: nothing. Its style and its one script stand in it, and no other script runs.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// What makes the page pleasant; it is complete without.
const SCRIPT: &str = include_str!("page.js");

/// The script's hash, by which the policy knows it: SHA-256 in base 64. A test says what it has to be.
const SCRIPT_HASH: &str = "WP4Grr9XWbcGzatMJA9cA94u9W74Es0FSTMiLeptSMY=";

pub(crate) fn page(report: &Report<'_>, sections: &[Section<'_>]) -> Markup {
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
                meta http-equiv="Content-Security-Policy" content={ (POLICY) "; script-src 'sha256-" (SCRIPT_HASH) "'" };
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
                    @if let Some(left_out) = &report.comparison.left_out { p.left-out { (left_out) "." } }
                }
                // The script's: choosing machines and their order.
                div id="tools" hidden {}
                main {
                    (doubts(report))
                    @for section in sections { (part(section)) }
                    section id="machines" aria-labelledby="machines-heading" {
                        h2 id="machines-heading" { "Machines" }
                        p.about { "What ran where, as each record tells it, and what spoils a comparison with it." }
                        (facts::cards(report))
                    }
                }
                footer { p {
                    "Made by nqueens " (version::VERSION) " from "
                    (plural(machines.len(), "record"))
                    ". Every count in them was held against the published one. Every number: nqueens bench compare --format csv, and \
                     nqueens bench export for a record's samples."
                } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn part(section: &Section<'_>) -> Markup {
    let Section { name, title, about, missing, draw, table } = section;
    let figure = || {
        html! {
            figure {
                @for width in [Width::Wide, Width::Narrow] {
                    div class=(width.name()) { (inline(&draw(width), &section.texts(), &format!("{name}-{}", width.name()))) }
                }
            }
        }
    };
    html! {
        section id=(name) aria-labelledby={ (name) "-heading" } {
            h2 id={ (name) "-heading" } { (title) }
            @match missing {
                Some(missing) => p { (missing) },
                None => {
                    p.about { (unbroken(about)) }
                    (figure())
                    @if let Some(table) = table { details { summary { "The numbers" } (table.markup()) } }
                }
            }
        }
    }
}

/// A number stays on a line with its sign and its unit.
fn unbroken(words: &str) -> String {
    words.replace("± ", "±\u{a0}").replace(" %", "\u{a0}%").replace("n = ", "n\u{a0}=\u{a0}")
}

/// A line a machine, folded: what spoils the comparison. What exactly stands with the machine.
fn doubts(report: &Report<'_>) -> Markup {
    let lines: Vec<_> = report
        .machines
        .iter()
        .filter_map(|machine| Some((machine, doubt::line(&report.comparison.doubts[machine.at])?)))
        .collect();
    let grave = |at: usize| report.comparison.doubts[at].iter().any(|doubt| doubt.is_grave);
    let worst = lines.iter().filter(|(machine, _)| grave(machine.at)).count();
    html! {
        @if !lines.is_empty() {
            details.doubts-of-all {
                summary {
                    @if report.machines.len() == 1 {
                        "What spoils these measurements" @if worst > 0 { ", gravely" }
                    } @else {
                        "What spoils these measurements, or their comparison: "
                        (lines.len()) " of " (report.machines.len()) " machines"
                        @if worst > 0 { ", " (worst) " gravely" }
                    }
                }
                ul { @for (machine, line) in &lines {
                    li data-m=(machine.at) { a href={ "#machine-" (machine.at) } { bdi { (machine.name) } } ": " (line) }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_policy_knows_the_script() {
        #[cfg(target_os = "linux")]
        {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/nqueens/draw/page/page.js");
            let output = std::process::Command::new("sha256sum").arg(file).output().unwrap();
            let hash = base64(&output.stdout[..64]);
            assert_eq!(super::SCRIPT_HASH, hash, "page.js changed: this is its hash now");
        }
        // It stands in HTML as it is.
        assert!(!super::SCRIPT.contains("</") && !super::SCRIPT.contains("<!--"));
    }

    /// Hexadecimal digits in base 64.
    #[cfg(target_os = "linux")]
    fn base64(digits: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        // Three digits are two letters; the last one stands alone, with two bits that are not there.
        let letters = digits.chunks(3).flat_map(|part| {
            let value = part.iter().fold(0, |value, digit| 16 * value + (*digit as char).to_digit(16).unwrap());
            let value = value << (4 * (3 - part.len()));
            [value >> 6, value & 63].map(|letter| LETTERS[letter as usize] as char)
        });
        letters.take(digits.len() * 4 / 6 + 1).chain(['=']).collect()
    }
}
