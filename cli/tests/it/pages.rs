//! Tests of README and the pages of docs/: commands print the output that is shown, pictures are equal to those that
//! their commands draw, and links lead to a file and a heading. (The Rust code on the pages runs as documentation
//! tests.)

use std::path::{Path, PathBuf};

use crate::helpers::{Ended, PROJECT, answer, run, shell, skipped};
use crate::sessions::{Shown, shown};

/// Returns the Markdown files in a folder of this project, with their text.
fn pages_in(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(PROJECT).join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Returns README and the pages of docs/.
fn pages_for_users() -> Vec<(PathBuf, String)> {
    let is_readme = |page: &(PathBuf, String)| page.0.ends_with("README.md");
    let pages: Vec<_> = pages_in("").into_iter().filter(is_readme).chain(pages_in("docs")).collect();
    assert!(pages.len() > 6, "only {} pages: are README and docs/ where they were?", pages.len());
    pages
}

/// Whether a word is a time, which differs from run to run: digits with a decimal point.
fn is_time(word: &str) -> bool {
    let parts = word.split_once('.');
    parts.is_some_and(|(whole, rest)| [whole, rest].iter().all(|digits| digits.parse::<u64>().is_ok()))
}

/// Returns the words of a line with one space between them, because the width of columns may differ, and with `[..]`
/// for each time.
fn without_times(line: &str) -> String {
    let words = line.split_whitespace();
    words.map(|word| if is_time(word) { "[..]" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Runs a command of a page, which must succeed, and compares its output and its notes with the lines below it.
fn run_as_shown(Shown { command, lines, .. }: &Shown) {
    let ended = run(&mut shell(Path::new(PROJECT), command));
    ended.expect(0, "");
    let (notes, data): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.starts_with("nqueens: "));
    for note in notes {
        assert!(ended.stderr.lines().any(|line| line == note), "'{command}' does not say '{note}': {ended:?}");
    }
    let has_times = data.iter().any(|line| line.split_whitespace().any(is_time));
    let line = |line: &str| if has_times { without_times(line) } else { line.to_owned() };
    let printed: Vec<String> = ended.stdout.lines().map(line).collect();
    let data: Vec<String> = data.iter().map(|shown| line(shown)).collect();
    assert_eq!(printed, data, "'{command}'\n{}", ended.stderr);
}

#[test]
fn every_command_prints_what_its_page_shows() {
    let mut ran = 0;
    for (path, page) in pages_for_users() {
        for shown in shown(&page) {
            let command = shown.command.replace("cargo run --release -- ", "nqueens ");
            // `cargo test` is already running.
            if command.starts_with("cargo ") {
                assert!(shown.lines.is_empty(), "no test checks the lines below '{command}' in {}", path.display());
                continue;
            }
            run_as_shown(&Shown { command, ..shown });
            ran += 1;
        }
    }
    assert!(ran > 10, "{ran} commands: are their blocks still marked 'console'?");
}

/// Redraws each picture whose command a page shows, and compares.
#[test]
fn the_pictures_are_what_the_program_makes() {
    let mut made = 0;
    for (_, page) in pages_for_users() {
        for (command, name) in page.split('`').filter_map(|code| code.strip_prefix("nqueens ")?.split_once(" >docs/")) {
            if name.ends_with(".svg") {
                let shown = std::fs::read_to_string(Path::new(PROJECT).join("docs").join(name)).unwrap();
                let made_again = answer(Path::new(PROJECT), command);
                assert!(made_again == shown, "'{command}' makes another picture than the one shown: look at it");
                made += 1;
            }
        }
    }
    assert!(made >= 4, "{made} pictures: are their commands still written below them?");
}

/// Runs a shell command, the last program of which is `program`. Returns `None` if this machine lacks that program.
fn with(program: &str, folder: &Path, line: &str) -> Option<Ended> {
    let ended = run(&mut shell(folder, line));
    if ended.status == Some(127) {
        skipped(&format!("there is no {program} here"));
        return None;
    }
    Some(ended)
}

/// Tests docs/learn.md, where each block of Python continues the blocks above it, and prints the values in comments
/// beside `print`.
#[test]
fn the_python_of_the_learning_page_prints_what_it_shows() {
    let page = std::fs::read_to_string(Path::new(PROJECT).join("docs/learn.md")).unwrap();
    for line in page.split("```").skip(1).step_by(2).flat_map(str::lines) {
        assert!(line.chars().count() <= 80, "too wide for a phone: {line}");
    }
    let blocks: Vec<&str> = page.split("```python\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    let program = blocks.concat();
    let shown = program.lines().filter_map(|line| line.starts_with("print(").then(|| line.split_once("  # "))?);
    let shown: Vec<&str> = shown.map(|(_, result)| result).collect();
    assert_eq!(shown.len(), blocks.len(), "each block ends with a `print` and its result");
    assert!(shown.len() >= 6, "{shown:?}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("learn.py"), &program).unwrap();
    if let Some(ended) = with("python3", folder.path(), "python3 learn.py") {
        assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), shown, "{ended:?}");
    }
}

/// Redraws the pictures of docs/learn/coloring.py, and compares.
#[test]
fn the_script_of_colorings_draws_the_pictures_that_pages_show() {
    let folder = tempfile::tempdir().unwrap();
    let docs = Path::new(PROJECT).join("docs");
    let learn = folder.path().join("learn");
    std::fs::create_dir(&learn).unwrap();
    std::fs::copy(docs.join("learn/coloring.py"), learn.join("coloring.py")).unwrap();
    let Some(ended) = with("python3", &learn, "python3 coloring.py") else { return };
    ended.expect(0, "");
    for picture in ["split.svg", "learn/coloring.svg", "learn/product.svg"] {
        let [drawn, shown] = [folder.path(), &docs].map(|docs| std::fs::read_to_string(docs.join(picture)).unwrap());
        assert!(drawn == shown, "python3 docs/learn/coloring.py draws another {picture}: look at it");
    }
}

/// Compares what docs/color-split.md says of small boards with lists of all boards.
#[test]
fn the_claims_of_the_paper_hold_for_small_boards() {
    let folder = tempfile::tempdir().unwrap();
    let check = format!("python3 {PROJECT}/docs/color-split/check.py 8 | tail -n 1");
    let Some(ended) = with("python3", folder.path(), &check) else { return };
    ended.expect(0, "n = 8: 92 boards, 68 colorings above 0: classes, identity, images, weights agree\n");
}

/// Counts every unit with a program that follows docs/color-split/README.md and shares no code with this one.
#[test]
fn a_program_of_somebody_else_counts_the_units_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    for (n, units) in [(8, 8), (9, 19)] {
        answer(folder.path(), &format!("count {n} --dir {n} --solver color --quiet"));
        let agree = format!("n = {n}: {units} units agree\n");
        for (change, status, says) in [("", 0, agree.as_str()), ("s/\"logged\":\"/&1/", 1, "unit ")] {
            let audit = format!("nqueens audit {n} --sample 99 --json | sed '{change}'");
            let unit = format!("python3 {PROJECT}/docs/color-split/unit.py");
            let Some(ended) = with("python3", folder.path(), &format!("{audit} | {unit}")) else { return };
            ended.expect(status, says);
        }
    }
}

/// Counts units of larger boards with a second such program. It also adds up all units of a run, so that none can be
/// missing.
#[test]
fn a_compiled_program_of_somebody_else_counts_the_units_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let compile = format!("rustc --edition 2024 -O {PROJECT}/docs/color-split/unit.rs -o unit");
    let Some(compiled) = with("rustc", folder.path(), &compile) else { return };
    assert_eq!((compiled.status, compiled.stderr.as_str()), (Some(0), ""), "{compiled:#?}");
    let runs = [(8, 8, 92), (9, 19, 352), (10, 16, 724), (11, 35, 2680), (12, 32, 14_200), (13, 71, 73_712)];
    for (n, units, queens) in runs {
        answer(folder.path(), &format!("count {n} --dir {n} --solver color --quiet"));
        let sum = format!("{units} logged counts agree, and the sum of all counts is {queens}\n");
        let [all, but_one] = [units, units - 1].map(|agree| format!("n = {n}: {agree} of {sum}"));
        for (change, status, says) in [("", 0, &all), ("s/\"logged\":\"/&1/", 1, &but_one)] {
            let audit = format!("nqueens audit {n} --sample 99 --json | sed '{change}'");
            run(&mut shell(folder.path(), &format!("{audit} | ./unit"))).expect(status, says);
        }
    }
    let name = "white even rows 2, odd 5, sets 0..6";
    run(&mut shell(folder.path(), &format!("./unit 8 '{name}'"))).expect(0, &format!("{name}: 92\n"));
    for no_unit in ["white even rows 2, odd 5, sets 0..7", "white even rows 2, odd 7, sets 0..6", "white even rows 2"] {
        let ended = run(&mut shell(folder.path(), &format!("./unit 8 '{no_unit}'")));
        ended.expect(2, &format!("error: n = 8 has no unit '{no_unit}'\n"));
    }
    run(&mut shell(folder.path(), "echo '{\"size\":8}' | ./unit")).expect(2, "error: give n");
}

/// Counts the characters of a line without the addresses of links, which depend on the headings of other pages.
fn width(line: &str) -> usize {
    let parts = line.split("](").enumerate();
    parts
        .map(|(at, part)| if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) })
        .map(|part| part.chars().count())
        .sum()
}

/// Text is wrapped, but tables, pictures, marks for tests and code may be wider.
#[test]
fn text_is_wrapped_at_120_columns() {
    let folders = ["", "docs", "docs/color-split", "src", "cli", "gate", "gpu"];
    for (path, page) in folders.iter().flat_map(|folder| pages_in(folder)) {
        for line in page.split("```").step_by(2).flat_map(str::lines) {
            let is_text = !["|", "![", "<", "    "].iter().any(|begin| line.starts_with(begin));
            assert!(!is_text || width(line) <= 120, "{}: rewrap this paragraph: {line}", path.display());
        }
    }
}

#[test]
fn the_citation_names_the_version() {
    let citation = std::fs::read_to_string(Path::new(PROJECT).join("CITATION.cff")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(citation.lines().any(|line| line == format!("version: {version}")), "CITATION.cff has another version");
}

/// Returns the text of a page outside its code blocks, in which `](` and `#` are neither links nor headings.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// Returns the name of a heading in links: lower case, `-` for each space, without other characters.
fn anchor(heading: &str) -> String {
    let letters =
        heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>();
    letters.replace(' ', "-")
}

#[test]
fn every_link_reaches_what_it_names() {
    let folders = ["", "docs", "docs/color-split", "src", "src/color", "cli", "gate", "gpu"];
    let mut followed = 0;
    for (path, page) in folders.iter().flat_map(|folder| pages_in(folder)) {
        for link in prose(&page).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            // Web addresses, pages of the project's host, and Rust items.
            if link.contains("://") || link.starts_with("../../releases") || link.contains("::") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            assert!(target.exists(), "{}: ({link}): there is no such file", path.display());
            let text = prose(&std::fs::read_to_string(target).unwrap_or_default());
            let is_it = |line: &str| line.starts_with('#') && anchor(line.trim_start_matches('#').trim()) == heading;
            assert!(heading.is_empty() || text.lines().any(is_it), "{}: ({link}): no such heading", path.display());
            followed += 1;
        }
    }
    assert!(followed > 60, "only {followed} links were followed");
}
