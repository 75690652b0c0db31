//! What shells are told: completions in a real bash.

use std::process::{Command, Stdio};

/// What bash offers for the last of these words, or `None` where there is no bash.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let script = r#"
        program=$1; shift
        source <("$program" completions bash) || exit 9
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        function=$(complete -p nqueens | sed 's/.*-F \([^ ]*\).*/\1/')
        "$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash", env!("CARGO_BIN_EXE_nqueens")])
        .args(words)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

#[test]
fn bash_completes_what_can_be_typed() {
    use std::io::Write;
    if offered(&["nqueens", ""]).is_none() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no bash here to complete");
        return;
    }
    for (words, expected) in [
        (&["nqueens", "cou"][..], &["count"][..]),
        (&["nqueens", "count", "--so"], &["--solver"]),
        (
            &["nqueens", "count", "--solver", ""],
            &["auto", "check", "permutation", "arrays", "mask", "bitmask", "color-plain", "color"],
        ),
        (&["nqueens", "run", "s"], &["status"]),
        (&["nqueens", "bench", "g"], &["gate"]),
    ] {
        assert_eq!(offered(words).unwrap(), expected, "{words:?}");
    }
}
