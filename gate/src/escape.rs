//! Escapes text from files, programs and arguments, by one function for each kind of output. No other module escapes.
//!
//! GitHub's runner reads what a program prints, and obeys a line that begins with `::`, also after spaces, or that has
//! `##[` anywhere. No function here returns such a line.

/// Whether a character only shows itself. Controls, line ends, marks that change the direction of text, and characters
/// without width do not.
fn is_harmless(c: char) -> bool {
    // Rust's debug format does not escape it, or it is a quote or a backslash. The letter before it keeps combining
    // accents.
    matches!(c, '\'' | '"' | '\\') || {
        let mut letter = [b'a'; 5];
        let end = 1 + c.encode_utf8(&mut letter[1..]).len();
        std::str::from_utf8(&letter[..end]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
    }
}

/// For a terminal, a log, or JSON text, where an escape in a string means the same: on one line, with the number of
/// each harmful character instead of it, such as `\u001b`. The first colon of a leading `::` and the bracket of `##[`
/// are replaced in the same way, for the reason at the top of this file.
pub(crate) fn escaped(text: &str) -> String {
    let command = text.trim_start().starts_with("::").then(|| text.find(':')).flatten();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_obeyed = Some(at) == command || c == '[' && text[..at].ends_with("##");
        match c {
            '\n' => out += "\\n",
            c if is_harmless(c) && !is_obeyed => out.push(c),
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
        }
    }
    out
}

/// Like [`escaped`], but line ends stay.
pub(crate) fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// For Markdown: as code, `` `like this` ``, where nothing but a backtick means anything.
pub(crate) fn markdown(text: &str) -> String {
    format!("`{}`", escaped(text).replace('`', "'"))
}

/// For the message of a GitHub workflow command, such as `::error::`.
pub(crate) fn workflow_command(text: &str) -> String {
    escaped(text).replace('%', "%25")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text as every kind of output prints it, after checking that JSON keeps it.
    fn outputs(text: &str) -> [String; 5] {
        let json = escaped(&serde_json::to_string(text).unwrap());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        let lines = escaped_lines(&format!("a\n{text}\nb"));
        [escaped(text), markdown(text), workflow_command(text), lines, json]
    }

    #[test]
    fn nothing_hidden_reaches_any_output() {
        // Controls, reversed text, letters without width, a line like ours.
        for hostile in
            "\u{1b}[2J|\u{9b}31m|a\u{202e}b|a\u{200b}b|a\nerror: none|\u{2028}x|\u{2066}y|\u{feff}z\u{7f}\u{0}\u{e0001}"
                .split('|')
        {
            for shown in outputs(hostile) {
                assert!(shown.chars().all(|c| c == '\n' || is_harmless(c)), "{shown:?}");
            }
            assert!(!escaped(hostile).contains('\n'));
        }
        // Ordinary text is not changed.
        for harmless in ["AMD EPYC 9B14 \"96-Core\" Processor", "Büro-Rechner", "機械", "e\u{301}tude", "C:\\x", ""]
        {
            assert_eq!(escaped(harmless), harmless);
        }
    }

    #[test]
    fn no_output_is_a_command_to_githubs_runner() {
        for command in ["::error::x", "  ::error::x", "a ##[error]x", "###[group]x##[y", "##[add-mask]x"] {
            for shown in outputs(command) {
                let is_obeyed = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
                assert!(!shown.lines().any(is_obeyed), "{shown}");
            }
        }
        assert_eq!(escaped("::error::##[x]"), "\\u003a:error::##\\u005bx]");
    }

    #[test]
    fn each_output_has_its_own_escapes() {
        assert_eq!(markdown("a|b`c`<script>[x](y) @all\n"), "`a|b'c'<script>[x](y) @all\\n`");
        assert_eq!(workflow_command("5 %\n"), "5 %25\\n");
    }
}
