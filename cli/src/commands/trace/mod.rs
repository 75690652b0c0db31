//! `nqueens trace`: shows the search step by step.

mod film;
mod square;
mod text;

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use nqueens::board::Size;
use nqueens::trace::{Position, Search, Step};

use super::options::{number_parser, parse_duration, parse_size};
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::output::{Waiting, obeys_escapes, screen};
use crate::terminal::units::plural;

/// Show the search, step by step
///
/// Each step places or removes a queen. In the next row of the board, 'o' is a free square and '-' one that was tried
/// already; '|', '\' and '/' are attacked along that line, and '*' along several. Below the board are the bit masks
/// that the solver uses, if there is room for them. On a terminal, each step replaces the one before until you press
/// Ctrl-C. In a pipe or a file, all steps are plain text.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens trace 6                              play the search for n = 6
  nqueens trace 8 --first | less               print each step up to the first solution
  nqueens trace 6 --step 9                     print one step
  nqueens trace 20 --step 9 --svg > step.svg   draw one step
  nqueens trace 5 --svg > search.svg           draw the whole search as an animation")]
pub(crate) struct Args {
    /// Size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true, value_parser = parse_size)]
    size: Size,
    /// Stop at the first solution
    #[arg(long)]
    first: bool,
    /// Show only step K
    #[arg(long, value_name = "K", conflicts_with = "first", value_parser = number_parser::<usize>(1..), allow_negative_numbers = true)]
    step: Option<usize>,
    /// Print an SVG picture: the search as an animation, or one step
    #[arg(long)]
    svg: bool,
    /// Time between two steps, on a terminal or in an animation
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_duration, allow_hyphen_values = true, conflicts_with = "step")]
    delay: Duration,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    if args.svg {
        write!(streams.out, "{}", args.picture()?)?;
    } else if let Some(number) = args.step {
        write!(streams.out, "{}", text::frame(&args.step(number)?))?;
    } else if args.size.get() == 0 {
        streams.note("the board has no squares: there is nothing to search");
    } else if obeys_escapes(&io::stdout()) {
        args.play(&mut Waiting(io::stdout()))?;
    } else {
        for step in args.steps() {
            write!(streams.out, "{}{}", if step.number > 1 { "\n" } else { "" }, text::frame(&step))?;
        }
    }
    Ok(())
}

/// The maximum number of steps in an animation. Viewers are slow to open larger files. If you change it, change the
/// sizes in the error message.
const MOST_STEPS: usize = 4200;

impl Args {
    /// Returns the steps. With `--first`, the one that completes the first solution is the last.
    fn steps(&self) -> impl Iterator<Item = Step> + use<> {
        let is_first = self.first;
        let mut is_over = false;
        Search::new(self.size).take_while(move |step| {
            let goes_on = !is_over;
            is_over |= is_first && step.is_solution();
            goes_on
        })
    }

    /// Returns the step with this number.
    fn step(&self, number: usize) -> anyhow::Result<Step> {
        let n = self.size;
        let mut steps = 0;
        let is_it = |_: &Step| {
            steps += 1;
            steps == number
        };
        Search::new(n).find(is_it).ok_or_else(|| {
            let steps = plural(steps, "step");
            exit::Kind::Usage.error(format!("there is no step {number}: the search for n = {n} has {steps}"))
        })
    }

    /// Shows the steps in one place on a terminal, with a pause after each.
    fn play(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut shown = String::new();
        for step in self.steps() {
            // The user may resize the terminal at any time.
            let (rows, columns) = screen(io::stdout());
            let frame = text::fitted(&step, rows, columns).ok_or_else(|| self.does_not_fit(rows, columns))?;
            // Move the cursor to the first line and clear that line, then the rest of the screen. If tmux has to clear
            // the whole screen at once, it keeps the old text in the scrollback.
            let over = match text::rows(&shown, columns) {
                0 => String::new(),
                above => format!("\r\x1b[{above}A\x1b[K\n\x1b[J\x1b[1A"),
            };
            out.write_all(format!("{over}{frame}").as_bytes())?;
            shown = frame;
            thread::sleep(self.delay);
        }
        Ok(())
    }

    /// Returns the error for a board that is larger than the terminal. The message says what to type.
    fn does_not_fit(&self, rows: usize, columns: usize) -> anyhow::Error {
        let n = self.size;
        let trace = format!("nqueens trace {n}{}", if self.first { " --first" } else { "" });
        anyhow!(
            "the board for n = {n} does not fit this terminal of {rows} rows and {columns} columns: enlarge the terminal, \
             or type '{trace} | less -S' for all steps, 'nqueens trace {n} --step 1' for one, or add --svg to draw that one"
        )
    }

    /// Draws the search as an animation, or one step as a picture.
    fn picture(&self) -> anyhow::Result<String> {
        let n = self.size;
        if let Some(number) = self.step {
            let step = self.step(number)?;
            let title = format!("Step {number} of the search for n = {n}");
            return Ok(film::film(&[(&step.position, step.nodes)], 0.0, &title));
        }
        let steps: Vec<Step> = self.steps().take(MOST_STEPS + 1).collect();
        if steps.len() > MOST_STEPS {
            return Err(exit::Kind::Usage.error(format!(
                "the search for n = {n} has too many steps for an animation: give n up to 8, n up to 15 with --first, or \
                 one step with --step"
            )));
        }
        let start = Position::empty(n);
        let shown = steps.iter().map(|step| (&step.position, step.nodes));
        let frames: Vec<_> = std::iter::once((&start, 0)).chain(shown).collect();
        let is_cut = self.first && steps.last().is_some_and(Step::is_solution);
        let (whole, end) = if is_cut { ("The", ", up to the first solution") } else { ("The whole", "") };
        let title = format!("{whole} search for n = {n}{end}");
        Ok(film::film(&frames, self.delay.as_secs_f64(), &title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_sizes_of_an_animation_are_those_of_the_message() {
        let search = |n: usize| Search::new(Size::new(n).unwrap());
        let whole = |n| search(n).take(MOST_STEPS + 1).count();
        let first = |n| search(n).take(MOST_STEPS).any(|step| step.is_solution());
        assert!((4..=8).all(|n| whole(n) <= MOST_STEPS) && whole(9) > MOST_STEPS);
        assert!((4..=15).all(first) && !first(16));
    }
}
