//! What ran where: the facts that a record keeps of its machine and its program.

use maud::{Markup, html};

use super::Machine;
use crate::measure::record::{Cache, Clock, Limits};

/// A fact's name, and its value on each machine.
type Fact = (&'static str, Vec<Option<String>>);

/// The facts of all machines, a column each. What no machine tells is left out.
pub(super) fn table(machines: &[Machine<'_>]) -> Markup {
    let facts: Vec<Fact> =
        facts(machines).into_iter().filter(|(_, values)| values.iter().any(Option::is_some)).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Machines and programs" {
            table.fixed.facts {
                thead { tr {
                    th scope="col" { "fact" }
                    @for machine in machines { th scope="col" { (machine.name) } }
                } }
                tbody { @for (name, values) in &facts { tr {
                    th scope="row" { (name) }
                    @for value in values { td { (value.as_deref().unwrap_or("–")) } }
                } } }
            }
        }
    }
}

fn facts(machines: &[Machine<'_>]) -> Vec<Fact> {
    let each = |name, fact: &dyn Fn(&Machine<'_>) -> Option<String>| (name, machines.iter().map(fact).collect());
    let number = |value: Option<usize>| value.map(|value| value.to_string());
    let yes = |value: Option<bool>| value.map(|value| if value { "yes" } else { "no" }.to_owned());
    vec![
        each("processor", &|m| Some(m.record.machine.cpu_model.clone())),
        each("vendor", &|m| m.record.machine.cpu_vendor.clone()),
        each("family/model/stepping", &|m| m.record.machine.cpu_revision.clone()),
        each("sockets", &|m| number(m.record.machine.sockets)),
        each("cores", &|m| number(m.record.machine.cores)),
        each("logical CPUs", &|m| Some(m.record.machine.logical_cpus.to_string())),
        each("usable CPUs", &|m| Some(m.record.machine.usable_cpus.to_string())),
        each("NUMA nodes", &|m| number(m.record.machine.numa_nodes)),
        each("cores of more than one kind", &|m| yes(m.record.machine.hybrid)),
        each("caches", &|m| caches(&m.record.machine.caches)),
        each("memory", &|m| m.record.machine.memory_bytes.map(bytes)),
        each("clock", &|m| clock(&m.record.machine.clock)),
        each("governor", &|m| m.record.machine.clock.governor.clone()),
        each("clock driver", &|m| m.record.machine.clock.driver.clone()),
        each("virtual machine", &|m| virtual_machine(m)),
        each("limits", &|m| limits(&m.record.machine.limits)),
        each("instruction sets", &|m| Some(m.record.machine.instruction_sets.join(", "))),
        each("operating system", &|m| Some(m.record.machine.os.clone())),
        each("kernel", &|m| m.record.machine.kernel.clone()),
        each("nqueens", &|m| Some(m.record.program.version.clone())),
        each("commit", &|m| Some(commit(m))),
        each("compiler", &|m| Some(m.record.program.rustc.clone())),
        each("target", &|m| Some(m.record.program.target.clone())),
        each("flags", &|m| Some(m.record.program.flags.clone())),
        each("instruction set asked for", &|m| Some(m.record.program.isa.clone())),
        each("suite", &|m| Some(m.record.suite.clone())),
        each("began", &|m| Some(m.record.created.clone())),
        each("took", &|m| Some(format!("{:.0} s", m.record.elapsed_seconds))),
        each("record", &|m| Some(m.file.to_owned())),
    ]
}

fn commit(machine: &Machine<'_>) -> String {
    let program = &machine.record.program;
    if program.dirty { format!("{}, with changes", program.commit) } else { program.commit.clone() }
}

fn virtual_machine(machine: &Machine<'_>) -> Option<String> {
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

/// A size in the unit that suits it.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(value.fract() > 0.05 && value < 100.0);
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_have_a_unit_that_suits_them() {
        for (bytes, expected) in
            [(0, "0 bytes"), (32 << 10, "32 KiB"), (3 << 19, "1.5 MiB"), (25_276_514_304, "23.5 GiB")]
        {
            assert_eq!(super::bytes(bytes), expected);
        }
        assert_eq!(super::bytes(u64::MAX), "16777216 TiB");
    }
}
