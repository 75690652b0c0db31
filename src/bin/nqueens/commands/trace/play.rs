//! The search as a film on a terminal.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use console::{Key, Term};
use nqueens::trace::Step;

use super::text;
use crate::exit::Exit;
use crate::terminal::output::Patient;
use crate::terminal::signals::Interrupts;
use crate::terminal::unicode::is_colored;

const KEYS: &str = "space play, pause   n, p step, back   + - faster, slower   q quit";

/// The interval of looking for signals.
const TICK: Duration = Duration::from_millis(100);

/// Switches to another screen, without a cursor. Lines are cut at the end of the terminal.
const TAKE: &str = "\x1b[?1049h\x1b[?7l\x1b[?25l";
/// Switches back to the screen before the film.
const GIVE_BACK: &str = "\x1b[?25h\x1b[?7h\x1b[?1049l";

/// The terminal during the film. Dropping it restores the terminal.
struct Screen {
    _modes: modes::Before,
}

impl Screen {
    fn take() -> io::Result<Self> {
        let screen = Self { _modes: modes::Before::take()? };
        // On Windows, this call makes the terminal obey escape sequences.
        Term::stdout().features().colors_supported();
        print(TAKE)?;
        Ok(screen)
    }

    /// Shows a text from the upper left corner on, cut where a terminal of this height ends.
    fn show(text: &str, height: u16) -> io::Result<()> {
        let lines: Vec<String> = text.lines().take(height.into()).map(|line| format!("{line}\x1b[K")).collect();
        print(&format!("\x1b[H{}\x1b[J", lines.join("\r\n")))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = print(GIVE_BACK);
    }
}

fn print(text: &str) -> io::Result<()> {
    Patient(io::stdout()).write_all(text.as_bytes())
}

/// How the terminal handles keys: while the film runs, it hands over each key at once and shows none.
#[cfg(unix)]
mod modes {
    use std::io;

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

    /// The modes before the film. They are set again when this is dropped.
    pub(super) struct Before(Termios);

    impl Before {
        pub(super) fn take() -> io::Result<Self> {
            let before = tcgetattr(io::stdin())?;
            let mut raw = before.clone();
            raw.make_raw();
            tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
            Ok(Self(before))
        }
    }

    impl Drop for Before {
        fn drop(&mut self) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }
}

/// Other systems hand over each key at once without this.
#[cfg(not(unix))]
mod modes {
    pub(super) struct Before;

    impl Before {
        pub(super) fn take() -> std::io::Result<Self> {
            Ok(Self)
        }
    }
}

/// The pressed keys, read on a thread that ends with the program.
struct KeyReader(Receiver<io::Result<Key>>);

impl KeyReader {
    fn read() -> io::Result<Self> {
        let (press, pressed) = mpsc::channel();
        let (start, started) = mpsc::channel();
        let read = move || {
            let _ = start.send(());
            loop {
                let key = Term::stdout().read_key_raw();
                let is_last = key.is_err();
                if press.send(key).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(read)?;
        // Reading a key sets the terminal's modes first. A thread that starts late would do so after the film.
        let _ = started.recv();
        Ok(Self(pressed))
    }

    /// The key that the user presses within this time, if any.
    fn next(&self, time: Duration) -> io::Result<Option<Key>> {
        match self.0.recv_timeout(time) {
            Ok(key) => key.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// What is being played.
struct Film<S, F> {
    /// The steps from the first on. To go back, they are made again, which takes microseconds.
    steps: F,
    search: S,
    step: Step,
    delay: Duration,
    plays: bool,
    is_over: bool,
}

/// Plays the steps until a key or a signal stops it.
pub(crate) fn play<S: Iterator<Item = Step>>(
    steps: impl Fn() -> S,
    shows_masks: bool,
    delay: Duration,
) -> anyhow::Result<Exit> {
    let is_colored = is_colored();
    let mut search = steps();
    let Some(step) = search.next() else { return Ok(Exit::Fine) };
    let mut film = Film { steps, search, step, delay, plays: true, is_over: false };
    // A signal does not end the program at once: first the terminal is restored.
    let interrupts = Interrupts::catch_patiently()?;
    let screen = Screen::take()?;
    let keys = KeyReader::read()?;
    let exit = loop {
        let (height, _) = Term::stdout().size();
        let frame = text::frame(&film.step, shows_masks, is_colored);
        Screen::show(&format!("{frame}\n[{}]\n{KEYS}", film.state()), height)?;
        match film.wait(&keys, height, &interrupts)? {
            Next::End(exit) => break exit,
            Next::Step => film.forward(),
            Next::Key(key) => film.press(&key, &interrupts),
            Next::Resized => {}
        }
    };
    drop(screen);
    Ok(exit)
}

/// What comes after a frame.
enum Next {
    End(Exit),
    Step,
    Key(Key),
    Resized,
}

impl<S: Iterator<Item = Step>, F: Fn() -> S> Film<S, F> {
    fn state(&self) -> String {
        if self.is_over {
            "the search is over".to_owned()
        } else if self.plays {
            format!("playing, {:.2} s a step", self.delay.as_secs_f64())
        } else {
            "paused".to_owned()
        }
    }

    /// Waits for a key, a signal, another height of the terminal, or the time to go on.
    fn wait(&self, keys: &KeyReader, height: u16, interrupts: &Interrupts) -> io::Result<Next> {
        let shown = Instant::now();
        loop {
            if let Some(exit) = interrupts.caught() {
                return Ok(Next::End(exit));
            }
            let left = self.delay.saturating_sub(shown.elapsed());
            let goes_on = self.plays && !self.is_over;
            if goes_on && left.is_zero() {
                return Ok(Next::Step);
            }
            match keys.next(if goes_on { left.min(TICK) } else { TICK })? {
                Some(Key::CtrlC) => return Ok(Next::End(Exit::Interrupted)),
                Some(Key::Char('q') | Key::Escape) => return Ok(Next::End(Exit::Fine)),
                Some(key) => return Ok(Next::Key(key)),
                None if Term::stdout().size().0 != height => return Ok(Next::Resized),
                None => {}
            }
        }
    }

    fn forward(&mut self) {
        match self.search.next() {
            Some(next) => self.step = next,
            None => self.is_over = true,
        }
    }

    fn press(&mut self, key: &Key, interrupts: &Interrupts) {
        match key {
            Key::Char(' ') => self.plays = !self.plays,
            Key::ArrowRight | Key::Char('n') => {
                self.plays = false;
                self.forward();
            }
            Key::ArrowLeft | Key::Char('p') => {
                self.plays = false;
                self.is_over = false;
                let number = self.step.number.saturating_sub(1).max(1);
                self.search = (self.steps)();
                self.forward();
                while !self.is_over && self.step.number < number && interrupts.caught().is_none() {
                    self.forward();
                }
            }
            Key::Char('+' | '=') => self.delay = (self.delay / 2).max(Duration::from_millis(10)),
            Key::Char('-') => self.delay = (self.delay * 2).min(Duration::from_secs(60)),
            _ => {}
        }
    }
}
