//! `nqueens info`: what this build and this machine will use.

use crate::machine;
use crate::machine::room;
use crate::terminal::units;
use crate::version;
use nqueens::Counter;
use nqueens::board::Size;
use nqueens::solver::registry;
use nqueens::solver::registry::Choice;

use super::options::asked::THREADS_VARIABLE;
use super::options::memory;
use super::options::{Sizes, Threads};
use crate::exit::Exit;
use crate::machine::pace;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::wrap::wrapped;

/// Tells what this build and this machine will use, and why; or how long some sizes would take here
///
/// Times are forecast: those of ten seconds and more from a tenth of a second of counting on this processor. They are
/// for free cores; what share of a core the counting got beside other programs is told with them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens info          the processor, the threads, which solver counts which sizes
  nqueens info 24 28    the solver, the time and the memory of these sizes")]
pub(crate) struct Args {
    /// Sizes to tell the solver, the time and the memory of, such as 24 or 24..=28
    #[arg(value_name = "N", allow_negative_numbers = true)]
    sizes: Vec<Sizes>,
}

/// Columns that the names of the lines take.
const NAME: usize = 12;

/// The profile and the flags of this build.
fn compiled_with() -> String {
    format!("{} {}", version::PROFILE, version::FLAGS).trim().to_owned()
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    // As `count` has them where no option says otherwise.
    let (asked, threads) = (Threads::default().asked()?, Threads::default().number()?);
    let mut line =
        |name: &str, text: String| writeln!(streams.out, "{name:<NAME$} {}", wrapped(text.trim(), NAME + 1, NAME + 1));
    if !args.sizes.is_empty() {
        for size in args.sizes.iter().flat_map(|sizes| &sizes.0) {
            line(&format!("n = {size}"), forecast(*size)?)?;
        }
        return Ok(Exit::Fine);
    }
    let machine = machine::facts();
    line("version", version::LONG.to_owned())?;
    line("compiled", format!("for {} by {} ({})", version::TARGET, version::RUSTC, compiled_with()))?;
    line("processor", machine.cpu_model)?;
    line("instructions", machine.instruction_sets.join(", "))?;
    line(
        "threads",
        match asked {
            Some(asked) if asked.threads == threads => {
                format!("{threads}: as {THREADS_VARIABLE} asks for, of {} online", machine.logical_cpus)
            }
            None => format!("{threads}: every core this process may use, of {} online", machine.logical_cpus),
            Some(asked) => format!(
                "{threads}: every core this process may use, of {} online, and not the {} that {THREADS_VARIABLE} asks for",
                machine.logical_cpus, asked.threads
            ),
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
            let (counter, room) = (Counter::for_size(size).threads(threads)?, room());
            let fit = memory::threads_that_fit(&counter, room);
            let bytes = units::bytes(memory::predicted(&counter, threads));
            let how_many = if fit < threads { format!(", of which {fit} threads fit here") } else { String::new() };
            line("in reach", format!("n = {size} within {name}, as predicted, in {bytes}{how_many}"))?;
        }
    }
    Ok(Exit::Fine)
}

/// With what a size is counted here, how long it takes and how much memory.
fn forecast(size: Size) -> anyhow::Result<String> {
    let counter = Threads::default().set(Counter::for_size(size))?;
    let choice = counter.choice();
    let by = format!("{} ({})", choice.solver.name(), choice.isa.name());
    let on = |threads: usize| format!("on {threads} {}", if threads == 1 { "thread" } else { "threads" });
    let time = |counter: &Counter| {
        let threads = counter.threads_used();
        let seconds = pace::core_seconds(choice.solver, size, choice.isa, threads) / threads as f64;
        in_words(seconds) + &pace::condition(choice.solver, choice.isa)
    };
    let bytes = |counter: &Counter| units::bytes(memory::predicted(counter, counter.threads_used()));
    let whole = format!("{by}: about {} and {} {}", time(&counter), bytes(&counter), on(counter.threads_used()));
    Ok(match memory::fit(counter.clone(), Threads::default().asked()?) {
        Ok((_, None)) => whole,
        Ok((fewer, Some(why))) => format!("{by}: about {} and {} {why}", time(&fewer), bytes(&fewer)),
        Err(why) => format!("{whole}; {why:#}"),
    })
}

/// The solvers that are chosen, for runs of sizes.
fn choices() -> Vec<(Size, Size, Choice<'static>)> {
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
    pace::core_seconds(choice.solver, size, choice.isa, threads) / threads as f64
}
