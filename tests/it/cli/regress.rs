//! `regress` on builds that behave and on files that do not. The builds are scripts that answer like a build, so that
//! what is judged does not depend on the machine; one test runs the real program.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");

fn regress(base: &Path, head: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("regress").arg("--base").arg(base).arg("--head").arg(head).args(["--workload", "count/mask/n=8/t=1"]);
    command.args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Holds an outcome against its exit status and a part of what it says.
fn expect(output: &Output, status: i32, part: &str) {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(said.contains(part), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

/// A folder of scripts.
struct Scripts(tempfile::TempDir);

impl Scripts {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A build that answers with the times of `cycle`, one after the other from process to process.
    fn build(&self, name: &str, cycle: &str, count: &str, nodes: &str) -> PathBuf {
        let counter = self.0.path().join(format!("{name}.calls"));
        let body = format!(
            r#"calls=$(cat '{counter}' 2>/dev/null || echo 0); echo $((calls + 1)) > '{counter}'
set -- "$5" {cycle}
k=$1; shift
shift $((calls % $#)); s=$1
seconds=$s; i=1; while [ $i -lt $k ]; do seconds="$seconds,$s"; i=$((i + 1)); done
echo '{{"program":"nqueens","protocol":1,"version":"0.1.0","commit":"{name}","workload":"count/mask/n=8/t=1@1","threads":1,"isa":"portable","count":"{count}","work":{{"nodes":"{nodes}"}},"runs":1,"seconds":['"$seconds"']}}'"#,
            counter = counter.display()
        );
        self.script(name, &body)
    }
}

#[test]
fn builds_are_judged_with_their_exit_status() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.0200 0.0201 0.0200 0.0199", "92", "2056");
    let same = scripts.build("same", "0.0201 0.0200 0.0199 0.0200", "92", "2056");
    let slow = scripts.build("slow", "0.0210 0.0211 0.0210 0.0209", "92", "2056");
    let noisy = scripts.build("noisy", "0.0150 0.0280 0.0190 0.0400 0.0210", "92", "2056");
    let other = scripts.build("other", "0.0100", "92", "2057");
    let pass = regress(&base, &same, &[]);
    expect(&pass, 0, "pass: count/mask/n=8/t=1@1: head is 0.");
    let summary = scripts.0.path().join("summary.md");
    let slower = regress(&base, &slow, &["--markdown", summary.to_str().unwrap()]);
    expect(&slower, 4, "regression: count/mask/n=8/t=1@1: head is 5.0 % slower than base (95 % interval +");
    let summary = std::fs::read_to_string(summary).unwrap();
    assert!(summary.starts_with("### nqueens regress: regression\n"), "{summary}");
    assert!(summary.contains("| `count/mask/n=8/t=1@1` | regression | 20.00 ms | 21.00 ms | +5.0 % |"), "{summary}");
    expect(&regress(&base, &slow, &["--threshold", "8%"]), 0, "below the threshold of 8.0 %");
    expect(&regress(&base, &noisy, &[]), 5, "inconclusive: ");
    // Other work is a regression even where the clock likes it, unless it is meant.
    expect(&regress(&base, &other, &[]), 4, "head does other work than base (2057 nodes instead of 2056 nodes)");
    expect(&regress(&base, &other, &["--allow-other-work"]), 0, "head is 50.0 % faster");
    let json = regress(&base, &slow, &["--json"]);
    assert_eq!(json.status.code(), Some(4));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["verdict"], &json["head"]["commit"]), (&"regression".into(), &"slow".into()));
    assert_eq!(json["workloads"][0]["rounds"].as_array().unwrap().len(), 8);
}

#[test]
fn builds_that_count_wrong_have_no_time() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.02", "92", "2056");
    let wrong = scripts.build("wrong", "0.01", "93", "2056");
    expect(&regress(&base, &wrong, &[]), 3, "the count for n = 8 is 93, and the published count is 92");
    let confessing = scripts.script("confessing", "echo 'error: the count is wrong' >&2; exit 3");
    expect(&regress(&base, &confessing, &[]), 3, "counted wrong in count/mask/n=8/t=1@1: it said \"error: the count");
}

#[test]
fn what_is_no_build_is_told_to_be_none() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.02", "92", "2056");
    expect(&regress(&base, &base, &[]), 2, "base and head are the same file");
    let link = scripts.0.path().join("link");
    std::os::unix::fs::symlink(&base, &link).unwrap();
    expect(&regress(&base, &link, &[]), 2, "base and head are the same file");
    expect(&regress(&base, Path::new("no/such/build"), &[]), 1, "head (no/such/build) cannot be run: No such file");
    expect(&regress(&base, scripts.0.path(), &[]), 1, "cannot be run: Permission denied");
    for (name, body, problem) in [
        ("mute", "true", "is not an nqueens that can be compared: it printed nothing instead of a sample"),
        ("chatty", "echo hello", "it printed \"hello\" instead of a sample"),
        ("endless", "yes", "it prints without end"),
        ("future", "echo '{\"program\":\"nqueens\",\"protocol\":2}'", "speaks protocol 2, and this program speaks 1"),
        (
            "half",
            "echo '{\"program\":\"nqueens\",\"protocol\":1}'",
            "gave an answer that cannot be right: .: missing field",
        ),
        ("crashing", "kill -SEGV $$", "ended with signal: 11"),
        ("failing", "echo oh no >&2; exit 7", "ended with exit status: 7 in count/mask/n=8/t=1@1: it said \"oh no\""),
        ("older", "echo \"unrecognized subcommand 'sample'\" >&2; exit 2", "does not run count/mask/n=8/t=1@1"),
    ] {
        expect(&regress(&base, &scripts.script(name, body), &[]), 1, problem);
        expect(&regress(&scripts.script(name, body), &base, &[]), 1, problem);
    }
    let nan = scripts.build("nan", "-0.02", "92", "2056");
    expect(&regress(&base, &nan, &[]), 1, "-0.02 is not the time of a run");
}

#[test]
fn a_build_that_hangs_is_ended_with_all_it_started() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.02", "92", "2056");
    let mark = scripts.0.path().join("still-there");
    let hanging = scripts.script("hanging", &format!("sleep 3; touch '{}'", mark.display()));
    let start = Instant::now();
    expect(&regress(&base, &hanging, &["--timeout", "1"]), 1, "did not finish count/mask/n=8/t=1@1 within 1 s");
    assert!(start.elapsed() < Duration::from_millis(2900), "{:?}", start.elapsed());
    std::thread::sleep(Duration::from_millis(3200).saturating_sub(start.elapsed()));
    assert!(!mark.exists());
}

#[test]
fn a_bare_name_is_the_file_in_this_folder() {
    let scripts = Scripts::new();
    scripts.build("base", "0.02", "92", "2056");
    scripts.build("head", "0.02", "92", "2056");
    let output = Command::new(PROGRAM)
        .args(["regress", "--base", "base", "--head", "head", "--workload", "count/mask/n=8/t=1"])
        .current_dir(scripts.0.path())
        .output()
        .unwrap();
    expect(&output, 0, "pass: ");
}

/// The real program against its own copy: equal counts, equal work. On a busy machine the times may be inconclusive.
#[test]
fn the_real_program_speaks_the_protocol() {
    let scripts = Scripts::new();
    let copy = scripts.0.path().join("copy");
    std::fs::copy(PROGRAM, &copy).unwrap();
    let output = regress(Path::new(PROGRAM), &copy, &["--json", "--threshold", "20%"]);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let compared = &json["workloads"][0];
    assert_eq!((&compared["count"], &compared["work"][0]), (&"92".into(), &compared["work"][1]));
    let unknown = Command::new(PROGRAM)
        .args(["regress", "--base", PROGRAM, "--head", copy.to_str().unwrap(), "--workload", "count/mask/n=8/t=1@9"])
        .output()
        .unwrap();
    expect(&unknown, 1, "does not run count/mask/n=8/t=1@9");
    let typed =
        Command::new(PROGRAM).args(["regress", "--base", "a", "--head", "b", "--workload", "mask"]).output().unwrap();
    expect(&typed, 2, "'mask' is not a workload");
}
