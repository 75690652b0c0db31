//! `nqueens info`: what this build and this machine will use.

use nqueens::Counter;
use nqueens::board::Size;
use nqueens::measure::machine::{self, room};
use nqueens::solver::registry::{self, Choice};
use nqueens::{engine, version};

use super::Streams;
use super::args;
use super::exit::Exit;
use super::memory;

/// Tells what this build and this machine will use, and why
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let machine = machine::facts();
    let asked = args::threads_of_variable()?;
    let threads = asked.unwrap_or_else(engine::default_threads);
    let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<12} {text}");
    line("version", version::LONG.to_owned())?;
    line("compiled", format!("for {} by {} ({})", version::TARGET, version::RUSTC, version::FLAGS))?;
    line("processor", machine.cpu_model)?;
    line("instructions", machine.instruction_sets.join(", "))?;
    line(
        "threads",
        match asked {
            Some(_) => format!("{threads}: as {} asks for, of {} online", args::THREADS_VARIABLE, machine.logical_cpus),
            None => format!("{threads}: every core this process may use, of {} online", machine.logical_cpus),
        },
    )?;
    line("solvers", registry::SOLVERS.map(|solver| solver.name()).join(", "))?;
    for (first, last, choice) in choices() {
        let Choice { solver, isa, reason, .. } = choice;
        line("chosen", format!("n = {first}..={last}: {} ({}), {reason}", solver.name(), isa.name()))?;
    }
    for (name, seconds) in [("a minute", 60.0), ("an hour", 3600.0), ("a day", 86400.0)] {
        let reach =
            (0..=Size::MAX).rev().filter_map(|n| Size::new(n).ok()).find(|&size| predicted(size, threads) < seconds);
        if let Some(size) = reach {
            let (counter, room) = (Counter::for_size(size), room());
            let fit = memory::threads_that_fit(&counter, room);
            let bytes = memory::in_words(memory::predicted(&counter, threads));
            let how_many = if fit < threads { format!(", of which {fit} threads fit here") } else { String::new() };
            line("in reach", format!("n = {size} within {name}, as predicted, in {bytes}{how_many}"))?;
        }
    }
    Ok(Exit::Fine)
}

/// The solvers that are chosen, for runs of sizes.
fn choices() -> Vec<(Size, Size, Choice)> {
    let mut choices: Vec<(Size, Size, Choice)> = Vec::new();
    for size in (0..=Size::MAX).filter_map(|n| Size::new(n).ok()) {
        let choice = registry::choose(size, registry::machine_isa());
        match choices.last_mut() {
            Some((_, last, same))
                if (same.solver.name(), same.isa, same.reason) == (choice.solver.name(), choice.isa, choice.reason) =>
            {
                *last = size;
            }
            _ => choices.push((size, size, choice)),
        }
    }
    choices
}

fn predicted(size: Size, threads: usize) -> f64 {
    let choice = registry::choose(size, registry::machine_isa());
    choice.solver.predicted_seconds(size, choice.isa) / threads as f64
}
