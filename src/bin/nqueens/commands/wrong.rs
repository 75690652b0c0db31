//! Messages about a wrong command line.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use crate::exit::Fault;

/// The error that says what is wrong with a command line, and what to type instead.
pub(crate) fn wrong_command_line(mut error: clap::Error) -> anyhow::Error {
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
    let text = error.to_string();
    Fault::Usage.error(text.strip_prefix("error: ").unwrap_or(&text).trim_end())
}
