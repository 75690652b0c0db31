//! The search as a film on a terminal.

use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};
use nqueens::trace::Step;

use super::super::exit::Exit;
use super::super::interrupt::Interrupts;
use super::super::unicode::is_colored;
use super::text;

const KEYS: &str = "space play, pause   n, p step, back   + - faster, slower   s solution   q quit";

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(100);

/// Whether the terminal is the film's.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the terminal, whose lines are cut where it ends, and gives it back as it was, however the film ends.
struct Screen;

impl Screen {
    fn take() -> io::Result<Self> {
        let screen = Self::to_be_given_back();
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen, terminal::DisableLineWrap, cursor::Hide)?;
        Ok(screen)
    }

    /// A panic may end the program before anything is dropped, so it gives the terminal back by itself, and is told after
    /// that: on the other screen nobody would read it.
    fn to_be_given_back() -> Self {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            Self::give_back();
            hook(panic);
        }));
        IS_TAKEN.store(true, Relaxed);
        Self
    }

    fn give_back() {
        if IS_TAKEN.swap(false, Relaxed) {
            let _ = execute!(io::stdout(), cursor::Show, terminal::EnableLineWrap, terminal::LeaveAlternateScreen);
            let _ = terminal::disable_raw_mode();
        }
    }

    /// Shows a text from the upper left corner on, cut where the terminal ends.
    fn show(text: &str) -> io::Result<()> {
        let height = terminal::size().map_or(24, |(_, height)| usize::from(height));
        let mut out = io::stdout().lock();
        execute!(out, cursor::MoveTo(0, 0))?;
        for (index, line) in text.lines().take(height).enumerate() {
            write!(out, "{}{line}\x1b[K", if index > 0 { "\r\n" } else { "" })?;
        }
        execute!(out, terminal::Clear(terminal::ClearType::FromCursorDown))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        Self::give_back();
    }
}

/// What is being played.
struct Film<S, F> {
    /// The steps from the first on. They are made anew to go back: they take microseconds.
    steps: F,
    search: S,
    step: Step,
    delay: Duration,
    plays: bool,
    is_over: bool,
}

/// Plays the steps until it is told to stop, by a key or a signal.
pub(super) fn play<S: Iterator<Item = Step>>(
    steps: impl Fn() -> S,
    shows_masks: bool,
    seconds: f64,
) -> anyhow::Result<Exit> {
    let is_colored = is_colored();
    let mut search = steps();
    let Some(step) = search.next() else { return Ok(Exit::Fine) };
    let delay = Duration::from_secs_f64(seconds);
    let mut film = Film { steps, search, step, delay, plays: true, is_over: false };
    // No signal ends the program at once: the terminal is to be given back first.
    let interrupts = Interrupts::catch_patiently()?;
    let screen = Screen::take()?;
    let exit = loop {
        Screen::show(&format!("{}\n[{}]\n{KEYS}", text::frame(&film.step, shows_masks, is_colored), film.state()))?;
        match film.wait(&interrupts)? {
            Next::End(exit) => break exit,
            Next::Step => film.forward(),
            Next::Key(key) => film.press(key, &interrupts)?,
        }
    };
    drop(screen);
    Ok(exit)
}

/// What comes after a frame.
enum Next {
    End(Exit),
    Step,
    Key(KeyCode),
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

    /// Waits for a key, a signal, or the time to go on.
    fn wait(&self, interrupts: &Interrupts) -> io::Result<Next> {
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
            if !event::poll(if goes_on { left.min(TICK) } else { TICK })? {
                continue;
            }
            match event::read()? {
                Event::Key(key) if key.kind == KeyEventKind::Release => {}
                Event::Key(key) => match key.code {
                    KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                        return Ok(Next::End(Exit::Interrupted));
                    }
                    KeyCode::Char('q') | KeyCode::Esc => return Ok(Next::End(Exit::Fine)),
                    code => return Ok(Next::Key(code)),
                },
                Event::Resize(..) => return Ok(Next::Key(KeyCode::Null)),
                _ => {}
            }
        }
    }

    fn forward(&mut self) {
        match self.search.next() {
            Some(next) => self.step = next,
            None => self.is_over = true,
        }
    }

    fn press(&mut self, key: KeyCode, interrupts: &Interrupts) -> io::Result<()> {
        match key {
            KeyCode::Char(' ') => self.plays = !self.plays,
            KeyCode::Right | KeyCode::Char('n') => {
                self.plays = false;
                self.forward();
            }
            KeyCode::Left | KeyCode::Char('p') => {
                self.plays = false;
                self.is_over = false;
                let number = self.step.number.saturating_sub(1).max(1);
                self.search = (self.steps)();
                self.forward();
                while !self.is_over && self.step.number < number && interrupts.caught().is_none() {
                    self.forward();
                }
            }
            KeyCode::Char('+' | '=') => self.delay = (self.delay / 2).max(Duration::from_millis(10)),
            KeyCode::Char('-') => self.delay = (self.delay * 2).min(Duration::from_secs(60)),
            KeyCode::Char('s') => loop {
                self.forward();
                let is_asked = self.step.number.is_multiple_of(4096)
                    && (interrupts.caught().is_some() || event::poll(Duration::ZERO)?);
                // A key or a signal ends a search that takes too long.
                if self.is_over || self.step.is_solution() || is_asked {
                    self.plays = false;
                    break;
                }
            },
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_gives_the_terminal_back() {
        // Nothing is dropped where a panic ends the program.
        std::mem::forget(Screen::to_be_given_back());
        assert!(IS_TAKEN.load(Relaxed));
        panic::catch_unwind(|| panic!("this panic is part of a test")).unwrap_err();
        assert!(!IS_TAKEN.load(Relaxed));
    }
}
