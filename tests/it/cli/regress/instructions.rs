//! Instructions that cachegrind counts, where it is installed.

use std::io::Write;

use super::*;

/// It counts the instructions of the real program, the same for its copy, and by the code that it knows: no AVX-512. Equal
/// instructions decide where times cannot; there the times are a script's.
#[test]
fn cachegrind_counts_the_real_program_and_equal_instructions_pass() {
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let skipped = "SKIPPED: there is no valgrind here to count instructions with: Debian has it as valgrind";
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    let scripts = Scripts::new();
    let copy = scripts.path("copy");
    fs::copy(PROGRAM, &copy).unwrap();
    let counted = |base: &Path, head: &Path, workload: &str, threshold: &str| {
        let mut command = nqueens(&["bench", "gate", "--json", "--workload", workload, "--threshold", threshold]);
        run(command.arg("--base").arg(base).arg("--head").arg(head))
    };
    let json = counted(Path::new(PROGRAM), &copy, "count/bitmask/n=10/t=1", "100").json();
    assert_eq!(json["workloads"].as_array().unwrap().len(), 1);
    let workload = &json["workloads"][0];
    let instructions = &workload["instructions"];
    let [base, head] = ["base", "head"].map(|side| instructions[side].as_f64().unwrap());
    assert!(base > 1e6 && (head / base - 1.0).abs() < 1e-3, "{base}, {head}");
    for answer in workload["answers"].as_array().unwrap() {
        assert!(matches!(answer["isa"].as_str(), Some("portable" | "avx2" | "neon")), "{answer}");
    }
    // Equal instructions by the code that was timed: whatever the times are, it passes.
    assert_eq!(workload["verdict"], "pass");

    let (base, head) = (scripts.timed("base", NOISE), scripts.timed("head", NOISE));
    let noisy = counted(&base, &head, "count/bitmask/n=8/t=1", "3");
    noisy.expect(0, "counts, work and instructions are equal");
    let workload = &noisy.json()["workloads"][0];
    assert_eq!(workload["judgement"]["verdict"], "inconclusive");
}
