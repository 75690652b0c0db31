//! What terminals can show.

use std::io::IsTerminal;

/// Whether the stream is a terminal that obeys escape sequences. If `TERM` is `dumb`, it only shows text.
pub(crate) fn obeys_escapes(stream: &impl IsTerminal) -> bool {
    #[cfg(windows)]
    if anstyle_query::windows::enable_ansi_colors() == Some(false) {
        return false;
    }
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
