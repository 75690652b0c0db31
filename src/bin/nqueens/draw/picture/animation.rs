//! Draws a whole search as one animated picture.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::piece::{BoardGrid, definitions};
use super::step::{LEGEND_HEIGHT, legend, marks};
use crate::draw::svg::{Drawing, Style, Texts, at, text, titled};
use crate::terminal::units::plural;
use nqueens::trace::{Attackers, Position, Step};

/// The elements that are shown in some of the frames only, by place. Each is drawn once.
type Shown<K> = BTreeMap<K, Vec<bool>>;

/// Number of frames for which a solution, or the last position, stays.
const REST: usize = 8;

/// Draws a search as an animated SVG file. Each step is a frame that lasts `seconds`. The animation needs no script, so
/// it also plays as an image on a page. Other viewers show the last solution, or the last frame if there is no
/// solution.
pub(crate) fn animated_search(start: &Position, steps: &[Step], seconds: f64, title: &str) -> String {
    let n = start.size();
    let square = (280.0 / n.max(1) as f64).floor().clamp(20.0, 50.0);
    let grid = BoardGrid { n, left: 1.0, top: 1.0, square };
    let Elements { queens, rows, squares, tallies, found } = Elements::of(start, steps);
    let still = found.iter().rposition(|&is_found| is_found).unwrap_or(found.len() - 1);
    let film = MovingPicture { seconds: at(seconds * found.len() as f64), still };
    let body = html! {
        (definitions())
        (grid.squares())
        @for (row, frames) in &rows {
            (shown(frames, &film, &html! {
                rect.here x=(at(grid.left)) y=(at(grid.y(*row))) width=(at(grid.side())) height=(at(square)) {}
            }))
        }
        @for ((row, column, kind), frames) in &squares {
            @let attackers = Attackers { column: kind & 1 != 0, diagonal: kind & 2 != 0, antidiagonal: kind & 4 != 0 };
            (shown(frames, &film, &marks(&grid, *row, *column, attackers, kind & 8 != 0)))
        }
        @for ((row, column), frames) in &queens { (shown(frames, &film, &grid.queen(*row, *column, "queen"))) }
        (grid.frame())
        (shown(&found, &film, &html! {
            rect.found x=(at(grid.left)) y=(at(grid.top)) width=(at(grid.side())) height=(at(grid.side())) {}
        }))
        @for (nodes, frames) in &tallies {
            (shown(frames, &film, &text(grid.left, grid.side() + 22.0, &tally(*nodes), Style::MUTED)))
        }
        (legend(grid.left, grid.side() + 34.0))
    };
    let width = (grid.side() + 2.0).max(240.0);
    let about = "The search, row by row: dots are free squares, dashes were tried, bars show along which lines the others are attacked";
    titled(Drawing { width, height: grid.side() + 34.0 + LEGEND_HEIGHT, body }, &Texts { title, about })
}

/// The elements of the picture, each with the frames that show it.
struct Elements {
    queens: Shown<(usize, usize)>,
    /// The rows that are next.
    rows: Shown<usize>,
    /// The squares of these rows, with their marks as bits.
    squares: Shown<(usize, usize, u8)>,
    /// The texts, by the number of queens placed so far.
    tallies: Shown<u64>,
    /// The frames that show a solution.
    found: Vec<bool>,
}

impl Elements {
    fn of(start: &Position, steps: &[Step]) -> Self {
        let all = std::iter::once((start, 0)).chain(steps.iter().map(|step| (&step.position, step.nodes)));
        let mut frames: Vec<(&Position, u64)> = Vec::new();
        for (index, (position, nodes)) in all.enumerate() {
            let stay = if is_solution(position) || index == steps.len() { REST } else { 1 };
            frames.extend(std::iter::repeat_n((position, nodes), stay));
        }
        let found = frames.iter().map(|(position, _)| is_solution(position)).collect();
        let (queens, rows, squares, tallies) = Default::default();
        let mut elements = Self { queens, rows, squares, tallies, found };
        for (frame, (position, nodes)) in frames.into_iter().enumerate() {
            elements.show(frame, position, nodes);
        }
        elements
    }

    /// Shows a position in a frame.
    fn show(&mut self, frame: usize, position: &Position, nodes: u64) {
        let count = self.found.len();
        for (row, &column) in position.queens().iter().enumerate() {
            mark(&mut self.queens, (row, column), frame, count);
        }
        mark(&mut self.tallies, nodes, frame, count);
        if position.is_full() {
            return;
        }
        let row = position.queens().len();
        mark(&mut self.rows, row, frame, count);
        for column in 0..position.size() {
            let Attackers { column: straight, diagonal, antidiagonal } = position.attackers(row, column);
            let bits = [straight, diagonal, antidiagonal, position.is_tried(column)];
            let kind = (0..).zip(bits).map(|(bit, is_set)| u8::from(is_set) << bit).sum();
            mark(&mut self.squares, (row, column, kind), frame, count);
        }
    }
}

fn is_solution(position: &Position) -> bool {
    position.size() > 0 && position.is_full()
}

/// Shows an element in one more of the picture's `count` frames.
fn mark<K: Ord>(shown: &mut Shown<K>, key: K, frame: usize, count: usize) {
    shown.entry(key).or_insert_with(|| vec![false; count])[frame] = true;
}

fn tally(nodes: u64) -> String {
    format!("{} placed so far", plural(nodes, "queen"))
}

/// The length of the animation, and the frame that viewers without animation show.
struct MovingPicture {
    seconds: f64,
    still: usize,
}

/// Elements that are shown in some frames only.
fn shown(frames: &[bool], film: &MovingPicture, what: &Markup) -> Markup {
    if frames.iter().all(|&is_shown| is_shown) {
        return html! { (what) };
    }
    if !frames.contains(&true) {
        return Markup::default();
    }
    // Lists only the changes, with their times.
    let (mut times, mut values) = (String::from("0"), String::from(if frames[0] { "1" } else { "0" }));
    for (frame, pair) in frames.windows(2).enumerate() {
        if pair[0] != pair[1] {
            let time = (frame + 1) as f64 / frames.len() as f64;
            times += &format!(";{}", (time * 1e5).round() / 1e5);
            values += if pair[1] { ";1" } else { ";0" };
        }
    }
    html! {
        g opacity=(u8::from(frames[film.still])) {
            (what)
            animate attributeName="opacity" calcMode="discrete" dur={ (film.seconds) "s" } repeatCount="indefinite"
                keyTimes=(times) values=(values) {}
        }
    }
}
