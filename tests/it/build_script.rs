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

    fn watched_of_git(&self) -> Vec<&str> {
        self.after("cargo::rerun-if-changed=").into_iter().filter(|file| file.starts_with(".git/")).collect()
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
    assert_eq!(first.watched_of_git(), [".git/HEAD", ".git/refs/heads/some/branch"]);
    assert!(first.after("cargo::rerun-if-changed=").contains(&"src"));
    assert_eq!((first.commit().0.len(), first.commit().1), (12, false));

    std::fs::write(&source, "two").unwrap();
    assert_eq!(said().commit(), (first.commit().0, true));

    // A packed branch has no file of its own until the next commit writes one, into its folder or one above.
    git("pack-refs --all");
    let packed = said();
    let [head, packed_refs, above] = packed.watched_of_git()[..] else { panic!("{}", packed.0) };
    assert_eq!((head, packed_refs), (".git/HEAD", ".git/packed-refs"));
    assert!(package.join(above).is_dir() && Path::new(".git/refs/heads/some/branch").starts_with(above), "{above}");
    git("commit --quiet --all --message=two");
    let second = said();
    assert_eq!(second.watched_of_git(), first.watched_of_git());
    assert!(second.commit().0 != first.commit().0 && !second.commit().1);

    git("checkout --quiet --detach");
    let detached = said();
    assert_eq!((detached.watched_of_git(), detached.commit()), (vec![".git/HEAD"], second.commit()));

    // Variables as a hook of another repository sets them.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    output(command("git", &elsewhere).args(["init", "--quiet"]));
    let mut hooked = command(&script, &package);
    hooked.env("GIT_DIR", elsewhere.join(".git")).env("GIT_WORK_TREE", &elsewhere).env("GIT_INDEX_FILE", "nowhere");
    assert_eq!(Said(output(hooked.env("CARGO_FEATURE_CLI", "1"))).commit(), second.commit());
}
