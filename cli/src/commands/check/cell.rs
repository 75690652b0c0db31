//! Cells: the squares, columns and labels in a text.

/// A number, or a text of up to 7 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Cell(u64);

/// How programs write true and false.
pub(super) const TRUTHS: &[&str] = &["True", "true", "TRUE", "False", "false", "FALSE"];

impl Cell {
    /// Any longer text. It is part of no board.
    pub(super) const LONG: Self = Self(u64::MAX);

    /// Reads a number, also as `1.` or `1.0`, or a text.
    pub(super) fn new(text: &str) -> Self {
        let whole = text.trim_end_matches('0').strip_suffix('.').unwrap_or(text);
        match whole.parse::<u32>() {
            Ok(number) if !whole.starts_with('+') => Self(number.into()),
            _ if text.len() > 7 || text.len() > 1 && text.contains(' ') => Self::LONG,
            // The first bit says that it is a text.
            _ => Self(text.bytes().fold(1 << 7, |code, byte| code << 8 | u64::from(byte)) | 1 << 63),
        }
    }

    /// A cell of one character.
    pub(super) fn of(sign: char) -> Self {
        let text =
            |sign: char| sign.encode_utf8(&mut [0; 4]).bytes().fold(1 << 7, |code, byte| code << 8 | u64::from(byte));
        Self(sign.to_digit(10).map_or_else(|| text(sign) | 1 << 63, u64::from))
    }

    pub(super) fn number(self) -> Option<u32> {
        u32::try_from(self.0).ok()
    }

    pub(super) fn is_one_of(self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self == Self::new(text))
    }

    /// Whether programs mark nothing but queens with it.
    pub(super) fn is_queen(self) -> bool {
        self.is_one_of(&["Q", "q", "♕", "♛", "👑", "👸"])
    }

    /// The place in an order: that of 3, c, q3, Q_3 and `[,3]` is 3. -3 has none.
    pub(super) fn place(self) -> Option<u32> {
        let bytes = self.0.to_be_bytes();
        if bytes.contains(&b'-') {
            return None;
        }
        let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let digits: String = bytes.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
        match (self.number(), digits.parse()) {
            (Some(number), _) => Some(number),
            (_, Ok(number)) => Some(number),
            _ if letters == 1 => Some(u32::from(bytes[7].to_ascii_lowercase()).saturating_sub(96)),
            _ => None,
        }
    }

    /// Whether it is a word, as in a heading.
    pub(super) fn is_name(self) -> bool {
        let letters = || self.0.to_be_bytes().iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        // Numbers and texts of one byte are less.
        self.0 > 1 << 63 | 0xffff && (self == Self::LONG || letters() > 1 && !self.is_one_of(TRUTHS))
    }
}

/// Whether cells count up by one from 0 or 1, as headings and labels do.
pub(super) fn are_in_order(cells: &[Cell]) -> bool {
    cells.len() > 2 && counts_up(cells) && cells[0].place() < Some(2)
}

/// Whether cells count up by one.
pub(super) fn counts_up(cells: &[Cell]) -> bool {
    let first = cells.first().and_then(|cell| cell.place());
    first.is_some_and(|first| cells.iter().map(|cell| cell.place()).eq((first..).take(cells.len()).map(Some)))
}
