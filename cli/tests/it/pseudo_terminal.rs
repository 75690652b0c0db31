//! Runs a program on a pseudo-terminal, and shows its output as a screen or a notebook does.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command};

use nix::pty::{Winsize, openpty};

/// A program that runs on a pseudo-terminal.
pub(crate) struct Terminal {
    pub(crate) child: Child,
    ours: File,
    /// The path of the other end, to which the program is connected.
    name: PathBuf,
}

impl Terminal {
    pub(crate) fn start(mut command: Command, rows: u16, columns: u16) -> Self {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(Some(&size), None).unwrap();
        let name = nix::unistd::ttyname(&pair.slave).unwrap();
        let theirs = File::from(pair.slave);
        command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
        Self { child: command.spawn().unwrap(), ours: pair.master.into(), name }
    }

    /// Sets the width of the terminal, as a user does with the mouse.
    pub(crate) fn resize(&self, columns: u16) {
        let theirs = File::open(&self.name).unwrap();
        assert!(Command::new("stty").args(["cols", &columns.to_string()]).stdin(theirs).status().unwrap().success());
    }

    /// Writes to the program, as a user types.
    pub(crate) fn type_in(&mut self, text: &str) {
        self.ours.write_all(text.as_bytes()).unwrap();
    }

    /// Reads the output until `is_enough` accepts it or the program has ended.
    pub(crate) fn read_until(&mut self, is_enough: impl Fn(&str) -> bool) -> String {
        let mut text = Vec::new();
        loop {
            let mut piece = [0; 4096];
            match self.ours.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => text.extend_from_slice(&piece[..length]),
                // Linux returns this error when the other end is closed.
                Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
            // The tests look for ASCII only, so half a letter at the end does not matter.
            if is_enough(&String::from_utf8_lossy(&text)) {
                break;
            }
        }
        String::from_utf8(text).unwrap()
    }

    /// Returns the rest of the output, and whether the program succeeded.
    pub(crate) fn end(mut self) -> (String, bool) {
        let text = self.read_until(|_| false);
        (text, self.child.wait().unwrap().success())
    }
}

/// Returns the lines that a notebook or a log viewer shows. It obeys line ends and carriage returns first, and removes
/// escape sequences last.
pub(crate) fn in_a_notebook(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut shown = Vec::new();
        let mut at = 0;
        for c in line.chars() {
            if c == '\r' {
                at = 0;
                continue;
            }
            shown.resize(shown.len().max(at + 1), ' ');
            shown[at] = c;
            at += 1;
        }
        let shown: String = shown.into_iter().collect();
        let mut parts = shown.split("\x1b[");
        let first = parts.next().unwrap_or_default().to_owned();
        let text = parts.fold(first, |text, part| {
            text + part.trim_start_matches(|c: char| !c.is_alphabetic()).get(1..).unwrap_or("")
        });
        text.trim_end().to_owned()
    };
    text.split('\n').map(line).collect()
}

/// The screen of a terminal with its scrollback.
pub(crate) struct Screen {
    height: usize,
    width: usize,
    /// All rows, with those that have left the screen.
    rows: Vec<Row>,
    /// The first row on the screen. The rows above it are in the scrollback.
    top: usize,
    /// The place of the cursor. After a letter in the last column, it stays there until the next letter.
    row: usize,
    column: usize,
}

#[derive(Default, Clone)]
struct Row {
    letters: Vec<char>,
    /// Whether the text continues in the next row because this row was full.
    is_wrapped: bool,
}

impl Row {
    fn text(&self) -> String {
        self.letters.iter().collect::<String>().trim_end().to_owned()
    }
}

impl Screen {
    pub(crate) fn new(height: usize, width: usize) -> Self {
        Self { height, width, rows: vec![Row::default()], top: 0, row: 0, column: 0 }
    }

    /// Returns the text of each row that has left the screen.
    pub(crate) fn scrollback(&self) -> Vec<String> {
        self.rows[..self.top].iter().map(Row::text).collect()
    }

    pub(crate) fn shown(&self) -> Vec<String> {
        self.rows[self.top..].iter().map(Row::text).collect()
    }

    /// Shows the output of a program. Fails at an escape sequence that the program does not need.
    pub(crate) fn write(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\r' => self.column = 0,
                '\n' => self.down(),
                '\x1b' => {
                    let end = rest.find(char::is_alphabetic).expect("a whole escape sequence");
                    match (rest[..end].strip_prefix('[').map(|number| number.parse().unwrap_or(0)), &rest[end..=end]) {
                        (Some(up), "A") => self.row = self.row.saturating_sub(up).max(self.top),
                        (Some(0), "K") => self.rows[self.row].letters.truncate(self.column),
                        (Some(0), "J") => {
                            assert!(
                                (self.row, self.column) != (self.top, 0),
                                "tmux keeps such a screen in its scrollback"
                            );
                            self.rows.truncate(self.row + 1);
                            self.rows[self.row].letters.truncate(self.column);
                            self.rows[self.row].is_wrapped = false;
                        }
                        _ => panic!("an unknown escape sequence: {:?}", &rest[..=end]),
                    }
                    rest = &rest[end + 1..];
                }
                c => self.put(c),
            }
        }
    }

    fn put(&mut self, c: char) {
        if self.column == self.width {
            self.rows[self.row].is_wrapped = true;
            self.down();
            self.column = 0;
        }
        let letters = &mut self.rows[self.row].letters;
        letters.resize(letters.len().max(self.column + 1), ' ');
        letters[self.column] = c;
        self.column += 1;
    }

    fn down(&mut self) {
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push(Row::default());
        }
        self.top = self.top.max((self.row + 1).saturating_sub(self.height));
    }

    /// Sets the width of the screen. Like most terminals, it rewraps the text and keeps the cursor at its letter.
    pub(crate) fn resize(&mut self, width: usize) {
        let old = std::mem::take(&mut self.rows);
        let mut line = Vec::new();
        let mut cursor = None;
        for (at, row) in old.into_iter().enumerate() {
            if at == self.row {
                cursor = Some(line.len() + self.column);
            }
            line.extend(row.letters);
            if row.is_wrapped {
                continue;
            }
            if let Some(cursor) = cursor.take() {
                (self.row, self.column) = (self.rows.len() + cursor / width, cursor % width);
            }
            let line = std::mem::take(&mut line);
            let rows = line.len().div_ceil(width).max(1);
            for at in 0..rows {
                let letters = line.iter().copied().skip(at * width).take(width).collect();
                self.rows.push(Row { letters, is_wrapped: at + 1 < rows });
            }
        }
        self.width = width;
        self.top = self.top.max(self.rows.len().saturating_sub(self.height));
    }
}
