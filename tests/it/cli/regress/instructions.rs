//! Instructions that cachegrind counts, where it is installed.

use std::io::Write;

use super::*;

/// Whether cachegrind can count here; where it cannot, that is said where nothing captures it.
fn has_valgrind() -> bool {
    let found = Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: there is no valgrind here to count instructions with: Debian has it as valgrind"
        );
    }
    found
}

/// Where cachegrind is installed: it counts the instructions of the real program, the same for its copy, and by the code
/// that it knows: no AVX-512.
#[test]
fn cachegrind_counts_the_real_program() {
    if !has_valgrind() {
        return;
    }
    let scripts = Scripts::new();
    let copy = scripts.0.path().join("copy");
    std::fs::copy(PROGRAM, &copy).unwrap();
    let more = ["--json", "--threshold", "100", "--instructions", "auto", "--workload", "count/bitmask/n=10/t=1"];
    let output = regress(Path::new(PROGRAM), &copy, &more);
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    for workload in json["workloads"].as_array().unwrap() {
        let instructions = &workload["instructions"];
        assert_eq!(instructions["source"], "cachegrind", "{workload}");
        assert_eq!(instructions["isa"], workload["isa"], "what is counted is what is timed");
        let [base, head] = ["base", "head"].map(|side| instructions[side].as_f64().unwrap());
        assert!(base > 1e6 && (head / base - 1.0).abs() < 1e-3, "{base}, {head}");
        for isa in instructions["isa"].as_array().unwrap() {
            assert!(matches!(isa.as_str(), Some("portable" | "avx2" | "neon")), "{isa}");
        }
    }
    assert_eq!(json["workloads"].as_array().unwrap().len(), 1);
    // Equal instructions by the code that was timed: whatever the times are, it passes.
    assert_eq!(json["workloads"][0]["verdict"], "pass");
}

/// Where cachegrind is installed: equal instructions decide where times cannot. The times are a script's, the counting is
/// real.
#[test]
fn equal_instructions_decide_where_times_cannot() {
    if !has_valgrind() {
        return;
    }
    let scripts = Scripts::new();
    let noisy = |name: &str| {
        let body =
            std::fs::read_to_string(scripts.build(name, "0.0150 0.0280 0.0190 0.0400 0.0210", "92", "2056")).unwrap();
        scripts.script(name, body.split_once('\n').unwrap().1)
    };
    let (base, head) = (noisy("base"), noisy("head"));
    let output = regress(&base, &head, &["--instructions", "auto", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let workload = &json["workloads"][0];
    assert_eq!(workload["instructions"]["source"], "cachegrind", "{}", text(&output.stderr));
    assert_eq!(workload["judgement"]["verdict"], "inconclusive");
    expect(&output, 0, "counts, work and instructions are equal");
}
