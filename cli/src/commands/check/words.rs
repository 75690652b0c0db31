//! Words and rulers: what stands between boards.

/// Whether a line is drawn between rows or boards.
pub(super) fn is_ruler(text: &str) -> bool {
    let text = text.trim();
    let is_part = |c: char| " +|-=*_~:\t%".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    let is_mixed = || text.contains('*') && text.contains(|c| c != '*' && c != ' ');
    text.chars().all(is_part) && text.contains(|c| !" |│┃║".contains(c)) && !is_mixed()
}

/// Whether a text holds neither a queen, nor a row of cells, nor three numbers. A date is one number.
pub(super) fn is_words(text: &str) -> bool {
    let mut numbers = 0;
    for word in text.split(|c: char| c.is_whitespace() || "[](){},;=|\"'".contains(c)) {
        let word = word.trim_end_matches([':', '.', '!', '?']);
        // A name such as Q_1 is no queen.
        let is_name = |sign: Option<char>| sign.is_some_and(|c| c != 'Q' && c.is_alphabetic());
        let is_queen = |(at, _): (usize, &str)| {
            !is_name(word[..at].chars().next_back()) && !is_name(word[at + 1..].chars().next())
        };
        if word.contains(['♕', '♛', '👑']) || word.match_indices('Q').any(is_queen) || is_row(word) {
            return false;
        }
        let parts: Vec<&str> = word.split(['-', ':', '/', '>']).collect();
        let here = parts.iter().filter(|part| is_number(part)).count();
        numbers += if parts.len() == 3 { here.min(1) } else { here };
    }
    numbers < 3
}

/// A whole number, or the name of a square.
pub(super) fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('Q').unwrap_or(word);
    let digits = word.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(word);
    let whole = digits.strip_suffix(".0").or(digits.strip_suffix('.')).unwrap_or(digits);
    !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word looks like a row of cells: a usual queen, and one kind of empty squares.
fn is_row(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    let Some(second) = word.chars().find(|c| *c != first) else { return false };
    let is_pair = |queen, empty| "XxR*1#@■●O".contains(queen) && ".-_0□·*o#+".contains(empty);
    word.chars().nth(2).is_some()
        && word.chars().all(|c| c == first || c == second)
        && (is_pair(first, second) || is_pair(second, first))
}

/// What a line begins with, up to a digit, a blank or a sign of a value.
pub(super) fn start(line: &str) -> &str {
    line.trim().split(|c: char| c.is_ascii_digit() || c.is_whitespace() || ":=".contains(c)).next().unwrap_or("")
}

/// The letters of a text.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}
