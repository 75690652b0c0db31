//! Whether standard output was closed when the program was started (`>&-`), or open for reading only (`1</dev/null`).
//!
//! Rust's runtime opens /dev/null in the place of a closed stream before `main`, and passes over writing that the system
//! refuses, so that what is written later is lost without an error. It has to be asked earlier.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    use rustix::fs::{OFlags, fcntl_getfl};
    let is_open = fcntl_getfl(std::io::stdout()).is_ok_and(|flags| flags.intersects(OFlags::WRONLY | OFlags::RDWR));
    WAS_CLOSED.store(!is_open, Relaxed);
}

/// Whether nobody can ever read what this program writes.
pub(super) fn is_standard_output_closed() -> bool {
    WAS_CLOSED.load(Relaxed)
}
