//! Programs that are given to `bench gate` as builds and are none, or that do harm.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::case::Case;
use super::files::SCRIPTS;

/// An answer with this list of seconds and this count.
fn answer(seconds: &str, count: &str, commit: &str) -> String {
    format!(
        "cat <<'END'\n{{\"program\":\"nqueens\",\"protocol\":1,\"version\":\"0.1.0\",\"commit\":\"{commit}\",\
         \"workload\":\"count/mask/n=8/t=1@1\",\"threads\":1,\"isa\":\"portable\",\"count\":\"{count}\",\
         \"work\":{{\"nodes\":\"2056\"}},\"runs\":1,\"seconds\":[{seconds}]}}\nEND"
    )
}

fn script(folder: &Path, name: &str, body: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a folder of our own");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file of our own");
    path
}

pub(super) fn cases(folder: &Path) -> Vec<Case> {
    let good = script(folder, "good", &answer("0.02", "92", "good"));
    let evil = "\\u001b[2J\\u009b31m\\u202e<script>alert(1)</script>|`x`\\n::error::x";
    let mut programs: Vec<PathBuf> = [
        ("hangs", "sleep 1000"),
        ("spins", "while :; do :; done"),
        ("leaves-children", "sleep 1000 & sleep 1000 & exit 0"),
        ("children-hold-the-pipe", "sleep 1000 & echo hello"),
        ("ignores-signals", "trap '' INT TERM HUP QUIT; sleep 1000"),
        ("closes-and-stays", "exec >&- 2>&-; sleep 1000"),
        ("prints-for-ever", "yes"),
        ("complains-for-ever", "yes >&2"),
        ("zeros", "cat /dev/zero"),
        ("noise", "head -c 100000 /dev/urandom"),
        ("escapes", "printf '\\033[2J\\302\\2331m<script>alert(1)</script>\\n::error::x\\n'"),
        ("complains-in-escapes", "printf '\\033[2J<script>alert(1)</script>\\n::error::x\\n' >&2; exit 3"),
        ("silent", "true"),
        ("fails", "exit 1"),
        ("says-wrong", "exit 3"),
        ("odd-status", "exit 137"),
        ("kills-itself", "kill -9 $$"),
        ("kills-its-group", "kill -9 0"),
        ("stops-itself", "kill -STOP $$"),
        ("kills-its-parent-politely", "kill -TERM $PPID; sleep 1000"),
        ("json-of-nothing", "echo '{}'"),
        ("json-that-is-deep", "head -c 60000 /dev/zero | tr '\\0' '['"),
    ]
    .iter()
    .map(|(name, body)| script(folder, name, body))
    .collect();
    let times =
        ["1e-300", "1e300", "1e999", "-1", "0", "-0", "null", "\\\"1\\\"", "NaN", "", "1,", "5e-324", "0.02,1e-300"];
    for (number, seconds) in times.into_iter().enumerate() {
        programs.push(script(folder, &format!("time-{number}"), &answer(seconds, "92", "x")));
    }
    for (number, count) in
        ["93", "-92", "9e1", "", "92 ", "340282366920938463463374607431768211456"].into_iter().enumerate()
    {
        programs.push(script(folder, &format!("count-{number}"), &answer("0.02", count, "x")));
    }
    programs.push(script(folder, "evil-commit", &answer("0.02", "92", evil)));
    programs.push(folder.to_owned());
    programs.push(folder.join("missing"));
    for (name, bytes, mode) in [
        ("empty", &b""[..], 0o755),
        ("no-program", b"hello", 0o755),
        ("no-right", b"#!/bin/sh\n", 0o644),
        ("loop", b"", 0),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).expect("a folder of our own");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a file of our own");
        programs.push(path);
    }
    programs.extend(["/dev/null", "/dev/zero", "/bin/true", "/bin/yes", ""].map(PathBuf::from));
    let mut cases = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        for (base, head) in [(&good, program), (program, &good)] {
            let options = ["--quiet", "--json", "--markdown=/dev/stdout", "--junit=-"];
            let option = options[(number + cases.len()) % options.len()];
            let mut arguments: Vec<std::ffi::OsString> =
                "bench gate --workload count/mask/n=8/t=1 --timeout 1s --budget 2s --instructions off"
                    .split(' ')
                    .map(Into::into)
                    .collect();
            arguments.extend([option.into(), "--base".into(), base.into(), "--head".into(), head.into()]);
            let case = Case::new("programs", arguments).limit(Duration::from_secs(30));
            cases.push(if option.contains('=') { case.forbidden(SCRIPTS) } else { case });
        }
    }
    cases
}
