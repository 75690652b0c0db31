//! Hostile command lines: numbers and words as arguments and in the environment, streams that are closed, full, endless or
//! gone, and signals at any time.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::program::{run, typed};

use super::case::Case;
use super::text::{self, words};

/// Every place for a number: `{}` stands for it.
pub(super) const PLACES: &[&str] = &[
    "count {}",
    "count 8 --threads {}",
    "count {} --classes",
    "count {} --symmetry quarter-turn",
    "solutions 8 --limit {}",
    "solutions {} --any --format columns",
    "solutions {} --symmetry half-turn --limit 1",
    "trace {} --step 1",
    "trace 6 --step {}",
    "trace 6 --delay {}",
    "batch --max {}",
    "verify --max {}",
    "run audit run --sample {}",
    "run audit run --seed {}",
    "estimate {}",
    "count {} --dir new --for 1s",
    "count 10 --dir new --shards {}",
    "count 10 --dir run --only {}",
    "count 10 --dir run --for {}",
    "bench gate --base /nonexistent --head /nowhere --threshold {}",
    "bench gate --base /nonexistent --head /nowhere --timeout {}",
    "bench gate --base /nonexistent --head /nowhere --budget {}",
    "info {}",
];

/// Every command, with what makes it short.
pub(super) const COMMANDS: &[&str] = &[
    "count 8 --quiet",
    "solutions 4",
    "trace 4",
    "batch",
    "check",
    "verify --max 4",
    "count 10 --dir run",
    "estimate 8",
    "run status run",
    "run merge run",
    "run audit run",
    "bench machine --name x",
    "bench compare small.json small.json",
    "bench gate --base /bin/true --head /bin/false --budget 1s",
    "info",
    "completions bash",
    "man --dir man",
    "help",
];

/// Other formats that commands write, and what is no command.
const FORMATS: &[&str] = &[
    "count 4..=9 --json",
    "solutions 8 --format svg",
    "solutions 9 --format json",
    "trace 4 --profile",
    "run merge run --json",
    "bench compare small.json --format html",
    "--help",
    "--version",
    "count",
    "nonsense",
];

/// What the shell makes of the streams.
const REDIRECTIONS: &str = ">&-; <&-; 2>&-; >&- 2>&-; <&- >&- 2>&-; >/dev/full; 2>/dev/full; >/dev/full 2>/dev/full; \
                            </dev/zero; </dev/urandom; </; </dev/full; </dev/null >/dev/null 2>&1; >/dev/stderr; 1<&0; \
                            | head -c 1; | true; 2>&1 | true";

/// Variables that the program, its libraries or its surroundings read, each with a command that may heed them.
const VARIABLES: &[(&str, &str)] = &[
    ("NQUEENS_MACHINE PBS_ARRAY_INDEX SGE_TASK_ID LSB_JOBINDEX", "count 10 --dir run"),
    ("RAYON_NUM_THREADS RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_LOG", "verify --max 4"),
    ("RUST_MIN_STACK TERM COLUMNS LINES NO_COLOR CLICOLOR_FORCE LANG LC_ALL TZ", "bench compare small.json small.json"),
    ("HOME TMPDIR PATH GITHUB_STEP_SUMMARY", "bench gate --base /bin/true --head /bin/false --budget 1s"),
];

/// Commands that take longer than it takes to send a signal.
const LONG: &[&str] = &[
    "count 26 --quiet",
    "count 22 --classes",
    "count 32 --symmetry half-turn",
    "solutions 16",
    "verify --max 17",
    "bench machine --scaling --out record.json",
    "batch --max 16",
    "count 20 --dir saved",
    "bench gate --base 'sleep 9' --head 'sleep 9' --budget 10s",
    "trace 12 --profile",
];

/// Numbers that are none, or too large, wherever a number belongs.
pub(super) fn numbers(folder: &Path) -> Vec<Case> {
    Case::each("numbers", folder, PLACES, &text::numbers())
}

/// What the program prints for these arguments and `--help`.
pub(super) fn help(arguments: &str) -> String {
    run(&mut typed(Path::new("."), format!("{} --help", arguments.trim()).trim_start())).stdout
}

/// The options that a command's help names.
fn options(command: &str) -> Vec<String> {
    let help = help(command);
    let words = help.split(|c: char| c.is_whitespace() || "[],'.;:=`".contains(c));
    let mut options: Vec<_> = words.filter(|word| word.starts_with("--") && word.len() > 2).map(Into::into).collect();
    options.sort();
    options.dedup();
    options
}

/// Every command and every option that the program's help names, with words that no command line should hold.
pub(super) fn arguments(folder: &Path) -> Vec<Case> {
    let mut cases = Case::each("arguments", folder, ["{}", "help {}"], &words());
    for command in COMMANDS {
        let options = options(command);
        let alone =
            options.iter().flat_map(|option| [format!("{command} {option}"), format!("{command} {option} {option}")]);
        cases.extend(Case::each("arguments", folder, alone, &[""]));
        let with_words = options.iter().map(|option| format!("{option}={{}}"));
        let more = ["{}", "--{}", "-{}"].map(str::to_owned).into_iter().chain(with_words);
        cases.extend(Case::each("arguments", folder, more.map(|more| format!("{command} {more}")), &words()));
    }
    // What takes minutes or years is interrupted.
    let long = cases.iter_mut().filter(|case| case.typed.ends_with("--large"));
    long.for_each(|case| case.signals = vec![(Duration::from_millis(500), Signal::INT)]);
    cases
}

/// Words and numbers in variables of the environment, and each variable not set.
pub(super) fn environment(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    let variables = VARIABLES.iter().flat_map(|(names, command)| names.split(' ').map(move |name| (name, command)));
    for (name, command) in variables {
        for value in words().into_iter().chain(text::numbers()).map(Some).chain([None]) {
            let mut two = Case::each("environment", folder, [COMMANDS[0], command], &[""]);
            two.iter_mut().for_each(|case| case.variable = Some((name, value.clone())));
            cases.extend(two);
        }
    }
    cases
}

pub(super) fn streams(folder: &Path) -> Vec<Case> {
    let commands = COMMANDS.iter().chain(FORMATS);
    let typed =
        commands.flat_map(|command| REDIRECTIONS.split("; ").map(move |streams| format!("{command} {streams}")));
    let mut cases = Case::each("streams", folder, typed, &[""]);
    let mut random = fastrand::Rng::with_seed(3);
    for number in 0..150 {
        let letters = [&b"Q#. \n8,;[]{}\"\x1b\xe2\x94\x82"[..], b"0123456789 \n\n"][number % 2];
        let bytes: Vec<u8> = (0..random.usize(1..2000)).map(|_| letters[random.usize(..letters.len())]).collect();
        let file = format!("input-{number}");
        std::fs::write(folder.join(&file), bytes).expect("a folder of our own");
        cases.extend(Case::each("streams", folder, ["check <{}", "batch <{}"], &[file]));
    }
    cases
}

pub(super) fn signals(folder: &Path) -> Vec<Case> {
    let mut random = fastrand::Rng::with_seed(4);
    let mut pause = |most| Duration::from_millis(random.u64(1..most));
    let mut cases = Vec::new();
    for first in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        for second in [None, Some(Signal::TERM), Some(Signal::INT)] {
            for mut case in Case::each("signals", folder, LONG, &[""]) {
                case.signals.push((pause(400), first));
                case.signals.extend(second.map(|second| (pause(60), second)));
                cases.push(case);
            }
        }
    }
    cases
}
