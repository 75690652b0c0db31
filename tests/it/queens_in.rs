//! Reads the boards of a picture. Unit tests of the program use this file too.

use roxmltree::Document;

/// Where the queens are in an SVG picture: by board the (column, row) of each piece, from its transformation.
pub(crate) fn queens_in(svg: &str) -> Vec<Vec<(i64, i64)>> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let groups = document.descendants().filter(|node| node.attribute("class") == Some("board"));
    groups
        .map(|group| {
            let frame = group.descendants().find(|node| node.attribute("class") == Some("light")).unwrap();
            let number = |name: &str| frame.attribute(name).unwrap().parse::<f64>().unwrap();
            let (left, top) = (number("x"), number("y"));
            let pieces: Vec<(f64, f64)> = group
                .descendants()
                .filter(|node| node.attribute("href") == Some("#queen"))
                .map(|node| {
                    let place = node.attribute("transform").unwrap().split(['(', ')']).nth(1).unwrap();
                    let (x, y) = place.split_once(' ').unwrap();
                    (x.parse::<f64>().unwrap() - left, y.parse::<f64>().unwrap() - top)
                })
                .collect();
            let square = number("width") / pieces.len() as f64;
            pieces.into_iter().map(|(x, y)| ((x / square).round() as i64, (y / square).round() as i64)).collect()
        })
        .collect()
}
