//! What cargo watches for the build script, in repositories of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// What a command prints in this folder; it must succeed. No variable leads it to another repository.
fn output(program: impl AsRef<OsStr>, folder: &Path, change: impl Fn(&mut Command)) -> String {
    let mut command = Command::new(program);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    change(command.current_dir(folder));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commit that the build script printed, and whether files differ from it.
fn commit(said: &str) -> (&str, bool) {
    let after = |start| said.lines().find_map(|line| line.strip_prefix(start)).unwrap();
    (after("cargo::rustc-env=NQUEENS_COMMIT="), after("cargo::rustc-env=NQUEENS_DIRTY=") == "true")
}

#[test]
fn only_a_commit_or_a_change_of_the_source_builds_the_program_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (script, package) = (folder.path().join("script"), folder.path().join("package"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    output(rustc, folder.path(), |rustc| _ = rustc.args(["--edition", "2024", "-o"]).args([&script, &source]));

    let (source, cli) = (package.join("src/lib.rs"), package.join("cli"));
    for folder in ["src", "cli/src"] {
        std::fs::create_dir_all(package.join(folder)).unwrap();
    }
    std::fs::write(cli.join("src/main.rs"), "one").unwrap();
    std::fs::write(&source, "one").unwrap();
    let git_in = |folder: &Path, arguments: &str| {
        output("git", folder, |git| {
            git.envs([("GIT_CONFIG_GLOBAL", "none"), ("GIT_CONFIG_SYSTEM", "none")]);
            git.args(["-c", "user.name=n", "-c", "user.email=e"]).args(arguments.split(' '));
        });
    };
    let git = |arguments: &str| git_in(&package, arguments);
    git("init --quiet --initial-branch=some/branch");
    git("add --all");
    git("commit --quiet --message=one");

    let said = || output(&script, &cli, |_| ());
    let first = said();
    for watched in ["../src", "../cli/src", "../.git/logs/HEAD"] {
        assert!(first.contains(&format!("cargo::rerun-if-changed={watched}\n")), "{first}");
    }
    assert_eq!((commit(&first).0.len(), commit(&first).1), (12, false));
    let log = || std::fs::read_to_string(package.join(".git/logs/HEAD")).unwrap();

    std::fs::write(&source, "two").unwrap();
    assert_eq!(commit(&said()), (commit(&first).0, true));
    let mut before = log();
    git("commit --quiet --all --message=two");
    let second = said();
    assert!(commit(&second).0 != commit(&first).0 && !commit(&second).1 && log() != before);
    before = log();
    git("pack-refs --all");
    assert_eq!((said(), log()), (second, before.clone()));
    git("checkout --quiet --detach HEAD~1");
    assert!(commit(&said()) == commit(&first) && log() != before);

    // Variables as a hook of another repository sets them.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    git_in(&elsewhere, "init --quiet");
    let hooked = output(&script, &cli, |script| {
        script.env("GIT_DIR", elsewhere.join(".git")).env("GIT_WORK_TREE", &elsewhere).env("GIT_INDEX_FILE", "nowhere");
    });
    assert_eq!(commit(&hooked), commit(&first));
}
