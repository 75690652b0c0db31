//! What to type instead of an unknown option or command. Clap itself knows only similar words.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use nqueens::board::Size;

/// Words that users try as options or commands because other programs or commands have them, with the tip for them.
const OTHER_WORDS: [(&[&str], &str); 4] = [
    (
        &["continue", "join", "resume"],
        "to continue or join a run, type the command that began it: 'nqueens count N --dir RUN'",
    ),
    (&["cuda", "gpu"], CARDS),
    (
        &["limit-time", "time-limit", "timeout"],
        "'nqueens count 24 --dir RUN --for 1h' saves its work and stops after an hour",
    ),
    (&["list", "print", "show", "solve"], "'nqueens solutions 8' lists the boards"),
];

/// The tip for words about graphics cards. A program without cards would answer `--device` with an error.
const CARDS: &str = if cfg!(feature = "gpu") {
    "'nqueens count 20 --device gpu' counts with graphics cards"
} else {
    "this program was built without graphics cards: 'cargo build --release --features gpu' builds it with them"
};

/// Adds a tip to an error about these arguments of `program`. It replaces clap's tips: similar words, which are the
/// last resort, and the advice to pass an unknown option as a value.
pub(super) fn with_tip(mut error: clap::Error, arguments: &[OsString], program: &Command) -> clap::Error {
    let (kind, similar) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(kind).cloned() else { return error };
    error.remove(ContextKind::Suggested);
    let command = arguments.iter().find_map(|word| program.find_subcommand(word)).unwrap_or(program);
    let tip = match word.strip_prefix("--") {
        _ if kind == ContextKind::InvalidSubcommand => {
            // Every short word is similar to some command.
            let is_similar = word.len() > 2 && error.get(similar).is_some();
            let general = || "'nqueens 8' counts, and 'nqueens --help' lists the commands".to_owned();
            for_word(&word).or_else(|| (!is_similar).then(general))
        }
        _ if matches!(&word[..], "-j" | "--jobs") => for_jobs(command, program),
        Some(name) => for_option(name, arguments, command, program),
        None => for_word_without_option(&word, command.get_name()),
    };
    if let Some(tip) = tip {
        if error.remove(similar).is_some() {
            // It shows the similar option.
            error.remove(ContextKind::Usage);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns the tip for a word that a command does not take: it belongs to an option or into standard input, or there is
/// one too many.
fn for_word_without_option(word: &str, command: &str) -> Option<String> {
    let is_size = word.parse::<Size>().is_ok();
    match command {
        "batch" if !word.starts_with('-') => {
            Some("type the sizes into standard input, as in 'echo 8 | nqueens batch'".to_owned())
        }
        "bench" if word.ends_with(".json") => Some(format!("type '--out {word}'")),
        "solutions" | "trace" if is_size => Some(format!("'nqueens {command}' takes one size")),
        "verify" if is_size => Some(format!("type '--max {word}'")),
        _ => for_word(word),
    }
}

fn for_word(word: &str) -> Option<String> {
    OTHER_WORDS.iter().find(|(words, _)| words.contains(&word)).map(|&(_, tip)| tip.to_owned())
}

/// Returns the tip for an option that `command` lacks: it may be a value of another option, its value may be an option,
/// or it may be an option of other commands.
fn for_option(name: &str, arguments: &[OsString], command: &Command, program: &Command) -> Option<String> {
    let has_value = |option: &&clap::Arg| option.get_possible_values().iter().any(|value| value.matches(name, false));
    if let Some(option) = command.get_opts().find(has_value).and_then(clap::Arg::get_long) {
        return Some(format!("type '--{option} {name}'"));
    }
    let mut words = arguments.iter().filter_map(|word| word.to_str()).flat_map(|word| word.split('='));
    let value = words.find(|word| word.strip_prefix("--") == Some(name)).and_then(|_| words.next());
    if let Some(value) = value.filter(|value| has_flag(command, value)) {
        return Some(format!("type '--{value}'"));
    }
    match (command.get_name(), name) {
        (command @ ("status" | "merge" | "audit"), "dir") => {
            return Some(format!("type the folder without --dir, as in 'nqueens {command} RUN'"));
        }
        ("solutions", "first") => return Some("type '--limit 1'".to_owned()),
        _ => {}
    }
    for_word(name).or_else(|| for_option_of_others(name, program))
}

/// Returns the tip for an option that other commands have.
fn for_option_of_others(name: &str, program: &Command) -> Option<String> {
    let others = program.get_subcommands().filter(|command| has_option(command, name)).map(Command::get_name);
    let others: Vec<&str> = others.collect();
    (!others.is_empty()).then(|| format!("'--{name}' is an option of: {}", others.join(", ")))
}

/// Returns the tip for `--threads` under the name that other programs use.
fn for_jobs(command: &Command, program: &Command) -> Option<String> {
    if has_option(command, "threads") {
        return Some("type '--threads 4' for four threads".to_owned());
    }
    for_option_of_others("threads", program)
}

fn has_option(command: &Command, name: &str) -> bool {
    command.get_opts().any(|option| option.get_long() == Some(name))
}

/// Returns whether a command has this option and the option takes no value.
fn has_flag(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|flag| flag.get_long() == Some(name) && !flag.get_action().takes_values())
}
