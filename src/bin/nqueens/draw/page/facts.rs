//! What ran where: the facts that a record keeps of its machine and its program.

use maud::{Markup, html};

use super::{PageMachine, Report};
use crate::bench::Record;
use crate::bench::doubt;
use crate::bench::record::{Cache, Clock, Limits};
use crate::terminal::units::bytes;

/// The facts that are printed too: a sheet holds a dozen machines.
const ON_PAPER: [&str; 11] = [
    "processor",
    "cores",
    "usable CPUs",
    "caches",
    "memory",
    "measured clock",
    "virtual machine",
    "operating system",
    "commit",
    "compiler",
    "began",
];

/// A card for each machine: what spoils its times, and all that is known of it.
pub(crate) fn cards(report: &Report<'_>) -> Markup {
    html! {
        div.cards { @for machine in &report.machines {
            @let (known, unknown): (Vec<_>, Vec<_>) = facts(machine).into_iter().partition(|(_, value)| value.is_some());
            article.card id={ "machine-" (machine.at) } data-m=(machine.at) aria-labelledby={ "machine-" (machine.at) "-name" } {
                h3 id={ "machine-" (machine.at) "-name" } { bdi { (machine.name) } }
                @if let Some(line) = doubt::line(&report.comparison.doubts[machine.at]) { p.doubts {
                    (line)
                    @for warning in &machine.record.warnings { br; small { (warning.message) } }
                } }
                dl { @for (name, value) in &known {
                    div class=[(!ON_PAPER.contains(name)).then_some("screen")] { dt { (name) } dd { (value.as_deref().unwrap_or_default()) } }
                } }
                @if !unknown.is_empty() {
                    p.unknown { "unknown: " (unknown.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")) }
                }
            }
        } }
    }
}

/// Cores, threads and clock of a machine.
pub(crate) fn in_short(record: &Record) -> String {
    let facts = &record.machine;
    let cores = facts.cores.map_or_else(|| "?".to_owned(), |cores| cores.to_string());
    let clock = facts.clock.measured_mhz.or(facts.clock.max_mhz).or(facts.clock.now_mhz);
    let clock = clock.map_or_else(String::new, |mhz| format!(", {:.1} GHz", mhz / 1000.0));
    format!("{cores} / {}{clock}", facts.usable_cpus)
}

fn facts(machine: &PageMachine<'_>) -> Vec<(&'static str, Option<String>)> {
    let Record { machine: m, program, .. } = machine.record;
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    let yes = |value: Option<bool>| value.map(|value| if value { "yes" } else { "no" }.to_owned());
    let text = |value: &str| (!value.is_empty()).then(|| value.to_owned());
    vec![
        ("processor", text(&m.cpu_model)),
        ("vendor", m.cpu_vendor.clone()),
        ("family, model, stepping", m.cpu_revision.clone()),
        ("microcode", m.microcode.clone()),
        ("sockets", number(m.sockets)),
        ("cores", number(m.cores)),
        ("logical CPUs", number(Some(m.logical_cpus))),
        ("usable CPUs", number(Some(m.usable_cpus))),
        ("threads share cores (SMT)", yes(m.smt)),
        ("NUMA nodes", number(m.numa_nodes)),
        ("cores of more than one kind", yes(m.hybrid)),
        ("caches", caches(&m.caches)),
        ("memory", m.memory_bytes.map(bytes)),
        ("measured clock", measured(&m.clock)),
        ("clock as the system tells it", clock(&m.clock)),
        ("turbo", yes(m.turbo)),
        ("governor", m.clock.governor.clone()),
        ("clock driver", m.clock.driver.clone()),
        ("temperature at the end", m.celsius.map(|celsius| format!("{celsius:.0} °C"))),
        ("power drawn", m.watts.map(|watts| format!("{watts:.1} W"))),
        ("virtual machine", virtual_machine(machine)),
        ("container", m.container.clone()),
        ("limits", limits(&m.limits)),
        ("mitigations", m.mitigations.clone()),
        ("instruction sets", Some(m.instruction_sets.join(", "))),
        ("operating system", text(&m.os)),
        ("kernel", m.kernel.clone()),
        ("nqueens", text(&program.version)),
        ("commit", Some(commit(machine))),
        ("compiler", text(&program.rustc)),
        ("target", text(&program.target)),
        ("flags", text(&program.flags)),
        ("instruction set asked for", text(&program.isa)),
        ("suite", text(&machine.record.suite)),
        ("began", text(&machine.record.created)),
        ("took", Some(format!("{:.0} s", machine.record.elapsed_seconds))),
        ("record", Some(machine.file.to_owned())),
    ]
}

fn measured(clock: &Clock) -> Option<String> {
    let median = clock.measured_mhz?;
    Some(match clock.measured_range_mhz {
        Some([low, high]) => format!("{median:.0} MHz ({low:.0} to {high:.0})"),
        None => format!("{median:.0} MHz"),
    })
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

fn clock(clock: &Clock) -> Option<String> {
    let range = match (clock.min_mhz, clock.max_mhz) {
        (Some(min), Some(max)) => Some(format!("{min:.0} to {max:.0} MHz")),
        (None, Some(max)) => Some(format!("at most {max:.0} MHz")),
        (Some(min), None) => Some(format!("at least {min:.0} MHz")),
        (None, None) => None,
    };
    let words: Vec<String> =
        range.into_iter().chain(clock.now_mhz.map(|now| format!("{now:.0} MHz at the start"))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn limits(limits: &Limits) -> Option<String> {
    let words: Vec<String> = limits
        .cpus
        .map(|cpus| format!("{cpus} CPUs"))
        .into_iter()
        .chain(limits.memory_bytes.map(|memory| format!("{} of memory", bytes(memory))))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}
