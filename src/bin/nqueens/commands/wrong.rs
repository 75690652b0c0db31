//! Messages about a wrong command line.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::options::Sizes;
use crate::exit::Exit;
use crate::terminal::escape::{terminal, terminal_lines};

/// Says what is wrong with a command line, and what to type instead.
pub(crate) fn wrong_command_line(mut error: clap::Error, arguments: &[OsString]) -> anyhow::Result<Exit> {
    let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
    if let Some((old, new)) = renamed(&words) {
        return Err(Exit::Usage.error(format!("'{old}' is now 'nqueens {new}'")));
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(sizes) = size_typed(&error)
    {
        let said = format!("'{sizes}' is no command: to count its solutions type 'nqueens count {sizes}'");
        return Err(Exit::Usage.error(said));
    }
    if let ["run", command @ ("count" | "status" | "merge" | "audit"), folder, ..] = words[..]
        && matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument)
        && !folder.starts_with('-')
    {
        let said = format!("'nqueens run {command}' needs the folder of the run as an option: type '--dir {folder}'");
        return Err(Exit::Usage.error(terminal(&said)));
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

/// Old and short names of commands, and their names now.
const RENAMED: [(&str, &str); 9] = [
    ("plan", "run plan"),
    ("status", "run status"),
    ("merge", "run merge"),
    ("compare", "bench compare"),
    ("report", "bench report"),
    ("regress", "bench gate"),
    ("audit", "run audit"),
    ("gate", "bench gate"),
    ("machine", "bench machine"),
];

/// The old and the new name of the command in a wrong command line.
pub(crate) fn renamed(words: &[&str]) -> Option<(String, &'static str)> {
    let (first, rest) = words.split_first()?;
    let has_option = rest.first().is_some_and(|word| word.starts_with('-'));
    let recounts = |word: &&str| ["--dir", "--published"].iter().any(|option| word.starts_with(option));
    let new = match *first {
        "run" if has_option => "run count",
        "bench" if has_option => "bench machine",
        "info" if rest.iter().any(|word| word.parse::<Sizes>().is_ok()) => "estimate",
        "verify" if rest.iter().any(recounts) => "run audit",
        first => RENAMED.iter().find(|(old, _)| *old == first)?.1,
    };
    let option = rest.first().filter(|_| has_option && *first != "info").map(|word| format!(" {word}"));
    let is_whole = RENAMED.iter().any(|(old, _)| old == first);
    Some((format!("{first}{}", option.filter(|_| !is_whole).unwrap_or_default()), new))
}

/// The size, or the range of sizes, that was typed where a command belongs.
fn size_typed(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) if typed.parse::<Sizes>().is_ok() => Some(typed.clone()),
        _ => None,
    }
}
