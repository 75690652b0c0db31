//! What a build answers: one that counts wrong, hangs, is none, or says what is no plain text; the real program, and the
//! adapter of docs/measuring.md.

use std::io::Write;

use super::*;

#[test]
fn what_is_no_build_is_told_to_be_none() {
    let scripts = Scripts::new();
    let base = scripts.timed("base", "0.02");
    regress(&base, Path::new("no/such/build"), &[]).expect(1, "no/such/build): it cannot be run: No such file");
    let two = ["--workload", "count/bitmask/n=8/t=1", "--workload", "count/bitmask/n=9/t=1"];
    let folder = regress(&base, scripts.0.path(), &two);
    folder.expect(1, "it is a folder: give the program in it");
    folder.expect(1, "count/bitmask/n=9/t=1@3  not measured: a workload before it failed");
    let half = "echo '{\"program\":\"nqueens\",\"protocol\":1}'";
    for (status, body, problem) in [
        (1, "true", "it printed nothing instead of a sample"),
        (1, "echo hello", "it printed \"hello\" instead of a sample"),
        (1, "yes", "it printed more than 64 KiB"),
        (1, &half.replace('1', "2"), "missing field `version`"),
        (1, half, "missing field `version`"),
        (1, "kill -SEGV $$", "ended with signal: 11"),
        (1, "echo oh no >&2; exit 7", "ended with exit status: 7: it said \"oh no\""),
        (1, "printf '\\033[2J\\342\\200\\256|`<b>' >&2; exit 7", "it said \"\\u{1b}[2J\\u{202e}|`<b>\""),
        (1, "echo \"unrecognized subcommand 'sample'\" >&2; exit 2", "): it does not run it"),
        (3, "echo 'error: the count is wrong' >&2; exit 3", "): it counted wrong: it said \"error: the"),
    ] {
        let other = scripts.script("other", body);
        regress(&base, &other, &[]).expect(status, problem);
        regress(&other, &base, &[]).expect(status, problem);
    }
    // Whatever does not fit is named by its field.
    for (find, put, problem) in [
        ("\"program\":\"nqueens\"", "\"program\":\"queens\"", "it speaks protocol 1 of 'queens'"),
        ("\"threads\":1", "\"threads\":2", "threads: 2 when asked for 1"),
        ("\"runs\":1", "\"runs\":0", "runs: 0 when asked for 1"),
        ("\"runs\":1", "\"runs\":\"1\"", "invalid type: string"),
        ("count/bitmask/n=8/t=1@3", "count/bitmask/n=9/t=1@3", "workload: it ran count/bitmask/n=9/t=1@3"),
        ("\"count\":\"92\"", "\"count\":\"many\"", "'many' is not a whole number"),
        (",\"seconds\":[", ",\"seconds\":[1,", "seconds: 2 samples when asked for 1"),
        (",\"seconds\":[", ",\"processor_seconds\":[1,2,3,4],\"seconds\":[", "processor_seconds: 4 samples when"),
        ("s=$1", "s=-0.02", "seconds: -0.02 is not the time of a run"),
        ("s=$1", "s=1e-300", "is not the time of a run"),
    ] {
        regress(&base, &scripts.edited("misfit", "0.02", find, put), &[]).expect(1, problem);
    }
    // Texts of builds are shown as text.
    let page = scripts.path("page.md");
    for (find, put) in
        [("\"commit\":\"misfit\"", "\"commit\":\"\\u001b[2J<script>\""), ("\"nodes\"", "\"no\\u202edes\"")]
    {
        let head = scripts.edited("misfit", "0.02", find, put);
        let ended = regress(&base, &head, &["--json", "--markdown", page.to_str().unwrap()]);
        let said = format!("{}{}{}", ended.stdout, ended.stderr, fs::read_to_string(&page).unwrap());
        assert!(!said.contains(['\u{1b}', '\u{202e}']) && !said.contains("head <script>"), "{said:?}");
    }
}

#[test]
fn a_build_that_hangs_is_ended_with_all_it_started() {
    let scripts = Scripts::new();
    let base = scripts.timed("base", "0.02");
    let mark = scripts.path("still-there");
    let hanging = scripts.script("hanging", &format!("(sleep 3; touch '{}') & wait", mark.display()));
    regress(&base, &hanging, &["--timeout", "1s"]).expect(1, "): it did not finish within 1 s");
    sleep(Duration::from_secs(3));
    assert!(!mark.exists());
}

#[test]
fn a_bare_name_is_the_file_in_this_folder() {
    let scripts = Scripts::new();
    scripts.timed("base", "0.02");
    scripts.timed("head", "0.02");
    run(gate(Path::new("base"), Path::new("head"), &[]).current_dir(scripts.0.path())).expect(0, "pass: ");
}

/// The real program against its own copy: equal counts, equal work. On a busy machine the times may be inconclusive.
#[test]
fn the_real_program_speaks_the_protocol() {
    let scripts = Scripts::new();
    let copy = scripts.path("copy");
    fs::copy(PROGRAM, &copy).unwrap();
    let ended = regress(Path::new(PROGRAM), &copy, &["--json", "--threshold", "20%"]);
    assert!(matches!(ended.status, Some(0 | 5)), "{ended:?}");
    let json = ended.json();
    let compared = &json["workloads"][0];
    let answers = &compared["answers"];
    assert_eq!((&answers[0]["count"], &answers[0]["work"]), (&"92".into(), &answers[1]["work"]));
    let has_clock = cfg!(any(target_os = "linux", target_os = "macos"));
    assert_eq!(compared["clock"], if has_clock { "processor" } else { "wall" });
    let of = |workload: &str| regress(Path::new(PROGRAM), &copy, &["--workload", workload]);
    of("count/bitmask/n=8/t=1@9").expect(1, "): it does not run it");
    of("mask").expect(2, "'mask' is not a workload");
}

/// The adapter on the page does what the page says.
#[test]
fn the_adapter_of_the_page_can_be_gated() {
    let page = include_str!("../../../../docs/measuring.md");
    let adapter = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let skipped = "SKIPPED: there is no python3 here to run the adapter of docs/measuring.md";
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    let scripts = Scripts::new();
    let [base, head, wrong] = ["base", "head", "wrong"].map(|name| {
        let path = scripts.script(name, "");
        let adapter = if name == "wrong" { adapter.replace("return 1", "return 2") } else { adapter.to_owned() };
        fs::write(&path, format!("#!/usr/bin/env python3\n{adapter}")).unwrap();
        path
    });
    let more = ["--workload", "count/mine/n=4/t=1", "--threshold", "50", "--json"];
    let ended = regress(&base, &head, &more);
    assert!(matches!(ended.status, Some(0 | 5)), "{ended:?}");
    let json = ended.json();
    let compared = &json["workloads"][0];
    assert_eq!(compared["workload"], "count/mine/n=4/t=1@1");
    assert_eq!((&compared["answers"][0]["count"], &compared["clock"]), (&"2".into(), &"processor".into()), "{json}");
    regress(&base, &wrong, &more).expect(3, "the count for n = 4 is 4, and the published count is 2");
}
