//! The color split as text: coloring by coloring, the white placements beside the black ones, and the running sum.

use std::path::Path;

use crate::draw::picture;
use nqueens::board::Size;
use nqueens::trace::{Coloring, colorings};

use crate::exit::Exit;
use crate::terminal::Streams;
use crate::terminal::plural::plural;

/// Larger boards have too many placements to be looked at.
const LARGEST: usize = 10;

pub(crate) fn run(
    size: Size,
    white_rows: Option<&[u32]>,
    svg: Option<&Path>,
    streams: &mut Streams<'_>,
) -> anyhow::Result<Exit> {
    let n = size.get();
    if n > LARGEST {
        return Err(Exit::Usage.error(format!(
            "the color split for n = {n} has too many placements to be shown: give a size up to {LARGEST}"
        )));
    }
    if let Some(rows) = white_rows {
        let mut white = 0;
        for &row in rows {
            if row == 0 || row as usize > n {
                return Err(Exit::Usage.error(format!("there is no row {row}: give white rows from 1 to {n}")));
            }
            white |= 1u64 << (row - 1);
        }
        let coloring = Coloring::new(size, white)?;
        if let Some(path) = svg {
            let title = format!("n = {n}, {}", heading(&coloring));
            return super::picture::write_picture(path, &picture::coloring(&coloring, &title), streams);
        }
        write!(streams.out, "{}", in_text(n, &coloring, &mut 0))?;
        return Ok(Exit::Fine);
    }
    if svg.is_some() {
        return Err(Exit::Usage.error("a picture shows one coloring: give --white-rows, such as --white-rows 1,2"));
    }
    let (mut sum, mut empty, mut all) = (0, 0, 0);
    for coloring in colorings(size)? {
        all += 1;
        if coloring.boards() == 0 {
            empty += 1;
            continue;
        }
        writeln!(streams.out, "{}", in_text(n, &coloring, &mut sum))?;
    }
    writeln!(streams.out, "{} of the rows, {empty} of them without a board. Sum: {sum}", plural(all, "coloring"))?;
    Ok(Exit::Fine)
}

fn heading(coloring: &Coloring) -> String {
    let rows = |rows: &[usize]| match rows {
        [] => "none".to_owned(),
        rows => rows.iter().map(|row| (row + 1).to_string()).collect::<Vec<_>>().join(" "),
    };
    format!("white rows {}, black rows {}", rows(&coloring.white().rows), rows(&coloring.black().rows))
}

/// A coloring: for each set of columns its white placements, the black ones that fit, their product and the sum so far.
fn in_text(n: usize, coloring: &Coloring, sum: &mut usize) -> String {
    let mut text = format!(
        "{}: {}, {}\n",
        heading(coloring),
        plural(coloring.white().placements.len(), "white placement"),
        plural(coloring.black().placements.len(), "black placement")
    );
    for (set, white, black) in coloring.products() {
        let columns: Vec<String> = (0..n).filter(|c| set >> c & 1 == 1).map(|c| (c + 1).to_string()).collect();
        let product = white.len() * black.len();
        *sum += product;
        text += &format!(
            "  white columns {}: {} white x {} black = {product}, sum {sum}\n",
            if columns.is_empty() { "none".to_owned() } else { columns.join(" ") },
            white.len(),
            black.len()
        );
        for row in 0..n {
            let boards = |placements: &[&[usize]], rows: &[usize], queen: char| {
                let line = |placement: &&[usize]| {
                    let column = rows.iter().position(|&other| other == row).map(|index| placement[index]);
                    (0..n).map(|c| if Some(c) == column { queen } else { '.' }).collect::<String>()
                };
                placements.iter().map(line).collect::<Vec<_>>().join("  ")
            };
            let times = if row == n / 2 { " x " } else { "   " };
            text += &format!(
                "    {}{times}{}\n",
                boards(&white, &coloring.white().rows, 'W'),
                boards(&black, &coloring.black().rows, 'B')
            );
        }
    }
    text
}
