//! What a gate runs, and on what: builds on workloads, or any two commands on sizes.

use std::fmt;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::bench::WorkloadId;

/// What stands for the size in the words of a command.
pub(crate) const PLACE: &str = "{n}";

/// How a program under test is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GateProgram {
    /// A file that answers as `nqueens bench sample` does.
    Build(PathBuf),
    /// A command line in words, [`PLACE`] standing for the size. The process is timed as a whole.
    Command(Vec<String>),
}

/// What both programs are to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    /// A workload, which builds know by its name.
    Workload(WorkloadId),
    /// A size, which a command takes.
    Size(usize),
}

impl GateProgram {
    /// A command line, as it is typed.
    ///
    /// # Errors
    /// A sentence that says why it is none.
    pub(crate) fn command(text: &str) -> Result<Self, String> {
        let words = split(text)?;
        if !words.iter().any(|word| word.contains(PLACE)) {
            return Err(format!(
                "there is no {PLACE} in '{text}': write it where the size belongs, such as 'queens {PLACE}'"
            ));
        }
        Ok(Self::Command(words))
    }

    /// The two files that are all the difference between two programs; `None` where there is more.
    pub(crate) fn files<'a>(base: &'a Self, head: &'a Self) -> Option<[&'a Path; 2]> {
        match (base, head) {
            (Self::Build(base), Self::Build(head)) => Some([base, head]),
            (Self::Command(base), Self::Command(head)) if base[1..] == head[1..] => {
                // A bare name is looked up among the installed programs.
                let is_path = |word: &String| word.contains(['/', MAIN_SEPARATOR]);
                (is_path(&base[0]) && is_path(&head[0])).then(|| [Path::new(&base[0]), Path::new(&head[0])])
            }
            _ => None,
        }
    }
}

impl fmt::Display for GateProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(path) => path.display().fmt(f),
            Self::Command(words) => f.write_str(&words.join(" ")),
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workload(id) => id.fmt(f),
            Self::Size(n) => write!(f, "n={n}"),
        }
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Splits a command line into words, as a shell does: quotes and backslashes hold words together. What only a shell could
/// do is an error.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '$' | '`') | (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?') => {
                return Err(format!(
                    "only a shell knows what '{letter}' means in '{text}', and none runs it: put it into single quotes, or \
                     write sh -c '...'"
                ));
            }
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            // Between double quotes a backslash is one, unless what follows would mean something there.
            (Some('"'), '\\') => {
                let next = letters.next();
                let is_escape = next.is_some_and(|next| "\\\"$`".contains(next));
                word.get_or_insert_default().extend(Some('\\').filter(|_| !is_escape).into_iter().chain(next));
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} in '{text}' is not closed"));
    }
    words.extend(word);
    if words.is_empty() { Err("the command is empty".to_owned()) } else { Ok(words) }
}

/// The last whole number in a text: digits that belong to no word and to no fraction.
pub(crate) fn last_whole_number(text: &str) -> Option<u128> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = text.len();
    while let Some(last) = text[..end].rfind(|c: char| c.is_ascii_digit()) {
        let start = text[..last]
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
        let (before, after) = (&text[..start], &text[last + 1..]);
        let mut following = after.chars();
        let is_digit = |c: char| c.is_ascii_digit();
        let is_fraction = before.strip_suffix('.').is_some_and(|before| before.ends_with(is_digit))
            || following.next() == Some('.') && following.next().is_some_and(is_digit);
        if !before.ends_with(is_word) && !after.starts_with(is_word) && !is_fraction {
            return text[start..=last].parse().ok();
        }
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_a_shell_splits_it() {
        let words = |text: &str| split(text).unwrap();
        assert_eq!(words("  queens   {n} "), ["queens", "{n}"]);
        assert_eq!(words(r#"a 'b  c' "d 'e'" f\ g '' h"i"'j'"#), ["a", "b  c", "d 'e'", "f g", "", "hij"]);
        assert_eq!(words(r#""a\"b\\c\d" '\n' \\"#), [r#"a"b\c\d"#, r"\n", r"\"]);
        assert_eq!(words("sh -c 'queens {n} | tail -n 1'"), ["sh", "-c", "queens {n} | tail -n 1"]);
        for (text, part) in [
            ("queens {n} | tail", "'|' means"),
            ("queens $N", "'$' means"),
            ("queens \"$N\"", "'$' means"),
            ("queens 'a", "is not closed"),
            ("  ", "empty"),
        ] {
            let error = split(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(GateProgram::command("queens 8").unwrap_err().contains("there is no {n} in 'queens 8'"));
    }

    #[test]
    fn the_last_whole_number_is_the_count() {
        for (text, number) in [
            ("92\n", Some(92)),
            ("n=8: 92 solutions in 0.25 s\n", Some(92)),
            ("8 queens: 92.", Some(92)),
            ("8,92", Some(92)),
            ("Solutions: 92 (12ms)", Some(92)),
            ("count=92 x86_64", Some(92)),
            ("12 \u{e9}7", Some(12)),
            ("0.5 3.25", None),
            ("no solution", None),
            ("", None),
            ("340282366920938463463374607431768211456", None),
        ] {
            assert_eq!(last_whole_number(text), number, "{text}");
        }
    }
}
