//! Streams that are closed, full, endless or gone, and signals at any time.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use super::case::{Case, Input};

/// Commands that write, in a folder with a record, `epyc.json`, and a run, `run`.
const COMMANDS: &[&str] = &[
    "count 8",
    "count 4..=9 --json",
    "solutions 6",
    "solutions 8 --format svg",
    "solutions 9 --format json",
    "trace 5",
    "trace 4 --profile",
    "batch",
    "check",
    "verify --max 5",
    "estimate 8 --budget 0.1s",
    "run plan 8 --units",
    "run count --dir run",
    "run status --dir run",
    "run merge --dir run",
    "run merge --dir run --json",
    "bench compare epyc.json epyc.json",
    "bench export epyc.json --format csv",
    "bench report epyc.json --out -",
    "info",
    "completions bash",
    "man --dir man",
    "--help",
    "--version",
    "bench machine --workload count/mask/n=8/t=1 --budget 1s",
    "bench gate --base /bin/true --head /bin/false --budget 1s",
    "help",
    "count",
    "nonsense",
];

/// What the shell makes of the streams.
const REDIRECTIONS: &[&str] = &[
    ">&-",
    "<&-",
    "2>&-",
    ">&- 2>&-",
    "<&- >&- 2>&-",
    ">/dev/full",
    "2>/dev/full",
    ">/dev/full 2>/dev/full",
    "</dev/zero",
    "</dev/urandom",
    "</",
    "</dev/full",
    "</dev/null >/dev/null 2>&1",
    "| head -c 1",
    "| true",
    "2>&1 | true",
    ">/dev/stderr",
    "1<&0",
];

pub(super) fn streams(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for command in COMMANDS {
        for redirections in REDIRECTIONS {
            let case = Case::new("streams", command.split(' ')).redirected(redirections).folder(folder);
            cases.push(if command.contains("svg") { case.binary() } else { case });
        }
    }
    let mut random = fastrand::Rng::with_seed(3);
    for number in 0..300 {
        let length = random.usize(1..2000);
        let letters = if number % 2 == 0 { &b"Q#. \n8,;[]{}\"\x1b\xe2\x94\x82"[..] } else { b"0123456789 \n\n" };
        let bytes = (0..length).map(|_| letters[random.usize(..letters.len())]).collect();
        cases.push(Case::new("streams", [["check", "batch"][number / 2 % 2]]).input(Input::Bytes(bytes)));
    }
    cases
}

/// Commands that take longer than it takes to send a signal.
const LONG: &[&str] = &[
    "count 26 --quiet",
    "count 8 24 --json",
    "count 22 --classes",
    "count 48 --symmetry half-turn",
    "solutions 16",
    "solutions 14 --format json",
    "verify --max 17",
    "estimate 24 --budget 50s",
    "bench machine --suite quick --out record.json",
    "bench machine --sustain 1m",
    "count 20 --checkpoint checkpoint",
    "run status --dir missing --watch",
    "bench gate --base /bin/sleep --head /bin/cat --budget 10s",
    "trace 12 --profile",
];

pub(super) fn signals(folder: &Path) -> Vec<Case> {
    let mut random = fastrand::Rng::with_seed(4);
    let mut cases = Vec::new();
    for command in LONG {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
            for second in [None, Some(Signal::TERM), Some(Signal::INT)] {
                let mut pause = |most| Duration::from_millis(random.u64(1..most));
                let case = Case::new("signals", command.split(' ')).folder(folder).signal(pause(400), signal);
                let case = match second {
                    Some(second) => case.signal(pause(60), second),
                    None => case,
                };
                // Where it ends by itself before, it ends well; a folder that is not there is another matter.
                cases.push(case.statuses(&[0, 1, 2, 129, 130, 131, 143]).limit(Duration::from_secs(20)));
            }
        }
    }
    cases
}
