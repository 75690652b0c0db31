//! Whether standard output was closed when the program was started (`>&-`).
//!
//! Rust's runtime opens /dev/null in the place of a closed stream before `main`, so that what is written later is lost
//! without an error. It has to be asked earlier.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    WAS_CLOSED.store(rustix::io::fcntl_getfd(std::io::stdout()).is_err(), Relaxed);
}

/// Whether nobody can ever read what this program writes.
pub(super) fn is_standard_output_closed() -> bool {
    WAS_CLOSED.load(Relaxed)
}
