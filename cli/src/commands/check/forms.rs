//! The forms in which programs write cells: each a small grammar.

use winnow::combinator::{alt, delimited, opt, preceded, repeat, separated, terminated};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::token::{any, one_of, take_till, take_while};

use super::lines::{bracket, is_ruler, is_words, items, letters, unlabelled};
use super::table::{Cell, TRUTHS, Table, are_in_order, counts_up};
use Grammar::{Bare, Cells, Lines, List, Named, Parts};

pub(super) type Parsed<T> = Result<T, EmptyError>;

/// Cells of a line, after what must be equal on each line of a table.
type FormLine = (String, Vec<Cell>);

/// How a form reads.
#[derive(Clone, Copy)]
pub(super) enum Grammar {
    /// A line is a row of cells. A label may stand before it: a number in it is a cell. A heading may stand above the first.
    Cells(fn(&str) -> Option<Vec<Cell>>),
    /// Likewise, without labels.
    Bare(fn(&str) -> Option<Vec<Cell>>),
    /// A line is a row of cells in a bracket.
    List(fn(&str) -> Option<FormLine>),
    /// A line is a row of numbers in a text that is the same on each line.
    Named(fn(&str) -> Option<FormLine>),
    /// Several lines are a table.
    Lines(fn(&[&str]) -> Option<(usize, Table)>),
    /// A line has parts, which are read like lines.
    Parts(for<'a> fn(&'a str) -> Option<Vec<&'a str>>),
}

/// A form of text: its name, signs of which its first line has one unless there are none, an example, and its grammar.
pub(super) struct Form(pub(super) &'static str, pub(super) &'static str, pub(super) &'static str, pub(super) Grammar);

/// All forms.
pub(super) const FORMS: &[Form] = &[
    Form("spaces", " \t", ". Q . .\n. . . Q\nQ . . .\n. . Q .", Cells(spaces)),
    Form("letters", "", ".Q..\n...Q\nQ...\n..Q.", Cells(tight)),
    Form("wide", "", "│  ♛   ░░│\n│░░  ░░♛ │\n│♛ ░░  ░░│\n│░░  ♛   │", Bare(wide)),
    Form("blanks", " ", " Q .\n. .Q\nQ. .\n. Q ", Bare(blanks)),
    Form("csv", ",;\t", ",Q,,\n,,,Q\nQ,,,\n,,Q,", Cells(csv)),
    Form("bars", "|│┃║&⎡⎢⎣", "|   | Q |   |   |\n|   |   |   | Q |\n| Q |   |   |   |\n|   |   | Q |   |", Cells(bars)),
    Form("bars-between", "|│┃║&", " |Q| | \n | | |Q\nQ| | | \n | |Q| ", Bare(bars_between)),
    Form("boxes", "[", "[ ][Q][ ][ ]\n[ ][ ][ ][Q]\n[Q][ ][ ][ ]\n[ ][ ][Q][ ]", Bare(boxes)),
    Form("bracket", "[({", "Qs = [2, 4, 1, 3].", List(list)),
    Form("names", "0123456789", "Q_1 = 2\nQ_2 = 4\nQ_3 = 1\nQ_4 = 3", Named(names)),
    Form("chess", "0123456789", "a2 b4 c1 d3", Named(chess)),
    Form("fen", "/", "1Q2/3Q/Q3/2Q1 w - - 0 1", Lines(fen)),
    Form("sat", "-", "v -1 2 -3 -4 -5 -6 -7 8\nv 9 -10 -11 -12 -13 -14 15 -16 0", Lines(literals)),
    Form("side-by-side", " \t|", ".Q..  ..Q.\n...Q  Q...\nQ...  ...Q\n..Q.  .Q..", Lines(side_by_side)),
    Form("nested", "[({", "[[1, 3, 0, 2], [2, 0, 3, 1]]", Parts(nested)),
    Form("parts", " ,;|", "2 4 1 3; 3 1 4 2", Parts(parts)),
];

const BARS: [char; 12] = ['|', '│', '┃', '║', '&', '⎡', '⎢', '⎣', '⎤', '⎥', '⎦', '¦'];

/// What a grammar makes of a whole text.
fn whole<'a, T>(mut grammar: impl Parser<&'a str, T, EmptyError>, text: &'a str) -> Option<T> {
    grammar.parse(text).ok()
}

fn blank<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    take_while(1.., char::is_whitespace).parse_next(input)
}

fn number<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    (take_while(1.., '0'..='9'), opt((".", take_while(0.., '0'..='9')))).take().parse_next(input)
}

/// Cells with blanks between them. R writes labels such as `[,1]`; pandas writes `\` where a heading goes on.
fn spaces(line: &str) -> Option<Vec<Cell>> {
    let label = ("[,", number, "]").take();
    let word = take_while(1.., |c: char| !c.is_whitespace() && !"[](){},;\"\\".contains(c) && !BARS.contains(&c));
    let line = line.trim().trim_end_matches(" \\").trim_end();
    let cells: Vec<Cell> = whole(separated(1.., alt((label, word)).map(Cell::new), blank), line)?;
    (cells.len() > 1 || line.starts_with("[,")).then_some(cells)
}

/// Each character is a cell. Other numbers than zeros and ones are none, and a lone letter is none.
fn tight(line: &str) -> Option<Vec<Cell>> {
    let line = line.trim();
    let is_cell = |c: &char| !c.is_whitespace() && !"[](){},;".contains(*c) && !BARS.contains(c);
    let are_cells = kinds(line)?.iter().flatten().all(is_cell);
    let are_bits = || line.chars().all(|c| "01".contains(c));
    let is_word = || line.parse::<f64>().is_ok() || line.chars().nth(1).is_none();
    (are_cells && (!is_word() || are_bits())).then(|| row(line))
}

/// Squares are as wide as two characters.
fn wide(line: &str) -> Option<Vec<Cell>> {
    let square = (any, any).verify_map(|(first, second)| (second == ' ' || first == second).then(|| Cell::of(first)));
    let line = unframed(line).unwrap_or(line);
    whole(repeat(2.., square), line).filter(|_| kinds(line).is_some())
}

/// Each character is a cell, blanks too.
fn blanks(line: &str) -> Option<Vec<Cell>> {
    let line = unframed(line).unwrap_or(line);
    kinds(line).map(|_| row(line))
}

/// A cell for each character.
fn row(line: &str) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(line.len());
    cells.extend(line.chars().map(Cell::of));
    cells
}

/// The kinds of characters of a line, if there are at most three.
fn kinds(line: &str) -> Option<[Option<char>; 3]> {
    let mut kinds = [None; 3];
    let are_few = line.chars().all(|c| kinds.iter_mut().any(|kind| *kind.get_or_insert(c) == c));
    (are_few && !line.is_empty()).then_some(kinds)
}

/// Fields with commas, semicolons or tabs between them, some of them empty.
fn csv(line: &str) -> Option<Vec<Cell>> {
    let sign = *[';', '\t', ','].iter().find(|sign| line.contains(**sign))?;
    let quoted = delimited('"', take_till(0.., '"'), '"');
    let plain = take_till(0.., |c: char| c == sign || "[](){}|\"".contains(c)).map(|text: &str| unquoted(text.trim()));
    whole(separated(2.., alt((quoted, plain)).map(Cell::new), sign), line)
}

/// Fields with bars around them, or a row with bars around it.
fn bars(line: &str) -> Option<Vec<Cell>> {
    let line = line.replace("||", "|");
    let inside = unframed(&line)?;
    bars_between(inside).or_else(|| spaces(inside))
}

/// Fields with bars between them. LaTeX ends a line with `\\` or `\hline`.
fn bars_between(line: &str) -> Option<Vec<Cell>> {
    let end = line.trim_end().trim_end_matches("\\hline").trim_end();
    let fields = end.strip_suffix("\\\\").unwrap_or(line).split(BARS).map(|field| Cell::new(unquoted(field.trim())));
    Some(fields.collect()).filter(|fields: &Vec<Cell>| fields.len() > 1)
}

/// A line without the bars around it.
fn unframed(line: &str) -> Option<&str> {
    line.trim().strip_prefix(BARS)?.strip_suffix(BARS)
}

fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix('u').unwrap_or(text).strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).filter(|inner: &&str| !inner.contains(['\'', '"'])).unwrap_or(text)
}

/// A box around each cell.
fn boxes(line: &str) -> Option<Vec<Cell>> {
    let square = delimited("[", take_till(0.., ['[', ']']), ("]", take_while(0.., ' ')));
    whole(repeat(2.., square.map(|text: &str| Cell::new(text.trim()))), line.trim())
}

/// The size of a board, if a field names it.
pub(super) fn size(field: &str) -> Option<usize> {
    let (name, number) = field.split_once([':', '='])?;
    let is_size = ["n", "size", "order", "dimension", "boardsize"].contains(&letters(name).to_lowercase().as_str());
    number.trim().parse().ok().filter(|_| is_size)
}

/// A list of cells in a bracket, perhaps with the place of each before it. It may be the only list of an object, and the
/// fields before it are the same on each line.
fn list(line: &str) -> Option<FormLine> {
    let (before, inside, after) = bracket(line)?;
    let (mut cells, mut keys) = (Vec::new(), Vec::new());
    if let Some((fields, _, rest)) = bracket(inside)
        && fields.trim_end().ends_with(':')
        && !rest.contains(['[', '(', '{'])
    {
        let (_, cells) = list(inside)?;
        let fits = fields.split(',').find_map(size).is_none_or(|size| size == cells.len());
        return (fits && !after.contains(|c: char| c.is_ascii_digit()) && is_words(after))
            .then(|| (fields.to_owned(), cells));
    }
    for item in items(inside) {
        let is_number = item.bytes().next().is_some() && item.bytes().all(|byte| byte.is_ascii_digit());
        let (key, cell) = if is_number { (None, item) } else { whole(element, item)? };
        keys.extend(key.map(Cell::new));
        cells.push(Cell::new(cell));
    }
    let are_keys = keys.is_empty() || keys.len() == cells.len() && are_in_order(&keys);
    (are_keys && !after.contains(|c: char| c.is_ascii_digit()) && is_words(after)).then(|| (letters(before), cells))
}

/// A cell of a list, perhaps with its place before it: `[0] => 4`, `'Q'`.
fn element<'a>(input: &mut &'a str) -> Parsed<(Option<&'a str>, &'a str)> {
    let plain = take_while(1.., |c: char| !c.is_whitespace() && !"[](){}\"'=:,;|/".contains(c));
    let text = |quote: char| delimited(quote, take_till(0.., quote), quote);
    let quoted = alt((text('"'), text('\''))).verify(|text: &str| text.chars().count() < 2 || TRUTHS.contains(&text));
    let key = terminated(alt((delimited("[", number, "]"), number)), (opt(blank), alt(("=>", ":")), opt(blank)));
    (opt(key), alt((preceded(opt('u'), quoted), plain))).parse_next(input)
}

/// Up to five numbers, True or False in a text that is the same on each line.
pub(super) fn names(line: &str) -> Option<FormLine> {
    let (mut shape, mut cells, mut rest) = (String::new(), Vec::new(), line.trim());
    let word = || take_while(1.., char::is_alphabetic);
    while !rest.is_empty() {
        let is_in_word = shape.ends_with(|c: char| c.is_alphanumeric() || c == '.');
        let parsed: Parsed<&str> = alt((number, word(), blank.value(" "), any.take())).parse_next(&mut rest);
        let text = parsed.ok()?;
        if Cell::new(text).number().is_some() || TRUTHS.contains(&text) && !is_in_word {
            cells.push(Cell::new(text));
            shape.push('#');
        } else {
            shape.push_str(text);
        }
        if cells.len() > 5 {
            return None;
        }
    }
    let shape = shape.trim_end_matches([',', ' ', ';']).to_owned();
    let is_named = shape.contains(|c: char| c.is_alphabetic() || c == '[');
    (!cells.is_empty() && (cells.len() < 4 || is_named)).then_some((shape, cells))
}

/// The name of a square.
fn chess(line: &str) -> Option<FormLine> {
    let square = preceded(opt('Q'), (one_of('a'..='z').map(|file| u32::from(file) - 96), take_while(1..3, '0'..='9')));
    let (file, rank) = whole(square, unquoted(line.trim()))?;
    Some((String::new(), vec![Cell::new(&file.to_string()), Cell::new(rank)]))
}

/// A board in chess notation, in FEN, EPD or LaTeX: a number is a run of empty squares.
fn fen(lines: &[&str]) -> Option<(usize, Table)> {
    let line = lines[0].trim();
    let line = line.split_once("fen=").map_or(line, |parts| parts.1).trim_matches(['}', ']', '"', ',', '\'']);
    let run = take_while(1..5, '0'..='9').try_map(str::parse::<usize>).verify(|run| *run < 5000);
    let part = alt((one_of(['Q', 'q']).map(|_| vec![Cell::of('Q')]), run.map(|run| vec![Cell::of('.'); run])));
    let row = repeat(1.., part).map(|parts: Vec<Vec<Cell>>| parts.concat());
    let rest = opt((" ", one_of(['w', 'b']), take_while(0.., |_| true)));
    let rows: Vec<Vec<Cell>> = whole(terminated(separated(2.., row, "/"), rest), line)?;
    rows.iter().all(|row| row.len() == rows.len()).then(|| (1, Table::new(rows.len(), rows.concat())))
}

/// A model of a SAT solver: the numbers of all squares, negative if there is no queen.
fn literals(lines: &[&str]) -> Option<(usize, Table)> {
    let mut count = 0;
    let row = |line: &&str| -> Option<Vec<i64>> {
        let words = line.trim().trim_start_matches(['v', '[']).trim_end_matches(']').split([' ', ',']);
        let mut is_next = |number: &i64| {
            count += 1;
            number.unsigned_abs() == count
        };
        let numbers = words.filter(|word| !["", "0"].contains(word)).map(|word| word.parse().ok());
        numbers.map(|number| number.filter(|number| is_next(number))).collect()
    };
    let rows: Vec<_> = lines.iter().map_while(row).collect();
    let cells: Vec<Cell> = rows.concat().iter().map(|number| Cell::of(if *number > 0 { 'Q' } else { '.' })).collect();
    let n = cells.len().isqrt();
    (n > 3 && n * n == cells.len() && cells.contains(&Cell::of('.'))).then(|| (rows.len(), Table::new(n, cells)))
}

/// Several boards beside one another, with a gap between them.
fn side_by_side(lines: &[&str]) -> Option<(usize, Table)> {
    let row = |line: &str| -> Option<Vec<Vec<Cell>>> {
        let parts = line.split("  ").flat_map(|part| part.split(['\t', '|'])).filter(|part| !part.trim().is_empty());
        parts.map(|part| tight(part).or_else(|| spaces(part))).collect()
    };
    let (n, boards) = row(lines[0]).map(|parts| (parts.first().map_or(0, Vec::len), parts.len()))?;
    let rows: Vec<Vec<Vec<Cell>>> = lines.iter().take(n).map(|line| row(line)).collect::<Option<_>>()?;
    let are_even = rows.iter().all(|parts| parts.len() == boards && parts.iter().all(|part| part.len() == n));
    let cells = || (0..boards).flat_map(|board| rows.iter().flat_map(move |row| row[board].iter().copied()));
    (n > 3 && boards > 1 && rows.len() == n && are_even).then(|| (n, Table::new(n, cells().collect())))
}

/// What stands in a bracket. A word before numbers is one of the cells, no label.
pub(super) fn nested(line: &str) -> Option<Vec<&str>> {
    let (_, inside, after) = bracket(line)?;
    let items: Vec<&str> = items(inside).into_iter().map(unquoted).collect();
    let is_number = |item: &&str| Cell::new(item).number().is_some();
    let is_row = items.len() > 1 && !is_number(&items[0]) && items[1..].iter().all(is_number);
    (is_words(after) && !is_row).then_some(items)
}

/// Parts of a line without a bracket around them.
pub(super) fn parts(line: &str) -> Option<Vec<&str>> {
    Some(items(line)).filter(|parts| parts.len() > 1 || parts.iter().any(|part| part.len() < line.trim().len()))
}

/// Whether cells are labels with something in the corner.
fn is_corner(cells: &[Cell]) -> bool {
    let is_empty = cells.len() == 2 && cells[0] == Cell::new("");
    cells[0].number().is_none() && !cells[0].is_queen() && (are_in_order(&cells[1..]) || is_empty)
}

/// Whether a line is labels above or below a board, and something in the corner.
pub(super) fn is_heading(line: &str) -> bool {
    spaces(line).is_some_and(|cells| is_corner(&cells))
}

/// Collects lines that are rows of one table, with its heading and the rulers between.
pub(super) fn collect(lines: &[&str], grammar: Grammar) -> Option<(usize, Table)> {
    let read = |line: &str| -> Option<FormLine> {
        match grammar {
            Cells(row) => {
                let plain = row(line).map(|cells| (String::new(), cells));
                let is_row = plain.as_ref().is_some_and(|(_, cells)| !cells.iter().any(|cell| cell.is_name()));
                let labelled = || -> Option<FormLine> {
                    let (label, rest) = unlabelled(line)?;
                    let mut numbers = label.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
                    let cells = numbers.next().filter(|_| numbers.next().is_none()).map(Cell::new);
                    let mark = if cells.is_some() { "#" } else { ":" };
                    Some((letters(label) + mark, cells.into_iter().chain(row(rest)?).collect()))
                };
                if is_row { plain } else { labelled().or(plain) }
            }
            Bare(row) => row(line).map(|cells| (String::new(), cells)),
            List(row) | Named(row) => row(line),
            _ => None,
        }
    };
    let is_list = !matches!(grammar, Cells(_) | Bare(_));
    let mut table = Table { is_named: matches!(grammar, Named(_)), ..Table::default() };
    let (mut shape, mut body) = read(lines[0])?;
    let (mut first, mut used) = (0, 1);
    // A heading may be one or two cells shorter than the rows.
    let after = 1 + lines[1..].iter().take_while(|line| is_ruler(line)).count();
    if let Some((next_shape, next)) = lines.get(after).filter(|_| !is_list).and_then(|line| read(line)) {
        let shorter = next.len().checked_sub(body.len());
        let are_names = body.iter().all(|cell| cell.is_name()) && !next.iter().any(|cell| cell.is_name());
        let is_corner = shorter == Some(0) && is_corner(&body);
        let is_part = counts_up(&body)
            && (shorter == Some(1) || shorter == Some(0) && body.iter().all(|cell| cell.number().is_none()));
        let is_heading = is_part || shorter < Some(3) && are_in_order(&body) || shorter < Some(2) && are_names;
        if shape.is_empty() && (is_corner || shorter.is_some() && is_heading) {
            table.is_labelled = is_corner || shorter == Some(1);
            (shape, body, first, used) = (next_shape, next, after, after + 1);
        }
    }
    if body.iter().any(|cell| cell.is_name()) {
        return None;
    }
    table.is_labelled |= matches!(grammar, Cells(_)) && shape.ends_with('#');
    (table.width, table.cells, table.lines) = (body.len(), body, vec![first]);
    for (at, line) in lines.iter().enumerate().skip(used) {
        let row = read(line);
        let is_line =
            row.as_ref().is_none_or(|(_, cells)| cells.iter().all(|cell| *cell == cells[0])) && is_ruler(line);
        match row {
            Some((next, cells))
                if cells.len() == table.width && next == shape && (!is_line || table.cells.contains(&cells[0])) =>
            {
                table.cells.extend(cells);
                table.lines.push(at);
                used = at + 1;
            }
            _ if is_line => {}
            _ => break,
        }
    }
    Some((used, table))
}
