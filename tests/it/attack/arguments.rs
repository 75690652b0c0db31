//! Every command and every option that the program's own help names, with words that no command line should hold.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::case::{Case, PROGRAM};
use super::text::{MARKS, words};

/// What makes a command short, so that options that change nothing of that do not make it long.
fn base(command: &str) -> &'static [&'static str] {
    match command {
        "count" => &["8", "--quiet"],
        "solutions" | "trace" => &["4"],
        "verify" => &["--max", "4"],
        "estimate" => &["8", "--budget", "0.1s"],
        "run plan" => &["8"],
        "bench machine" => &["--workload", "count/mask/n=8/t=1", "--budget", "1s"],
        "bench sample" => &["--workload", "count/mask/n=8/t=1"],
        "bench compare" => &["epyc.json", "epyc.json"],
        "bench export" => &["epyc.json", "--format", "csv"],
        "bench report" => &["epyc.json"],
        "bench gate" => &["--base", "/bin/true", "--head", "/bin/false", "--budget", "1s"],
        "completions" => &["bash"],
        "man" => &["--dir", "man"],
        "run count" | "run status" | "run merge" | "run audit" => &["--dir", "run"],
        _ => &[],
    }
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM).args(arguments).output().expect("the program can be started");
    String::from_utf8(output.stdout).expect("help is text")
}

/// The commands that the help lists, those of groups with their group, and the hidden ones.
pub(super) fn commands() -> Vec<String> {
    let of_group = |group: &str| {
        let commands = listed(&[group, "--help"]).into_iter().filter(|command| command != "help");
        commands.map(|command| format!("{group} {command}")).collect::<Vec<_>>()
    };
    let hidden = ["bench sample", "completions", "man"].map(str::to_owned);
    listed(&["--help"]).into_iter().chain(["run", "bench"].into_iter().flat_map(of_group)).chain(hidden).collect()
}

fn listed(arguments: &[&str]) -> Vec<String> {
    let help = help(arguments);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // What a line begins far to the right goes on with the one above.
    let lines = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The options that a command's help names.
fn options(command: &str) -> Vec<String> {
    let help = help(&command.split(' ').chain(["--help"]).collect::<Vec<_>>());
    let words = help.split(|c: char| c.is_whitespace() || "[],'.;:=`".contains(c));
    let mut options: Vec<String> =
        words.filter(|word| word.starts_with("--") && word.len() > 2).map(Into::into).collect();
    options.sort();
    options.dedup();
    options
}

/// `folder` holds a record, `epyc.json`, and a run, `run`.
pub(super) fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for command in commands().iter().filter(|command| *command != "help") {
        let case = |more: &[OsString]| {
            let arguments = command.split(' ').map(OsString::from).chain(base(command).iter().map(OsString::from));
            Case::new("arguments", arguments.chain(more.iter().cloned())).folder(folder).forbidden(MARKS)
        };
        for word in words() {
            // As a further argument, as an option, as a short one.
            cases.push(case(std::slice::from_ref(&word)));
            for dashes in ["--", "-"] {
                let mut option = OsString::from(dashes);
                option.push(&word);
                cases.push(case(&[option]));
            }
        }
        for option in options(command) {
            cases.push(case(&[option.clone().into()]));
            cases.push(case(&[option.clone().into(), option.clone().into()]));
            for word in words() {
                let mut joined = OsString::from(format!("{option}="));
                joined.push(&word);
                cases.push(case(&[joined]));
                cases.push(case(&[option.clone().into(), word]));
            }
        }
    }
    for word in words() {
        cases.push(Case::new("arguments", [&word]).folder(folder).forbidden(MARKS));
        cases.push(Case::new("arguments", ["help".into(), word]).folder(folder).forbidden(MARKS));
    }
    cases
}

/// Variables that the program, its libraries or its surroundings read.
const VARIABLES: &[&str] = &[
    "NQUEENS_THREADS",
    "NQUEENS_MACHINE",
    "PBS_ARRAY_INDEX",
    "SGE_TASK_ID",
    "LSB_JOBINDEX",
    "RAYON_NUM_THREADS",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_MIN_STACK",
    "RUST_LOG",
    "TERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "LANG",
    "LC_ALL",
    "HOME",
    "TMPDIR",
    "PATH",
    "TZ",
    "GITHUB_STEP_SUMMARY",
];

/// The same in variables of the environment.
pub(super) fn environment(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for &name in VARIABLES {
        let values = words().into_iter().chain(super::text::NUMBERS.iter().map(OsString::from)).map(Some).chain([None]);
        for value in values {
            let case = |arguments: &str| {
                let case =
                    Case::new("environment", arguments.split(' ')).variable(name, value.as_deref()).folder(folder);
                case.forbidden(MARKS)
            };
            cases.push(case("count 8 --quiet").answer("92\n"));
            cases.push(match name {
                "NQUEENS_MACHINE" | "NQUEENS_THREADS" => case("run count --dir run"),
                "TMPDIR" | "HOME" | "PATH" => case("bench gate --base /bin/true --head /bin/false --budget 1s"),
                "GITHUB_STEP_SUMMARY" => case("bench gate --base /bin/true --head /bin/false --budget 1s")
                    .variable("GITHUB_ACTIONS", Some("true".as_ref())),
                _ => case("info"),
            });
        }
    }
    cases
}
