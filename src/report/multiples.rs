//! Small charts of one kind, one a machine, with what all have in common behind each of them.

use maud::{Markup, html};

use super::Machine;
use super::draw::{Drawing, Plot, Width, name};

/// How small charts lie on a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    columns: usize,
    gap: f64,
    /// A chart with its title and its axes.
    pub(super) width: f64,
    pub(super) height: f64,
    /// Room for the labels at the left.
    pub(super) left: f64,
}

impl Grid {
    const TITLE: f64 = 22.0;
    const AXIS: f64 = 22.0;
    /// Between two rows.
    const GAP: f64 = 16.0;

    /// A grid for so many charts: one or two are large, many are small.
    pub(super) fn new(count: usize, width: Width, left: f64) -> Self {
        let columns = match (width.is_narrow(), count) {
            (true, _) | (_, 0..=1) => 1,
            (_, 2) => 2,
            (_, 3..=9) => 3,
            _ => 4,
        };
        let gap = 20.0;
        let panel = (width.pixels() - gap * (columns as f64 - 1.0)) / columns as f64;
        Self { columns, gap, width: panel, height: (panel * 0.62).clamp(140.0, 330.0) + Self::TITLE + Self::AXIS, left }
    }

    /// Where values are drawn, inside of a chart.
    pub(super) fn plot(&self) -> Plot {
        Plot { left: self.left, right: self.width - 6.0, top: Self::TITLE + 6.0, bottom: self.height - Self::AXIS }
    }

    fn place(&self, index: usize) -> (f64, f64) {
        let (column, row) = ((index % self.columns) as f64, (index / self.columns) as f64);
        (column * (self.width + self.gap), row * (self.height + Self::GAP))
    }

    /// Charts below `top`: each a title, the common back, and a part of its own.
    pub(super) fn draw(
        &self,
        machines: &[&Machine<'_>],
        (id, width): (&str, Width),
        (head, top): (Markup, f64),
        back: &Markup,
        own: impl Fn(usize) -> Markup,
    ) -> Vec<Drawing> {
        /// What fits on a sheet of paper beside the page's own words.
        const SHEET: f64 = 1080.0;
        let row = self.height + Self::GAP;
        let rows_of_sheet = ((SHEET / row) as usize).max(1);
        let mut head = Some(head);
        let sheet = |(sheet, charts): (usize, &[&Machine<'_>])| {
            let id = format!("{id}-{}-back-{sheet}", width.name());
            let (head, top) = head.take().map_or((None, 0.0), |head| (Some(head), top));
            let body = html! {
                @if let Some(head) = head { (head) }
                defs { g id=(id) { (back) } }
                @for (index, machine) in charts.iter().enumerate() {
                    @let (x, y) = self.place(index);
                    g.small data-m=(machine.at) transform=(format!("translate({x:.1} {:.1})", top + y)) {
                        (name(machine, (0.0, 14.0), self.width - 4.0, width))
                        use href={ "#" (id) } {}
                        (own(sheet * rows_of_sheet * self.columns + index))
                    }
                }
            };
            let rows = charts.len().div_ceil(self.columns) as f64;
            Drawing { width: width.pixels(), height: top + rows * row - Self::GAP, body }
        };
        machines.chunks(rows_of_sheet * self.columns).enumerate().map(sheet).collect()
    }
}
