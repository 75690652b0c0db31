//! `bench gate` on builds that behave and on files that do not. The builds are scripts that answer like a build, so that
//! what is judged does not depend on the machine; one test runs the real program.
#![cfg(unix)]

mod builds;
mod instructions;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");

/// A gate on one small workload, without cachegrind and without GitHub's variables, unless `more` says otherwise.
fn gate(base: &Path, head: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["bench", "gate"]).arg("--base").arg(base).arg("--head").arg(head).args(more);
    for (option, value) in [("--workload", "count/mask/n=8/t=1"), ("--instructions", "off")] {
        if !more.contains(&option) {
            command.args([option, value]);
        }
    }
    command.env_remove("GITHUB_ACTIONS");
    command
}

fn regress(base: &Path, head: &Path, more: &[&str]) -> Output {
    gate(base, head, more).output().unwrap()
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
    expect(&pass, 0, "usable here with a threshold of 3.0 %, by noise floor: count/mask/n=8/t=1@1 (0.5 %)");
    let summary = scripts.0.path().join("summary.md");
    let slower = regress(&base, &slow, &["--markdown", summary.to_str().unwrap()]);
    expect(&slower, 4, "regression: count/mask/n=8/t=1@1: head is 5.0 % slower than base (95 % interval +");
    let summary = std::fs::read_to_string(summary).unwrap();
    assert!(summary.starts_with("### nqueens bench gate: regression\n"), "{summary}");
    assert!(summary.contains("| `count/mask/n=8/t=1@1` | regression | 20.00 ms | 21.00 ms | +5.0 % |"), "{summary}");
    expect(&regress(&base, &slow, &["--threshold", "8%"]), 0, "below the threshold of 8.0 %");
    expect(&regress(&base, &noisy, &[]), 5, "inconclusive: ");
    expect(&regress(&noisy, &base, &[]), 5, "too noisy here for a threshold of 3.0 %, by noise floor: count/mask/n=8");
    // Other work is no pass even where the clock likes it, unless it is meant; and where the clock does not, it is slower.
    let allowed = &["--allow-other-work"][..];
    let found = regress(&base, &other, &[]);
    expect(
        &found,
        6,
        "head does different work than base (2057 nodes instead of 2056 nodes): give --allow-other-work if",
    );
    expect(&found, 6, "head is 50.0 % faster");
    expect(&regress(&base, &other, allowed), 0, "head is 50.0 % faster");
    let other = scripts.build("other-and-slow", "0.0210", "92", "2057");
    expect(&regress(&base, &other, &[]), 4, "does different work than base");
    expect(&regress(&base, &other, allowed), 4, "head is 5.0 % slower");
    // Noise of the size of the improvement hides it; less does not.
    let rough = scripts.build("rough", "0.0200 0.0200 0.0200 0.0216", "92", "2056");
    let faster = scripts.build("faster", "0.0150", "92", "2056");
    expect(&regress(&rough, &faster, &[]), 0, "the noise floor is 7.4 %");
    expect(&regress(&rough, &scripts.build("hardly", "0.0195", "92", "2056"), &[]), 5, "inconclusive");
    let json = regress(&base, &slow, &["--json"]);
    assert_eq!(json.status.code(), Some(4));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["verdict"], &json["head"]["commit"]), (&"regression".into(), &"slow".into()));
    assert_eq!(json["workloads"][0]["rounds"].as_array().unwrap().len(), 8);
    assert_eq!(json["workloads"][0]["usable"], true);
}

#[test]
fn the_processors_time_tells_where_the_walls_cannot() {
    let scripts = Scripts::new();
    let build = |name: &str, wall: &str, processor: &str| {
        let path = scripts.build(name, wall, "92", "2056");
        let times = format!("s={processor}; processor=$s; [ $k = 1 ] || processor=\"$s,$s,$s\"\necho");
        let body = std::fs::read_to_string(&path).unwrap().replace("\necho", &format!("\n{times}"));
        let body = body.replace("]}'", "],\"processor_seconds\":['\"$processor\"']}'");
        scripts.script(name, body.split_once('\n').unwrap().1)
    };
    let noise = "0.0150 0.0280 0.0190 0.0400 0.0210";
    let base = build("base", noise, "0.0140");
    let told = regress(&base, &build("same", noise, "0.0140"), &[]);
    expect(&told, 0, "too noisy for a threshold of 3.0 %; processor time decides: head is 0.0 %");
    expect(&regress(&base, &build("slow", noise, "0.0147"), &[]), 4, "processor time decides: head is 5.0 % slower");
    // What lies outside of all that the wall's time leaves open is no answer.
    let outside = regress(&base, &build("outside", noise, "0.1400"), &[]);
    expect(&outside, 5, "processor time disagrees: head is 900.0 % slower");
    // A build that waits is slower, though not by the processor's time.
    let base = build("steady", "0.0200", "0.0140");
    let waits = regress(&base, &build("waits", "0.0210", "0.0140"), &["--json"]);
    expect(&waits, 4, "processor time disagrees: head is 0.0 % slower than base");
    let json: serde_json::Value = serde_json::from_slice(&waits.stdout).unwrap();
    assert_eq!(json["workloads"][0]["processor"]["verdict"], "pass");
}

#[test]
fn every_end_leaves_its_json_its_page_and_its_line_for_github() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.0200 0.0201 0.0200 0.0199", "92", "2056");
    let same = scripts.build("same", "0.0201 0.0200 0.0199 0.0200", "92", "2056");
    let slow = scripts.build("slow", "0.0210 0.0211 0.0210 0.0209", "92", "2056");
    let noisy = scripts.build("noisy", "0.0150 0.0280 0.0190 0.0400 0.0210", "92", "2056");
    let wrong = scripts.build("wrong", "0.01", "93", "2056");
    let failing = scripts.script("failing", "echo oh no >&2; exit 7");
    let other = scripts.build("other", "0.02", "92", "2057");
    for (head, status, verdict, line, junit) in [
        (&same, 0, "pass", "::notice ", "<system-out>"),
        (&slow, 4, "regression", "::error ", "<failure "),
        (&noisy, 5, "inconclusive", "::error ", "<skipped "),
        (&other, 6, "other-work", "::error ", "<failure "),
        (&wrong, 3, "wrong", "::error ", "<error "),
        (&failing, 1, "failed", "::error ", "<error "),
    ] {
        let (summary, xml) = (scripts.0.path().join("summary.md"), scripts.0.path().join("junit.xml"));
        let output = gate(&base, head, &["--json", "--junit", xml.to_str().unwrap()])
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_STEP_SUMMARY", &summary)
            .output()
            .unwrap();
        expect(&output, status, "");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&json["verdict"], &json["workloads"][0]["verdict"]), (&verdict.into(), &verdict.into()));
        assert!(text(&output.stderr).lines().any(|said| said.starts_with(line)), "{}", text(&output.stderr));
        let page = std::fs::read_to_string(&summary).unwrap();
        let word = match verdict {
            "wrong" => "wrong count",
            "other-work" => "other work",
            verdict => verdict,
        };
        assert!(page.starts_with(&format!("### nqueens bench gate: {word}\n")), "{page}");
        assert!(page.contains("is the median of the quotients"), "{page}");
        let xml = std::fs::read_to_string(&xml).unwrap();
        let parsed = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(parsed.root_element().attribute("tests"), Some("1"));
        assert!(xml.contains(junit), "{xml}");
        std::fs::remove_file(summary).unwrap();
    }
    for (choice, status, line) in [("warn", 0, "::warning "), ("fail", 5, "::error ")] {
        let output = gate(&base, &noisy, &["--inconclusive", choice])
            .env("GITHUB_ACTIONS", "true")
            .env_remove("GITHUB_STEP_SUMMARY")
            .output()
            .unwrap();
        expect(&output, status, line);
    }
}

#[test]
fn first_runs_that_spend_the_budget_leave_one_workload() {
    let scripts = Scripts::new();
    let build = scripts.build("quick", "0.02", "92", "2056");
    let slow = scripts.script("slow", &format!("sleep 0.5; exec '{}' \"$@\"", build.display()));
    let two = ["--workload", "count/mask/n=8/t=1", "--workload", "count/mask/n=9/t=1"];
    let spent = regress(&slow, &slow, &[&two[..], &["--budget", "1s", "--json"]].concat());
    expect(&spent, 5, "no time for the 8 rounds");
    let json: serde_json::Value = serde_json::from_slice(&spent.stdout).unwrap();
    assert_eq!(json["workloads"][0]["rounds"].as_array().unwrap().len(), 1, "{json}");
    assert_eq!((&json["stopped"], &json["unfinished"][0]), (&"budget".into(), &"count/mask/n=9/t=1@1".into()));
}

#[test]
fn a_spent_budget_and_an_interruption_keep_what_is_done() {
    let scripts = Scripts::new();
    let slow_to_answer = |name: &str| {
        let build = scripts.build(&format!("{name}-quick"), "0.02", "92", "2056");
        scripts.script(name, &format!("sleep 0.1; exec '{}' \"$@\"", build.display()))
    };
    let (base, head) = (slow_to_answer("base"), slow_to_answer("head"));
    let spent = regress(&base, &head, &["--budget", "2s", "--json"]);
    expect(&spent, 5, "no time for the 8 rounds");
    let json: serde_json::Value = serde_json::from_slice(&spent.stdout).unwrap();
    assert!((1..8).contains(&json["workloads"][0]["rounds"].as_array().unwrap().len()), "{json}");
    for (signals, status) in
        [(&["-INT"][..], 130), (&["-TERM"], 143), (&["-HUP"], 129), (&["-QUIT"], 131), (&["-INT", "-TERM"], 130)]
    {
        let mark = format!("left-by{}", signals.join(""));
        let mark = scripts.0.path().join(mark);
        let lasting = scripts.script("lasting", &format!("sleep 1.5; touch '{}'", mark.display()));
        let page = scripts.0.path().join("page.md");
        let mut child = gate(&base, &lasting, &["--json", "--markdown", page.to_str().unwrap()])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        for signal in signals {
            assert!(Command::new("kill").args([*signal, &child.id().to_string()]).status().unwrap().success());
        }
        let mut json = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut json).unwrap();
        let code = child.wait().unwrap().code();
        // Of two signals sent at once either may come first.
        assert!(code == Some(status) || signals.len() == 2 && code == Some(143), "{signals:?}: {code:?}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["partial"], &json["stopped"]), (&true.into(), &"interrupted".into()), "{signals:?}");
        assert_eq!(json["unfinished"][0], "count/mask/n=8/t=1@1");
        assert!(std::fs::read_to_string(&page).unwrap().contains("inconclusive (partial)"));
        std::fs::remove_file(page).unwrap();
        std::thread::sleep(Duration::from_millis(1200));
        assert!(!mark.exists(), "{signals:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_measured() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.0200", "92", "2056");
    let nowhere = scripts.0.path().join("nowhere/file");
    for (option, status) in [("--markdown", 74), ("--junit", 1)] {
        let output = regress(&base, &base, &[option, nowhere.to_str().unwrap()]);
        expect(&output, status, "nowhere");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}
