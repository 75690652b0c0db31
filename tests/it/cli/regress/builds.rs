//! What a build answers: one that counts wrong, hangs, is none, or says what is no plain text; the real program, and the
//! adapter of docs/measuring.md.

use std::io::Write;

use super::*;

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
    expect(&regress(&base, Path::new("no/such/build"), &[]), 1, "head (no/such/build) cannot be run: No such file");
    expect(&regress(&base, scripts.0.path(), &[]), 1, "cannot be run: it is a folder; give the program in it");
    for (name, body, problem) in [
        ("mute", "true", "cannot be compared: it printed nothing instead of a sample"),
        ("chatty", "echo hello", "it printed \"hello\" instead of a sample"),
        ("endless", "yes", "it printed more than 64 KiB"),
        ("future", "echo '{\"program\":\"nqueens\",\"protocol\":2}'", "speaks protocol 2, and this program speaks 1"),
        (
            "half",
            "echo '{\"program\":\"nqueens\",\"protocol\":1}'",
            "gave an impossible answer: missing field `version`",
        ),
        ("crashing", "kill -SEGV $$", "ended with signal: 11"),
        ("failing", "echo oh no >&2; exit 7", "ended with exit status: 7 in count/mask/n=8/t=1@1: it said \"oh no\""),
        ("older", "echo \"unrecognized subcommand 'sample'\" >&2; exit 2", "does not run count/mask/n=8/t=1@1"),
    ] {
        expect(&regress(&base, &scripts.script(name, body), &[]), 1, problem);
        expect(&regress(&scripts.script(name, body), &base, &[]), 1, problem);
    }
    let nan = scripts.build("nan", "-0.02", "92", "2056");
    expect(&regress(&base, &nan, &[]), 1, "seconds[0]: -0.02 is not the time of a run");
    // Whatever does not fit is named by its field.
    let good = scripts.build("good", "0.02", "92", "2056");
    for (find, put, problem) in [
        ("\"program\":\"nqueens\"", "\"program\":\"queens\"", "program: \"\"queens\"\" where"),
        ("\"threads\":1", "\"threads\":2", "threads: 2 when asked for 1"),
        ("\"runs\":1", "\"runs\":0", "runs: 0 when asked for 1"),
        ("\"runs\":1", "\"runs\":\"1\"", "runs: invalid type"),
        ("count/mask/n=8/t=1@1", "count/mask/n=9/t=1@1", "workload: it ran count/mask/n=9/t=1@1 when asked for"),
        ("\"count\":\"92\"", "\"count\":\"many\"", "count: "),
        (",\"seconds\":[", ",\"seconds\":[1,", "seconds: 2 samples when asked for 1"),
        (",\"seconds\":[", ",\"processor_seconds\":[1,2,3,4],\"seconds\":[", "processor_seconds: 4 samples when"),
        ("\"isa\":\"portable\"", "\"isa\":\"<b>\"", "isa: \"<b>\" is not a short word"),
    ] {
        let body = std::fs::read_to_string(&good).unwrap();
        assert!(body.contains(find), "{find}");
        let head = scripts.script("misfit", body.replace(find, put).split_once('\n').unwrap().1);
        expect(&regress(&base, &head, &[]), 1, problem);
    }
}

#[test]
fn a_build_that_hangs_is_ended_with_all_it_started() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.02", "92", "2056");
    let mark = scripts.0.path().join("still-there");
    let hanging = scripts.script("hanging", &format!("(sleep 3; touch '{}') & wait", mark.display()));
    expect(&regress(&base, &hanging, &["--timeout", "1s"]), 1, "did not finish count/mask/n=8/t=1@1 within 1 s");
    std::thread::sleep(Duration::from_secs(3));
    assert!(!mark.exists());
}

#[test]
fn a_bare_name_is_the_file_in_this_folder() {
    let scripts = Scripts::new();
    scripts.build("base", "0.02", "92", "2056");
    scripts.build("head", "0.02", "92", "2056");
    let output = gate(Path::new("base"), Path::new("head"), &[]).current_dir(scripts.0.path()).output().unwrap();
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
    if cfg!(any(target_os = "linux", target_os = "macos")) {
        assert!(compared["processor"]["ratio"]["value"].as_f64().is_some(), "{compared}");
    }
    let of = |workload: &str| regress(Path::new(PROGRAM), &copy, &["--workload", workload]);
    expect(&of("count/mask/n=8/t=1@9"), 1, "does not run count/mask/n=8/t=1@9");
    expect(&of("mask"), 2, "'mask' is not a workload");
}

#[test]
fn what_a_build_says_is_text() {
    let scripts = Scripts::new();
    let base = scripts.build("base", "0.02", "92", "2056");
    for time in ["1e-300", "1e300", "0", "-1"] {
        let head = scripts.build("head", time, "92", "2056");
        expect(&regress(&base, &head, &[]), 1, "is not the time of a run");
    }
    let page = scripts.0.path().join("page.md");
    let told = |head: &Path| {
        let _ = std::fs::remove_file(&page);
        let output = regress(&base, head, &["--markdown", page.to_str().unwrap()]);
        let page = std::fs::read_to_string(&page).unwrap();
        (format!("{}{}{page}", text(&output.stdout), text(&output.stderr)), page)
    };
    let odd = |name: &str, find: &str, put: &str| {
        let path = scripts.build(name, "0.02", "92", "2056");
        let body = std::fs::read_to_string(&path).unwrap().replace(find, put);
        scripts.script(name, body.split_once('\n').unwrap().1)
    };
    for (find, put) in [
        ("\"commit\":\"odd\"", "\"commit\":\"<script>alert(1)</script>\""),
        ("\"commit\":\"odd\"", "\"commit\":\"\\u001b[2J\""),
        ("\"0.1.0\"", "\"a|b`c\""),
        ("\"nodes\"", "\"no\\u202edes\""),
        ("\"isa\":\"portable\"", "\"isa\":\"=cmd\""),
    ] {
        let head = odd("odd", find, put);
        let (said, page) = told(&head);
        assert!(said.contains("is not a short word"), "{said}");
        assert!(!page.contains("<script>") && !said.chars().any(|c| c != '\n' && c.is_control()), "{said:?}");
    }
    let noisy = scripts.script("noisy", "printf '\\033[2J\\342\\200\\256|`<b>' >&2; exit 7");
    let (said, page) = told(&noisy);
    assert!(said.contains("u{1b}") && !said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
    assert!(page.contains("&lt;b&gt;"), "{page}");
}

/// The adapter on the page does what the page says.
#[test]
fn the_adapter_of_the_page_can_be_gated() {
    let page = include_str!("../../../../docs/measuring.md");
    let adapter = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: there is no python3 here to run the adapter of docs/measuring.md");
        return;
    }
    let scripts = Scripts::new();
    let [base, head, wrong] = ["base", "head", "wrong"].map(|name| {
        let path = scripts.script(name, "");
        let adapter = if name == "wrong" { adapter.replace("return 1", "return 2") } else { adapter.to_owned() };
        std::fs::write(&path, format!("#!/usr/bin/env python3\n{adapter}")).unwrap();
        path
    });
    let more = ["--workload", "count/mine/n=4/t=1", "--threshold", "50", "--json"];
    let output = regress(&base, &head, &more);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let compared = &json["workloads"][0];
    assert_eq!((&compared["workload"], &compared["count"]), (&"count/mine/n=4/t=1@1".into(), &"2".into()), "{json}");
    assert!(compared["processor"]["ratio"]["value"].as_f64().is_some(), "{json}");
    expect(&regress(&base, &wrong, &more), 3, "the count for n = 4 is 4, and the published count is 2");
}
