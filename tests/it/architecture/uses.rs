//! Which source file uses which: all paths into this package's own modules, in `use` declarations, in code and in macros,
//! followed through re-exports to the file that has what they name.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

/// The text of each source file by its path below `src/`.
pub(super) type Sources = BTreeMap<String, String>;

/// A module, as the names that lead to it from the root of `src/`: those of the program begin with [`PROGRAM`].
type ModulePath = Vec<String>;

/// What is known of a module.
#[derive(Default)]
struct Module {
    file: String,
    /// What its `use` declarations call what.
    aliases: BTreeMap<String, Vec<String>>,
    /// The paths in it.
    paths: Vec<Vec<String>>,
    /// Its children that are there for tests alone.
    tests: BTreeSet<String>,
}

/// Each use of one file by another, once: user first. What is there for tests alone may use anything.
pub(super) fn uses(sources: &Sources) -> BTreeSet<(String, String)> {
    let mut modules: BTreeMap<ModulePath, Module> = BTreeMap::new();
    for (file, text) in sources {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut reader = Reader { file, at: module_path(file), modules: &mut modules };
        reader.module().file.clone_from(file);
        reader.visit_file(&parsed);
    }
    let tests: Vec<ModulePath> = modules
        .iter()
        .flat_map(|(at, module)| {
            module.tests.iter().map(move |child| [at.as_slice(), std::slice::from_ref(child)].concat())
        })
        .collect();
    modules.retain(|at, _| !tests.iter().any(|test| at.starts_with(test)));
    let mut uses = BTreeSet::new();
    for (at, module) in &modules {
        for path in &module.paths {
            if let Some(used) = resolve(&modules, at, path, 0) {
                uses.insert((module.file.clone(), modules[&used].file.clone()));
            }
        }
    }
    uses.retain(|(user, used)| user != used);
    uses
}

/// The folder of the program, a crate of its own.
const PROGRAM: [&str; 2] = ["bin", "nqueens"];

/// `solver/mod.rs` and what would be `solver.rs` are the module `solver`.
fn module_path(file: &str) -> ModulePath {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut names: ModulePath = stem.split('/').map(str::to_owned).collect();
    names.pop_if(|last| last == "mod" || stem == "lib" || stem == "bin/nqueens/main");
    names
}

/// The module that has what a path in the module `from` names; `None` for a path that leads out of the package.
fn resolve(
    modules: &BTreeMap<ModulePath, Module>,
    from: &ModulePath,
    path: &[String],
    depth: usize,
) -> Option<ModulePath> {
    if depth > 8 {
        return None;
    }
    let root =
        if from.starts_with(&PROGRAM.map(str::to_owned)) { PROGRAM.map(str::to_owned).to_vec() } else { Vec::new() };
    let mut at = from.clone();
    let mut rest = path;
    let mut is_inside = false;
    while let [first, after @ ..] = rest {
        match first.as_str() {
            "crate" if !is_inside => at.clone_from(&root),
            "nqueens" if !is_inside => at.clear(),
            "self" => {}
            "super" => drop(at.pop()?),
            _ => break,
        }
        is_inside = true;
        rest = after;
    }
    for name in rest {
        let child = [at.as_slice(), std::slice::from_ref(name)].concat();
        if modules.contains_key(&child) {
            at = child;
        } else if let Some(alias) = modules.get(&at)?.aliases.get(name).filter(|_| is_inside) {
            at = resolve(modules, &at, alias, depth + 1)?;
        } else if is_inside {
            // An item of this module, and what is in it.
            break;
        } else {
            return None;
        }
        is_inside = true;
    }
    Some(at)
}

/// Reads one file into the modules it has.
struct Reader<'a> {
    file: &'a str,
    at: ModulePath,
    modules: &'a mut BTreeMap<ModulePath, Module>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        self.modules.entry(self.at.clone()).or_default()
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
            syn::UseTree::Glob(_) => self.module().paths.push(before.to_vec()),
            syn::UseTree::Name(name) if name.ident == "self" => self.alias(before.last().cloned(), before.to_vec()),
            syn::UseTree::Name(name) => self.alias(Some(name.ident.to_string()), with(&name.ident)),
            syn::UseTree::Rename(rename) => self.alias(Some(rename.rename.to_string()), with(&rename.ident)),
        }
    }

    fn alias(&mut self, name: Option<String>, path: Vec<String>) {
        let module = self.module();
        module.paths.push(path.clone());
        if let Some(name) = name {
            module.aliases.insert(name, path);
        }
    }
}

/// Whether something is there for tests alone.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string();
        list.path.is_ident("cfg") && (condition == "test" || condition.replace(' ', "").starts_with("all(test,"))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            self.module().tests.insert(item.ident.to_string());
        } else if item.content.is_some() {
            self.at.push(item.ident.to_string());
            let file = self.file.to_owned();
            self.module().file = file;
            visit::visit_item_mod(self, item);
            self.at.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.tree(&[], &item.tree);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.module().paths.push(names);
        visit::visit_path(self, path);
    }

    /// The words of a macro's call are not parsed: what looks like a path from a root is one.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(" :: ", "::").replace(":: ", "::").replace(" ::", "::");
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in text.split(|c: char| !is_of_word(c)) {
            let names: Vec<String> = word.split("::").map(str::to_owned).collect();
            if names.len() > 1 && ["crate", "super", "self", "nqueens"].contains(&names[0].as_str()) {
                self.module().paths.push(names);
            }
        }
        visit::visit_macro(self, call);
    }

    /// `pub(super)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    /// Attributes name lints and derived traits, and hold documentation.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
