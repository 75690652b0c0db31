//! `bench gate` on builds that behave and on files that do not. The builds are scripts that answer like a build, so that
//! what is judged does not depend on the machine; one test runs the real program.
#![cfg(unix)]

mod builds;
mod instructions;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use crate::program::{Ended, end, nqueens, run, send};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");

/// The times of a build that is too noisy for any verdict.
const NOISE: &str = "0.0150 0.0280 0.0190 0.0400 0.0210";

/// A gate on one small workload, without cachegrind and without GitHub's variables, unless `more` has other workloads.
pub(super) fn gate(base: &Path, head: &Path, more: &[&str]) -> Command {
    let mut command = nqueens(&["bench", "gate"]);
    command.arg("--base").arg(base).arg("--head").arg(head).args(more).arg("--no-instructions");
    if !more.contains(&"--workload") {
        command.args(["--workload", "count/bitmask/n=8/t=1"]);
    }
    command.env_remove("GITHUB_STEP_SUMMARY");
    command
}

fn regress(base: &Path, head: &Path, more: &[&str]) -> Ended {
    run(&mut gate(base, head, more))
}

/// A folder of scripts.
pub(super) struct Scripts(pub(super) tempfile::TempDir);

impl Scripts {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A build that answers with the times of `cycle`, one after the other from process to process.
    pub(super) fn build(&self, name: &str, cycle: &str, count: &str, nodes: &str) -> PathBuf {
        let counter = self.path(&format!("{name}.calls"));
        let body = format!(
            r#"calls=$(cat '{counter}' 2>/dev/null || echo 0); echo $((calls + 1)) > '{counter}'
set -- "$5" {cycle}
k=$1; shift
shift $((calls % $#)); s=$1
seconds=$s; i=1; while [ $i -lt $k ]; do seconds="$seconds,$s"; i=$((i + 1)); done
echo '{{"program":"nqueens","protocol":1,"version":"0.1.0","commit":"{name}","workload":"count/bitmask/n=8/t=1@3","threads":1,"isa":"portable","count":"{count}","work":{{"nodes":"{nodes}"}},"runs":1,"seconds":['"$seconds"']}}'"#,
            counter = counter.display()
        );
        self.script(name, &body)
    }

    /// A build with these times that counts right.
    fn timed(&self, name: &str, cycle: &str) -> PathBuf {
        self.build(name, cycle, "92", "2056")
    }

    /// A right build with `find` in its script replaced by `put`.
    fn edited(&self, name: &str, cycle: &str, find: &str, put: &str) -> PathBuf {
        let path = self.timed(name, cycle);
        let script = fs::read_to_string(&path).unwrap();
        assert!(script.contains(find), "{find}");
        fs::write(&path, script.replace(find, put)).unwrap();
        path
    }
}

#[test]
fn every_end_has_its_status_its_sentence_its_json_its_page_and_its_line_for_github() {
    let scripts = Scripts::new();
    let base = scripts.timed("base", "0.0200 0.0201 0.0200 0.0199");
    let same = scripts.timed("same", "0.0201 0.0200 0.0199 0.0200");
    let slow = scripts.timed("slow", "0.0210 0.0211 0.0210 0.0209");
    let noisy = scripts.timed("noisy", NOISE);
    let wrong = scripts.build("wrong", "0.01", "93", "2056");
    let failing = scripts.script("failing", "echo oh no >&2; exit 7");
    let other = scripts.build("other", "0.02", "92", "2057");
    for (head, status, verdict, word, line, junit, said) in [
        (&same, 0, "pass", "pass", "::notice ", "<system-out>", "head is 0."),
        (
            &slow,
            4,
            "regression",
            "regression",
            "::error ",
            "<failure ",
            "head is 5.0 % slower than base (95 % interval +",
        ),
        (&noisy, 5, "inconclusive", "inconclusive", "::error ", "<skipped ", "inconclusive: "),
        (
            &other,
            6,
            "other-work",
            "other work",
            "::error ",
            "<failure ",
            "different work than base (2057 nodes instead",
        ),
        (&wrong, 3, "wrong", "wrong count", "::error ", "<error ", "is 93, and the published count is 92"),
        (&failing, 1, "failed", "failed", "::error ", "<error ", "ended with exit status: 7"),
    ] {
        let (summary, xml) = (scripts.path("summary.md"), scripts.path("junit.xml"));
        let mut command = gate(&base, head, &["--json", "--junit", xml.to_str().unwrap()]);
        let ended = run(command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary));
        ended.expect(status, said);
        let json = ended.json();
        assert_eq!((&json["verdict"], &json["workloads"][0]["verdict"]), (&verdict.into(), &verdict.into()));
        assert!(ended.stderr.lines().any(|said| said.starts_with(line)), "{ended:?}");
        let page = fs::read_to_string(&summary).unwrap();
        assert!(page.starts_with(&format!("### nqueens bench gate: {word}\n")), "{page}");
        assert!(page.contains(&format!("| `count/bitmask/n=8/t=1@3` | {word} | ")), "{page}");
        let xml = fs::read_to_string(&xml).unwrap();
        let parsed = roxmltree::Document::parse(&xml).unwrap();
        assert_eq!(parsed.root_element().attribute("tests"), Some("1"));
        assert!(xml.contains(junit), "{xml}");
        fs::remove_file(summary).unwrap();
    }
    for (more, status, line) in [(&["--allow-inconclusive"][..], 0, "::warning "), (&[], 5, "::error ")] {
        run(gate(&base, &noisy, more).env("GITHUB_ACTIONS", "true")).expect(status, line);
    }
}

#[test]
fn thresholds_noise_and_other_work_decide() {
    let scripts = Scripts::new();
    let base = scripts.timed("base", "0.0200 0.0201 0.0200 0.0199");
    let slow = scripts.timed("slow", "0.0210 0.0211 0.0210 0.0209");
    let noisy = scripts.timed("noisy", NOISE);
    regress(&base, &slow, &["--threshold", "8%"]).expect(0, "not slower by the threshold of 8.0 %");
    regress(&base, &base, &[]).expect(0, "noise floors, below which no slowdown shows: count/bitmask/n=8/t=1@3 ");
    regress(&noisy, &base, &[]).expect(5, "leaves a threshold of 3.0 % open");
    // Other work is no pass even where the clock likes it, unless it is meant; and where the clock does not, it is slower.
    let other = scripts.build("other", "0.0100", "92", "2057");
    regress(&base, &other, &[]).expect(6, "head is 50.0 % faster");
    regress(&base, &other, &["--allow-other-work"]).expect(0, "head is 50.0 % faster");
    let other = scripts.build("other-and-slow", "0.0210", "92", "2057");
    regress(&base, &other, &[]).expect(4, "does different work than base");
    regress(&base, &other, &["--allow-other-work"]).expect(4, "head is 5.0 % slower");
    // Noise of the size of the improvement hides it; less does not.
    let rough = scripts.timed("rough", "0.0200 0.0200 0.0200 0.0216");
    regress(&rough, &scripts.timed("faster", "0.0150"), &[]).expect(0, "the noise floor is 7.4 %");
    regress(&rough, &scripts.timed("hardly", "0.0195"), &[]).expect(5, "inconclusive");
}

#[test]
fn the_processors_time_decides_if_both_builds_report_it() {
    let scripts = Scripts::new();
    let build = |name: &str, wall: &str, processor: &str| {
        let times =
            format!("\nprocessor={processor}; [ $k = 1 ] || processor=\"$processor,$processor,$processor\"\necho");
        let path = scripts.edited(name, wall, "\necho", &times);
        let script = fs::read_to_string(&path).unwrap();
        fs::write(&path, script.replace("]}'", "],\"processor_seconds\":['\"$processor\"']}'")).unwrap();
        path
    };
    let base = build("base", NOISE, "0.0140");
    let told = regress(&base, &build("same", NOISE, "0.0140"), &["--json"]);
    told.expect(0, "head is 0.0 % slower");
    assert_eq!(told.json()["workloads"][0]["clock"], "processor");
    regress(&base, &build("slow", NOISE, "0.0147"), &[]).expect(4, "head is 5.0 % slower");
    // If one build does not report it, the wall's time decides.
    regress(&base, &scripts.timed("older", NOISE), &[]).expect(5, "inconclusive");
}

#[test]
fn a_spent_budget_and_an_interruption_keep_what_is_done() {
    let scripts = Scripts::new();
    let slow = |name: &str, seconds: &str| {
        let build = scripts.timed(&format!("{name}-quick"), "0.02");
        scripts.script(name, &format!("sleep {seconds}; exec '{}' \"$@\"", build.display()))
    };
    let (base, head) = (slow("base", "0.1"), slow("head", "0.1"));
    let spent = regress(&base, &head, &["--budget", "2s", "--json"]);
    spent.expect(5, "no time for the 8 rounds");
    let rounds = spent.json()["workloads"][0]["rounds"].as_array().unwrap().len();
    assert!((1..8).contains(&rounds), "{rounds}");
    // First runs that spend the budget leave one workload.
    let two =
        ["--workload", "count/bitmask/n=8/t=1", "--workload", "count/bitmask/n=9/t=1", "--budget", "1s", "--json"];
    let json = regress(&slow("slow", "0.5"), &slow("slower", "0.5"), &two).json();
    assert_eq!(json["workloads"][0]["rounds"].as_array().unwrap().len(), 1, "{json}");
    let second = &json["workloads"][1];
    assert_eq!(second["verdict"], "inconclusive");
    assert_eq!(second["reason"], "not measured: the time was over, so raise --budget");
    let signals: [(&[&str], _); 5] =
        [(&["-INT"], 130), (&["-TERM"], 143), (&["-HUP"], 129), (&["-QUIT"], 131), (&["-INT", "-TERM"], 130)];
    for (signals, status) in signals {
        let mark = scripts.path(&format!("left-by{}", signals.join("")));
        let lasting = scripts.script("lasting", &format!("sleep 1.5; touch '{}'", mark.display()));
        let page = scripts.path("page.md");
        let child = gate(&base, &lasting, &["--json", "--markdown", page.to_str().unwrap()]).spawn().unwrap();
        sleep(Duration::from_millis(700));
        signals.iter().for_each(|signal| send(signal, &child));
        let ended = end(child);
        // Of two signals sent at once either may come first.
        let is_other = signals.len() == 2 && ended.status == Some(143);
        assert!(ended.status == Some(status) || is_other, "{signals:?}: {ended:?}");
        let json = ended.json();
        let one = &json["workloads"][0];
        assert!(one["verdict"] == "inconclusive" && one["reason"].as_str().unwrap().contains("interrupted"), "{json}");
        assert!(fs::read_to_string(&page).unwrap().contains("the gate was interrupted"));
        fs::remove_file(page).unwrap();
        sleep(Duration::from_millis(1200));
        assert!(!mark.exists(), "{signals:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_measured() {
    let scripts = Scripts::new();
    let base = scripts.timed("base", "0.0200");
    for option in ["--markdown", "--junit"] {
        let ended = regress(&base, &base, &[option, scripts.path("nowhere/file").to_str().unwrap()]);
        ended.expect(74, "nowhere");
        assert_eq!(ended.stdout, "");
    }
}
