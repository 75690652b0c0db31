//! Tells the program which commit it was built from: `nqueens info`, and every record, says so.

use std::path::Path;
use std::process::Command;

/// What changes the program, below the folder of the workspace. The commit is asked for again whenever one of them does.
const SOURCES: [&str; 10] = [
    "src",
    "cli/src",
    "gate/src",
    "gpu/src",
    "cli/build.rs",
    "Cargo.toml",
    "cli/Cargo.toml",
    "gate/Cargo.toml",
    "gpu/Cargo.toml",
    "Cargo.lock",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (commit, dirty) = from_git().or_else(from_package).unwrap_or_else(|| ("unknown".to_owned(), false));
    println!("cargo::rustc-env=NQUEENS_COMMIT={commit}");
    println!("cargo::rustc-env=NQUEENS_COMMIT_STATE={commit}{}", if dirty { ", modified" } else { "" });
    println!("cargo::rustc-env=NQUEENS_DIRTY={dirty}");
    println!("cargo::rustc-env=NQUEENS_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=NQUEENS_RUSTC={}", rustc().unwrap_or_else(|| "unknown".to_owned()));
    println!("cargo::rustc-env=NQUEENS_PROFILE={} -O{}", variable("PROFILE"), variable("OPT_LEVEL"));
    println!("cargo::rustc-env=NQUEENS_FLAGS={}", flags());
}

/// The compiler, as it names itself.
fn rustc() -> Option<String> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten().map(|text| text.trim().to_owned())
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The flags given to the compiler beside the profile's.
fn flags() -> String {
    variable("CARGO_ENCODED_RUSTFLAGS").replace(['\u{1f}', '\n'], " ").trim().to_owned()
}

/// The commit checked out, and whether anything that changes the program differs from it. `None` without git, and where
/// the package only lies inside somebody else's repository.
fn from_git() -> Option<(String, bool)> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != Path::new("..").canonicalize().ok()? {
        return None;
    }
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../{source}");
    }
    watch_head();
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // The package's folder is the current one.
    let sources = SOURCES.map(|source| format!(":/{source}"));
    let mut status = vec!["status", "--porcelain", "--untracked-files=normal", "--"];
    status.extend(sources.iter().map(String::as_str));
    Some((commit, !git(&status)?.is_empty()))
}

/// Has cargo watch git's log of what was checked out: each commit and checkout adds a line, and other commands do not.
fn watch_head() {
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).is_file()) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The commit that `cargo package` noted.
fn from_package() -> Option<(String, bool)> {
    let noted = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = noted.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    Some((commit.get(..12)?.to_owned(), noted.contains("\"dirty\": true")))
}

fn git(arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    // A git hook sets variables such as GIT_DIR, which lead to its own repository. Settings such as safe.directory stay.
    let leads_elsewhere = |name: &str| name.starts_with("GIT_") && !name.starts_with("GIT_CONFIG");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(leads_elsewhere)) {
        command.env_remove(name);
    }
    // The locks that `status` takes to refresh the index would disturb a git at work beside the build.
    let output = command.env("GIT_OPTIONAL_LOCKS", "0").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten().map(|text| text.trim().to_owned())
}
