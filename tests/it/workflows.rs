//! The workflows use no code of others that can change under them, and scripts find what cargo builds.

use std::path::Path;

/// A tag or a branch can be moved to other code by whoever owns the action; a commit cannot.
#[test]
fn actions_are_pinned_by_commit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for entry in std::fs::read_dir(root.join(".github/workflows")).unwrap() {
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
    assert!(found > 0, "there are no actions");
}

/// Who sets CARGO_TARGET_DIR must not run a build that lies in the folder `target`.
#[test]
fn scripts_find_builds_where_cargo_puts_them() {
    fn look(path: &Path, found: &mut usize) {
        if path.is_dir() {
            return std::fs::read_dir(path).unwrap().for_each(|entry| look(&entry.unwrap().path(), found));
        }
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.starts_with("#!/usr/bin/env bash") {
            let is_fixed = |line: &&str| {
                let line = line.replace("$target/", "");
                line.contains("target/release/") || line.contains("target/debug/")
            };
            let fixed: Vec<_> = text.lines().filter(is_fixed).collect();
            assert!(fixed.is_empty(), "{}: {fixed:?}", path.display());
            *found += 1;
        }
    }
    let (root, mut found) = (Path::new(env!("CARGO_MANIFEST_DIR")), 0);
    for path in [".ci/run", "scripts"] {
        look(&root.join(path), &mut found);
    }
    assert!(found > 5, "{found} scripts");
}
