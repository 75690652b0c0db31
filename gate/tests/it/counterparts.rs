//! `abgate` and `nqueens` share no code, so each has a file that escapes text. Both files agree.

#![allow(dead_code)]

#[path = "../../src/escape.rs"]
mod of_abgate;
#[path = "../../../cli/src/terminal/escape.rs"]
mod of_nqueens;

#[test]
fn both_programs_escape_the_same_characters() {
    // Letters, joiners, accents, marks of direction, and characters without width.
    let numbers = (0..0x3000).chain(0xfe00..0x1_0000).chain(0x1_f300..0x1_fa00).chain(0xe_0000..0xe_0200);
    let characters = numbers.filter(|&number| number != u32::from('\n')).filter_map(char::from_u32);
    let texts = characters.flat_map(|c| [format!("a{c}b"), format!("{c} {c}{c}"), format!("🧑{c}💻")]);
    let commands = ["::error::x", "  ::error::x", "a::x", "a ##[error]x", "###[group]x##[y"].map(str::to_owned);
    for text in texts.chain(commands) {
        assert_eq!(of_abgate::escaped(&text), of_nqueens::json(&text), "{text:?}");
    }
}
