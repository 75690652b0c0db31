//! PNG, drawn from SVG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// An SVG picture as PNG, with `scale` pixels for each of its own. Text is drawn in the fonts of this machine, and left out
/// where it has none.
///
/// # Errors
/// What is wrong with the picture, in words: it may be too large.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    // The pictures ask for whatever the system's own font is: here that is one of those that are there.
    let has =
        |fonts: &Database, name: &str| fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name));
    let wanted = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica"];
    let first = fonts.faces().next().and_then(|face| Some(face.families.first()?.0.clone()));
    if let Some(name) = wanted.into_iter().find(|name| has(&fonts, name)).map(str::to_owned).or(first) {
        fonts.set_sans_serif_family(name);
    }
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let mut pixmap = Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .ok_or_else(|| format!("a picture of {width:.0} by {height:.0} pixels is too large"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| error.to_string())
}
