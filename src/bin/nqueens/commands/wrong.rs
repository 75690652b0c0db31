//! Messages about a wrong command line.

use std::borrow::Cow;
use std::io;
use std::io::Write;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use crate::exit::Exit;
use crate::terminal::escape::terminal_lines;

/// Says what is wrong with a command line, and what to type instead.
pub(crate) fn wrong_command_line(mut error: clap::Error) -> anyhow::Result<Exit> {
    if error.kind() == ErrorKind::InvalidSubcommand {
        let typed = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(typed)) => typed.as_str(),
            _ => "",
        };
        // It may be a command of `run` or `bench`.
        let command = Cli::command();
        let groups = command.get_subcommands().filter(|group| group.find_subcommand(typed).is_some());
        let found: Vec<String> = groups.map(|group| format!("{} {typed}", group.get_name())).collect();
        if !found.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
        }
    }
    // Drops clap's tip that an option could be a size or a file: it does not help here.
    if error.get(ContextKind::SuggestedArg).is_none() && error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    // If standard error is closed, the exit status still tells. The typed text is escaped for the terminal.
    let plain = error.to_string();
    let _ = match terminal_lines(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(escaped) => io::stderr().write_all(escaped.as_bytes()),
    };
    Ok(Exit::Usage)
}
