//! Tests of the source code: its layers, its copies and the width of its comments.

use std::path::{Path, PathBuf};

use crate::helpers::PROJECT;

/// Returns the Rust files below a folder, except those in build folders.
fn sources_in(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let inner = folders.iter().filter(|folder| !folder.ends_with("target")).flat_map(|folder| sources_in(folder));
    files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).chain(inner).collect()
}

/// Trap: a layer that uses a layer above it, so that neither can be read without the other.
#[test]
fn each_layer_of_the_program_uses_only_those_below_it() {
    let folder = Path::new(PROJECT).join("cli");
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `src/")?.split('`').next());
    let layers: Vec<&str> = rows.filter(|row| *row != "main.rs").collect();
    assert!(layers.len() > 7, "only {} layers: has the table a new form?", layers.len());
    for (place, layer) in layers.iter().enumerate() {
        let path = folder.join("src").join(layer);
        for path in if path.is_dir() { sources_in(&path) } else { vec![path] } {
            let source = std::fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains("crate::{"), "{}: one layer in each `use`: {line}", path.display());
                for above in &layers[..place] {
                    let name = above.trim_end_matches('/').trim_end_matches(".rs");
                    assert!(!line.contains(&format!("crate::{name}")), "{} uses {above}: {line}", path.display());
                }
            }
        }
    }
}

/// Trap: a layer of the library that uses a layer above it, which the compiler notices only between packages.
#[test]
fn each_layer_of_the_library_uses_only_those_below_it() {
    let folder = Path::new(PROJECT).join("src");
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let cells = page.lines().map(|line| line.trim_start_matches("| ").split(" | ").collect::<Vec<_>>());
    let rows = cells.filter_map(|cells| Some((cells[0].parse::<u32>().ok()?, cells.get(1)?.split('`').skip(1))));
    let layers: Vec<(u32, String)> = rows
        .flat_map(|(number, files)| {
            files.step_by(2).map(move |file| (number, file.replace(".rs", "/").replace('/', "::")))
        })
        .collect();
    assert!(layers.len() > 30, "only {} files: has the table a new form?", layers.len());
    // The number of the longest file or folder that contains the item.
    let layer = |item: &str| {
        let with_it = layers.iter().filter(|(_, file)| format!("{item}::").starts_with(file));
        with_it.max_by_key(|(_, file)| file.len()).map(|(number, _)| *number)
    };
    for path in sources_in(&folder) {
        let own = path.strip_prefix(&folder).unwrap().with_extension("").to_str().unwrap().replace('/', "::");
        let parent = own.trim_end_matches("::mod").rsplit_once("::").map_or("", |(parent, _)| parent);
        let source = std::fs::read_to_string(&path).unwrap();
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//") && !own.contains("tests"));
        for line in lines.map(|line| line.replace("super::", &format!("crate::{parent}::"))) {
            for used in line.split("crate::").skip(1) {
                let paths = used.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
                // All names in the braces of `crate::{...}`, and otherwise one path.
                let most = if used.starts_with('{') { usize::MAX } else { 1 };
                for item in paths.filter(|path| !path.is_empty()).take(most) {
                    assert!(layer(item) <= layer(&own), "{}: {line}", path.display());
                }
            }
        }
    }
}

/// The gate depends on no other package of this project, so both programs have these functions.
#[test]
fn a_function_of_both_programs_is_the_same_in_both() {
    for (of_program, of_gate, functions) in [
        ("terminal/signals.rs", "signals.rs", &["caught", "obey", "end_by_signal", "ignored_signals"][..]),
        ("terminal/escape.rs", "escape.rs", &["characters", "is_visible", "escaped"]),
        ("terminal/escape.rs", "units.rs", &["shortened"]),
        ("terminal/units.rs", "units.rs", &["seconds"]),
        ("commands/options.rs", "options.rs", &["refuse_unexpanded"]),
    ] {
        let sources = [format!("cli/src/{of_program}"), format!("gate/src/{of_gate}")];
        let sources = sources.map(|file| std::fs::read_to_string(Path::new(PROJECT).join(file)).unwrap());
        for function in functions {
            let [of_program, of_gate] = sources.each_ref().map(|source| {
                let (_, after) =
                    source.split_once(&format!("fn {function}(")).unwrap_or_else(|| panic!("no {function}"));
                after.split("\n}\n").next().unwrap()
            });
            assert_eq!(of_program, of_gate, "mend {function} in both programs");
        }
    }
}

/// Comments are as narrow as code. rustfmt does not wrap them, so this test checks their width.
#[test]
fn comments_are_wrapped_at_120_columns() {
    let sources = sources_in(Path::new(PROJECT));
    assert!(sources.len() > 200, "only {} files: are they where they were?", sources.len());
    for path in sources {
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let is_wide = line.trim_start().starts_with("//") && line.chars().count() > 120;
            assert!(!is_wide, "{}: rewrap this comment: {line}", path.display());
        }
    }
}
