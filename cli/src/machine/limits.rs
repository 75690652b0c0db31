//! Limits on this process that only its user can raise.

use std::io::{Error, ErrorKind};

/// More files than a process opens at a time. macOS lets no process open more.
const MOST_FILES: u16 = 10_240;

/// Raises the limit on open files as far as the user may raise it, and returns the number of files that this process
/// may open, at most [`MOST_FILES`]. Many systems set the limit to 1024, although the user may raise it.
pub(crate) fn raise_open_files() -> usize {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        let Ok((limit, most)) = getrlimit(Resource::RLIMIT_NOFILE) else { return 0 };
        let wanted = most.min(MOST_FILES.into());
        let is_raised = limit < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, most).is_ok();
        if is_raised { wanted as usize } else { limit.min(MOST_FILES.into()) as usize }
    }
    #[cfg(not(unix))]
    MOST_FILES.into()
}

/// Returns the advice on an error that comes from such a limit, or `None` for any other error.
pub(crate) fn advice_on_limit(error: &Error) -> Option<&'static str> {
    // The limit on open files has no stable kind.
    #[cfg(unix)]
    if error.raw_os_error() == Some(nix::libc::EMFILE) {
        return Some("raise the limit on open files, 'ulimit -n'");
    }
    (error.kind() == ErrorKind::FileTooLarge).then_some("raise the limit on the size of files, 'ulimit -f'")
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(unix)]
    fn the_limit_on_open_files_is_raised() {
        use super::*;
        use nix::sys::resource::{Resource::RLIMIT_NOFILE, getrlimit, setrlimit};
        let (_, most) = getrlimit(RLIMIT_NOFILE).unwrap();
        let wanted = most.min(MOST_FILES.into());
        setrlimit(RLIMIT_NOFILE, wanted - 1, most).unwrap();
        assert_eq!(raise_open_files(), wanted as usize);
        assert_eq!(getrlimit(RLIMIT_NOFILE).unwrap(), (wanted, most));
    }
}
