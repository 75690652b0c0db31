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
    assert!(serde_json::from_str::<Board>("{\"columns\":[0]}").is_err());
    let beside = serde_json::from_str::<Board>("[0,2]").unwrap_err().to_string();
    assert!(beside.contains("give columns below the size, 2"), "{beside}");
    let good = serde_json::to_value(Counter::new(6).unwrap().run().unwrap()).unwrap();
    for (field, value, part) in [
        ("solutions", 4.into(), "expected a string"),
        ("solutions", "-4".into(), "'-4' is not a whole number in digits"),
        ("size", 33.into(), "'33' is not a board size"),
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
