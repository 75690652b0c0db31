//! README's commands do what it shows. (Its Rust code runs among the documentation tests.)

use std::path::Path;
use std::process::Command;

/// A command of README and the lines shown below it.
struct Shown {
    command: String,
    lines: Vec<String>,
}

/// Everything in blocks marked `console`.
fn shown() -> Vec<Shown> {
    let readme = include_str!("../../README.md");
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_console = false;
    for line in readme.lines() {
        match (is_console, line) {
            (false, "```console") => is_console = true,
            (true, "```") => is_console = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command: command.to_owned(), lines: Vec::new() }),
                None => shown.last_mut().expect("a command first").lines.push(line.to_owned()),
            },
            _ => {}
        }
    }
    shown
}

/// Times differ from run to run: numbers with a decimal point become `#`, and columns may be wider or narrower.
fn without_times(text: &str) -> String {
    let is_time = |word: &str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let line = |line: &str| {
        line.split_whitespace().map(|word| if is_time(word) { "#" } else { word }).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_command_shows_what_readme_says() {
    let program = Path::new(env!("CARGO_BIN_EXE_nqueens"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for Shown { command, lines } in shown() {
        // Building and testing is what is going on here already.
        let command = command.replace("cargo run --release -- ", "nqueens ");
        if command.starts_with("cargo ") {
            assert!(lines.is_empty(), "nobody checks what README shows for '{command}'");
            continue;
        }
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("PATH", &path)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        // What is said on standard error depends on the machine; that it is said does not.
        let (notes, data): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.starts_with("nqueens: "));
        for note in notes {
            let beginning: Vec<&str> = note.split(' ').take(2).collect();
            assert!(said.contains(&beginning.join(" ")), "'{command}' does not say '{note}' but '{said}'");
        }
        let data = data.into_iter().map(|line| format!("{line}\n")).collect::<String>();
        let printed = String::from_utf8(output.stdout).unwrap();
        // What is made from records that lie here has the same figures every time.
        if command.starts_with("nqueens bench compare ") {
            assert_eq!(printed, data, "'{command}'");
        }
        assert_eq!(without_times(&printed), without_times(data.trim_end()), "'{command}'\n{said}");
        ran += 1;
    }
    assert!(ran > 5, "README shows few commands: are its blocks still marked 'console'?");
}

#[test]
fn the_pictures_are_what_the_program_makes() {
    crate::pictures::pictures_made_again(include_str!("../../README.md"));
}

/// The lines that a program needs in its Cargo.toml so that its debug builds do not count a hundred times slower.
#[test]
fn both_first_pages_say_what_debug_builds_need() {
    let wanted = [format!("[profile.dev.package.{}]", env!("CARGO_PKG_NAME")), "opt-level = 3".to_owned()];
    for page in [include_str!("../../README.md"), include_str!("../../src/lib.rs")] {
        let lines: Vec<&str> = page.lines().map(|line| line.trim_start_matches("//! ")).collect();
        let is_there = |pair: &[&str]| pair[0].starts_with(&wanted[0]) && pair[1] == wanted[1];
        assert!(lines.windows(2).any(is_there), "{wanted:?}");
    }
}
