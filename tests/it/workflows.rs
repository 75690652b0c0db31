//! The workflows use no code of others that can change under them.

use std::path::Path;

/// The files of a folder of the repository, with their texts.
fn files(folder: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
    paths.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap_or_default())).collect()
}

/// A tag or a branch can be moved to other code by whoever owns the action; a commit cannot.
#[test]
fn actions_are_pinned_by_commit() {
    let mut found = 0;
    for (name, text) in files(".github/workflows") {
        for (_, action) in text.lines().filter_map(|line| line.split_once("uses:")) {
            let version = action.split_once('@').map_or("", |(_, version)| version);
            let (commit, comment) = version.split_once(" # v").unwrap_or((version, ""));
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && !comment.is_empty(), "{name}: {action}");
            found += 1;
        }
    }
    assert!(found > 0, "there are no actions");
}
