//! What all pictures are drawn with: text, axes, marks, legends.

use maud::{Markup, PreEscaped, html};

use super::scale::{Scale, Tick};
use super::theme::{machine_class, picture_style};

/// The two widths that every picture is drawn in, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// For screens and files.
    Wide,
    /// For phones.
    Narrow,
}

impl Width {
    pub(super) fn pixels(self) -> f64 {
        match self {
            Self::Wide => 880.0,
            Self::Narrow => 360.0,
        }
    }

    pub(super) fn is_narrow(self) -> bool {
        self == Self::Narrow
    }

    /// A word for ids and classes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// A picture's inside.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) body: Markup,
}

/// What is said about a picture to those who do not see it.
pub(super) struct Texts<'a> {
    pub(super) title: &'a str,
    pub(super) about: &'a str,
}

/// A picture for a page; ids begin with `id`.
pub(super) fn inline(drawing: &Drawing, texts: &Texts<'_>, id: &str) -> Markup {
    let Drawing { width, height, body } = drawing;
    html! {
        svg.picture xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width)
            height=(height) role="img" aria-labelledby={ (id) "-title " (id) "-about" } {
            title id={ (id) "-title" } { (texts.title) }
            desc id={ (id) "-about" } { (texts.about) }
            (body)
        }
    }
}

/// A picture as a file of its own, with its title drawn; where there is no drawing, with what is said about it.
pub(super) fn file(drawing: Option<Drawing>, texts: &Texts<'_>) -> String {
    const HEAD: f64 = 44.0;
    const MARGIN: f64 = 16.0;
    let Drawing { width, height, body } = drawing.unwrap_or_else(|| Drawing {
        width: Width::Wide.pixels(),
        height: 40.0,
        body: text(0.0, 16.0, texts.about, Style::default()),
    });
    let (full_width, full_height) = (width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let svg = html! {
        svg.picture xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {full_width} {full_height}"))
            width=(full_width) height=(full_height) role="img" aria-labelledby="title about" {
            title id="title" { (texts.title) }
            desc id="about" { (texts.about) }
            style { (PreEscaped(picture_style())) }
            rect.paper width="100%" height="100%" {}
            (text(MARGIN, 28.0, texts.title, Style { size: 17.0, class: "strong", ..Style::default() }))
            g transform=(format!("translate({MARGIN} {HEAD})")) { (body) }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", svg.into_string())
}

/// A coordinate: a tenth of a pixel is as fine as anybody sees.
pub(super) fn at(value: f64) -> f64 {
    if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 }
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f64,
    /// `start`, `middle` or `end`.
    pub(super) anchor: &'static str,
    pub(super) class: &'static str,
}

impl Default for Style {
    fn default() -> Self {
        Self { size: 12.5, anchor: "start", class: "" }
    }
}

impl Style {
    pub(super) const MUTED: Self = Self { size: 12.5, anchor: "start", class: "muted" };
    pub(super) const STRONG: Self = Self { size: 12.5, anchor: "start", class: "strong" };

    pub(super) fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }
}

/// A text whose baseline is at `y`.
pub(super) fn text(x: f64, y: f64, words: &str, style: Style) -> Markup {
    let Style { size, anchor, class } = style;
    html! { text x=(at(x)) y=(at(y)) font-size=(size) text-anchor=(anchor) class=(class) { (words) } }
}

/// About how wide a text comes out, rather too wide than too narrow: fonts differ.
pub(super) fn text_width(words: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '|' | '\'' | '!' | '(' | ')' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.96,
        'A'..='Z' => 0.72,
        '\u{1100}'.. => 1.1,
        _ => 0.62,
    };
    words.chars().map(em).sum::<f64>() * size
}

/// The text, cut at its end where it is wider than `room`.
pub(super) fn elided(words: &str, size: f64, room: f64) -> String {
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

/// The part of a drawing that values are drawn in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Plot {
    /// The axis at the bottom, and its title.
    pub(super) fn x_axis(&self, scale: &Scale, ticks: &[Tick], title: &str) -> Markup {
        html! {
            @for (value, _) in ticks {
                path.grid d=(format!("M{} {}V{}", at(scale.at(*value)), at(self.top), at(self.bottom))) {}
            }
            path.axis d=(format!("M{} {}H{}", at(self.left), at(self.bottom), at(self.right))) {}
            (self.x_labels(scale, ticks, self.bottom + 17.0))
            (text(self.left.midpoint(self.right), self.bottom + 36.0, title, Style::MUTED.anchored("middle")))
        }
    }

    /// As many of the labels as there is room for, their baseline at `y`; the last one is among them.
    pub(super) fn x_labels(&self, scale: &Scale, ticks: &[Tick], y: f64) -> Markup {
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
    pub(super) fn y_axis(&self, scale: &Scale, ticks: &[Tick], title: &str, title_x: f64) -> Markup {
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
pub(super) fn widest(ticks: &[Tick]) -> f64 {
    ticks.iter().map(|(_, label)| text_width(label, 12.0)).fold(0.0, f64::max)
}

/// A mark at a point; the shape tells solvers apart.
pub(super) fn mark(shape: usize, x: f64, y: f64, class: &str, words: &str) -> Markup {
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
pub(super) fn line(points: &[(f64, f64)], class: &str) -> Markup {
    let outline: String = points
        .iter()
        .enumerate()
        .map(|(index, (x, y))| format!("{}{} {}", if index == 0 { "M" } else { "L" }, at(*x), at(*y)))
        .collect();
    html! { path class={ "line " (class) } d=(outline) {} }
}

/// What stands before a word in a legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum Swatch {
    /// The line of a machine.
    Machine(usize),
    /// The line of a machine with its solver's mark.
    Series(usize, usize),
    /// A solver's mark.
    Shape(usize),
    /// The reference.
    Reference,
}

/// A legend from the left edge on, in as many rows as it takes, and its height.
pub(super) fn legend(items: &[(Swatch, String)], top: f64, width: f64) -> (Markup, f64) {
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
        placed.push((*swatch, shown, words, x, y));
        x += room + GAP;
    }
    let markup = html! {
        @for (swatch, shown, words, x, y) in &placed {
            g {
                @if shown != *words { title { (words) } }
                (sample(*swatch, *x, y + 10.0))
                (text(x + LEAD - 4.0, y + 14.5, shown, Style::default()))
            }
        }
    };
    (markup, if items.is_empty() { 0.0 } else { y + ROW - top })
}

fn sample(swatch: Swatch, x: f64, y: f64) -> Markup {
    let stroke = [(x + 1.0, y), (x + 21.0, y)];
    match swatch {
        Swatch::Machine(machine) => line(&stroke, &machine_class(machine)),
        Swatch::Series(machine, shape) => html! {
            (line(&stroke, &machine_class(machine)))
            (mark(shape, x + 11.0, y, &machine_class(machine), ""))
        },
        Swatch::Shape(shape) => mark(shape, x + 11.0, y, "neutral", ""),
        Swatch::Reference => html! { path.reference d=(format!("M{} {}h20", at(x + 1.0), at(y))) {} },
    }
}
