//! The whole search as one moving picture.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::piece::{BoardGrid, definitions};
use super::step::marks;
use crate::draw::svg::{Drawing, Style, Texts, at, text, titled};
use crate::terminal::plural::plural;
use nqueens::trace::{Attackers, Position, Step};

/// What comes and goes, by its place: the element is drawn once and shown in some of the frames.
type Shown<K> = BTreeMap<K, Vec<bool>>;

/// A search as an animated SVG file, a frame of so many seconds for each step. It plays without a script, so also where a
/// page shows it as an image. A viewer that does not play it shows the last solution, or where there is none the last frame.
pub(crate) fn animated_search(start: &Position, steps: &[Step], seconds: f64, title: &str) -> String {
    /// The last frame of a search is to be looked at.
    const REST: usize = 8;
    let n = start.size();
    let square = (300.0 / n.max(1) as f64).floor().clamp(20.0, 50.0);
    let grid = BoardGrid { n, left: 1.0, top: 1.0, square };
    let positions: Vec<&Position> = std::iter::once(start).chain(steps.iter().map(|step| &step.position)).collect();
    // A solution is to be seen, too: its frame stays for some more.
    let mut frames: Vec<usize> = Vec::new();
    for (index, position) in positions.iter().enumerate() {
        let is_found = n > 0 && position.is_full();
        let stay = if is_found || index + 1 == positions.len() { REST } else { 1 };
        frames.extend(std::iter::repeat_n(index, stay));
    }
    let count = frames.len();
    let (mut queens, mut rows) = (Shown::<(usize, usize)>::new(), Shown::<usize>::new());
    let mut squares = Shown::<(usize, usize, u8)>::new();
    let (mut found, mut tallies): (Vec<bool>, Shown<u64>) = (vec![false; count], Shown::new());
    for (frame, &index) in frames.iter().enumerate() {
        let position = positions[index];
        let show = |shown: &mut Shown<(usize, usize)>, key| {
            shown.entry(key).or_insert_with(|| vec![false; count])[frame] = true
        };
        for (row, &column) in position.queens().iter().enumerate() {
            show(&mut queens, (row, column));
        }
        let row = position.queens().len();
        if position.is_full() {
            found[frame] = n > 0;
        } else {
            rows.entry(row).or_insert_with(|| vec![false; count])[frame] = true;
            for column in 0..n {
                let Attackers { column: straight, diagonal, antidiagonal } = position.attackers(row, column);
                let is_tried = position.is_tried(column);
                let kind = u8::from(straight)
                    | u8::from(diagonal) << 1
                    | u8::from(antidiagonal) << 2
                    | u8::from(is_tried) << 3;
                squares.entry((row, column, kind)).or_insert_with(|| vec![false; count])[frame] = true;
            }
        }
        let nodes = if index == 0 { 0 } else { steps[index - 1].nodes };
        tallies.entry(nodes).or_insert_with(|| vec![false; count])[frame] = true;
    }
    let still = found.iter().rposition(|&is_found| is_found).unwrap_or(count - 1);
    let film = MovingPicture { seconds: at(seconds * count as f64), still };
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
    };
    let width = grid.side() + 2.0;
    let about = "The search, row by row: dots are free squares, dashes were tried, bars show along which lines the others are attacked";
    titled(Drawing { width, height: grid.side() + 30.0, body }, &Texts { title, about })
}

fn tally(nodes: u64) -> String {
    format!("{} placed so far", plural(nodes, "queen"))
}

/// How long it plays, and the frame that is shown where it does not.
struct MovingPicture {
    seconds: f64,
    still: usize,
}

/// What is shown in some frames only.
fn shown(frames: &[bool], film: &MovingPicture, what: &Markup) -> Markup {
    if frames.iter().all(|&is_shown| is_shown) {
        return html! { (what) };
    }
    if !frames.contains(&true) {
        return Markup::default();
    }
    // Times and values of the changes alone.
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
