//! The test profile for the Phoronix Test Suite.

use std::path::Path;
use std::process::Command;

/// The Phoronix Test Suite's part is played here: it installs, runs an entry of the menu, and reads one number.
#[test]
fn the_phoronix_profile_installs_runs_and_gives_a_number() {
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/phoronix/nqueens-1.1.0");
    let read = |name: &str| std::fs::read_to_string(profile.join(name)).unwrap();
    let definition = read("test-definition.xml");
    let definition = roxmltree::Document::parse(&definition).unwrap();
    let all = |name: &'static str| {
        definition.descendants().filter(move |node| node.has_tag_name(name)).map(|node| node.text().unwrap())
    };
    assert_eq!(all("AppVersion").next(), Some(env!("CARGO_PKG_VERSION")));
    for value in all("Value") {
        let (option, id) = value.split_once(' ').unwrap();
        match option {
            "--suite" => assert!(nqueens::measure::suite::find(id).is_some()),
            _ => {
                let id: nqueens::measure::WorkloadId = id.parse().unwrap();
                let version = nqueens::measure::workload::version(&id.solver);
                assert_eq!(id.version, version, "{id}: a new version of a workload is a new version of the profile");
            }
        }
    }
    let parsers = read("results-definition.xml");
    assert!(parsers.contains("Seconds: #_RESULT_#") && parsers.contains("Score: #_RESULT_#"));

    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_nqueens"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let run = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path()).env("HOME", folder.path()).env("PATH", &path);
        command.env_remove("NQUEENS_SOURCE").env("LOG_FILE", folder.path().join("log")).output().unwrap()
    };
    let install = run(&profile.join("install.sh"), &[]);
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
    let status = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(status("install-exit-status").trim(), "0");
    run(&folder.path().join("nqueens"), &["--workload", "count/mask/n=8/t=1@1", "--budget", "1"]);
    assert_eq!(status("test-exit-status").trim(), "0");
    let log = status("log");
    let seconds: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix("Seconds: ")).collect();
    assert!(matches!(seconds[..], [one] if one.parse::<f64>().unwrap() > 0.0), "{log}");
}
