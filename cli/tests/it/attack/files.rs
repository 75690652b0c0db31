//! Hostile files: what is no record, no run, no list of boards and no program, and good ones that are damaged or forged.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::case::Case;
use super::lines::words;

/// A good record, which the folder of cases has too.
pub(super) const RECORD: &str = include_str!("../records/small.json");

/// What is done with a record.
const READERS: [&str; 5] = [
    "compare small.json {}",
    "compare {} small.json --format csv",
    "compare {} small.json --format json",
    "compare {}",
    "compare {} small.json --format html",
];

/// What is done with a name of a folder or a file, and with a damaged run.
const VISITS: [&str; 7] = [
    "run status {} --json",
    "run merge {}",
    "count 10 --dir {} --machine {}",
    "run audit {} --sample 3",
    "run merge {} {} --json",
    "count 10 --dir {}",
    "solutions 6 --format svg --out {}",
];

/// Writes a file that may be executed, and returns its path in `folder`.
fn write(folder: &Path, name: impl Into<OsString>, bytes: impl AsRef<[u8]>) -> OsString {
    let name = name.into();
    let path = folder.join(&name);
    fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder of our own");
    fs::write(&path, bytes).expect("a folder of our own");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file of our own");
    name
}

/// What a path may lead to that is no good file.
fn oddities(folder: &Path) -> Vec<OsString> {
    let files = [
        ("odd/empty", Vec::new()),
        ("odd/bom", b"\xef\xbb\xbf{}".to_vec()),
        ("odd/utf16", b"\xff\xfe{\0}\0".to_vec()),
        ("odd/nested", b"[".repeat(200_000)),
        ("odd/deep", b"{\"a\":".repeat(200_000)),
        ("odd/twice", br#"{"kind":"nqueens-bench","kind":"nqueens-bench"}"#.to_vec()),
        ("odd/text", b"\x1b[2J<script>alert(1)</script>\n::error::x\n".to_vec()),
        ("odd/gzip", [b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec(), vec![0xed; 1 << 20]].concat()),
        ("odd/huge", Vec::new()),
        ("odd/unreadable", b"{}".to_vec()),
    ];
    let mut odd: Vec<OsString> = files.into_iter().map(|(name, bytes)| write(folder, name, bytes)).collect();
    let huge = fs::File::create(folder.join("odd/huge")).expect("a folder of our own");
    huge.set_len(1 << 40).expect("a hole takes no room");
    fs::set_permissions(folder.join("odd/unreadable"), fs::Permissions::from_mode(0o000)).expect("a file of our own");
    for (target, link) in [("loop", "odd/loop"), ("nowhere", "odd/dangling"), (".", "odd/folder")] {
        symlink(target, folder.join(link)).expect("a folder of our own");
        odd.push(link.into());
    }
    let paths =
        "odd odd/missing odd/missing/below odd/text/below /dev/zero /dev/null /dev/full /dev/urandom / /proc/self/mem";
    odd.into_iter().chain(paths.split(' ').map(OsString::from)).chain([OsString::new()]).collect()
}

/// Damages a file as disks and people do it.
fn damage(random: &mut fastrand::Rng, file: &Path) {
    let mut bytes = fs::read(file).expect("a file of our own");
    let at = random.usize(..bytes.len());
    match random.u8(..12) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.u8(..8),
        2 => bytes.insert(at, random.u8(..)),
        3 => drop(bytes.drain(at..(at + random.usize(1..50)).min(bytes.len()))),
        4 => bytes.extend_from_within(at..),
        5 => (0..20).for_each(|_| bytes[random.usize(..at + 1)] = random.u8(..)),
        6..10 => bytes = forged(random, &bytes).unwrap_or_default(),
        other => {
            fs::remove_file(file).expect("a file of our own");
            let path = file.to_owned();
            return if other == 10 { fs::create_dir(path) } else { symlink("/dev/zero", path) }
                .expect("a folder of our own");
        }
    }
    fs::write(file, bytes).expect("a file of our own");
}

/// A JSON document with a value replaced by one that nobody writes.
fn forged(random: &mut fastrand::Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let begins: Vec<usize> = text.match_indices([':', '[', ',']).map(|(at, sign)| at + sign.len()).collect();
    let at = *random.choice(&begins)?;
    let (before, rest) = text.split_at(at);
    let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
    let word = Value::from(random.choice(words())?.to_string_lossy()).to_string();
    let value =
        random.choice(["null", "-1", "1e308", "1e-308", "18446744073709551615", "[]", "[0, 0]", "\"93\"", &word])?;
    Some([before, value, &rest[end..]].concat().into_bytes())
}

/// Whatever is no record, and records that are damaged or forged.
pub(super) fn records(folder: &Path) -> Vec<Case> {
    let odd = oddities(folder);
    let readable: Vec<_> = odd.iter().filter(|odd| fs::File::open(folder.join(odd)).is_ok()).collect();
    let mut cases = Case::each("records", folder, READERS.into_iter().chain(["run audit {}"]), &odd);
    cases.extend(Case::each("records", folder, ["check <{}", "batch <{}"], &readable));
    let mut random = fastrand::Rng::with_seed(1);
    for (number, reader) in READERS.into_iter().cycle().take(600).enumerate() {
        let file = write(folder, format!("damaged/{number}.json"), RECORD);
        damage(&mut random, &folder.join(&file));
        cases.extend(Case::each("records", folder, [reader], &[file]));
    }
    cases
}

/// Hostile names: in records, of files that are read, and of files and folders that are written.
pub(super) fn names(folder: &Path) -> Vec<Case> {
    let document: Value = serde_json::from_str(RECORD).expect("it is JSON");
    let mut cases = Vec::new();
    for (number, word) in words().into_iter().enumerate() {
        let mut files = Vec::new();
        for field in ["/name", "/machine/cpu_model", "/machine/os", "/program", "/isa", "/machine/kernel"] {
            let mut document = document.clone();
            *document.pointer_mut(field).expect("the record has it") = word.to_string_lossy().into();
            files.push(write(folder, format!("named/{number}{field}"), document.to_string()));
        }
        let place = folder.join(format!("place-{number}"));
        fs::create_dir(&place).expect("a folder of our own");
        let file = place.join(&word);
        if file.parent() == Some(&place) && fs::write(&file, RECORD).is_ok() {
            files.push(file.into());
        }
        cases.extend(Case::each("names", folder, READERS, &files));
        cases.extend(Case::each("names", &place, VISITS, &[word]));
    }
    cases
}

/// Runs, finished and with a file damaged: what is merged is right or refused.
pub(super) fn runs(folder: &Path) -> Vec<Case> {
    let mut random = fastrand::Rng::with_seed(2);
    let copies: Vec<String> = (0..200).map(|number| format!("run-{number}")).collect();
    for copy in &copies {
        let is_copied = Command::new("cp").args(["-r", "run", copy]).current_dir(folder).status();
        assert!(is_copied.expect("a system has cp").success());
        let entries =
            [folder.join(copy), folder.join(copy).join("records")].map(|folder| fs::read_dir(folder).unwrap());
        let files = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
        let files: Vec<_> = files.filter(|file| fs::read(file).is_ok_and(|bytes| !bytes.is_empty())).collect();
        let file = random.choice(&files).expect("a run has files");
        damage(&mut random, file);
    }
    copies.iter().flat_map(|copy| Case::each("runs", folder, VISITS, &[copy])).collect()
}
