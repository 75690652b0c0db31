//! The search as a picture.

use std::path::Path;

use nqueens::trace::{Position, Search, Step};

use super::{Args, up_to_first};
use crate::draw::picture;
use crate::exit::{Exit, Fault};
use crate::terminal::Streams;
use crate::terminal::kept::Kept;
use crate::terminal::signals;

/// The most steps of a moving picture: more make a file that no viewer likes.
const MOST_FRAMES: usize = 4200;

/// The search as a moving picture.
pub(super) fn film(args: &Args, steps: impl Iterator<Item = Step>) -> anyhow::Result<String> {
    let steps: Vec<Step> = steps.take(MOST_FRAMES + 1).collect();
    if steps.len() > MOST_FRAMES {
        let is_shorter = !args.first && up_to_first(Search::new(args.size), true).nth(MOST_FRAMES).is_none();
        let way_out = if is_shorter { "--first" } else { "--step K, which draws one of them" };
        return Err(Fault::Usage.error(format!(
            "the search for n = {} has too many steps for a moving picture: give {way_out}, or a smaller board",
            args.size
        )));
    }
    let title = if args.first {
        format!("The search for n = {}, up to the first solution", args.size)
    } else {
        format!("The whole search for n = {}", args.size)
    };
    Ok(picture::animated_search(&Position::empty(args.size), &steps, args.delay.as_secs_f64(), &title))
}

pub(super) fn write_picture(path: &Path, svg: &str, streams: &Streams<'_>) -> anyhow::Result<Exit> {
    if path.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("svg")) {
        return Err(
            Fault::Usage.error(format!("{}: the picture is SVG: give a name that ends in .svg", path.display()))
        );
    }
    // After a signal no part of a picture is left.
    signals::catch()?;
    Kept::prepare(path, "the picture")?.write(svg)?;
    streams.note(format_args!("wrote {}", path.display()));
    Ok(Exit::Fine)
}
