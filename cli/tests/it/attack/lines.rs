//! Hostile command lines: numbers and words as arguments and in the environment, streams that are closed, full, endless or
//! gone, and signals at any time.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use rustix::process::Signal;
use serde::Deserialize;

use super::case::Case;
use crate::program::{run, typed};

/// What is typed, from lists.json.
#[derive(Deserialize)]
pub(super) struct Lists {
    /// What is typed where a number belongs.
    numbers: Vec<String>,
    /// What is typed where a name, a file or a word belongs. No word leads out of the folder of its case to a place where
    /// something could be written.
    words: Vec<String>,
    /// Every place for a number: `{}` stands for it.
    pub(super) places: Vec<String>,
    /// Every command, with what makes it short.
    pub(super) commands: Vec<String>,
    /// Other formats that commands write, and what is no command.
    formats: Vec<String>,
    /// What the shell makes of the streams.
    redirections: Vec<String>,
    /// Variables that the program, its libraries or its surroundings read, each with a command that may heed them.
    variables: Vec<(Vec<String>, String)>,
    /// Commands that take longer than it takes to send a signal.
    long: Vec<String>,
}

pub(super) static LISTS: LazyLock<Lists> =
    LazyLock::new(|| serde_json::from_str(include_str!("lists.json")).expect("it has these lists"));

/// Numbers that are none, or too large, wherever a number belongs.
pub(super) fn numbers(folder: &Path) -> Vec<Case> {
    Case::each("numbers", folder, &LISTS.places, &LISTS.numbers)
}

/// Words, among them some that are no text and some that are very long.
pub(super) fn words() -> Vec<OsString> {
    let no_text = [b"\xff\xfe\x9b31m\x1b[2J".to_vec(), b"\xc0\x80\xed\xa0\x80".to_vec()].map(OsString::from_vec);
    let long = ["A".repeat(100_000), "\u{1b}".repeat(300)].map(OsString::from);
    LISTS.words.iter().map(OsString::from).chain(no_text).chain(long).collect()
}

/// What the program prints for these arguments and `--help`.
pub(super) fn help(arguments: &str) -> String {
    run(&mut typed(Path::new("."), format!("{} --help", arguments.trim()).trim_start())).stdout
}

/// Every command and every option that the program's help names, with words that no command line should hold.
pub(super) fn arguments(folder: &Path) -> Vec<Case> {
    let mut lines = vec!["{}".to_owned(), "help {}".to_owned()];
    for command in &LISTS.commands {
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
    let values: Vec<OsString> = words().into_iter().chain(LISTS.numbers.iter().map(OsString::from)).collect();
    let mut cases = Vec::new();
    for (names, command) in &LISTS.variables {
        for name in names {
            let lines = |change: &str| [&LISTS.commands[0], command].map(|command| format!("{change}; {command}"));
            cases.extend(Case::each("environment", folder, lines(&format!("unset {name}")), &[""]));
            let set = format!("export GITHUB_ACTIONS=true {name}={{}}");
            cases.extend(Case::each("environment", folder, lines(&set), &values));
        }
    }
    cases
}

/// Streams that are closed, full, endless or gone, and random text to read.
pub(super) fn streams(folder: &Path) -> Vec<Case> {
    let lines = LISTS.commands.iter().chain(&LISTS.formats);
    let lines = lines.flat_map(|command| LISTS.redirections.iter().map(move |streams| format!("{command} {streams}")));
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
            for mut case in Case::each("signals", folder, &LISTS.long, &[""]) {
                case.signals.push((pause(400), first));
                case.signals.extend(second.map(|second| (pause(60), second)));
                cases.push(case);
            }
        }
    }
    cases
}
