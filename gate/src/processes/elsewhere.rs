//! What systems other than Linux report: no queues, and on Unix only the processes of the command's group.

use std::io;
use std::time::Duration;

use super::LeftOver;

pub(crate) fn adopt() {}

pub(super) fn queued_until_end(_id: u32) -> io::Result<Duration> {
    Ok(Duration::ZERO)
}

#[cfg(unix)]
pub(super) fn left_over(group: u32) -> Vec<LeftOver> {
    let is_left = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group.cast_signed()), None).is_ok();
    if is_left { vec![LeftOver { id: group, name: "of its group".to_owned() }] } else { Vec::new() }
}

#[cfg(not(unix))]
pub(super) fn left_over(_group: u32) -> Vec<LeftOver> {
    Vec::new()
}
