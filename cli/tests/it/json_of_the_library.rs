//! The library's JSON, which is also the JSON of a count, is read again exactly as it was written.

use nqueens::board::Board;
use nqueens::solver::Isa;
use nqueens::tally::{Tally, Work};
use nqueens::{Counter, Outcome, Predicted};

use crate::helpers::answer;

/// The JSON of a count contains all fields that the library serializes.
#[test]
fn what_was_written_is_read_again() {
    for solver in ["arrays", "bitmask", "color"] {
        let counter = Counter::new(11).unwrap().solver(solver).threads(1);
        let counter = counter.isa(Isa::Portable);
        let outcome = counter.run().unwrap();
        let predicted = counter.predicted().unwrap();
        let line = format!("count 11 --json --quiet --threads 1 --solver {solver} --isa portable");
        for text in [serde_json::to_string(&outcome).unwrap(), answer(".".as_ref(), &line)] {
            assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
        }
        let text = serde_json::to_string(&predicted).unwrap();
        let read: Predicted = serde_json::from_str(&text).unwrap();
        let [seconds, expected] = [read, predicted].map(|predicted| predicted.seconds.unwrap());
        assert!(read.bytes == predicted.bytes && (seconds / expected - 1.0).abs() < 1e-12, "{text}");
    }
    let tally = Tally::new(u128::MAX, Work::of_nodes(u64::MAX));
    let text = serde_json::to_string(&tally).unwrap();
    assert!(text.starts_with("{\"solutions\":\"340282366920938463463374607431768211455\","), "{text}");
    assert_eq!(serde_json::from_str::<Tally>(&text).unwrap(), tally);
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
        ("solutions", "04".into(), "'04' is not a whole number in digits"),
        ("size", 33.into(), "'33' is not a board size"),
    ] {
        let mut edited = good.clone();
        edited[field] = value;
        let error = serde_json::from_value::<Outcome>(edited).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
