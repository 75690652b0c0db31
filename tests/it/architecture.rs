//! Which source file of the library uses which: only rooms on lower floors of the table in src/README.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The paths in each source file, by its own path below `src/`, without files of tests.
type Sources = BTreeMap<String, BTreeSet<String>>;

fn read(folder: &Path, below: &str, sources: &mut Sources) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() && !name.ends_with("tests") {
            read(&path, &format!("{name}/"), sources);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            sources.insert(name, paths(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The module of a file or a folder: `color` for `color/mod.rs`, `color/plan` for `color/plan/`.
fn module(file: &str) -> &str {
    ["/mod.rs", "lib.rs", ".rs", "/"].into_iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file)
}

/// The paths in the code of a file, with the trees of `use` spread out. Tests are the last module of a file.
fn paths(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap().trim());
    let code: Vec<&str> = lines.take_while(|line| !line.contains("mod tests {")).collect();
    let mut paths = BTreeSet::new();
    for statement in code.join(" ").split(';').filter(|statement| !statement.contains("#[cfg(test)]")) {
        match statement.rsplit_once("use ") {
            Some((_, tree)) if !tree.contains(['(', '=', '"', '<']) => spread("", tree, &mut paths),
            _ => {
                paths.extend(statement.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').map(str::to_owned))
            }
        }
    }
    paths.into_iter().filter(|path| path.contains("::")).collect()
}

fn spread(before: &str, tree: &str, paths: &mut BTreeSet<String>) {
    let Some((head, group)) = tree.split_once('{') else {
        paths.insert(format!("{before}{}", tree.split(" as ").next().unwrap().trim()));
        return;
    };
    let mut depth = 0;
    let is_end = |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    let parts = group.trim_end().trim_end_matches('}').split(is_end);
    parts.for_each(|part| spread(&format!("{before}{}", head.trim()), part.trim(), paths));
}

/// The place of what a path in `user` names, such as `color/plan/Class`. `None` if it is outside of the package.
fn place(sources: &Sources, user: &str, path: &str) -> Option<String> {
    let mut at: Vec<&str> = module(user).split('/').filter(|name| !name.is_empty()).collect();
    let is_child = |name: &str| sources.keys().any(|file| module(file) == [&at[..], &[name]].concat().join("/"));
    let is_child = path.split("::").next().is_some_and(is_child);
    for (index, name) in path.split("::").enumerate() {
        match name {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            _ if index == 0 && !is_child => return None,
            name => at.push(name),
        }
    }
    // What a module shows of another one has its place there.
    let (name, folder) = (at.pop()?, at.join("/"));
    let front = if at.is_empty() { "lib.rs".to_owned() } else { format!("{folder}/mod.rs") };
    let is_it = |path: &&String| path.ends_with(&format!("::{name}"));
    let shown = sources.get(&front).filter(|_| front != user).and_then(|paths| paths.iter().find(is_it));
    let here = format!("{folder}/{name}").trim_matches('/').to_owned();
    shown.and_then(|path| place(sources, &front, path)).or(Some(here))
}

/// All that does not agree with the table, a sentence each.
fn violations(readme: &str, sources: &Sources) -> Vec<String> {
    let lines = readme.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let lines = lines.skip_while(|cells| cells.get(1) != Some(&"floor")).skip(2).take_while(|cells| cells.len() == 5);
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rooms: Vec<(u32, Vec<String>)> = lines.map(|cells| (cells[1].parse().unwrap(), names(cells[2]))).collect();
    // The room with the longest name that begins the place.
    let fits = |name: &str, place: &str| place == name || name.is_empty() || place.starts_with(&format!("{name}/"));
    let room_of = |place: &str| {
        let names = (0..rooms.len()).flat_map(|room| rooms[room].1.iter().map(move |name| (module(name), room)));
        names.filter(|(name, _)| fits(name, place)).max_by_key(|(name, _)| name.len()).unwrap().1
    };
    let mut wrong = Vec::new();
    for (user, paths) in sources {
        let from = room_of(module(user));
        for used in paths.iter().filter_map(|path| place(sources, user, path)) {
            let to = room_of(&used);
            if from != to && rooms[to].0 >= rooms[from].0 {
                wrong.push(format!("{user} uses {used}, which is not on a lower floor in src/README.md"));
            }
        }
    }
    wrong
}

#[test]
fn every_file_uses_only_lower_floors() {
    let mut sources = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    assert_eq!(violations(include_str!("../../src/README.md"), &sources), [""; 0]);
    for used in ["use crate::{board::{self}};", "use crate::Solutions;", "type A = crate::board::B;"] {
        let text = format!("// crate::verify\n{used}\nmod tests {{\n crate::verify");
        sources.insert("tally.rs".to_owned(), paths(&text));
        let found = violations(include_str!("../../src/README.md"), &sources);
        assert!(found.len() == 1 && found[0].starts_with("tally.rs uses "), "{used}: {found:?}");
    }
}
