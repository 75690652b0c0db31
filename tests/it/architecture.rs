//! Which source file uses which: none in a circle, and no more than the table in src/README.md says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The text of each source file by its path below `src/`, without folders of tests.
type Sources = BTreeMap<String, String>;

/// A module by the names that lead to it from `src/`: those of the program begin with `bin::nqueens`.
type ModulePath = Vec<String>;

/// A module: its file, what its `use` declarations call what, and all paths in it.
#[derive(Default)]
struct Module {
    file: String,
    aliases: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

fn sources() -> Sources {
    fn read(folder: &Path, below: &str, sources: &mut Sources) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() && !name.ends_with("tests") {
                read(&path, &format!("{name}/"), sources);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                sources.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut sources = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    sources
}

/// Each use of one file by another: user first. Code for tests may use anything.
fn uses(sources: &Sources) -> BTreeSet<(String, String)> {
    let mut modules = BTreeMap::new();
    sources.iter().for_each(|(file, text)| scan(file, text, &mut modules));
    let mut uses = BTreeSet::new();
    for (at, module) in &modules {
        let used = module.paths.iter().filter_map(|path| resolve(&modules, at, path, 0));
        uses.extend(used.map(|used| (module.file.clone(), modules[&used].file.clone())));
    }
    uses.retain(|(user, used)| user != used);
    uses
}

/// Reads the lines of a file as rustfmt writes them: what a line opens ends at a line that is indented as far.
fn scan(file: &str, text: &str, modules: &mut BTreeMap<ModulePath, Module>) {
    let stem = file.strip_suffix(".rs").unwrap();
    let mut at: ModulePath = stem.split('/').map(str::to_owned).collect();
    at.pop_if(|last| last == "mod" || stem == "lib" || stem == "bin/nqueens/main");
    let module = || Module { file: file.to_owned(), ..Module::default() };
    modules.insert(at.clone(), module());
    let (mut inline, mut tests, mut declaration) = (Vec::new(), None, String::new());
    for line in text.lines().map(|line| line.split("//").next().unwrap().trim_end()) {
        let code = line.trim_start();
        let indentation = line.len() - code.len();
        if let Some(begin) = tests {
            tests = tests.filter(|_| indentation != begin || !code.ends_with(['}', ';', ',']));
        } else if code == "#[cfg(test)]" || code.starts_with("#[cfg(all(test,") {
            tests = Some(indentation);
        } else if code == "}" && inline.last() == Some(&indentation) {
            inline.pop();
            at.pop();
        } else if let Some((_, name)) = code.strip_suffix(" {").and_then(|code| code.rsplit_once("mod ")) {
            inline.push(indentation);
            at.push(name.to_owned());
            modules.insert(at.clone(), module());
        } else if !declaration.is_empty()
            || code.starts_with("use ")
            || code.contains(") use ")
            || code.starts_with("pub use ")
        {
            declaration += code;
            if let Some(tree) = declaration.split("use ").nth(1).and_then(|tree| tree.strip_suffix(';')) {
                declare(modules.get_mut(&at).unwrap(), "", tree);
                declaration.clear();
            }
        } else {
            let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let paths = words.filter(|word| word.contains("::")).map(str::to_owned);
            modules.get_mut(&at).unwrap().paths.extend(paths);
        }
    }
}

/// Reads a tree of a `use` declaration.
fn declare(module: &mut Module, before: &str, tree: &str) {
    if let Some((head, group)) = tree.split_once('{') {
        let mut depth = 0;
        let is_end = |c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        };
        let parts = group.strip_suffix('}').unwrap().split(is_end).map(str::trim).filter(|part| !part.is_empty());
        parts.for_each(|part| declare(module, &format!("{before}{head}"), part));
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let path = format!("{before}{path}");
    let path = path.trim_end_matches("::self").trim_end_matches("::*");
    let name = alias.or_else(|| path.rsplit("::").next()).unwrap();
    module.paths.insert(path.to_owned());
    if !tree.ends_with('*') {
        module.aliases.insert(name.to_owned(), path.to_owned());
    }
}

/// The module that has what a path in the module `from` names. `None` for a path that leads out of the package.
fn resolve(modules: &BTreeMap<ModulePath, Module>, from: &ModulePath, path: &str, depth: usize) -> Option<ModulePath> {
    let program = ["bin", "nqueens"].map(str::to_owned);
    let mut at = from.clone();
    let mut is_inside = false;
    for name in path.split("::") {
        let child = [&at[..], &[name.to_owned()]].concat();
        match name {
            "crate" if from.starts_with(&program) => at = program.to_vec(),
            "crate" | "nqueens" if !is_inside => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            _ if modules.contains_key(&child) => at = child,
            _ if !is_inside => return None,
            // Else an item of this module, and what is in it.
            _ => match modules.get(&at)?.aliases.get(name).filter(|_| depth < 8) {
                Some(alias) => at = resolve(modules, &at, alias, depth + 1)?,
                None => return Some(at),
            },
        }
        is_inside = true;
    }
    Some(at)
}

/// The files that are in a circle, or on a way from one to another. What the files of a folder share is in its `mod.rs`.
fn circles(sources: &Sources) -> Vec<String> {
    let is_front = |front: &str, file: &str| {
        let folder = front.strip_suffix("mod.rs").or(front.strip_suffix("main.rs")).or(front.strip_suffix("lib.rs"));
        folder.is_some_and(|folder| file.starts_with(folder))
    };
    let mut uses = uses(sources);
    uses.retain(|(user, used)| !is_front(used, user));
    loop {
        // Whoever uses nothing that is left, and whoever nobody left uses, is in no circle.
        let users: BTreeSet<String> = uses.iter().map(|(user, _)| user.clone()).collect();
        let used: BTreeSet<String> = uses.iter().map(|(_, used)| used.clone()).collect();
        let before = uses.len();
        uses.retain(|(a, b)| used.contains(a) && users.contains(b));
        if uses.len() == before {
            return users.into_iter().collect();
        }
    }
}

/// The rows of the table whose last column is headed `may use`: names of files and folders, and those that they may use.
fn table(readme: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    fn names(cell: &str) -> Vec<&str> {
        cell.split('`').skip(1).step_by(2).collect()
    }
    let lines = readme.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let lines = lines.skip_while(|cells| cells.get(3) != Some(&"may use")).skip(2).take_while(|cells| cells.len() == 5);
    let mut rows = Vec::new();
    for cells in lines {
        let may_use = match cells[3] {
            "everything above" => rows.iter().flat_map(|(names, _): &(Vec<&str>, _)| names.clone()).collect(),
            list => names(list),
        };
        rows.push((names(cells[1]), may_use));
    }
    rows
}

/// All that does not agree with the table, a sentence each.
fn violations(readme: &str, sources: &Sources) -> Vec<String> {
    let rows = table(readme);
    // The row that names a file, or else the innermost folder that has it.
    let row_of = |file: &str| {
        let is_in = |name: &str| file == name || name.ends_with('/') && file.starts_with(name);
        let names = rows.iter().flat_map(|row| row.0.iter().map(move |name| (row, name)));
        names.filter(|(_, name)| is_in(name)).max_by_key(|(_, name)| name.len()).map(|(row, _)| row)
    };
    let mut wrong = Vec::new();
    for (at, (names, may_use)) in rows.iter().enumerate() {
        let empty = names.iter().filter(|name| !sources.keys().any(|file| file.starts_with(*name)));
        wrong.extend(empty.map(|name| format!("the table names {name}, which has no file")));
        let lower = may_use.iter().filter(|name| !rows[..at].iter().any(|row| row.0.contains(name)));
        wrong.extend(lower.map(|name| format!("{names:?} may use {name}, which is no row above")));
    }
    let homeless = sources.keys().filter(|file| row_of(file).is_none());
    wrong.extend(homeless.map(|file| format!("{file} is in no row of the table")));
    for (user, used) in uses(sources) {
        let (Some(from), Some(to)) = (row_of(&user), row_of(&used)) else { continue };
        if from != to && !to.0.iter().any(|name| from.1.contains(name)) {
            wrong.push(format!("{user} uses {used}, which the table in src/README.md does not allow"));
        }
    }
    wrong
}

#[test]
fn no_file_uses_more_than_the_table_says() {
    assert_eq!(violations(include_str!("../../src/README.md"), &sources()), [""; 0]);
}

/// Of two files, one can be read without the other.
#[test]
fn no_files_use_each_other_in_a_circle() {
    assert_eq!(circles(&sources()), [""; 0]);
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let made_up = Sources::from([
        file("room/mod.rs", "mod a;\nmod b;\nmod c;\nmod d;\nuse a::A;\npub struct Shared;"),
        file("room/a.rs", "use super::b::B;\nuse super::Shared;\npub struct A;"),
        file("room/b.rs", "use super::c::C;\npub struct B;"),
        file("room/c.rs", "use super::b::B;\npub struct C;"),
        file("room/d.rs", "use super::a::A;"),
    ]);
    assert_eq!(circles(&made_up), ["room/b.rs", "room/c.rs"]);
}

/// What is found wrong in a package of three rows, with this text as the lowest file.
fn made_up(lower: &str) -> Vec<String> {
    let readme = "text\n\n| where | what | may use |\n| --- | --- | --- |\n| `low.rs` | a | nothing |\n\
                  | `middle/` | b | `low.rs` |\n| `lib.rs` | c | everything above |\n\ntext";
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let sources = Sources::from([
        file("low.rs", lower),
        file("middle/mod.rs", "mod part;\npub use part::Part;\nuse crate::low::Low;\npub const SIZE: usize = 1;"),
        file("middle/part.rs", "use super::SIZE;\npub struct Part;\npub struct Whole;"),
        file("lib.rs", "mod low;\nmod middle;\npub use low::Low;\npub use middle::Part;\npub struct Front;"),
    ]);
    violations(readme, &sources)
}

#[test]
fn a_use_is_found_however_it_is_written() {
    for forbidden in [
        "use crate::{\n    middle::{self, part::{Whole}},\n};",
        "pub(crate) use crate::middle::Part as Renamed;",
        "use super::middle::*;",
        "use crate::Part;",
        "use crate::Front;",
        "fn f() {\n    let x: Vec<crate::middle::Part> = Vec::new();\n}",
        "#[cfg(any(test, unix))]\nmod inner {\n    use super::super::middle::SIZE;\n}",
        "#[cfg(test)]\nmod tests {\n    fn f() {}\n}\nuse crate::middle::SIZE;",
    ] {
        let found = made_up(forbidden);
        assert!(!found.is_empty() && found.iter().all(|it| it.starts_with("low.rs uses ")), "{forbidden}: {found:?}");
    }
    for allowed in [
        "use crate::Low as Other;",
        "/// [`crate::middle::SIZE`]\nconst TEXT: &str = \"\"; // crate::middle::SIZE",
        "#[cfg(test)]\nmod tests {\n    fn f() {}\n\n    use crate::middle::SIZE;\n}",
        "mod inner {\n    pub(super) struct X;\n}\nuse inner::X;",
    ] {
        assert_eq!(made_up(allowed), [""; 0], "{allowed}");
    }
    let rows = "| where | what | may use |\n|---|---|---|\n| `a.rs` | a | `b.rs` |\n| `b.rs` | b | nothing |";
    let files = ["a.rs", "c.rs"].map(|name| (name.to_owned(), String::new()));
    let wrong = [
        "[\"a.rs\"] may use b.rs, which is no row above",
        "the table names b.rs, which has no file",
        "c.rs is in no row of the table",
    ];
    assert_eq!(violations(rows, &Sources::from(files)), wrong);
}
