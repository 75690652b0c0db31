//! Numbers that are none, or too large, wherever a number belongs.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nqueens::board::{Size, known};
use rustix::process::Signal;

use super::case::{Case, PROGRAM};
use super::text::NUMBERS;

/// Every place for a number: `{}` stands for it, `RUN` for the folder of a run.
const PLACES: &[&str] = &[
    "count {}",
    "count 4 {}",
    "count 8 --threads {}",
    "count 8 -t {}",
    "count {} --fundamental",
    "count {} --classes",
    "count {} --symmetry quarter-turn",
    "solutions {} --limit 1",
    "solutions 8 --limit {}",
    "solutions {} --first --format columns",
    "solutions {} --symmetry half-turn --limit 1",
    "solutions 8 --format svg --columns {}",
    "trace {} --step 1",
    "trace 6 --step {}",
    "trace 6 --delay {}",
    "trace 6 --solver color --white-rows {}",
    "trace {} --profile",
    "batch --max {}",
    "verify --max {}",
    "verify --max 4 --threads {}",
    "run audit --dir RUN --sample {}",
    "run audit --dir RUN --seed {}",
    "estimate {} --budget 0.1s",
    "estimate 10 --budget {}",
    "estimate 10 --share {}",
    "estimate 10 --seed {}",
    "estimate 10 --budget 0.1s --threads {}",
    "run plan {} --units",
    "run plan 10 --units --shards {}",
    "run count --dir RUN --shards {}",
    "run count --dir RUN --max-runtime {}",
    "run count --dir RUN --threads {}",
    "bench machine --workload count/mask/n=8/t=1 --budget {}",
    "bench machine --workload count/mask/n=8/t={} --budget 1s",
    "bench machine --workload count/mask/n={}/t=1 --budget 1s",
    "bench machine --workload count/mask/n=8/t=1@{} --budget 1s",
    "bench machine --budget 1s --sustain {} --workload none",
    "bench sample --workload count/mask/n=8/t=1 --repetitions {}",
    "bench sample --workload count/mask/n=8/t=1 --runs {}",
    "bench gate --base /nonexistent --head /nowhere --threshold {}",
    "bench gate --base /nonexistent --head /nowhere --timeout {}",
    "bench gate --base /nonexistent --head /nowhere --budget {}",
    "info {}",
];

pub(super) fn cases(run: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for place in PLACES {
        for number in NUMBERS {
            let arguments = arguments(place, number, run);
            let case = Case::new("numbers", arguments);
            cases.push(match *place {
                "count {}" => case.answer(count(number)),
                "count 8 --threads {}" | "count 8 -t {}" => case.answer("92\n"),
                // Such a board takes years: it is interrupted.
                "count {} --symmetry quarter-turn" if *number == "64" => {
                    case.signal(Duration::from_millis(500), Signal::INT).statuses(&[130])
                }
                _ => case,
            });
        }
    }
    cases
}

/// What a count of this size answers, where it is one.
fn count(number: &str) -> String {
    let size = number.parse().ok().and_then(|n| Size::new(n).ok());
    size.and_then(known::solutions).map_or_else(String::new, |count| format!("{count}\n"))
}

fn arguments(place: &str, number: &str, run: &Path) -> Vec<String> {
    let fill = |word: &str| if word == "RUN" { run.display().to_string() } else { word.replace("{}", number) };
    place.split(' ').map(fill).collect()
}

/// Each place is one where the program reads a number: the message names what is none.
#[test]
fn every_place_is_read() {
    for place in PLACES {
        let output = Command::new(PROGRAM).args(arguments(place, "8x7", Path::new("none"))).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("8x7") && output.status.code() == Some(2), "{place}: {said}");
    }
}
