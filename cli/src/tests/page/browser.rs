//! The page as a person sees it: opened in a real browser, and printed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::Record;
use serde_json::{Value, json};

/// Measures what is on the page and leaves it there as JSON. `hidden` are tables without size, `wide` those that must be
/// scrolled, `broken` the words that stand on several lines.
const PROBE: &str = r#"<pre id="probe"></pre><script>
const tables = [...document.querySelectorAll('table')];
const wide = [...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth).length;
const hidden = tables.filter(table => table.getBoundingClientRect().height < 40).length;
const broken = [], walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
for (let node; node = walker.nextNode();) for (const word of node.textContent.matchAll(/[^\s\/–-]+/g)) {
  const range = document.createRange();
  range.setStart(node, word.index);
  range.setEnd(node, word.index + word[0].length);
  if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) broken.push(word[0]);
}
const result = { width: innerWidth, content: document.documentElement.scrollWidth, tables: tables.length, hidden, wide, broken,
  injected: 'injected' in window, resources: performance.getEntriesByType('resource').length };
document.getElementById('probe').textContent = JSON.stringify(result);
</script></body>"#;

/// A browser: what `CHROMIUM` says, or one on the path.
fn browser() -> Option<PathBuf> {
    let given = std::env::var_os("CHROMIUM").filter(|given| !given.is_empty()).map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    given.into_iter().chain(names).find(|name| Command::new(name).arg("--version").output().is_ok())
}

fn command(browser: &Path, profile: &Path, page: &Path, width: u32) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.args(["--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]);
    command.arg(format!("--user-data-dir={}", profile.display())).arg(format!("--window-size={width},3200")).arg(page);
    command
}

/// What the probe finds on the page in a window of this width.
fn measure(browser: &Path, page: &Path, width: u32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dom.html");
    run(command(browser, folder.path(), page, width).arg("--dump-dom").stdout(File::create(&file).unwrap()));
    let dom = std::fs::read_to_string(file).unwrap();
    let found = dom.rsplit("<pre id=\"probe\">").next().and_then(|rest| rest.split("</pre>").next()).unwrap();
    serde_json::from_str(found).unwrap_or_else(|error| panic!("the probe found nothing: {error}: {found}"))
}

/// The page as a PDF of A4 sheets.
fn print(browser: &Path, page: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("page.pdf");
    let print = format!("--print-to-pdf={}", pdf.display());
    run(command(browser, folder.path(), page, 1280).arg(print).stdout(Stdio::null()));
    std::fs::read(pdf).unwrap()
}

/// Runs a browser to its end.
fn run(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// A record as long as records become.
fn sheet_filling(index: usize) -> Record {
    super::record(crate::tests::records::LARGE, |record| {
        record["name"] = json!(format!("Machine {index} of the second rack at the left"));
        record["machine"]["cpu_model"] = json!("AMD Ryzen Threadripper PRO 7995WX 96-Cores");
        record["machine"]["os"] = json!("Linux (Red Hat Enterprise Linux 9.4 (Plow))");
        record["warnings"] = json!([{"severity": "doubtful", "text": "other programs used 0.3 CPUs meanwhile"}]);
        for workload in record["workloads"].as_array_mut().unwrap() {
            for seconds in workload["seconds"].as_array_mut().unwrap() {
                *seconds = json!(seconds.as_f64().unwrap() * (1.0 + 0.3 * index as f64));
            }
        }
    })
}

/// A machine that was measured on 1, 2, 4 and up to 128 threads.
fn many_threads() -> Record {
    super::record(crate::tests::records::LARGE, |record| {
        record["name"] = json!("Many threads");
        let list = record["workloads"].as_array_mut().unwrap();
        let eight: Vec<Value> = list.iter().filter(|workload| workload["threads"] == 8).cloned().collect();
        list.iter_mut().filter(|workload| workload["threads"] == 16).for_each(|all| all["threads"] = json!(128));
        for (workload, threads) in eight.iter().flat_map(|workload| [16, 32, 64].map(|threads| (workload, threads))) {
            let mut more = workload.clone();
            more["threads"] = json!(threads);
            list.push(more);
        }
        record["machine"]["usable_cpus"] = json!(128);
    })
}

/// How many pages a PDF has.
fn sheets(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    text.matches("/Type /Page").count() - text.matches("/Type /Pages").count()
}

#[test]
#[ignore = "needs a browser: scripts/slow.sh browser"]
fn a_person_reads_the_report_on_a_desk_a_phone_and_on_paper() {
    let Some(browser) = browser() else {
        // Past the capture of the test's output: whoever reads the log is to know.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no browser to look at the report with: install chromium, or name one in CHROMIUM"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    // A copy of a page that allows the probe, and with it whatever a record would smuggle in.
    let probed = |page: &str| {
        let page = page.replace("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'");
        page.replace("</body>", PROBE)
    };
    let mut machines = super::machines();
    machines.push(("128.json".to_owned(), many_threads()));
    let page = write("desk.html", &probed(&super::html(&machines, None)));
    // A window of Chromium is at least 500 pixels wide.
    for width in [1280, 500] {
        let found = measure(&browser, &page, width);
        assert!(found["content"].as_u64() <= found["width"].as_u64(), "the page is wider than its window: {found:#}");
        assert_eq!((&found["injected"], &found["resources"]), (&Value::Bool(false), &Value::from(0)));
        assert!(found["tables"].as_u64() == Some(5 + machines.len() as u64) && found["hidden"] == 0, "{found:#}");
        // On a desk all columns show, those of a machine with 128 threads too.
        assert!(width < 1280 || found["wide"] == 0, "{found:#}");
    }
    // A dozen machines, each with every workload of the fullest suite, fit on six sheets.
    let dozen: Vec<(String, Record)> = (0..12).map(|index| (format!("{index}.json"), sheet_filling(index))).collect();
    let page = super::html(&dozen, None);
    let pdf = print(&browser, &write("dozen.html", &page));
    assert!(pdf.starts_with(b"%PDF-"), "{} bytes", pdf.len());
    let sheets = sheets(&pdf);
    assert!((2..=6).contains(&sheets), "{sheets} sheets");
    // An A4 sheet less its margins, in pixels.
    let paper = write("paper.html", &probed(&page.replace("@media print{", "@media all{")));
    let found = measure(&browser, &paper, 703);
    assert!(found["broken"] == json!([]) && found["wide"] == 0 && found["width"] == 703, "{found:#}");
}
