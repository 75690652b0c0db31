//! `nqueens info`: shows the build, the machine and the solver for each size.

use nqueens::board::Size;
use nqueens::registry::{self, Choice};
use serde_json::json;

use crate::machine;
use crate::terminal::Streams;
use crate::terminal::table::{Column, Table};
use crate::version;

/// Show the version, the processor, the threads and the solver for each size
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens info          show processor, threads, instruction sets and the solver for each size")]
pub(crate) struct Args {
    /// Print JSON: the version, the machine as in records, the threads and the solvers
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let solvers: Vec<&str> = registry::SOLVERS.iter().map(|solver| solver.name()).collect();
    let machine = machine::facts();
    let threads = machine.usable_cpus;
    if args.json {
        streams.json(json!({
            "version": version::LONG,
            "target": version::TARGET,
            "machine": machine,
            "threads": threads,
            "solvers": solvers,
        }))?;
        return Ok(());
    }
    let table = Table::new([Column::Text(12), Column::Text(0)]);
    let mut line = |name: &str, text: String| write!(streams.out, "{}", table.line(&[name, text.trim()]));
    line("version", version::LONG.to_owned())?;
    let flags = format!("{} {}", version::PROFILE, version::FLAGS);
    line("compiled", format!("for {} by {} ({})", version::TARGET, version::RUSTC, flags.trim()))?;
    line("processor", machine.cpu_model.clone())?;
    line("instructions", machine.instruction_sets.join(", "))?;
    let limit = machine::limit_in_words().map_or_else(String::new, |limit| format!(": {limit}"));
    line("threads", format!("{threads} of {} online{limit}", machine.logical_cpus))?;
    #[cfg(feature = "gpu")]
    {
        let cards = super::counting::cards_in_words();
        if cards.is_empty() {
            line("cards", "none that Vulkan, Metal or DirectX 12 finds".to_owned())?;
        }
        for (number, card) in (1..).zip(cards) {
            line(&format!("card {number}"), card)?;
        }
    }
    line("all solvers", solvers.join(", "))?;
    let sizes: Vec<Size> = (0..=Size::MAX).filter_map(|n| Size::new(n).ok()).collect();
    let choice = |size: &Size| {
        let Choice { solver, isa, .. } = registry::choose(*size, None);
        format!("{} ({})", solver.name(), isa.name())
    };
    for same in sizes.chunk_by(|a, b| choice(a) == choice(b)) {
        line("default", format!("n = {}..={}: {}", same[0], same[same.len() - 1], choice(&same[0])))?;
    }
    Ok(())
}
