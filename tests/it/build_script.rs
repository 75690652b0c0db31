//! What cargo watches for the build script, in repositories of its own.

use std::path::Path;
use std::process::Command;

/// What the command prints; it must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn git(folder: &Path, arguments: &str) {
    let mut git = Command::new("git");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    git.envs([("GIT_CONFIG_GLOBAL", "none"), ("GIT_CONFIG_SYSTEM", "none")]);
    git.args(["-c", "user.name=n", "-c", "user.email=e"]).args(arguments.split(' '));
    output(git.current_dir(folder));
}

/// What the build script printed.
struct Said(String);

impl Said {
    fn by(script: &Path, folder: &Path, for_the_program: bool) -> Self {
        let mut command = Command::new(script);
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CARGO_FEATURE_CLI"] {
            command.env_remove(variable);
        }
        command.envs(for_the_program.then_some(("CARGO_FEATURE_CLI", "1")));
        Self(output(command.current_dir(folder)))
    }

    fn after(&self, start: &str) -> Vec<&str> {
        self.0.lines().filter_map(|line| line.strip_prefix(start)).collect()
    }

    fn watched_of_git(&self) -> Vec<&str> {
        let watched = self.after("cargo::rerun-if-changed=");
        watched.into_iter().filter(|file| file.starts_with(".git/")).collect()
    }

    fn commit(&self) -> &str {
        self.after("cargo::rustc-env=NQUEENS_COMMIT=")[0]
    }

    fn is_dirty(&self) -> bool {
        self.after("cargo::rustc-env=NQUEENS_DIRTY=") == ["true"]
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
    git(&package, "init --quiet --initial-branch=some/branch");
    git(&package, "add --all");
    git(&package, "commit --quiet --message=one");

    let library = Said::by(&script, &package, false);
    assert_eq!(library.0, "cargo::rerun-if-changed=build.rs\n");

    let first = Said::by(&script, &package, true);
    assert_eq!(first.watched_of_git(), [".git/HEAD", ".git/refs/heads/some/branch"]);
    assert!(first.after("cargo::rerun-if-changed=").contains(&"src"));
    assert_eq!((first.commit().len(), first.is_dirty()), (12, false));

    std::fs::write(&source, "two").unwrap();
    let changed = Said::by(&script, &package, true);
    assert_eq!((changed.commit(), changed.is_dirty()), (first.commit(), true));

    // A packed branch has no file of its own until the next commit writes one, into its folder or one above.
    git(&package, "pack-refs --all");
    let packed = Said::by(&script, &package, true);
    let [head, packed_refs, above] = packed.watched_of_git()[..] else { panic!("{}", packed.0) };
    assert_eq!((head, packed_refs), (".git/HEAD", ".git/packed-refs"));
    assert!(package.join(above).is_dir() && Path::new(".git/refs/heads/some/branch").starts_with(above), "{above}");
    git(&package, "commit --quiet --all --message=two");
    let second = Said::by(&script, &package, true);
    assert_eq!(second.watched_of_git(), first.watched_of_git());
    assert_ne!(second.commit(), first.commit());
    assert!(!second.is_dirty());

    git(&package, "checkout --quiet --detach");
    let detached = Said::by(&script, &package, true);
    assert_eq!((detached.watched_of_git(), detached.commit()), (vec![".git/HEAD"], second.commit()));
}
