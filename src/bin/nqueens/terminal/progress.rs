//! Progress: a bar on a terminal, a line each minute elsewhere, nothing with `--quiet`.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::output::is_writable;
use super::say;
use super::unicode::is_dumb;

/// The bar appears after this time.
const BAR_AFTER: Duration = Duration::from_millis(500);
/// Without a bar: the first line appears after this time, then one each minute.
const FIRST_LINE_AFTER: Duration = Duration::from_secs(10);
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Columns of the bar, with its brackets and a space.
#[cfg(test)]
pub(crate) const BAR_COLUMNS: usize = 15;

/// Shows progress on standard error, until it is dropped.
pub(crate) struct Display {
    label: String,
    start: Instant,
    kind: DisplayKind,
}

enum DisplayKind {
    Quiet,
    Bar(Option<ProgressBar>),
    Lines { next: Duration },
}

impl Display {
    /// A display for work that begins now.
    pub(crate) fn new(label: &str, is_quiet: bool) -> Self {
        let kind = if is_quiet {
            DisplayKind::Quiet
        } else if std::io::stderr().is_terminal() && !is_dumb() {
            DisplayKind::Bar(None)
        } else {
            DisplayKind::Lines { next: FIRST_LINE_AFTER }
        };
        Self { label: label.to_owned(), start: Instant::now(), kind }
    }

    /// Shows the share of the work that is done, and a text.
    pub(crate) fn show(&mut self, fraction: f64, text: impl Fn() -> String) {
        let elapsed = self.start.elapsed();
        // A terminal that waits (Ctrl-S) or a full pipe must not hold up the thread that looks for signals.
        if !is_writable(&std::io::stderr(), Duration::ZERO) {
            return;
        }
        match &mut self.kind {
            DisplayKind::Bar(bar) if elapsed >= BAR_AFTER => {
                let bar = bar.get_or_insert_with(|| new_bar(&self.label));
                bar.set_position((1000.0 * fraction) as u64);
                bar.set_message(text());
            }
            DisplayKind::Lines { next } if elapsed >= *next => {
                say("nqueens", &format!("{}: {}", self.label, text()));
                *next = elapsed + LINE_EVERY;
            }
            _ => {}
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let DisplayKind::Bar(bar @ Some(_)) = &mut self.kind
            && let Some(bar) = bar.take()
        {
            if is_writable(&std::io::stderr(), Duration::ZERO) {
                bar.finish_and_clear();
            } else {
                // Dropped, it would draw itself a last time.
                std::mem::forget(bar);
            }
        }
    }
}

fn new_bar(label: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix} [{bar:12}] {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1000).with_style(style.progress_chars("=> ")).with_prefix(label.to_owned())
}
