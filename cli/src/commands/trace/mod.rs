//! `nqueens trace`: shows the search.

mod text;

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use nqueens::board::Size;
use nqueens::trace::{Position, Search, Step};

use super::options::{length_of_time, number};
use crate::draw;
use crate::exit;
use crate::terminal::Streams;
use crate::terminal::output::obeys_escapes;

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
  nqueens trace 6 --step 9                   prints one step
  nqueens trace 5 --svg > search.svg         draws the whole search as a moving picture")]
pub(crate) struct Args {
    /// Size, from 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,
    /// Stops at the first solution
    #[arg(long)]
    first: bool,
    /// Shows only this step
    #[arg(long, value_name = "K", conflicts_with = "first", value_parser = number::<usize>(1..), allow_negative_numbers = true)]
    step: Option<usize>,
    /// Prints the search as a moving SVG picture
    #[arg(long, conflicts_with = "step")]
    svg: bool,
    /// Time between two steps, on a terminal or in a moving picture
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = length_of_time, conflicts_with = "step")]
    delay: Duration,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    if args.svg {
        write!(streams.out, "{}", film(args)?)?;
    } else if args.size.get() == 0 {
        streams.note("the board has no squares: there is nothing to search");
    } else if let Some(number) = args.step {
        let step = Search::new(args.size).nth(number - 1);
        let over = || format!("the search for n = {} is over before step {number}: give a smaller one", args.size);
        write!(streams.out, "{}", text::frame(&step.ok_or_else(|| exit::Kind::Usage.error(over()))?))?;
    } else if obeys_escapes(&io::stdout()) {
        play(steps(args.size, args.first), args.delay, &mut io::stdout())?;
    } else {
        for step in steps(args.size, args.first) {
            write!(streams.out, "{}{}", if step.number > 1 { "\n" } else { "" }, text::frame(&step))?;
        }
    }
    Ok(())
}

/// The steps; if `is_first`, up to the step that completes the first solution.
fn steps(size: Size, is_first: bool) -> impl Iterator<Item = Step> {
    let mut is_over = false;
    Search::new(size).take_while(move |step| {
        let goes_on = !is_over;
        is_over |= is_first && step.is_solution();
        goes_on
    })
}

/// Shows the steps on a terminal, with a pause after each. A step takes the place of the one before.
fn play(steps: impl Iterator<Item = Step>, delay: Duration, out: &mut dyn Write) -> io::Result<()> {
    let mut lines_above = 0;
    for step in steps {
        // Moves the cursor up to the first line, and clears the rest of the screen.
        let over = if lines_above > 0 { format!("\x1b[{lines_above}A\x1b[J") } else { String::new() };
        let frame = text::frame(&step);
        out.write_all(format!("{over}{frame}").as_bytes())?;
        lines_above = frame.lines().count();
        thread::sleep(delay);
    }
    Ok(())
}

/// The search as a moving picture.
fn film(args: &Args) -> anyhow::Result<String> {
    /// The most steps of a moving picture: more make a file that no viewer likes.
    const MOST_STEPS: usize = 4200;
    let n = args.size;
    let steps: Vec<Step> = steps(n, args.first).take(MOST_STEPS + 1).collect();
    if steps.len() > MOST_STEPS {
        return Err(exit::Kind::Usage.error(format!(
            "the search for n = {n} has too many steps for a moving picture: give n up to 8, or up to 15 with --first"
        )));
    }
    let (whole, end) = if args.first { ("The", ", up to the first solution") } else { ("The whole", "") };
    let title = format!("{whole} search for n = {n}{end}");
    Ok(draw::search::film(&Position::empty(n), &steps, args.delay.as_secs_f64(), &title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_the_place_of_the_one_before_and_fits_a_terminal() {
        let (size, mut out) = (Size::new(8).unwrap(), Vec::new());
        play(Search::new(size).take(40), Duration::ZERO, &mut out).unwrap();
        let frames: Vec<String> = Search::new(size).take(40).map(|step| text::frame(&step)).collect();
        assert!(frames.iter().all(|frame| frame.lines().count() < 24));
        let over = |frame: &String| format!("{frame}\x1b[{}A\x1b[J", frame.lines().count());
        let expected = frames[..39].iter().map(over).collect::<String>() + &frames[39];
        assert!(String::from_utf8(out).unwrap() == expected);
    }
}
