//! Who may use whom, as the table in src/README.md says, against what the source files use.

mod uses;

use std::collections::BTreeMap;
use std::path::Path;

use uses::{Sources, uses};

/// One row of the table: the rooms it names, and those that they may use.
struct Row {
    rooms: Vec<String>,
    may_use: MayUse,
}

enum MayUse {
    These(Vec<String>),
    /// Every row above.
    Everything,
}

/// The names in backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows of the table whose last column is headed `may use`.
fn table(readme: &str) -> Vec<Row> {
    let lines = readme.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    lines
        .skip_while(|cells| cells.get(3) != Some(&"may use"))
        .skip(2)
        .take_while(|cells| cells.len() == 5)
        .map(|cells| {
            let may_use = match cells[3] {
                "nothing" => MayUse::These(Vec::new()),
                "everything above" => MayUse::Everything,
                list => {
                    let rooms = names(list);
                    let spelled = rooms.iter().map(|room| format!("`{room}`")).collect::<Vec<_>>().join(", ");
                    assert_eq!(list, spelled, "give rooms, 'nothing' or 'everything above'");
                    MayUse::These(rooms)
                }
            };
            Row { rooms: names(cells[1]), may_use }
        })
        .collect()
}

/// The row of the room that a file is in: the room with the longest name that the file's begins with.
fn row_of(rows: &[Row], file: &str) -> Option<usize> {
    let is_in = |room: &str| file == room || room.ends_with('/') && file.starts_with(room);
    let rooms = rows.iter().enumerate().flat_map(|(at, row)| row.rooms.iter().map(move |room| (at, room)));
    rooms.filter(|(_, room)| is_in(room)).max_by_key(|(_, room)| room.len()).map(|(at, _)| at)
}

/// All that is wrong, a sentence each.
fn violations(readme: &str, sources: &Sources) -> Vec<String> {
    let rows = table(readme);
    let mut wrong = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for room in &row.rooms {
            if !sources.keys().any(|file| row_of(&rows, file) == Some(at)) {
                wrong.push(format!("the table names {room}, which has no file"));
            }
        }
        let MayUse::These(allowed) = &row.may_use else { continue };
        for room in allowed {
            if !rows[..at].iter().any(|row| row.rooms.contains(room)) {
                wrong.push(format!("{:?} may use {room}, which is no row above it", row.rooms));
            }
        }
    }
    wrong.extend(
        sources
            .keys()
            .filter(|file| row_of(&rows, file).is_none())
            .map(|file| format!("{file} is in no room of the table")),
    );
    for (user, used) in uses(sources) {
        let (Some(from), Some(to)) = (row_of(&rows, &user), row_of(&rows, &used)) else { continue };
        let is_allowed = from == to
            || match &rows[from].may_use {
                MayUse::Everything => to < from,
                MayUse::These(allowed) => rows[to].rooms.iter().any(|room| allowed.contains(room)),
            };
        if !is_allowed {
            wrong.push(format!("{user} uses {used}, which the table in src/README.md does not allow"));
        }
    }
    wrong
}

fn sources() -> Sources {
    fn read(folder: &Path, below: &str, sources: &mut Sources) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                read(&path, &format!("{name}/"), sources);
            } else if name.ends_with(".rs") {
                sources.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut sources = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    sources
}

#[test]
fn no_file_uses_more_than_the_table_in_src_readme_says() {
    let wrong = violations(include_str!("../../../src/README.md"), &sources());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Whether `front` is the `mod.rs` of a folder that the file is in. What a folder's files share is defined there.
fn is_front_of(front: &str, file: &str) -> bool {
    front == "lib.rs"
        || front == "bin/nqueens/main.rs"
        || front.strip_suffix("mod.rs").is_some_and(|folder| file.starts_with(folder))
}

/// The files that are in a circle, or on a way from one to another.
fn circles(sources: &Sources) -> Vec<String> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (user, used) in uses(sources) {
        if !is_front_of(&used, &user) {
            users.entry(user).or_default().push(used);
        }
    }
    loop {
        // Whoever uses nothing that is left, and whoever nobody left uses, is in no circle.
        let is_outside = |file: &String, used: &[String]| {
            !used.iter().any(|used| users.contains_key(used)) || !users.values().any(|used| used.contains(file))
        };
        let outside: Vec<String> =
            users.iter().filter(|(file, used)| is_outside(file, used)).map(|(file, _)| file.clone()).collect();
        if outside.is_empty() {
            return users.into_keys().collect();
        }
        users.retain(|file, _| !outside.contains(file));
    }
}

/// Inside a room too, files use one another one way: of two, one can be read without the other.
#[test]
fn no_files_use_each_other_in_a_circle() {
    assert_eq!(circles(&sources()), [""; 0]);
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let made_up = Sources::from([
        file("room/mod.rs", "mod a; mod b; mod c; mod d; use a::A; pub struct Shared;"),
        file("room/a.rs", "use super::b::B; use super::Shared; pub struct A;"),
        file("room/b.rs", "use super::c::C; pub struct B;"),
        file("room/c.rs", "use super::b::B; pub struct C;"),
        file("room/d.rs", "use super::a::A;"),
    ]);
    assert_eq!(circles(&made_up), ["room/b.rs", "room/c.rs"]);
}

/// A package of three rooms, with this text as the lower one's file.
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
fn what_the_table_does_not_allow_is_found_however_it_is_written() {
    for forbidden in [
        "use crate::middle::SIZE;",
        "use crate::{middle::{self}};",
        "pub(crate) use crate::middle::Part as Renamed;",
        "use super::middle::*;",
        "use crate::Part;",
        "use crate::Front;",
        "fn f() -> usize { crate::middle::SIZE }",
        "fn f(part: super::Part) {}",
        "fn f() { let x: Vec<crate::middle::Part> = Vec::new(); }",
        "fn f() { assert_eq!(1, crate::middle::SIZE); }",
        "mod inner { use super::super::middle::SIZE; }",
        "#[cfg(any(test, feature = \"more\"))]\nmod inner { use crate::middle::SIZE; }",
    ] {
        let found = made_up(forbidden);
        assert_eq!(found.len(), 1, "{forbidden}: {found:?}");
        assert!(found[0].starts_with("low.rs uses "), "{forbidden}: {found:?}");
    }
}

#[test]
fn what_is_no_use_of_another_room_is_allowed() {
    for allowed in [
        "pub struct Low;",
        "use crate::Low as Other;",
        "// use crate::middle::SIZE;",
        "/// [`crate::middle::SIZE`]\nconst TEXT: &str = \"use crate::middle::SIZE;\";",
        "#[cfg(test)]\nmod tests { use crate::middle::SIZE; }",
        "use std::collections::BTreeMap; use middle::x;",
        "mod inner { pub(super) struct X; } use inner::X;",
    ] {
        assert_eq!(made_up(allowed), [""; 0], "{allowed}");
    }
}

#[test]
fn a_table_that_does_not_fit_the_files_is_wrong() {
    let rows = "| where | what | may use |\n|---|---|---|\n| `a.rs` | a | `b.rs` |\n| `b.rs` | b | nothing |";
    let source = |name: &str| (name.to_owned(), String::new());
    let found = violations(rows, &Sources::from([source("a.rs"), source("c.rs")]));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("may use b.rs, which is no row above"), "{found:?}");
    assert!(found[1].contains("names b.rs, which has no file"), "{found:?}");
    assert!(found[2].contains("c.rs is in no room"), "{found:?}");
}
