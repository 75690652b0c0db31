//! PNG, drawn from SVG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// A picture in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Raster {
    /// The PNG file.
    pub png: Vec<u8>,
    /// Whether its text was left out, because this machine has no font.
    pub lacks_text: bool,
}

/// An SVG picture as PNG, with `scale` pixels for each of its own. Text is drawn in the fonts of this machine, and left out
/// where it has none: [`Raster::lacks_text`] says so. Boards and queens need no font.
///
/// # Errors
/// What is wrong with the picture, in words: it may be too large.
pub fn png(svg: &str, scale: f32) -> Result<Raster, String> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    drawn(svg, scale, fonts)
}

fn drawn(svg: &str, scale: f32, mut fonts: Database) -> Result<Raster, String> {
    // The pictures ask for whatever the system's own font is: here that is one of those that are there.
    let has =
        |fonts: &Database, name: &str| fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name));
    let wanted = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica"];
    let first = fonts.faces().next().and_then(|face| Some(face.families.first()?.0.clone()));
    if let Some(name) = wanted.into_iter().find(|name| has(&fonts, name)).map(str::to_owned).or(first) {
        fonts.set_sans_serif_family(name);
    }
    let lacks_text = fonts.is_empty() && svg.contains("<text");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let mut pixmap = Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .ok_or_else(|| format!("a picture of {width:.0} by {height:.0} pixels is too large"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(Raster { png: pixmap.encode_png().map_err(|error| error.to_string())?, lacks_text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::construct;
    use crate::picture::{Page, boards};

    /// Machines without fonts are common: containers, servers.
    #[test]
    fn without_a_font_the_board_is_drawn_and_the_missing_text_is_told() {
        let board = construct::first(6).unwrap();
        let svg = |title: &str| {
            boards(std::slice::from_ref(&board), &Page { title: title.to_owned(), columns: 1, has_lines: false })
        };
        let bare = drawn(&svg("A title"), 1.0, Database::new()).unwrap();
        assert!(bare.lacks_text && bare.png.starts_with(b"\x89PNG"));
        // The picture is the same but for the text that is not there.
        let untitled = drawn(&svg("Another ttl"), 1.0, Database::new()).unwrap();
        assert_eq!(bare.png, untitled.png);
        assert!(
            !drawn("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>", 1.0, Database::new())
                .unwrap()
                .lacks_text
        );
    }
}
