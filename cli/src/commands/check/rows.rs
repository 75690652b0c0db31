//! Rows of cells in a line: each form is a small grammar.

use winnow::combinator::{alt, delimited, opt, preceded, repeat, separated, terminated};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::token::{any, one_of, take_till, take_while};

use super::brackets::{bracket, items};
use super::cell::{Cell, TRUTHS, are_in_order};
use super::words::{is_words, letters};

pub(super) type Parsed<T> = Result<T, EmptyError>;

/// Cells of a line, after what must be equal on each line of a table.
pub(super) type FormLine = (String, Vec<Cell>);

const BARS: [char; 12] = ['|', '│', '┃', '║', '&', '⎡', '⎢', '⎣', '⎤', '⎥', '⎦', '¦'];

/// What a grammar makes of a whole text.
pub(super) fn whole<'a, T>(mut grammar: impl Parser<&'a str, T, EmptyError>, text: &'a str) -> Option<T> {
    grammar.parse(text).ok()
}

fn blank<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    take_while(1.., char::is_whitespace).parse_next(input)
}

fn number<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    (take_while(1.., '0'..='9'), opt((".", take_while(0.., '0'..='9')))).take().parse_next(input)
}

/// Cells with blanks between them. R writes labels such as `[,1]`; pandas writes `\` where a heading goes on.
pub(super) fn spaces(line: &str) -> Option<Vec<Cell>> {
    let label = ("[,", number, "]").take();
    let word = take_while(1.., |c: char| !c.is_whitespace() && !"[](){},;\"\\".contains(c) && !BARS.contains(&c));
    let line = line.trim().trim_end_matches(" \\").trim_end();
    let cells: Vec<Cell> = whole(separated(1.., alt((label, word)).map(Cell::new), blank), line)?;
    (cells.len() > 1 || line.starts_with("[,")).then_some(cells)
}

/// Each character is a cell. Other numbers than zeros and ones are none, and a lone letter is none.
pub(super) fn tight(line: &str) -> Option<Vec<Cell>> {
    let line = line.trim();
    let is_cell = |c: &char| !c.is_whitespace() && !"[](){},;".contains(*c) && !BARS.contains(c);
    let are_cells = kinds(line)?.iter().flatten().all(is_cell);
    let are_bits = || line.chars().all(|c| "01".contains(c));
    let is_word = || line.parse::<f64>().is_ok() || line.chars().nth(1).is_none();
    (are_cells && (!is_word() || are_bits())).then(|| row(line))
}

/// Squares are as wide as two characters.
pub(super) fn wide(line: &str) -> Option<Vec<Cell>> {
    let square = (any, any).verify_map(|(first, second)| (second == ' ' || first == second).then(|| Cell::of(first)));
    let line = unframed(line).unwrap_or(line);
    whole(repeat(2.., square), line).filter(|_| kinds(line).is_some())
}

/// Each character is a cell, blanks too.
pub(super) fn blanks(line: &str) -> Option<Vec<Cell>> {
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
pub(super) fn csv(line: &str) -> Option<Vec<Cell>> {
    let sign = *[';', '\t', ','].iter().find(|sign| line.contains(**sign))?;
    let quoted = delimited('"', take_till(0.., '"'), '"');
    let plain = take_till(0.., |c: char| c == sign || "[](){}|\"".contains(c)).map(|text: &str| unquoted(text.trim()));
    whole(separated(2.., alt((quoted, plain)).map(Cell::new), sign), line)
}

/// Fields with bars around them, or a row with bars around it.
pub(super) fn bars(line: &str) -> Option<Vec<Cell>> {
    let line = line.replace("||", "|");
    let inside = unframed(&line)?;
    bars_between(inside).or_else(|| spaces(inside))
}

/// Fields with bars between them. LaTeX ends a line with `\\` or `\hline`.
pub(super) fn bars_between(line: &str) -> Option<Vec<Cell>> {
    let end = line.trim_end().trim_end_matches("\\hline").trim_end();
    let fields = end.strip_suffix("\\\\").unwrap_or(line).split(BARS).map(|field| Cell::new(unquoted(field.trim())));
    Some(fields.collect()).filter(|fields: &Vec<Cell>| fields.len() > 1)
}

/// A line without the bars around it.
fn unframed(line: &str) -> Option<&str> {
    line.trim().strip_prefix(BARS)?.strip_suffix(BARS)
}

pub(super) fn unquoted(text: &str) -> &str {
    let inner = |quote| text.strip_prefix('u').unwrap_or(text).strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).filter(|inner: &&str| !inner.contains(['\'', '"'])).unwrap_or(text)
}

/// A box around each cell.
pub(super) fn boxes(line: &str) -> Option<Vec<Cell>> {
    let square = delimited("[", take_till(0.., ['[', ']']), ("]", take_while(0.., ' ')));
    whole(repeat(2.., square.map(|text: &str| Cell::new(text.trim()))), line.trim())
}

/// A list of cells in a bracket, perhaps with the place of each before it. It may be the only list of an object, and the
/// fields before it are the same on each line.
pub(super) fn list(line: &str) -> Option<FormLine> {
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
    // The key of a single value is compared with those of other lines: see [`names`].
    if cells.len() == 1 && before.contains("=>") {
        return None;
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
pub(super) fn chess(line: &str) -> Option<FormLine> {
    let square = preceded(opt('Q'), (one_of('a'..='z').map(|file| u32::from(file) - 96), take_while(1..3, '0'..='9')));
    let (file, rank) = whole(square, unquoted(line.trim()))?;
    Some((String::new(), vec![Cell::new(&file.to_string()), Cell::new(rank)]))
}

/// A line without its label: `1:`, `1)`, `1. `, `8|`, `#1`, `[1]`, `[1,]`, `[0] =>`, `Solution 1:`, `q =`.
pub(super) fn unlabelled(line: &str) -> Option<(&str, &str)> {
    let number = || take_while(1.., '0'..='9');
    let words = take_till(1.., [':', '='])
        .verify(|text: &str| !text.contains(['[', '(', '{', '|', ',', ';']) && is_words(text));
    let mut label = alt((
        ("[", number(), opt(","), "]", opt(" =>")).void(),
        (number(), take_while(0.., ' '), one_of([':', ')', '|', '│'])).void(),
        (number(), ". ").void(),
        ("#", alt((number().void(), "*".void()))).void(),
        (words, alt(("=>", ":", "="))).void(),
    ));
    let (mut rest, start) = (line.trim_start(), line.trim_start());
    let parsed: Parsed<()> = label.parse_next(&mut rest);
    parsed.ok().map(|()| (&start[..start.len() - rest.len()], rest))
}

/// The size of a board, if a field names it.
pub(super) fn size(field: &str) -> Option<usize> {
    let (name, number) = field.split_once([':', '='])?;
    let is_size = ["n", "size", "order", "dimension", "boardsize"].contains(&letters(name).to_lowercase().as_str());
    number.trim().parse().ok().filter(|_| is_size)
}
