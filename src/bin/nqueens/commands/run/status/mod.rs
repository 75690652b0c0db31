//! `nqueens run status`: the progress of a run.

mod json;
mod text;

use std::io::IsTerminal;
use std::time::Duration;

use super::super::options::Printed;
use super::RunFolders;
use crate::exit::Exit;
use crate::runs::{ShardState, Status};
use crate::terminal::Streams;
use crate::terminal::signals::Interrupts;
use json::Json;
use text::show;

/// The interval of `--watch`.
const EVERY: Duration = Duration::from_secs(2);

/// Shows the progress of a run: shards done, running, missing and damaged, and the time left
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens run status --dir n24           prints a picture and figures
  nqueens run status --dir n24 --watch   prints them every two seconds until the run is done
  nqueens run status --dir n24 copy      takes two folders together
  nqueens run status --dir n24 --json    prints JSON")]
pub(crate) struct Args {
    #[command(flatten)]
    folders: RunFolders,
    #[command(flatten)]
    printed: Printed,
    /// Repeats every two seconds until the run is done
    #[arg(long)]
    watch: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let folders = args.folders.open()?;
    let interrupts = Interrupts::catch()?;
    loop {
        let status = Status::of(&folders)?;
        if args.watch && !args.printed.is_json() && std::io::stdout().is_terminal() {
            // Clears the screen.
            write!(streams.out, "\x1b[H\x1b[2J")?;
        }
        if args.printed.is_json() {
            streams.json(&Json::new(&folders[0], &status))?;
        } else {
            show(&folders, &status, streams)?;
        }
        streams.out.flush()?;
        let is_over = status.states.iter().all(|&state| state == ShardState::Done);
        if !args.watch || is_over {
            return Ok(Exit::Fine);
        }
        for _ in 0..EVERY.as_millis() / 100 {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(exit) = interrupts.caught() {
                return Ok(exit);
            }
        }
    }
}
