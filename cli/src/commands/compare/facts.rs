//! The facts that identify a machine, for the CSV and the page.

use crate::bench::machines::Machine;
use crate::terminal::units;

/// A fact about a machine: the head of its column in a table, and its text.
pub(super) type Fact = (&'static str, String);

/// Returns a value as text, or an empty text for `None`.
pub(super) fn text_of(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Returns the facts that identify a machine, its name first.
pub(super) fn facts_of(machine: &Machine) -> [Fact; 16] {
    let record = machine.record();
    let facts = machine.facts();
    [
        ("machine", machine.name.to_string()),
        ("processor", facts.cpu_model.clone()),
        ("family", text_of(facts.family)),
        ("model", text_of(facts.model)),
        ("stepping", text_of(facts.stepping)),
        ("microcode", text_of(facts.microcode.as_ref())),
        ("caches", facts.caches.join(", ")),
        ("governor", text_of(facts.governor.as_ref())),
        ("hypervisor", text_of(facts.hypervisor.as_ref())),
        ("cores", text_of(facts.cores)),
        ("all threads", facts.usable_cpus.to_string()),
        ("memory", text_of(facts.memory_bytes.map(units::bytes))),
        ("system", [&facts.os[..], facts.kernel.as_deref().unwrap_or_default()].join(" ")),
        ("instruction set", record.isa.clone()),
        ("date", record.created.clone()),
        ("program", record.program.clone()),
    ]
}
