//! What is predicted of a count: the solver, the time, the memory.

use nqueens::Counter;
use nqueens::board::Size;

use super::super::options::{ThreadsOption, memory};
use crate::exit::Exit;
use crate::machine::pace;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::wrap::wrapped;
use crate::terminal::{Streams, units};

/// Columns that the names of the lines take.
const NAME: usize = 12;

/// Times are forecast: those of ten seconds and more from a tenth of a second of counting on this processor. They are
/// for free cores; the share of a core that the counting got beside other programs is told with them.
pub(super) fn run(sizes: impl Iterator<Item = Size>, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    for size in sizes {
        let text = wrapped(forecast(size)?.trim(), NAME + 1, NAME + 1);
        writeln!(streams.out, "{:<NAME$} {text}", format!("n = {size}"))?;
    }
    Ok(Exit::Fine)
}

/// With what a size is counted here, how long it takes and how much memory.
fn forecast(size: Size) -> anyhow::Result<String> {
    let counter = ThreadsOption::default().set(Counter::for_size(size))?;
    let choice = counter.choice()?;
    let by = format!("{} ({})", choice.solver.name(), choice.isa.name());
    let takes = |counter: &Counter| -> anyhow::Result<String> {
        let threads = counter.threads_used()?;
        let seconds = pace::core_seconds(choice.solver, size, choice.isa, threads) / threads as f64;
        let condition = pace::condition(choice.solver, choice.isa);
        let bytes = units::bytes(memory::predicted(counter, threads)?);
        Ok(format!("{by}: about {}{condition} and {bytes}", in_words(seconds)))
    };
    let whole = format!("{} on {}", takes(&counter)?, plural(counter.threads_used()?, "thread"));
    Ok(match memory::fit(counter.clone(), ThreadsOption::default().asked()?) {
        Ok((_, None)) => whole,
        Ok((fewer, Some(why))) => format!("{} {why}", takes(&fewer)?),
        Err(why) => format!("{whole}; {why:#}"),
    })
}
