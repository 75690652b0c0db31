//! Passes the commit and the settings of the build to the program, which shows them in `nqueens info` and in records.

use std::path::Path;
use std::process::Command;

/// The sources of the program, relative to the workspace. If one of them changes, Git is asked for the commit again.
const SOURCES: [&str; 7] = ["Cargo.toml", "Cargo.lock", "src", "cli/src", "cli/Cargo.toml", "cli/build.rs", "gpu/src"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (commit, is_dirty) = from_git().or_else(from_package).unwrap_or_else(|| ("unknown".to_owned(), false));
    // Only the manifest of the workspace can set the profile of the solvers:
    // https://doc.rust-lang.org/cargo/reference/profiles.html
    let workspace = std::fs::read_to_string("../Cargo.toml").unwrap_or_default();
    let has_profile = workspace.contains("[profile.release.package.n-queens]");
    let variable = |name| std::env::var(name).unwrap_or_default();
    let how =
        if has_profile { ", profile of the repository".to_owned() } else { format!(" -O{}", variable("OPT_LEVEL")) };
    for (name, value) in [
        ("COMMIT", commit),
        ("CHANGES", if is_dirty { ", modified" } else { "" }.to_owned()),
        ("TARGET", variable("TARGET")),
        ("RUSTC", output(&variable("RUSTC"), &["--version"]).unwrap_or_else(|| "unknown".to_owned())),
        ("IS_RELEASE", (variable("PROFILE") == "release").to_string()),
        ("PROFILE", variable("PROFILE") + &how),
        ("FLAGS", variable("CARGO_ENCODED_RUSTFLAGS").replace(['\u{1f}', '\n'], " ")),
    ] {
        println!("cargo::rustc-env=NQUEENS_{name}={value}");
    }
}

/// Returns the current commit, and whether a source of the program differs from it. `None` outside the repository.
fn from_git() -> Option<(String, bool)> {
    std::fs::metadata("../.git").ok()?;
    // Git appends to this log at each commit and checkout.
    println!("cargo::rerun-if-changed={}", output("git", &["rev-parse", "--git-path", "logs/HEAD"])?);
    for source in SOURCES {
        // Cargo treats a missing file as changed, and would build the program again and again.
        assert!(
            Path::new("..").join(source).exists(),
            "{source} does not exist: remove it from SOURCES in cli/build.rs"
        );
        println!("cargo::rerun-if-changed=../{source}");
    }
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?;
    let status =
        output("git", &[&["-C", "..", "--no-optional-locks", "status", "--porcelain", "--"], &SOURCES[..]].concat())?;
    Some((commit, !status.is_empty()))
}

/// Returns the commit that `cargo package` recorded.
fn from_package() -> Option<(String, bool)> {
    let noted = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = noted.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    Some((commit.get(..12)?.to_owned(), noted.contains("\"dirty\": true")))
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
