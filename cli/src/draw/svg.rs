//! Writes the frame and the text of SVG files. All words in a picture come from the program, so they are not escaped.

const STYLE: &str = include_str!("picture.css");

/// Returns an SVG file of a drawing below its title. `about` describes the drawing to readers who cannot see it.
pub(crate) fn titled(title: &str, about: &str, (width, height): (f64, f64), body: &str) -> String {
    const HEAD: f64 = 44.0;
    const MARGIN: f64 = 16.0;
    /// The approximate width of a letter of the title, which may be wider than the drawing.
    const LETTER: f64 = 10.5;
    let width = width.max(tenth(LETTER * title.chars().count() as f64));
    let (full_width, full_height) = (width + 2.0 * MARGIN, height + HEAD + MARGIN);
    let title_text = text(MARGIN, 28.0, "title", title);
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

/// Rounds a coordinate to a tenth of a pixel.
pub(crate) fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Draws text on the baseline `y`, in a class of the style: `title`, `note`, or `number`, which is centered at `x`. The
/// class `word` has no style of its own.
pub(crate) fn text(x: f64, y: f64, class: &str, words: &str) -> String {
    format!(r#"<text class="{class}" x="{}" y="{}">{words}</text>"#, tenth(x), tenth(y))
}
