//! What an attacker types.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// What is typed where a number belongs, between bars.
const NUMBERS: &str = "-1|-0|+8|08|0x8|0b1000|8.0|8.5|8e0|1e1|1e400|-1e400|1e-400|nan|NaN|-nan|inf|-inf|infinity|٤|٨|８|⁸|Ⅷ|½|−8|\
    33|64|65|255|256|257|264|4294967295|4294967296|4294967304|9223372036854775808|18446744073709551615|\
    18446744073709551616|18446744073709551624|340282366920938463463374607431768211456|\
    99999999999999999999999999999999999999999999999999|8,8|8;8|8 8|8..|..8|8..9|8..=|8..=7|..=|0..=33|8..=8..=8|1_000|--8|-|\
    8%|8%%|%s%s%n%d|$(id)|`id`|true|null|[8]|{}|1/0|'8'|\"8\"|<script>8</script>|=8|8s|-8s|8h|99999999999999999999h|eight|\
    | |\x208|8 |\t8|8\n|8\r\n|8\u{200b}|8\u{301}|\u{feff}8|\u{1b}[2J|\u{9b}31m|\u{202e}8";

/// What is typed where a name, a file or a word belongs. No word leads out of the folder of its case to a place where
/// something could be written.
const WORDS: [&str; 26] = [
    "",
    " ",
    "-",
    "--",
    ".",
    "a\tb",
    "a\nerror: none\r",
    "auto",
    "NaN",
    "%s%s%s%n",
    "::error::x%0A",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "\u{9b}31m\u{90}",
    "\u{202e}txt.exe\u{2066}",
    "\u{200b}\u{feff}\u{2028}",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "=cmd|' /C calc'!A0",
    "@SUM(1,1)",
    "a|b`c`[x](javascript:alert(1))",
    "missing/deeper/x",
    "/proc/nonexistent/\u{1b}[31m/x",
    "/proc/self/mem",
    "/dev/full",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "🏳\u{fe0f}\u{200d}🌈",
];

pub(super) fn numbers() -> Vec<OsString> {
    NUMBERS.split('|').map(OsString::from).collect()
}

/// Words, among them some that are no text and some that are very long.
pub(super) fn words() -> Vec<OsString> {
    let no_text = [b"\xff\xfe\x9b31m\x1b[2J".to_vec(), b"\xc0\x80\xed\xa0\x80".to_vec()].map(OsString::from_vec);
    let long = ["A".repeat(100_000), "\u{1b}".repeat(300)].map(OsString::from);
    WORDS.map(OsString::from).into_iter().chain(no_text).chain(long).collect()
}
