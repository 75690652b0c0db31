//! The search as a film on a terminal.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};
use nqueens::trace::Step;

use super::super::exit::Exit;
use super::super::unicode::is_colored;
use super::text;

const KEYS: &str = "space play, pause   n, p step, back   + - faster, slower   s solution   q quit";

/// Takes the terminal, whose lines are cut where it ends, and gives it back as it was, however the film ends.
struct Screen;

impl Screen {
    fn take() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let screen = Self;
        execute!(io::stdout(), terminal::EnterAlternateScreen, terminal::DisableLineWrap, cursor::Hide)?;
        Ok(screen)
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
        let _ = execute!(io::stdout(), cursor::Show, terminal::EnableLineWrap, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Plays the steps until it is told to stop. Steps are made anew to go back: they take microseconds.
pub(super) fn play<S: Iterator<Item = Step>>(
    steps: impl Fn() -> S,
    shows_masks: bool,
    seconds: f64,
) -> anyhow::Result<Exit> {
    let is_colored = is_colored();
    let screen = Screen::take()?;
    let mut search = steps();
    let Some(mut step) = search.next() else { return Ok(Exit::Fine) };
    let mut delay = Duration::from_secs_f64(seconds);
    let (mut plays, mut is_over) = (true, false);
    let forward = |search: &mut S, step: &mut Step| match search.next() {
        Some(next) => {
            *step = next;
            true
        }
        None => false,
    };
    let exit = loop {
        let state = if is_over {
            "the search is over".to_owned()
        } else if plays {
            format!("playing, {:.2} s a step", delay.as_secs_f64())
        } else {
            "paused".to_owned()
        };
        Screen::show(&format!("{}\n[{state}]\n{KEYS}", text::frame(&step, shows_masks, is_colored)))?;
        let shown = Instant::now();
        // A key, or the time to go on.
        let key = loop {
            let patience =
                if plays && !is_over { delay.saturating_sub(shown.elapsed()) } else { Duration::from_secs(3600) };
            if !event::poll(patience)? {
                if plays {
                    break None;
                }
                continue;
            }
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => break Some(key),
                Event::Resize(..) => break Some(KeyCode::Null.into()),
                _ => {}
            }
        };
        let Some(key) = key else {
            is_over = !forward(&mut search, &mut step);
            continue;
        };
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => break Exit::Interrupted,
            KeyCode::Char('q') | KeyCode::Esc => break Exit::Fine,
            KeyCode::Char(' ') => plays = !plays,
            KeyCode::Right | KeyCode::Char('n') => {
                plays = false;
                is_over = !forward(&mut search, &mut step);
            }
            KeyCode::Left | KeyCode::Char('p') => {
                plays = false;
                is_over = false;
                let number = step.number.saturating_sub(1).max(1);
                search = steps();
                while forward(&mut search, &mut step) && step.number < number {}
            }
            KeyCode::Char('+' | '=') => delay = (delay / 2).max(Duration::from_millis(10)),
            KeyCode::Char('-') => delay = (delay * 2).min(Duration::from_secs(60)),
            KeyCode::Char('s') => loop {
                is_over = !forward(&mut search, &mut step);
                // A key ends a search that takes too long.
                if is_over || step.is_solution() || (step.number % 4096 == 0 && event::poll(Duration::ZERO)?) {
                    plays = false;
                    break;
                }
            },
            _ => {}
        }
    };
    drop(screen);
    Ok(exit)
}
