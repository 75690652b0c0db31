//! What the README promises: the fields of the JSON, and the job for GitHub.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use testing::run;

use super::{QUICK, gated};

/// Adds the paths in a JSON value, such as `pairs[].name`.
fn add_paths(value: &serde_json::Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            let name = |field: &String| if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            fields.iter().for_each(|(field, value)| add_paths(value, &name(field), paths));
        }
        serde_json::Value::Array(values) => {
            values.iter().for_each(|value| add_paths(value, &format!("{path}[]"), paths));
        }
        _ => _ = paths.insert(path.to_owned()),
    }
}

#[test]
fn the_page_has_every_field_of_the_json_and_no_other() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let rows = page.split("| field | meaning |").nth(1).unwrap().lines().filter(|line| line.starts_with("| `"));
    let fields = rows.flat_map(|row| row.split('|').nth(1).unwrap().split(", "));
    let shown: BTreeSet<String> = fields.map(|field| field.trim().trim_matches('`').to_owned()).collect();
    let mut paths = BTreeSet::new();
    add_paths(&gated(QUICK, QUICK, &["--json", "--budget", "1s"]).json(), "", &mut paths);
    assert_eq!(paths, shown);
}

/// Spaces at the ends of a line are easy to type into a workflow and hard to see.
#[test]
fn the_action_takes_an_argument_from_each_line_without_the_spaces_at_its_ends() {
    let action = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap();
    let script = action.rsplit("run: |\n").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("abgate")).unwrap();
    let program = folder.path().join("abgate/abgate");
    fs::write(&program, "#!/bin/sh\nprintf '[%s]' \"$@\"\n").unwrap();
    run(Command::new("chmod").arg("+x").arg(&program)).expect(0, "");
    let mut shell = Command::new("bash");
    shell.args(["-ec", script]).env("RUNNER_TEMP", folder.path()).env("GITHUB_STEP_SUMMARY", "page");
    shell.env("ARGUMENTS", "  --clock=processor \t\n\n   \n--base=old/{}\nsort  big.txt  \n");
    run(&mut shell).expect(0, "[--markdown=page][--clock=processor][--base=old/{}][sort  big.txt]");
}

/// Runs the commands of the page's job for GitHub on a runner that keeps its clone. Between two jobs, the checkout
/// removes every file that is not in the repository, including the folder of the base, which Git still believes to be
/// there.
#[test]
fn the_job_for_github_runs_twice_in_one_clone() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let job = page.split("```").find(|part| part.starts_with("yaml\nname: gate")).unwrap();
    let lines: Vec<&str> = job.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    assert!(lines.len() == 2 && lines[0].contains("git worktree add old"), "{lines:?}");
    let arguments = job.split("arguments: |\n").nth(1).unwrap().lines().map(str::trim).filter(|line| !line.is_empty());

    let folder = tempfile::tempdir().unwrap();
    let in_clone = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path()).env("BASE", "HEAD~1").env_remove("GITHUB_ACTIONS");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        run(command.env("PATH", format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap())))
    };
    let git = |line: &str| {
        let words: Vec<&str> =
            ["-c", "user.name=a", "-c", "user.email=a@b.c"].into_iter().chain(line.split(' ')).collect();
        in_clone("git", &words).expect(0, "");
    };
    // Base and head build their program with a `make` that is in the repository.
    fs::write(folder.path().join("make"), "#!/bin/sh\n[ \"$1\" = -C ] && cd \"$2\"; ln -sf /bin/cat sort\n").unwrap();
    fs::write(folder.path().join("big.txt"), "2\n1\n").unwrap();
    fs::write(folder.path().join("small.txt"), "1\n").unwrap();
    run(Command::new("chmod").arg("+x").arg(folder.path().join("make"))).expect(0, "");
    ["init -q", "add .", "commit -q -m base", "commit -q --allow-empty -m head"].into_iter().for_each(git);
    let gate: Vec<String> =
        arguments.map(str::to_owned).chain(["--threshold=100".to_owned(), "--budget=60s".to_owned()]).collect();
    for _ in 0..2 {
        for line in &lines {
            in_clone("sh", &["-ec", line]).expect(0, "");
        }
        let gate: Vec<&str> = gate.iter().map(String::as_str).collect();
        in_clone(env!("CARGO_BIN_EXE_abgate"), &gate).expect(0, "pass: 2 of 2 cases pass");
        git("clean -q -ffdx");
    }
}
