//! Ctrl-C and requests to terminate.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::exit::Exit;

/// Catches the signals that ask the program to end, from its making on. The first is only noted, so that whoever works
/// can stop in order; the second ends the program at once.
#[derive(Debug)]
pub(crate) struct Interrupts {
    caught: Arc<AtomicUsize>,
}

impl Interrupts {
    pub(crate) fn catch() -> io::Result<Self> {
        let caught = Arc::new(AtomicUsize::new(0));
        let is_second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&is_second))?;
            flag::register(signal, Arc::clone(&is_second))?;
            flag::register_usize(signal, Arc::clone(&caught), signal as usize)?;
        }
        Ok(Self { caught })
    }

    /// How the program is to end, once a signal has come.
    pub(crate) fn caught(&self) -> Option<Exit> {
        match self.caught.load(Relaxed) {
            0 => None,
            signal if signal == SIGTERM as usize => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}
