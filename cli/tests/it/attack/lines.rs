//! Hostile command lines: numbers and words as arguments and in the environment, streams that are closed, full, endless or
//! gone, and signals at any time.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use super::case::Case;
use crate::program::{run, typed};

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
    "bench machine --machine x",
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
const REDIRECTIONS: &str = ">&-, <&-, 2>&-, >&- 2>&-, <&- >&- 2>&-, >/dev/full, 2>/dev/full, >/dev/full 2>/dev/full, \
                            </dev/zero, </dev/urandom, </, </dev/full, </dev/null >/dev/null 2>&1, >/dev/stderr, 1<&0, \
                            | head -c 1, | true, 2>&1 | true";

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
    let numbers: Vec<&str> = NUMBERS.split('|').collect();
    Case::each("numbers", folder, PLACES, &numbers)
}

/// Words, among them some that are no text and some that are very long.
pub(super) fn words() -> Vec<OsString> {
    let no_text = [b"\xff\xfe\x9b31m\x1b[2J".to_vec(), b"\xc0\x80\xed\xa0\x80".to_vec()].map(OsString::from_vec);
    let long = ["A".repeat(100_000), "\u{1b}".repeat(300)].map(OsString::from);
    WORDS.map(OsString::from).into_iter().chain(no_text).chain(long).collect()
}

/// What the program prints for these arguments and `--help`.
pub(super) fn help(arguments: &str) -> String {
    run(&mut typed(Path::new("."), format!("{} --help", arguments.trim()).trim_start())).stdout
}

/// Every command and every option that the program's help names, with words that no command line should hold.
pub(super) fn arguments(folder: &Path) -> Vec<Case> {
    let mut lines = vec!["{}".to_owned(), "help {}".to_owned()];
    for command in COMMANDS {
        lines.extend(["{}", "--{}", "-{}"].map(|more| format!("{command} {more}")));
        let help = help(command);
        let words = help.split(|c: char| c.is_whitespace() || "[],'.;:=`".contains(c));
        let mut options: Vec<&str> = words.filter(|word| word.starts_with("--") && word.len() > 2).collect();
        options.sort_unstable();
        options.dedup();
        for option in options {
            let line = format!("{command} {option}");
            lines.extend([format!("{line}={{}}"), format!("{line} {option}"), line]);
        }
    }
    let (with_words, alone): (Vec<String>, _) = lines.into_iter().partition(|line| line.contains("{}"));
    let mut cases = Case::each("arguments", folder, with_words, &words());
    cases.extend(Case::each("arguments", folder, alone, &[""]));
    // What takes minutes or years is interrupted.
    let long = cases.iter_mut().filter(|case| case.typed.ends_with("--large"));
    long.for_each(|case| case.signals = vec![(Duration::from_millis(500), Signal::INT)]);
    cases
}

/// Words and numbers in variables of the environment, and each variable not set.
pub(super) fn environment(folder: &Path) -> Vec<Case> {
    let values: Vec<OsString> = words().into_iter().chain(NUMBERS.split('|').map(OsString::from)).collect();
    let mut cases = Vec::new();
    for (names, command) in VARIABLES {
        for name in names.split(' ') {
            let lines = |change: &str| [COMMANDS[0], command].map(|command| format!("{change}; {command}"));
            cases.extend(Case::each("environment", folder, lines(&format!("unset {name}")), &[""]));
            let set = format!("export GITHUB_ACTIONS=true {name}={{}}");
            cases.extend(Case::each("environment", folder, lines(&set), &values));
        }
    }
    cases
}

/// Streams that are closed, full, endless or gone, and random text to read.
pub(super) fn streams(folder: &Path) -> Vec<Case> {
    let lines = COMMANDS.iter().chain(FORMATS);
    let lines = lines.flat_map(|command| REDIRECTIONS.split(", ").map(move |streams| format!("{command} {streams}")));
    let mut cases = Case::each("streams", folder, lines, &[""]);
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

/// One signal or two, at any time.
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
