//! The facts of each record about its machine and its program.

use crate::terminal::plural::plural;
use maud::{Markup, html};

use super::{PageMachine, Report};
use crate::bench::Record;
use crate::bench::doubt;
use crate::bench::record::Cache;
use crate::terminal::units::bytes;

/// A card for each machine with its doubts and its facts.
pub(crate) fn section(report: &Report<'_>) -> Markup {
    html! {
        p.about { "The facts in each record, and reasons to doubt it." }
        div.cards { @for machine in &report.machines {
            @let (known, unknown): (Vec<_>, Vec<_>) = facts(machine).into_iter().partition(|(_, value)| value.is_some());
            article.card {
                h3 { (machine.name) }
                @if let Some(line) = doubt::line(&report.comparison.doubts[machine.at]) { p.doubts {
                    (line)
                    @for warning in &machine.record.warnings { small { (warning.message) } }
                } }
                table { tbody { @for (name, value) in &known { tr {
                    th scope="row" { (name) }
                    td { (value.as_deref().unwrap_or_default()) }
                } } } }
                @if !unknown.is_empty() {
                    p { small { "unknown: " (unknown.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")) } }
                }
            }
        } }
    }
}

/// Cores, threads and clock of a machine.
pub(crate) fn in_short(record: &Record) -> String {
    let facts = &record.machine;
    let cores = facts.cores.map_or_else(|| "? cores".to_owned(), |cores| plural(cores, "core"));
    let clock = facts.clock.measured_mhz.or(facts.clock.max_mhz);
    let clock = clock.map_or_else(String::new, |mhz| format!(", {:.1} GHz", mhz / 1000.0));
    format!("{cores}, {}{clock}", plural(facts.usable_cpus, "CPU"))
}

fn facts(machine: &PageMachine<'_>) -> Vec<(&'static str, Option<String>)> {
    let Record { machine: m, program, .. } = machine.record;
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    let text = |value: &str| (!value.is_empty()).then(|| value.to_owned());
    vec![
        ("processor", text(&m.cpu_model)),
        ("cores", number(m.cores)),
        ("usable CPUs", Some(m.usable_cpus.to_string())),
        ("NUMA nodes", number(m.numa_nodes)),
        ("caches", caches(&m.caches)),
        ("memory", m.memory_bytes.map(bytes)),
        ("measured clock", m.clock.measured_mhz.map(mhz)),
        ("highest clock", m.clock.max_mhz.map(mhz)),
        ("governor", m.clock.governor.clone()),
        ("virtual machine", virtual_machine(machine)),
        ("instruction sets", Some(m.instruction_sets.join(", "))),
        ("operating system", text(&m.os)),
        ("kernel", m.kernel.clone()),
        ("nqueens", text(&program.version)),
        ("commit", Some(commit(machine))),
        ("compiler", text(&program.rustc)),
        ("instruction set asked for", text(&program.isa)),
        ("suite", text(&machine.record.suite)),
        ("began", text(&machine.record.created)),
        ("record", Some(machine.file.to_owned())),
    ]
}

fn mhz(clock: f64) -> String {
    format!("{clock:.0} MHz")
}

fn commit(machine: &PageMachine<'_>) -> String {
    let program = &machine.record.program;
    if program.dirty { format!("{}, with changes", program.commit) } else { program.commit.clone() }
}

fn virtual_machine(machine: &PageMachine<'_>) -> Option<String> {
    let facts = &machine.record.machine;
    match (facts.virtualised, &facts.hypervisor) {
        (Some(false), _) => Some("no".to_owned()),
        (_, Some(hypervisor)) => Some(hypervisor.clone()),
        (Some(true), None) => Some("yes".to_owned()),
        (None, None) => None,
    }
}

fn caches(caches: &[Cache]) -> Option<String> {
    let words = caches.iter().map(|cache| {
        let kind = match cache.kind.as_str() {
            "unified" => "",
            "data" => "d",
            "instruction" => "i",
            other => other,
        };
        let shared = match cache.shared_by {
            Some(cpus) if cpus > 1 => format!(" for {cpus} CPUs"),
            _ => String::new(),
        };
        format!("L{}{kind} {}{shared}", cache.level, bytes(cache.bytes))
    });
    (!caches.is_empty()).then(|| words.collect::<Vec<_>>().join(", "))
}
