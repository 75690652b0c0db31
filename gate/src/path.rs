//! Paths that a user typed.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the path, unless it begins with `~` or has a variable, which the shell has left and which would become a
/// name.
///
/// # Errors
/// Says which sign the shell left, and what to type.
pub(crate) fn plain_path(path: PathBuf) -> Result<PathBuf, String> {
    let text = path.to_string_lossy();
    let sign = if text.starts_with('~') { '~' } else { '$' };
    let is_unread = sign == '~' || text.split('/').any(|name| name.starts_with('$'));
    if !is_unread || path.exists() {
        return Ok(path);
    }
    Err(format!(
        "your shell left '{sign}' as it is: type the whole path, or \"$HOME/...\" in double quotes and after a space"
    ))
}

/// Opens a file to write it. A pipe that nobody reads is an error, because the open would never return.
pub(crate) fn open_output(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        use nix::fcntl::{FcntlArg, OFlag, fcntl};
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, OFlag::O_NONBLOCK.bits());
        let file = options.open(path).map_err(|error| match error.raw_os_error() {
            Some(code) if code == Errno::ENXIO as i32 => io::Error::other("nobody reads this pipe"),
            _ => error,
        })?;
        let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?) - OFlag::O_NONBLOCK;
        fcntl(&file, FcntlArg::F_SETFL(flags))?;
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}
