//! What shells are told: completions in a real bash.

use std::process::{Command, Stdio};

/// What bash offers for the last of these words, or `None` where there is no bash.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let script = r#"
        program=$1; shift
        source <("$program" completions bash) || exit 9
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        # What bash would call, with the word, unless it is an equals sign, and the one before it.
        function=$(complete -p nqueens | sed 's/.*-F \([^ ]*\).*/\1/')
        word="${COMP_WORDS[COMP_CWORD]}"
        [[ $word == "=" ]] && word=""
        "$function" "$1" "$word" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash", env!("CARGO_BIN_EXE_nqueens")])
        .args(words)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/records"))
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
    let offered = |words: &[&str]| offered(words).unwrap();
    let solvers = ["auto", "check", "permutation", "arrays", "mask", "bitmask", "color-plain", "color"];
    for (words, expected) in [
        (&["nqueens", "co"][..], &["count"][..]),
        (&["./nqueens", "cou"], &["count"]),
        (&["nqueens", "-q", "bat"], &["batch"]),
        (&["nqueens", "--ver"], &["--version"]),
        (&["nqueens", "count", "--so"], &["--solver"]),
        (&["nqueens", "count", "--solver", ""], &solvers),
        // An equals sign is a word of its own to bash.
        (&["nqueens", "count", "--solver", "="], &solvers),
        (&["nqueens", "count", "--solver", "=", "bit"], &["bitmask"]),
        (&["nqueens", "solutions", "8", "--symmetry", "=", ""], &["half-turn", "quarter-turn"]),
        (&["nqueens", "run", "s"], &["status"]),
        (&["nqueens", "bench", "g"], &["gate"]),
        // Nobody knows how many threads.
        (&["nqueens", "count", "--threads", ""], &[]),
        // What is hidden is not told.
        (&["nqueens", "estimate", "24", "--fill"], &[]),
        (&["nqueens", "estimate", "24", "--leaves"], &[]),
        (&["nqueens", "ma"], &[]),
    ] {
        assert_eq!(offered(words), expected, "{words:?}");
    }
    // Files where there is a file to be named, which bash finds itself where nothing else is offered.
    for words in [
        &["nqueens", "bench", "report", ""][..],
        &["nqueens", "bench", "compare", "epyc.json", ""],
        &["nqueens", "bench", "export", "e"],
    ] {
        assert_eq!(offered(words), [""; 0], "{words:?}");
    }
    assert_eq!(offered(&["nqueens", "bench", "report", "--ou"]), ["--out"]);
    assert_eq!(offered(&["nqueens", "bench", "export", "epyc.json", "--format", "b"]), ["bencher"]);
    assert!(offered(&["nqueens", "bench", "report", "--out", "epyc.j"]).contains(&"epyc.json".to_owned()));
}
