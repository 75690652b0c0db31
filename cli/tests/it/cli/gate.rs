//! `bench gate` is the program `abgate`, whose own tests have the rest.

use std::process::Command;

use crate::program::{nqueens, run};

/// A gate without GitHub's variables.
pub(super) fn gate(base: &str, head: &str, more: &[&str]) -> Command {
    let mut command = nqueens(&["bench", "gate", "--base", base, "--head", head]);
    command.args(more).env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    command
}

#[test]
fn every_end_has_its_status() {
    let gated = |base: &str, head: &str, more: &[&str]| run(&mut gate(base, head, more));
    // A busy machine may need more than a second for ten rounds.
    let mut tries = ["1s", "4s", "16s"]
        .iter()
        .map(|budget| gated("echo 92", "echo 92", &["--threshold", "100%", "--budget", budget]));
    tries.find(|ended| ended.status == Some(0)).expect("a pass").expect(0, "pass: head takes ");
    let slow = "sh -c 'i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; echo 92'";
    gated("echo 92", slow, &[]).expect(4, "regression: head takes ");
    gated("echo 92", "echo 93", &[]).expect(1, "failed: head (echo 93): it prints something else than base");
    gated("false", "true", &[]).expect(2, "nothing can be compared: base (false): it ended with");
    gated("true", "true", &["--budget", "1ms"]).expect(5, "inconclusive: not measured");
    gated("true", "true", &["--markdown", "nowhere/page"]).expect(74, "error: cannot write the page to nowhere/page");
}
