//! A command line: its words, and what of it only a shell would understand.

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The text that the user typed.
    pub(crate) text: String,
    /// The program and its arguments, at least one word.
    pub(crate) words: Vec<String>,
}

impl CommandLine {
    /// Splits a command into words as a shell does, after the case has replaced each `{}`.
    ///
    /// # Errors
    /// No shell runs the command, so any other special character of a shell is an error unless it is quoted.
    pub(crate) fn new(line: &str, case: Option<&str>) -> Result<Self, String> {
        let text = case.map_or_else(|| line.to_owned(), |case| line.replace("{}", case));
        let words = shlex::split(&text)
            .ok_or_else(|| format!("'{text}' is not a command: a quote is not closed, or a backslash ends it"))?;
        let Some(program) = words.first().filter(|word| !word.is_empty()) else {
            return Err(format!(
                "'{text}' is not a command: give a program and its arguments, such as './sort big.txt'"
            ));
        };
        if let Some(character) = shell_character(&text) {
            if character == '{' && case.is_none() && text.contains("{}") {
                return Err(format!(
                    "no CASE replaces {{}} in '{text}': give one, such as 'sort big.txt', or quote {{}}"
                ));
            }
            let why = format!("'{text}' contains {character:?}, which only a shell understands");
            // With more words, the character may stand outside the line that the shell runs.
            if let [shell, option, _] = &words[..]
                && shell.ends_with("sh")
                && option == "-c"
            {
                let words = shlex::split(line).unwrap_or_default();
                let line = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
                return Err(format!("{why}: quote it like this: {}", word_of_a_shell(&line)));
            }
            let line = word_of_a_shell(&format!("sh -c {}", word_of_a_shell(line)));
            return Err(format!("{why}, and no shell runs the command: give {line}, or quote that character"));
        }
        if is_assignment(program) {
            let line = word_of_a_shell(&format!("env {}", line.trim_start()));
            return Err(format!("'{text}' sets a variable, which only a shell does: give {line}"));
        }
        Ok(Self { text, words })
    }
}

/// Returns a text in quotes, as a single word that a shell does not change.
fn word_of_a_shell(text: &str) -> String {
    // A command line cannot contain the byte 0, which is the only error.
    shlex::try_quote(text).unwrap_or_default().into_owned()
}

/// Returns whether a shell would set a variable for this word, such as `A=1`, instead of running it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}

/// Returns the first character that a shell would interpret. Between double quotes, only `$` and the backtick are such
/// characters.
fn shell_character(text: &str) -> Option<char> {
    let mut quote = None;
    let mut is_start = true;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => _ = letters.next(),
            (None | Some('"'), '$' | '`') => return Some(c),
            (None, '<' | '>' | '|' | '&' | ';' | '*' | '?' | '[' | '{' | '(' | '\n') => return Some(c),
            (None, '~' | '#') if is_start => return Some(c),
            _ => {}
        }
        is_start = c.is_whitespace();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        let words = |text: &str| CommandLine::new(text, None).map(|command| command.words);
        assert_eq!(words(r#"'./a b' "c d"  e\ f"#), Ok(["./a b", "c d", "e f"].map(str::to_owned).into()));
        for wrong in ["", " ", "''", "'./a", "./a \\"] {
            assert!(words(wrong).unwrap_err().contains("is not a command"), "{wrong}");
        }
    }

    #[test]
    fn characters_of_a_shell_are_refused_unless_they_are_quoted() {
        let problem = |text: &str| CommandLine::new(text, None).err();
        let words = |text: &str| CommandLine::new(text, None).map(|command| command.words);
        let said = problem("./old < big.txt").unwrap();
        assert!(said.contains("contains '<'") && said.contains("give \"sh -c './old < big.txt'\""), "{said}");
        let wrong = r#"a >b, a | b, a & b, a; b, a *.txt, a b?, a [ab], a {1}, (a), a $HOME, a "$HOME", ~/a, a `b`,
            a "`b`", a #b, a 'b' $c"#;
        for wrong in wrong.split(',').map(str::trim).chain(["a\nb"]) {
            assert!(problem(wrong).is_some_and(|said| said.contains("sh -c ")), "{wrong}");
        }
        let said = problem("sh -c \"exit $((RANDOM%2))\"").unwrap();
        assert!(said.contains("contains '$', which only a shell understands: quote it like this: "), "{said}");
        // A shell, as `shlex` reads its words, passes on the advice as a command that the gate accepts, and that runs
        // the line.
        for (line, start, end) in [
            ("for i in 1 2; do echo got $i; done", ": give ", ", or quote that character"),
            ("printf '%s' x | wc -c", ": give ", ", or quote that character"),
            (r#"awk "{print \$1}" f > o"#, ": give ", ", or quote that character"),
            ("sh -c \"exit $((RANDOM%2))\"", "like this: ", ""),
        ] {
            let said = problem(line).unwrap();
            let advised = said.split_once(start).unwrap().1.strip_suffix(end).unwrap();
            let [word] = &shlex::split(advised).unwrap()[..] else { panic!("{advised} is not one word") };
            let words = words(word).unwrap();
            let inner =
                shlex::split(line).filter(|words| words[0] == "sh").map_or(line.to_owned(), |words| words[2].clone());
            assert_eq!(words, ["sh", "-c", &inner]);
        }
        // A quoted '<' would be an argument of the shell.
        let said = problem("sh -c './old' < big.txt").unwrap();
        assert!(said.contains("and no shell runs the command"), "{said}");
        let said = problem("FOO=1 ./new").unwrap();
        assert!(said.contains("sets a variable") && said.contains("give 'env FOO=1 ./new'"), "{said}");
        assert!(problem("FOO='a b' ./new").unwrap().ends_with(": give \"env FOO='a b' ./new\""));
        let fine = r#"./a=1, 1=a, =a, a-b=c, a '<' "*" \; '$HOME', awk '{ print $1 }' b, a b~ c#d --e=f, ./a=b/c,
            env A=1 ./a, a "\$b""#;
        for fine in fine.split(',').map(str::trim) {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
