//! `nqueens trace`: shows the search.

mod picture;
mod profile;
mod text;

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::draw;
use nqueens::board::Size;
use nqueens::trace::{Search, Step};

use super::options::length_of_time;
use crate::exit::{Exit, Fault};
use crate::terminal::Streams;
use crate::terminal::output::{is_colored, obeys_escapes};
use crate::terminal::units::plural;
use picture::{film, write_picture};

/// Shows the search, step by step
///
/// Each step places or removes a queen. It shows the free squares of the next row, and the lines that attack the
/// others. A terminal shows one step after the other in the same place, with a pause. Ctrl-C ends it. A pipe or file
/// gets all steps as plain text.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens trace 6                            plays the search for n = 6
  nqueens trace 8 --first | less             prints each step up to the first solution
  nqueens trace 6 --step 9 --out step.svg    draws one step
  nqueens trace 5 --out search.svg           draws the whole search as a moving picture
  nqueens trace 8 --profile                  counts the queens placed in each row")]
pub(crate) struct Args {
    /// Size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,
    /// Solver whose data is shown beside the board
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Shown::Bitmask, conflicts_with = "profile")]
    solver: Shown,
    /// Stops at the first solution
    #[arg(long, conflicts_with = "profile")]
    first: bool,
    /// Shows only this step
    #[arg(long, value_name = "K", conflicts_with_all = ["profile", "first"], value_parser = step, allow_negative_numbers = true)]
    step: Option<u64>,
    /// Shows only the number of queens placed in each row (sequence A319284)
    #[arg(long, conflicts_with = "out")]
    profile: bool,
    /// Writes an SVG picture: the moving search, or the result of --step
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Time between two steps, on a terminal or in a moving picture
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = delay, conflicts_with_all = ["profile", "step"])]
    delay: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shown {
    /// Three arrays of taken columns, diagonals and antidiagonals
    Arrays,
    /// Three masks, one bit for each square of the next row
    #[value(alias = "mask")]
    Bitmask,
}

fn delay(text: &str) -> Result<Duration, String> {
    let time = length_of_time(text).ok();
    time.filter(|time| (Duration::from_millis(10)..=Duration::from_secs(60)).contains(time))
        .ok_or_else(|| format!("'{text}' is not a time between steps: give one from '10ms' to '60s'"))
}

fn step(text: &str) -> Result<u64, String> {
    let step = text.parse().ok().filter(|&step| step > 0);
    step.ok_or_else(|| format!("'{text}' is not a step: give a number, 1 for the first step"))
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    if args.profile {
        write!(streams.out, "{}", profile::in_text(&profile::count(args.size, streams)?))?;
        return Ok(Exit::Fine);
    }
    let shows_masks = args.solver != Shown::Arrays;
    if !shows_masks && args.out.is_some() {
        return Err(Fault::Usage.error("pictures have the masks: leave out --solver arrays, or --out"));
    }
    if let Some(number) = args.step {
        return one_step(args, number, streams);
    }
    let steps = || up_to_first(Search::new(args.size), args.first);
    if let Some(path) = &args.out {
        return write_picture(path, &film(args, steps())?, streams);
    }
    if args.size.get() == 0 {
        streams.note("the board has no squares: there is nothing to search");
        return Ok(Exit::Fine);
    }
    if obeys_escapes(&io::stdout()) {
        play(steps(), shows_masks, is_colored(), args.delay, streams)?;
        return Ok(Exit::Fine);
    }
    for step in steps() {
        write!(streams.out, "{}{}", if step.number > 1 { "\n" } else { "" }, text::frame(&step, shows_masks, false))?;
    }
    Ok(Exit::Fine)
}

/// Shows the steps on a terminal, with a pause after each. A step takes the place of the one before.
fn play(
    steps: impl Iterator<Item = Step>,
    shows_masks: bool,
    is_colored: bool,
    delay: Duration,
    streams: &mut Streams<'_>,
) -> io::Result<()> {
    let mut lines_above = 0;
    for step in steps {
        if lines_above > 0 {
            // Moves the cursor up to the first line, and clears the rest of the screen.
            write!(streams.out, "\x1b[{lines_above}A\x1b[J")?;
        }
        let frame = text::frame(&step, shows_masks, is_colored);
        write!(streams.out, "{frame}")?;
        streams.out.flush()?;
        lines_above = frame.lines().count();
        thread::sleep(delay);
    }
    Ok(())
}

/// `--step`: one step, as text or as a picture.
fn one_step(args: &Args, number: u64, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let search = || Search::new(args.size);
    let step = search().nth(usize::try_from(number - 1).unwrap_or(usize::MAX)).ok_or_else(|| {
        let steps = plural(search().count(), "step");
        Fault::Usage.error(format!("the search for n = {} has {steps}: there is no step {number}", args.size))
    })?;
    if let Some(path) = &args.out {
        let title = format!("n = {}, step {number}: {}", args.size, text::event(&step));
        return write_picture(path, &draw::picture::step(&step.position, &title), streams);
    }
    write!(streams.out, "{}", text::frame(&step, args.solver != Shown::Arrays, false))?;
    Ok(Exit::Fine)
}

/// The steps; with `--first`, up to the step that completes the first solution.
fn up_to_first(search: Search, is_first: bool) -> impl Iterator<Item = Step> {
    let mut is_over = false;
    search.take_while(move |step| {
        let goes_on = !is_over;
        is_over |= is_first && step.is_solution();
        goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_the_place_of_the_one_before_and_fits_a_terminal() {
        for (n, shows_masks) in [(1, true), (4, false), (6, true), (8, true), (8, false)] {
            let size = Size::new(n).unwrap();
            let mut out = Vec::new();
            let mut streams = Streams { out: &mut out, quiet: true };
            play(Search::new(size).take(400), shows_masks, false, Duration::ZERO, &mut streams).unwrap();
            let shown = String::from_utf8(out).unwrap();
            let mut lines_above = None;
            for (shown, step) in shown.split("\x1b[J").zip(Search::new(size)) {
                assert_eq!(lines_above.is_some(), step.number > 1);
                let frame = shown.split('\x1b').next().unwrap();
                assert_eq!(frame, text::frame(&step, shows_masks, false));
                // The cursor stands below the last line.
                assert!(frame.lines().count() < 24 && frame.lines().all(|line| line.chars().count() <= 80), "{frame}");
                lines_above = shown.split_once("\x1b[").map(|(_, up)| up.to_owned());
                assert_eq!(
                    lines_above.as_deref().unwrap_or("A").trim_end_matches('A').parse().ok(),
                    lines_above.as_ref().map(|_| frame.lines().count())
                );
            }
        }
    }
}
