//! Writes SVG files: the frame and the text. All words in a picture are the program's own.

const STYLE: &str = include_str!("picture.css");

/// Makes a file of a drawing, with its title above it. `about` describes it for readers who cannot see it.
pub(crate) fn titled(title: &str, about: &str, (width, height): (f64, f64), body: &str) -> String {
    const HEAD: f64 = 44.0;
    const MARGIN: f64 = 16.0;
    const TITLE_SIZE: f64 = 17.0;
    // The title may be wider than the drawing. A bold letter is about 0.62 of its size wide.
    let width = width.max(at(0.62 * TITLE_SIZE * title.chars().count() as f64));
    let (full_width, full_height) = (width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let title_text = text(MARGIN, 28.0, title, Style { size: TITLE_SIZE, class: "strong", ..Style::default() });
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<svg class="picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}" width="{full_width}" height="{full_height}" role="img" aria-labelledby="title about">
<title id="title">{title}</title><desc id="about">{about}</desc><style>{STYLE}</style>
<rect class="paper" width="100%" height="100%"/>{title_text}
<g transform="translate({MARGIN} {HEAD})">{body}</g>
</svg>
"#
    )
}

/// Writes a coordinate, rounded to a tenth of a pixel.
pub(crate) fn at(value: f64) -> f64 {
    if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 }
}

/// The place and the style of a text.
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

    pub(crate) fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }
}

/// Draws a text whose baseline is at `y`.
pub(crate) fn text(x: f64, y: f64, words: &str, style: Style) -> String {
    let Style { size, anchor, class } = style;
    let (x, y) = (at(x), at(y));
    format!(r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" class="{class}">{words}</text>"#)
}
