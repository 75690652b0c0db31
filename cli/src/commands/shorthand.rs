//! The words that users leave out of a command line, or type in another way than clap expects.

use std::ffi::OsString;

use anyhow::Result;
use clap::Command;

use crate::exit;

/// The short options that may stand before the command: quiet, help and version.
const GLOBAL_LETTERS: &str = "qhV";

/// The options of `count` whose value may be the name of a command, as in `--dir check 20`.
const OF_ANY_TEXT: [&str; 2] = ["--dir", "--machine"];

/// Adds the command that users leave out: `8` and `-t 2 8` become `count 8` and `count -t 2 8`. `help count` becomes
/// `count --help`, so that a misspelled command gets a tip, and `version` becomes `--version`. (If the command were
/// optional for clap, the program's help would list the options of `count`.)
pub(super) fn in_full(mut arguments: Vec<OsString>, program: &Command) -> Result<Vec<OsString>> {
    let mut first = place_of_command(&arguments);
    while arguments.get(first).is_some_and(|word| word == "help") {
        arguments.remove(first);
        arguments.push("--help".into());
        first = place_of_command(&arguments);
    }
    if arguments.get(first).is_some_and(|word| word == "version") {
        arguments[first] = "--version".into();
    }
    let words: Vec<String> =
        arguments.iter().skip(first).map(|word| word.to_str().unwrap_or_default().to_owned()).collect();
    let Some(option) = words.first() else {
        // Clap prints the help only if there is no argument at all.
        arguments.truncate(1);
        return Ok(arguments);
    };
    let is_of_a_command = option.starts_with('-')
        && !is_size(option)
        && !matches!(option.as_str(), "--help" | "--version")
        && !option[1..].chars().all(|letter| GLOBAL_LETTERS.contains(letter));
    let is_value = |at: usize| at > 0 && OF_ANY_TEXT.contains(&words[at - 1].as_str());
    let is_command = |&(at, word): &(usize, &String)| program.find_subcommand(word).is_some() && !is_value(at);
    if (is_of_a_command || is_size(option))
        && let Some((at, command)) = words.iter().enumerate().find(is_command)
    {
        // Only what is accepted is recommended. Otherwise clap says what is wrong with the rest.
        arguments[first..=first + at].rotate_right(1);
        if program.clone().try_get_matches_from(&arguments).is_err() {
            return Ok(arguments);
        }
        return Err(exit::Kind::Usage
            .error(format!("'{option}' stands before its command: type 'nqueens {command}' first, then the rest")));
    }
    if is_size(option) || is_of_a_command && words.iter().any(|word| is_size(word)) {
        arguments.insert(first, "count".into());
    }
    Ok(arguments)
}

/// Returns the place after the program's name and `--quiet`.
fn place_of_command(arguments: &[OsString]) -> usize {
    let is_quiet = |word: &&OsString| matches!(word.to_str(), Some("-q" | "--quiet"));
    1 + arguments.iter().skip(1).take_while(is_quiet).count()
}

/// Returns whether a word is meant as a size, whether valid or not.
fn is_size(word: &str) -> bool {
    word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}
