//! What is said of a wrong command line.

use std::borrow::Cow;
use std::io;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::options::Sizes;
use crate::exit::Exit;
use crate::terminal::escape::terminal_lines;

/// Says what is wrong with a command line, and what to type instead.
pub(crate) fn wrong_command_line(mut error: clap::Error) -> anyhow::Result<Exit> {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(sizes) = size_typed(&error)
    {
        let said = format!("'{sizes}' is no command: to count its solutions type 'nqueens count {sizes}'");
        return Err(Exit::Usage.error(said));
    }
    // That an option might be meant as a size or a file is a tip that helps nobody here.
    if error.get(ContextKind::SuggestedArg).is_none() && error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    // Where nobody listens, the status still says it. What was typed may hold what a terminal would obey.
    let plain = error.to_string();
    let _ = match terminal_lines(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(escaped) => io::stderr().write_all(escaped.as_bytes()),
    };
    Ok(Exit::Usage)
}

/// The size, or the range of sizes, that was typed where a command belongs.
fn size_typed(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) if typed.parse::<Sizes>().is_ok() => Some(typed.clone()),
        _ => None,
    }
}
