//! What all pictures are drawn with: text, axes, marks, legends.

use maud::{Markup, PreEscaped, html};

use super::scale::{Scale, Tick};
use super::theme::{picture_style, series_class};

/// How wide the pictures of the page are, in pixels.
pub(crate) const WIDTH: f64 = 880.0;

/// A machine's name, cut where it is wider than `room`.
pub(crate) fn name(name: &str, (x, y): (f64, f64), room: f64) -> Markup {
    text(x, y, &shortened(name, 12.5, room), Style::default())
}

/// A picture's inside.
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) body: Markup,
}

/// What is said about a picture to those who do not see it.
pub(crate) struct Texts<'a> {
    pub(crate) title: &'a str,
    pub(crate) about: &'a str,
}

/// A picture for a page, in parts that each fit on a sheet of paper; ids begin with `id`.
pub(crate) fn inline(drawings: &[Drawing], texts: &Texts<'_>, id: &str) -> Markup {
    let count = drawings.len();
    html! {
        @for (index, Drawing { width, height, body }) in drawings.iter().enumerate() {
            @let id = if index == 0 { id.to_owned() } else { format!("{id}-{}", index + 1) };
            svg.picture xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width)
                height=(height) role="group" aria-labelledby={ (id) "-title " (id) "-about" } {
                title id={ (id) "-title" } { (texts.title) @if count > 1 { ", part " (index + 1) " of " (count) } }
                desc id={ (id) "-about" } { (texts.about) }
                (body)
            }
        }
    }
}

/// Drawings below one another.
fn stacked(drawings: &[Drawing]) -> Option<Drawing> {
    const GAP: f64 = 26.0;
    let mut bottom = -GAP;
    let mut placed = Vec::new();
    for drawing in drawings {
        placed.push((bottom + GAP, &drawing.body));
        bottom += GAP + drawing.height;
    }
    let body = html! { @for (top, body) in &placed { g transform=(format!("translate(0 {})", at(*top))) { (body) } } };
    (!placed.is_empty()).then(|| Drawing { width: WIDTH, height: at(bottom), body })
}

/// A picture as a file of its own, with its title drawn; where there is no drawing, with what is said about it.
pub(crate) fn file(drawings: &[Drawing], texts: &Texts<'_>) -> String {
    let drawing = stacked(drawings).unwrap_or_else(|| Drawing {
        width: WIDTH,
        height: 40.0,
        body: text(0.0, 16.0, texts.about, Style::default()),
    });
    titled(drawing, texts)
}

/// A drawing as a file of its own, with its title above it.
pub(crate) fn titled(drawing: Drawing, texts: &Texts<'_>) -> String {
    const HEAD: f64 = 44.0;
    const MARGIN: f64 = 16.0;
    let Drawing { width, height, body } = drawing;
    // The title may be wider than what is below it.
    let width = width.max(bold_width(texts.title, TITLE_SIZE));
    let (full_width, full_height) = (width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let svg = html! {
        svg.picture xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {full_width} {full_height}"))
            width=(full_width) height=(full_height) role="img" aria-labelledby="title about" {
            title id="title" { (texts.title) }
            desc id="about" { (texts.about) }
            style { (PreEscaped(picture_style())) }
            rect.paper width="100%" height="100%" {}
            (text(MARGIN, 28.0, texts.title, Style { size: TITLE_SIZE, class: "strong", ..Style::default() }))
            g transform=(format!("translate({MARGIN} {HEAD})")) { (body) }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", svg.into_string())
}

/// A coordinate: a tenth of a pixel is as fine as anybody sees.
pub(crate) fn at(value: f64) -> f64 {
    if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 }
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) size: f64,
    /// `start`, `middle` or `end`.
    pub(crate) anchor: &'static str,
    pub(crate) class: &'static str,
}

impl Default for Style {
    fn default() -> Self {
        Self { size: 12.5, anchor: "start", class: "" }
    }
}

impl Style {
    pub(crate) const MUTED: Self = Self { size: 12.5, anchor: "start", class: "muted" };
    pub(crate) const STRONG: Self = Self { size: 12.5, anchor: "start", class: "strong" };

    pub(crate) fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }
}

/// A text whose baseline is at `y`.
pub(crate) fn text(x: f64, y: f64, words: &str, style: Style) -> Markup {
    let Style { size, anchor, class } = style;
    html! { text x=(at(x)) y=(at(y)) font-size=(size) text-anchor=(anchor) class=(class) { (words) } }
}

/// About how wide a text comes out, rather too wide than too narrow: fonts differ.
pub(crate) fn text_width(words: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '|' | '\'' | '!' | '(' | ')' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.96,
        'A'..='Z' => 0.72,
        '\u{1100}'.. => 1.1,
        _ => 0.62,
    };
    words.chars().map(em).sum::<f64>() * size
}

/// The size of a file's title.
const TITLE_SIZE: f64 = 17.0;

/// The same in bold letters.
fn bold_width(words: &str, size: f64) -> f64 {
    1.15 * text_width(words, size)
}

/// The text, cut at its end where it is wider than `room`.
pub(crate) fn elided(words: &str, size: f64, room: f64) -> String {
    if text_width(words, size) <= room {
        return words.to_owned();
    }
    let mut kept = String::new();
    for c in words.chars() {
        kept.push(c);
        if text_width(&kept, size) + size > room {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// The text, cut in its middle where it is wider than `room`: beginnings and ends tell machines apart.
fn shortened(words: &str, size: f64, room: f64) -> String {
    let letters: Vec<char> = words.chars().collect();
    let cut = |kept: usize| -> String {
        let tail = kept * 2 / 5;
        letters[..kept - tail].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
    };
    if text_width(words, size) <= room {
        return words.to_owned();
    }
    (1..letters.len()).rev().map(cut).find(|cut| text_width(cut, size) <= room).unwrap_or_else(|| "…".to_owned())
}

/// The part of a drawing that values are drawn in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plot {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Plot {
    /// The axis at the bottom, and its title.
    pub(crate) fn x_axis(&self, scale: &Scale, ticks: &[Tick], title: &str) -> Markup {
        html! {
            @for (value, _) in ticks {
                path.grid d=(format!("M{} {}V{}", at(scale.at(*value)), at(self.top), at(self.bottom))) {}
            }
            path.axis d=(format!("M{} {}H{}", at(self.left), at(self.bottom), at(self.right))) {}
            (self.x_labels(scale, ticks, self.bottom + 17.0))
            @if !title.is_empty() {
                (text(self.left.midpoint(self.right), self.bottom + 36.0, title, Style::MUTED.anchored("middle")))
            }
        }
    }

    /// As many of the labels as there is room for, their baseline at `y`; the last one is among them.
    pub(crate) fn x_labels(&self, scale: &Scale, ticks: &[Tick], y: f64) -> Markup {
        let extent = |(value, label): &Tick| {
            let half = text_width(label, 12.0) / 2.0 + 3.0;
            (scale.at(*value) - half, scale.at(*value) + half)
        };
        let last = ticks.last().map_or(f64::INFINITY, |last| extent(last).0);
        let mut free = f64::NEG_INFINITY;
        let labels = ticks.iter().enumerate().filter(|(index, tick)| {
            let (start, end) = extent(tick);
            let has_room = index + 1 == ticks.len() || (start >= free && end <= last);
            if has_room {
                free = end;
            }
            has_room
        });
        let style = Style { size: 12.0, ..Style::MUTED }.anchored("middle");
        html! { @for (_, (value, label)) in labels { (text(scale.at(*value), y, label, style)) } }
    }

    /// The axis at the left, with its title above it.
    pub(crate) fn y_axis(&self, scale: &Scale, ticks: &[Tick], title: &str, title_x: f64) -> Markup {
        html! {
            @for (value, label) in ticks {
                path.grid d=(format!("M{} {}H{}", at(self.left), at(scale.at(*value)), at(self.right))) {}
                @if !label.is_empty() {
                    (text(self.left - 7.0, scale.at(*value) + 4.0, label, Style { size: 12.0, ..Style::MUTED }.anchored("end")))
                }
            }
            @if !title.is_empty() { (text(title_x, self.top - 10.0, title, Style::MUTED)) }
        }
    }
}

/// How wide the widest label is.
pub(crate) fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|(_, label)| text_width(label, 12.0)).fold(0.0, f64::max)
}

/// A mark at a point; the shape tells solvers apart.
pub(crate) fn mark(shape: usize, x: f64, y: f64, class: &str, words: &str) -> Markup {
    let (x, y) = (at(x), at(y));
    let outline = match shape % 6 {
        0 => format!("M{} {y}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", at(x - 4.5)),
        1 => format!("M{} {}h8v8h-8z", at(x - 4.0), at(y - 4.0)),
        2 => format!("M{x} {}l5.2 9h-10.4z", at(y - 5.5)),
        3 => format!("M{x} {}l5.6 5.6l-5.6 5.6l-5.6 -5.6z", at(y - 5.6)),
        4 => format!("M{x} {}l5.2 -9h-10.4z", at(y + 5.5)),
        _ => format!("M{} {}h3v-3h4v3h3v4h-3v3h-4v-3h-3z", at(x - 5.0), at(y - 2.0)),
    };
    html! { path class={ "mark " (class) } d=(outline) { @if !words.is_empty() { title { (words) } } } }
}

/// A line through points.
pub(crate) fn line(points: &[(f64, f64)], class: &str) -> Markup {
    let outline: String = points
        .iter()
        .enumerate()
        .map(|(index, (x, y))| format!("{}{} {}", if index == 0 { "M" } else { "L" }, at(*x), at(*y)))
        .collect();
    html! { path class={ "line " (class) } d=(outline) {} }
}

/// A legend of series from the left edge on, in as many rows as it takes, and its height.
pub(crate) fn legend(items: &[(Swatch, String)], top: f64, width: f64) -> (Markup, f64) {
    const ROW: f64 = 20.0;
    const LEAD: f64 = 30.0;
    const GAP: f64 = 18.0;
    let (mut x, mut y) = (0.0, top);
    let mut placed = Vec::new();
    for (swatch, words) in items {
        let shown = elided(words, 12.5, width - LEAD);
        let room = LEAD + text_width(&shown, 12.5);
        if x > 0.0 && x + room > width {
            (x, y) = (0.0, y + ROW);
        }
        placed.push((*swatch, shown, x, y));
        x += room + GAP;
    }
    let markup = html! {
        @for (swatch, shown, x, y) in &placed {
            (sample(*swatch, *x, y + 10.0))
            (text(x + LEAD - 4.0, y + 14.5, shown, Style::default()))
        }
    };
    (markup, if items.is_empty() { 0.0 } else { y + ROW - top })
}

/// What stands before a word in a legend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Swatch {
    /// A series' line with its mark.
    Series(usize),
    /// The others' lines, behind.
    Others,
    /// The line that others are held against.
    Reference,
    /// A shade of a heat map.
    Shade(usize),
}

fn sample(swatch: Swatch, x: f64, y: f64) -> Markup {
    let stroke = [(x + 1.0, y), (x + 21.0, y)];
    match swatch {
        Swatch::Series(series) => html! {
            (line(&stroke, &series_class(series)))
            (mark(series, x + 11.0, y, &series_class(series), ""))
        },
        Swatch::Others => line(&stroke, "others"),
        Swatch::Reference => html! { path.reference d=(format!("M{} {}h20", at(x + 1.0), at(y))) {} },
        Swatch::Shade(shade) => {
            html! { rect class={ "cell h" (shade) } x=(at(x + 1.0)) y=(at(y - 8.0)) width="20" height="16" {} }
        }
    }
}
