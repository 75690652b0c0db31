//! Files that are no files, and good ones with something changed: records, the files of a run, boards.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::case::{Case, Input};
use super::pointers::pointers;
use super::text::{MARKS, words};

/// What is done with a record.
const READERS: &[&str] = &[
    "bench compare GOOD {}",
    "bench compare {} GOOD --format csv",
    "bench compare {} GOOD --format json",
    "bench export {} --format csv",
    "bench export {} --format github",
    "bench export {} --format bencher",
    "bench report {} GOOD --out -",
];

/// Text that a browser would run, where a page or Markdown is made.
pub(super) const SCRIPTS: &[&str] = &["<script>alert(1)", "<img src=x onerror"];

/// A reader at work on a file.
fn reading(kind: &'static str, reader: &str, file: &Path, good: &Path) -> Case {
    let arguments = reader.split(' ').map(|word| match word {
        "GOOD" => good.as_os_str().to_owned(),
        "{}" => file.as_os_str().to_owned(),
        word => word.into(),
    });
    let case = Case::new(kind, arguments.collect::<Vec<_>>());
    let case = if reader.contains("csv") { case.csv() } else { case };
    if reader.contains("report") { case.forbidden(SCRIPTS) } else { case }
}

/// A file's bytes, damaged as disks and people do it.
fn damaged(random: &mut fastrand::Rng, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = random.usize(..bytes.len());
    match random.u8(..7) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.u8(..8),
        2 => bytes[at] = random.u8(..),
        3 => bytes.insert(at, random.u8(..)),
        4 => drop(bytes.drain(at..(at + random.usize(1..50)).min(bytes.len())).count()),
        5 => bytes.extend_from_within(at..),
        _ => (0..20).for_each(|_| {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }),
    }
    bytes
}

/// A JSON document with a value replaced by one that nobody writes.
fn edited(random: &mut fastrand::Rng, document: &Value) -> Value {
    let places = pointers(document);
    let mut document = document.clone();
    let value = document.pointer_mut(&places[random.usize(..places.len())]).expect("a place in it");
    let texts = words();
    *value = match random.u8(..10) {
        0 => Value::Null,
        1 => (-1).into(),
        2 => 1e308.into(),
        3 => 1e-308.into(),
        4 => u64::MAX.into(),
        5 => Value::Array(Vec::new()),
        6 => Value::Array(vec![0.into(); 1000]),
        7 => "93".into(),
        _ => texts[random.usize(..texts.len())].to_string_lossy().into_owned().into(),
    };
    document
}

/// What a path may lead to that is no file with text in it; each is made in `folder`.
fn oddities(folder: &Path) -> Vec<PathBuf> {
    let at = |name: &str| folder.join(name);
    fs::create_dir_all(at("folder")).expect("a folder of our own");
    for (name, bytes) in [
        ("empty", Vec::new()),
        ("bom", b"\xef\xbb\xbf{}".to_vec()),
        ("utf16", b"\xff\xfe{\0}\0".to_vec()),
        ("nested", b"[".repeat(200_000)),
        ("deep", b"{\"a\":".repeat(200_000)),
        ("twice", br#"{"kind":"nqueens-bench","kind":"nqueens-bench"}"#.to_vec()),
        ("text", b"\x1b[2J<script>alert(1)</script>\n::error::x\n".to_vec()),
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec()),
    ] {
        fs::write(at(name), bytes).expect("a folder of our own");
    }
    fs::File::create(at("huge")).and_then(|file| file.set_len(1 << 40)).expect("a hole takes no room");
    let bomb = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec(), vec![0xed; 1 << 20]].concat();
    fs::write(at("bomb"), bomb).expect("a folder of our own");
    for (target, link) in [("loop", "loop"), ("nowhere", "dangling"), ("folder", "to-folder")] {
        let _ = std::os::unix::fs::symlink(target, at(link));
    }
    use std::os::unix::fs::PermissionsExt;
    fs::write(at("unreadable"), "{}").expect("a folder of our own");
    fs::set_permissions(at("unreadable"), fs::Permissions::from_mode(0o000)).expect("a file of our own");
    let ours = [
        "empty",
        "bom",
        "utf16",
        "nested",
        "deep",
        "twice",
        "text",
        "gzip",
        "huge",
        "bomb",
        "loop",
        "dangling",
        "to-folder",
        "unreadable",
        "folder",
        "missing",
        "missing/below",
        "text/below",
    ];
    let systems = ["/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", "/proc/self/mem", "/", ""];
    ours.map(at).into_iter().chain(systems.map(PathBuf::from)).collect()
}

/// Records: oddities and damage, given to all that read them.
pub(super) fn records(folder: &Path, good: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for odd in oddities(folder) {
        cases.extend(READERS.iter().map(|reader| reading("records", reader, &odd, good)));
        let verify = ["run".into(), "audit".into(), "--published".into(), odd.clone().into_os_string()];
        cases.push(Case::new("records", verify));
        for command in ["check", "batch"] {
            if odd.is_file() || odd.starts_with("/dev") {
                let limit = Duration::from_secs(60);
                if fs::File::open(&odd).is_ok() {
                    cases.push(Case::new("records", [command]).input(Input::File(odd.clone())).limit(limit));
                }
            }
        }
    }
    let bytes = fs::read(good).expect("the fixture");
    let document: Value = serde_json::from_slice(&bytes).expect("the fixture is JSON");
    let mut random = fastrand::Rng::with_seed(1);
    for number in 0..600 {
        let file = folder.join(format!("damaged-{number}.json"));
        let text = if number % 2 == 0 {
            damaged(&mut random, &bytes)
        } else {
            edited(&mut random, &document).to_string().into_bytes()
        };
        fs::write(&file, text).expect("a folder of our own");
        cases.push(reading("records", READERS[number / 2 % READERS.len()], &file, good));
    }
    cases
}

/// Names: of records, of files and folders, of machines, shown in all formats.
pub(super) fn names(folder: &Path, good: &Path) -> Vec<Case> {
    let document: Value = serde_json::from_slice(&fs::read(good).expect("the fixture")).expect("the fixture is JSON");
    let mut cases = Vec::new();
    for (number, word) in words().into_iter().enumerate() {
        for field in ["/name", "/machine/cpu_model", "/machine/os", "/program/commit", "/program/version", "/suite"] {
            let mut document = document.clone();
            *document.pointer_mut(field).expect("the fixture has it") = word.to_string_lossy().into_owned().into();
            let file = folder.join(format!("named-{number}{}.json", field.replace('/', "-")));
            fs::write(&file, document.to_string()).expect("a folder of our own");
            cases.extend(READERS.iter().map(|reader| reading("names", reader, &file, good)));
        }
        // A file with that name, where there can be one.
        let place = folder.join(format!("place-{number}"));
        fs::create_dir_all(&place).expect("a folder of our own");
        let file = place.join(&word);
        if file.parent() == Some(&place) && fs::copy(good, &file).is_ok() {
            cases.extend(READERS.iter().map(|reader| reading("names", reader, &file, good)));
        }
        let case = |arguments: &[&std::ffi::OsStr]| Case::new("names", arguments).folder(&place).forbidden(MARKS);
        let [run, count, dir, machine] = ["run", "count", "--dir", "--machine"].map(std::ffi::OsStr::new);
        cases.push(case(&[run, "plan".as_ref(), "6".as_ref(), dir, &word]));
        cases.push(case(&["count".as_ref(), "6".as_ref(), "--json".as_ref(), "--checkpoint".as_ref(), &word]));
        for command in ["count", "status", "merge", "audit"] {
            cases.push(case(&[run, command.as_ref(), dir, &word]));
        }
        for more in ["--json", "--watch"] {
            cases.push(case(&[run, "status".as_ref(), dir, &word, more.as_ref()]));
        }
        cases.push(case(&[run, "merge".as_ref(), dir, &word, &word, "--json".as_ref()]));
        cases.push(case(&[run, count, dir, &word, machine, &word]));
        let out = ["solutions", "6", "--format", "svg", "--out"].map(std::ffi::OsStr::new);
        cases.push(case(&[&out[..], &[&word]].concat()));
    }
    cases
}

/// Runs, finished and with a file damaged: what is merged is right or refused.
pub(super) fn runs(folder: &Path, run: &Path) -> Vec<Case> {
    let mut random = fastrand::Rng::with_seed(2);
    let mut cases = Vec::new();
    for number in 0..200 {
        let copy = folder.join(format!("run-{number}"));
        let mut files = Vec::new();
        copy_folder(run, &copy, &mut files);
        let file = &files[random.usize(..files.len())];
        let bytes = fs::read(file).expect("a file of our own");
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(document) if number % 3 == 0 => fs::write(file, edited(&mut random, &document).to_string()),
            _ if number % 10 == 1 => fs::remove_file(file).and_then(|()| fs::create_dir(file)),
            _ if number % 10 == 2 => fs::remove_file(file).and_then(|()| std::os::unix::fs::symlink("/dev/zero", file)),
            _ if bytes.is_empty() => Ok(()),
            _ => fs::write(file, damaged(&mut random, &bytes)),
        }
        .expect("a folder of our own");
        for command in [
            "run count",
            "run status",
            "run merge --json",
            "run merge",
            "run audit --sample 3",
            "run count",
            "run merge",
            "count 10 --checkpoint",
        ] {
            let mut arguments: Vec<std::ffi::OsString> = command.split(' ').map(Into::into).collect();
            if !command.contains("checkpoint") {
                arguments.push("--dir".into());
            }
            arguments.push(copy.clone().into());
            let case = Case::new("runs", arguments).forbidden(MARKS);
            cases.push(match command {
                "run merge" | "count 10 --checkpoint" => case.answer("724\n"),
                _ => case,
            });
        }
    }
    cases
}

fn copy_folder(from: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    fs::create_dir_all(to).expect("a folder of our own");
    for entry in fs::read_dir(from).expect("a folder of our own").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_folder(&source, &target, files);
        } else {
            fs::copy(&source, &target).expect("a file of our own");
            files.push(target);
        }
    }
}
