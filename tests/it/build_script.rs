//! What cargo watches for the build script, in repositories of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// What the command prints; it must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A command that no variable leads to another repository, in this folder.
fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CARGO_FEATURE_CLI"] {
        command.env_remove(variable);
    }
    command.current_dir(folder);
    command
}

/// What the build script printed for the program.
struct Said(String);

impl Said {
    fn after(&self, start: &str) -> Vec<&str> {
        self.0.lines().filter_map(|line| line.strip_prefix(start)).collect()
    }

    /// The commit, and whether files differ from it.
    fn commit(&self) -> (&str, bool) {
        (self.after("cargo::rustc-env=NQUEENS_COMMIT=")[0], self.after("cargo::rustc-env=NQUEENS_DIRTY=") == ["true"])
    }
}

#[test]
fn only_a_commit_or_a_change_of_the_source_builds_the_program_anew() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    output(Command::new(rustc).args(["--edition", "2024", "-o"]).args([&script, &source]));

    let package = folder.path().join("package");
    let source = package.join("src/lib.rs");
    std::fs::create_dir_all(package.join("src")).unwrap();
    std::fs::write(&source, "one").unwrap();
    let git = |arguments: &str| {
        let mut git = command("git", &package);
        git.envs([("GIT_CONFIG_GLOBAL", "none"), ("GIT_CONFIG_SYSTEM", "none")]);
        output(git.args(["-c", "user.name=n", "-c", "user.email=e"]).args(arguments.split(' ')));
    };
    git("init --quiet --initial-branch=some/branch");
    git("add --all");
    git("commit --quiet --message=one");

    assert_eq!(output(&mut command(&script, &package)), "cargo::rerun-if-changed=build.rs\n", "for the library");

    let said = || Said(output(command(&script, &package).env("CARGO_FEATURE_CLI", "1")));
    let first = said();
    let watched = first.after("cargo::rerun-if-changed=");
    assert!(watched.contains(&"src") && watched.contains(&".git/logs/HEAD"), "{}", first.0);
    assert_eq!((first.commit().0.len(), first.commit().1), (12, false));
    let log = || std::fs::read_to_string(package.join(".git/logs/HEAD")).unwrap();

    std::fs::write(&source, "two").unwrap();
    assert_eq!(said().commit(), (first.commit().0, true));
    let mut before = log();
    git("commit --quiet --all --message=two");
    let second = said();
    assert!(second.commit().0 != first.commit().0 && !second.commit().1 && log() != before);
    before = log();
    git("pack-refs --all");
    assert_eq!((said().0, log()), (second.0.clone(), before.clone()));
    git("checkout --quiet --detach HEAD~1");
    assert!(said().commit() == first.commit() && log() != before);

    // Variables as a hook of another repository sets them.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    output(command("git", &elsewhere).args(["init", "--quiet"]));
    let mut hooked = command(&script, &package);
    hooked.env("GIT_DIR", elsewhere.join(".git")).env("GIT_WORK_TREE", &elsewhere).env("GIT_INDEX_FILE", "nowhere");
    assert_eq!(Said(output(hooked.env("CARGO_FEATURE_CLI", "1"))).commit(), first.commit());
}
