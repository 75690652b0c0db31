//! What is written can be read, and nothing else.

use nqueens::board::Board;
use nqueens::solver::Isa;
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
    for &isa in Isa::ALL {
        assert_eq!(serde_json::to_string(&isa).unwrap(), format!("\"{isa}\""));
    }
}

#[test]
fn nothing_invalid_can_be_read() {
    for text in ["[-1]", "[1]", "[0.5]", "{\"columns\":[0]}", "null", "\"0\"", "[1e400]", "[[0]]"] {
        assert!(serde_json::from_str::<Board>(text).is_err(), "{text}");
    }
    let beside = serde_json::from_str::<Board>("[0,2]").unwrap_err().to_string();
    assert!(beside.contains("the queen of row 1 is in column 2: give columns below the size, 2"), "{beside}");
    let good = serde_json::to_value(Counter::new(6).unwrap().run().unwrap()).unwrap();
    for (field, value, part) in [
        ("solutions", 4.into(), "expected a string"),
        ("solutions", "-4".into(), "'-4' is not a whole number in digits"),
        ("size", 33.into(), "'33' is not a board size"),
        ("size", "8".into(), "invalid type: string"),
        ("isa", "avx".into(), "unknown variant"),
    ] {
        let mut edited = good.clone();
        edited[field] = value;
        let error = serde_json::from_value::<Outcome>(edited).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
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
