//! What terminals can show.

use std::io::{self, IsTerminal};

/// Whether standard output is a terminal with colors. `NO_COLOR` turns them off.
pub(crate) fn is_colored() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && obeys_escapes(&io::stdout())
}

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
