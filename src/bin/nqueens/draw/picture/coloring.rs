//! Draws one coloring of the color split: its white and its black placements, and their products.

use maud::html;

use super::piece::{BoardGrid, definitions};
use crate::draw::svg::{Drawing, Style, Texts, at, text, titled};
use nqueens::trace::{Coloring, Product, Side};

/// Draws a coloring as an SVG file. For each set of columns it shows the white placements on the set, the black
/// placements on the other columns, and their product.
pub(crate) fn coloring(coloring: &Coloring, title: &str) -> String {
    let n = coloring.white().rows.len() + coloring.black().rows.len();
    let square = (180.0 / n.max(1) as f64).floor().clamp(14.0, 30.0);
    let products = coloring.products();
    let side = square * n as f64;
    let (gap, times, head) = (12.0, 34.0, 26.0);
    let most = |pick: fn(&Product<'_>) -> usize| products.iter().map(pick).max().unwrap_or(0).max(1);
    let (whites, blacks) = (most(|product| product.1.len()), most(|product| product.2.len()));
    let white_width = whites as f64 * (side + gap);
    let black_left = white_width + times;
    let black_width = blacks as f64 * (side + gap);
    let sum_left = black_left + black_width + 8.0;
    let draw = |side_of: &Side, placement: &[usize], left: f64, top: f64, class: &str| {
        let grid = BoardGrid { n, left, top, square };
        html! {
            (grid.squares())
            @for &row in &side_of.rows {
                rect.here x=(at(left)) y=(at(grid.y(row))) width=(at(side)) height=(at(square)) {}
            }
            @for (&row, &column) in side_of.rows.iter().zip(placement) { (grid.queen(row, column, class)) }
            (grid.frame())
        }
    };
    let mut running = 0;
    let rows: Vec<_> = products
        .iter()
        .enumerate()
        .map(|(index, (_, white, black))| {
            let top = head + index as f64 * (side + 22.0);
            let product = white.len() * black.len();
            running += product;
            let words = format!("{} × {} = {product}", white.len(), black.len());
            let middle = top + side / 2.0 + 5.0;
            html! {
                @for (at, placement) in white.iter().enumerate() {
                    (draw(coloring.white(), placement, 1.0 + at as f64 * (side + gap), top, "white"))
                }
                (text(white_width + times / 2.0 - 6.0, middle, "×", Style { size: 20.0, anchor: "middle", class: "strong" }))
                @for (at, placement) in black.iter().enumerate() {
                    (draw(coloring.black(), placement, black_left + at as f64 * (side + gap), top, "queen"))
                }
                (text(sum_left, middle - 9.0, &words, Style { size: 15.0, ..Style::STRONG }))
                (text(sum_left, middle + 11.0, &format!("sum so far: {running}"), Style::MUTED))
            }
        })
        .collect();
    let body = html! {
        (definitions())
        (text(1.0, 14.0, "white queens", Style::MUTED))
        (text(black_left, 14.0, "black queens", Style::MUTED))
        @for row in &rows { (row) }
        @if rows.is_empty() { (text(1.0, 40.0, "no white placement fits a black one: this coloring has no board", Style::default())) }
    };
    let width = (sum_left + 120.0).max(black_left + 280.0);
    let height = head + (products.len().max(1) as f64) * (side + 22.0);
    let about = "Each white placement fits each black one on the columns that it leaves: the boards are their product";
    titled(Drawing { width, height, body }, &Texts { title, about })
}
