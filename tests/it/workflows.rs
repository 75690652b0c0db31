//! The workflows use no code of others that can change under them.

use std::path::Path;

/// A tag or a branch can be moved to other code by whoever owns the action; a commit cannot.
#[test]
fn actions_are_pinned_by_commit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for folder in [".github/workflows", "scripts/ci"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines() {
                let Some((_, action)) = line.split_once("uses:") else { continue };
                let (name, version) = action.split_once('@').unwrap_or((action, ""));
                let (commit, comment) = version.split_once(" # v").unwrap_or((version, ""));
                let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && !comment.is_empty(), "{}: {name}@{version}", path.display());
                found += 1;
            }
        }
    }
    assert!(found > 0, "there are no actions");
}
