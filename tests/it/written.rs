//! What is written can be read, and nothing else.

use nqueens::board::{Board, Size};
use nqueens::solver::Isa;
use nqueens::symmetric::Classes;
use nqueens::{Counter, Outcome};

use crate::program::answer;

#[test]
fn what_was_written_is_read_again() {
    let outcome = Counter::new(8).unwrap().solver("bitmask").run().unwrap();
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(
        text,
        r#"{"size":8,"solutions":"92","work":{"nodes":"1028","lane_words":"0"},"solver":"bitmask","isa":"portable","threads":1,"units":21}"#
    );
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    for solution in nqueens::solutions(6).unwrap() {
        let text = serde_json::to_string(&solution).unwrap();
        assert_eq!(text, format!("{:?}", solution.columns()).replace(' ', ""));
        assert_eq!(serde_json::from_str::<Board>(&text).unwrap(), solution);
    }
    let classes = Classes::new(8, 92, 4, 0).unwrap();
    let text = serde_json::to_string(&classes).unwrap();
    assert!(text.contains(r#""fundamental":"12""#), "{text}");
    assert_eq!(serde_json::from_str::<Classes>(&text).unwrap(), classes);
    for &isa in Isa::ALL {
        assert_eq!(serde_json::to_string(&isa).unwrap(), format!("\"{isa}\""));
    }
}

#[test]
fn nothing_invalid_can_be_read() {
    let refused = |text: &str| serde_json::from_str::<Board>(text).unwrap_err().to_string();
    for text in ["[-1]", "[1]", "[0.5]", "{\"columns\":[0]}", "null", "\"0\"", "[1e400]", "[[0]]"] {
        refused(text);
    }
    let beside = refused("[0,2]");
    assert!(beside.contains("the queen of row 1 is in column 2: give columns below the size, 2"), "{beside}");
    for text in ["33", "-1", "\"8\"", "8.5", "18446744073709551616"] {
        assert!(serde_json::from_str::<Size>(text).is_err(), "{text}");
    }
    assert!(serde_json::from_str::<Classes>(r#"{"size":8,"all":"93","half_turn":"4","quarter_turn":"0"}"#).is_err());
}

#[test]
fn an_outcome_that_is_known_to_be_wrong_is_refused() {
    let good = serde_json::to_value(Counter::new(6).unwrap().run().unwrap()).unwrap();
    let with = |field: &str, value: serde_json::Value| {
        let mut edited = good.clone();
        edited[field] = value;
        serde_json::from_value::<Outcome>(edited).map(|read| read.solver).map_err(|error| error.to_string())
    };
    // A user's own solver may have any name.
    assert_eq!(with("solver", "my own solver".into()).as_deref(), Ok("my own solver"));
    let refused = |field: &str, value: serde_json::Value| with(field, value).unwrap_err();
    assert!(refused("solutions", "5".into()).contains("counted 5 for n = 6, but the published count is 4"));
    assert!(refused("solutions", 4.into()).contains("expected a string"));
    assert!(refused("solutions", "-4".into()).contains("'-4' is not a whole number in digits"));
    assert!(refused("size", 33.into()).contains("'33' is not a board size"));
    assert!(refused("solver", "\u{1b}[2J".into()).contains(r#""\u{1b}[2J" is not the name of a solver"#));
    assert!(refused("solver", "".into()).contains("is not the name of a solver"));
    assert!(refused("isa", "avx".into()).contains("unknown variant"));
}

/// What the program prints has the names that the library gives, and more.
#[test]
fn a_line_of_the_program_is_an_outcome() {
    for solver in ["arrays", "bitmask", "color"] {
        let line = format!("count 11 --json --quiet --threads 1 --solver {solver} --isa portable");
        let read: Outcome = serde_json::from_str(&answer(".".as_ref(), &line)).unwrap();
        let counter = Counter::new(11).unwrap().solver(solver).threads(1);
        assert_eq!(read, counter.isa(Isa::Portable).run().unwrap());
    }
}
