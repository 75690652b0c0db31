//! Runs two commands alternately, the base and the head, and judges whether the head is slower.
//!
//! A command that fails, hangs or prints something other than the base gets a verdict of its own. If the gate is
//! interrupted or its budget is used up, the outcome names the pairs that were not measured.
//!
//! A *command* is a program with its arguments: the base, the head, or what prepares each of their runs. A *pair* is a
//! base and a head. The user may give several *cases*, each of which replaces `{}` in the commands and makes a pair.
//!
//! Read the files in this order: `options` and `commands` turn the command line into pairs, each command split into
//! words by `command_line`. `gate` gives each pair turns, in which `pair` runs a round (`rounds`) by running the
//! base and the head twice. `run` runs a command once and times it by each `clock`: `processes` knows what the command
//! started, `output` what it printed, and `watch` for how long the gate was suspended. `judge` decides when the rounds
//! prove something, from what they show by each clock (`measurement`, which computes with `statistics`). `reason` puts
//! the `verdict` into words, `report` prepares the outcome of the gate as text, JSON and Markdown, and `streams` writes
//! it.
//!
//! The gate depends on no other package of this project, so that whoever needs only the gate builds few crates. That is
//! why `signals`, `escape`, `units`, `streams`, the parsers of times and paths, and `examples/abgate-documents.rs` have
//! counterparts in the program `nqueens`. Mend a fault in both. A test of `nqueens` compares the functions that are
//! equal.

#![forbid(unsafe_code)]

mod clock;
mod command_line;
mod commands;
mod escape;
mod gate;
mod judge;
mod measurement;
mod options;
mod output;
mod pair;
mod processes;
mod reason;
mod report;
mod rounds;
mod run;
mod signals;
mod statistics;
mod streams;
mod units;
mod verdict;
mod watch;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use commands::Commands;
use escape::{escaped_lines, workflow_command};
use gate::Gate;
use options::{Args, with_tip};
use streams::{append, print, say, write};
use verdict::{CANNOT_WRITE, Verdict};

/// Runs the program `abgate`: parses its arguments, runs the gate, writes the outcome, and returns one of the exit
/// statuses that the help lists, or 128 plus the number of the signal that ended it.
pub fn main() -> ExitCode {
    let status = match parse() {
        Ok((args, commands)) => run(&args, commands),
        Err(error) => refuse(&error),
    };
    signals::end_by_signal(status);
    status.into()
}

fn parse() -> Result<(Args, Vec<Commands>), clap::Error> {
    let args = Args::try_parse().map_err(with_tip)?;
    let commands = Commands::of_cases(&args)?;
    Ok((args, commands))
}

/// Runs the gate, writes its outcome, and returns the exit status.
fn run(args: &Args, commands: Vec<Commands>) -> u8 {
    // A page that cannot be written is reported now and not after the minutes that the gate takes.
    if let Err(error) = append_page(args, "") {
        return fail(&error, CANNOT_WRITE);
    }
    if let Err(error) = signals::catch() {
        return fail(&error, Verdict::NotCompared.status());
    }
    say("abgate", &format!("comparing for up to {}", humantime::format_duration(args.budget)));
    let gate = Gate::run(args, commands);
    // No command is running any more, so the next signal may end this process.
    signals::obey();
    let written = publish(&gate).map_or_else(|error| fail(&error, CANNOT_WRITE), |()| 0);
    // A write error must not hide a verdict.
    let status = if gate.status() == 0 { written } else { gate.status() };
    signals::caught().filter(|_| status != 0).map_or(status, |signal| 128 + signal)
}

/// Reports an error, and returns the exit status.
fn fail(error: &io::Error, status: u8) -> u8 {
    say("error", &error.to_string());
    status
}

/// Prints the help, or what is wrong with the command line, and returns the exit status.
fn refuse(error: &clap::Error) -> u8 {
    let text = escaped_lines(&error.to_string());
    if !error.use_stderr() {
        return print(&text).map_or_else(|error| fail(&error, CANNOT_WRITE), |()| 0);
    }
    let _ = write(&mut io::stderr(), &text);
    // The usage follows, which is for terminals.
    let why = text.split("\nUsage").next().unwrap_or_default();
    annotate("error", Verdict::NotCompared, &why.split_whitespace().collect::<Vec<_>>().join(" "));
    Verdict::NotCompared.status()
}

/// Returns the command line of `abgate` as clap sees it, from which its man page and its completions are written.
pub fn command() -> clap::Command {
    Args::command()
}

/// Writes the outcome to each place, even if another place fails.
fn publish(gate: &Gate) -> io::Result<()> {
    let printed = if gate.args.json {
        report::lines(gate).iter().for_each(|line| say("abgate", line));
        print(&report::json(gate))
    } else {
        print(&report::text(gate))
    };
    let verdict = gate.worst();
    let kind = match verdict {
        Verdict::Pass | Verdict::Skipped => "notice",
        _ if gate.status() == 0 => "warning",
        _ => "error",
    };
    annotate(kind, verdict, &report::lines(gate).join("; "));
    let appended = append_page(gate.args, &report::page(gate));
    // Only one error is returned.
    if let (Err(_), Err(error)) = (&printed, &appended) {
        fail(error, CANNOT_WRITE);
    }
    printed.and(appended)
}

/// Shows a text beside the pull request if this is a job on GitHub.
fn annotate(kind: &str, verdict: Verdict, text: &str) {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        // In a title, `%3A` is a colon.
        let line = format!("::{kind} title=abgate%3A {}::{}\n", verdict.name(), workflow_command(text));
        // Standard output may be a file, and GitHub's runner reads standard error as well.
        let _ = write(&mut io::stderr(), &line);
    }
}

fn append_page(args: &Args, text: &str) -> io::Result<()> {
    args.markdown.as_ref().map_or(Ok(()), |path| append(path, text))
}
