//! Writes to standard streams and files, and waits for readers that are not ready.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::escape::escaped;

/// Writes text to a stream, and waits for the stream's reader even if a program that shares the stream has made it
/// non-blocking.
pub(crate) fn write(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        match when_ready(|| out.write(left))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            taken => left = &left[taken..],
        }
    }
    when_ready(|| out.flush())
}

/// Repeats the work until the stream is ready. A stream that is not ready has taken nothing.
fn when_ready<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// Writes text to standard output. If the reader leaves early, it has seen enough.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match write(&mut io::stdout(), text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes a line to standard error. Write errors are ignored.
pub(crate) fn say(who: &str, text: &str) {
    let _ = write(&mut io::stderr(), &format!("{who}: {}\n", escaped(text)));
}

/// Appends text to the page.
pub(crate) fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // With this flag, opening a pipe that nobody reads is an error. Without it, the gate would wait for a reader.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    let written = options.open(path).and_then(|mut file| write(&mut file, text));
    written.map_err(|error| {
        #[cfg(unix)]
        let hint =
            if error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32) { ": nobody reads this pipe" } else { "" };
        #[cfg(not(unix))]
        let hint = "";
        io::Error::new(error.kind(), format!("cannot write the page to {}: {error}{hint}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: a stream that takes nothing and reports no error, for which the gate would wait forever.
    #[test]
    fn a_stream_that_is_full_is_an_error() {
        let mut full = [0; 3];
        assert_eq!(write(&mut &mut full[..], "four").unwrap_err().kind(), ErrorKind::WriteZero);
        assert_eq!(full, *b"fou");
    }
}
