//! The film of `nqueens trace` on a terminal: however it ends, the terminal is as it was before.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::Child;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::program::{shown, typed};

const OTHER_SCREEN: &str = "\x1b[?1049h";
const FIRST_SCREEN: &str = "\x1b[?1049l";
const CURSOR_SHOWN: &str = "\x1b[?25h";

/// A film that waits on its first step, on a terminal of its own.
struct Film {
    child: Child,
    /// What a person sees and types.
    person: File,
    /// The terminal that the program has.
    terminal: File,
}

impl Film {
    fn start() -> Self {
        Self::with_delay("60s")
    }

    fn with_delay(delay: &str) -> Self {
        let person: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        tcsetwinsize(&person, Winsize { ws_row: 30, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let name = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let terminal = File::options().read(true).write(true).open(name).unwrap();
        assert!(is_cooked(&terminal));
        let child = typed(".".as_ref(), &format!("trace 6 --delay {delay}"))
            .env("NO_COLOR", "1")
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal.try_clone().unwrap())
            .spawn()
            .unwrap();
        let mut film = Self { child, person: person.into(), terminal };
        let shown = film.read_until("quit");
        assert!(shown.contains(OTHER_SCREEN) && shown.contains("step 1: queen on row 1, column 1"), "{shown}");
        assert!(!is_cooked(&film.terminal));
        film
    }

    fn read_until(&mut self, last: &str) -> String {
        let (mut seen, mut chunk) = (String::new(), [0; 4096]);
        while !seen.contains(last) {
            let length = self.person.read(&mut chunk).unwrap();
            seen += &String::from_utf8_lossy(&chunk[..length]);
        }
        seen
    }

    /// Its exit status, once the terminal is seen to be as it was.
    fn end(mut self) -> Option<i32> {
        let status = self.child.wait().unwrap();
        self.terminal.write_all(b"what comes after it").unwrap();
        let seen = self.read_until("what comes after it");
        assert!(seen.contains(CURSOR_SHOWN) && seen.contains(FIRST_SCREEN), "{seen:?}");
        assert!(is_cooked(&self.terminal));
        shown(status)
    }
}

/// Whether the terminal shows what is typed and hands it over in lines.
fn is_cooked(terminal: &File) -> bool {
    tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let film = Film::start();
        kill_process(Pid::from_child(&film.child), signal).unwrap();
        assert_eq!(film.end(), Some(status), "{signal:?}");
    }
}

/// The emulator of a terminal may hang.
#[test]
fn a_signal_ends_the_film_also_where_nobody_reads_it() {
    let mut film = Film::with_delay("10ms");
    let is_full = || poll(&mut [PollFd::new(&film.terminal, PollFlags::OUT)], Some(&Timespec::default())) == Ok(0);
    for _ in 0..6000 {
        if is_full() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(is_full());
    kill_process(Pid::from_child(&film.child), Signal::TERM).unwrap();
    for _ in 0..6000 {
        if let Some(status) = film.child.try_wait().unwrap() {
            assert_eq!(shown(status), Some(143));
            assert!(is_cooked(&film.terminal));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    film.child.kill().unwrap();
    panic!("it is deaf");
}

#[test]
fn keys_step_and_end_the_film() {
    let mut film = Film::start();
    film.person.write_all(b"nn").unwrap();
    let shown = film.read_until("step 3: ");
    assert!(shown.contains("paused"), "{shown}");
    film.person.write_all(b"p").unwrap();
    film.read_until("step 2: ");
    film.person.write_all(b"q").unwrap();
    assert_eq!(film.end(), Some(0));
    let mut interrupted = Film::start();
    interrupted.person.write_all(b"\x03").unwrap();
    assert_eq!(interrupted.end(), Some(130));
}
