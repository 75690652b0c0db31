//! The page as a person sees it: opened in a real browser, and printed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::Record;
use crate::draw::page::Report;
use serde_json::{Value, json};

/// Measures what is on the page and leaves it there as JSON. `overlaps` are labels that lie on one another, `outside` those
/// that are cut by their picture's edge.
const PROBE: &str = r#"<pre id="probe"></pre><script>
const box = element => element.getBoundingClientRect();
const pictures = [...document.querySelectorAll('figure svg')].map(svg => {
  const frame = box(svg), labels = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim());
  const boxes = labels.map(box), overlaps = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 3) overlaps.push([labels[i].textContent, labels[i + 1 + j].textContent]);
  }));
  const outside = labels.filter((label, i) => boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1
    || boxes[i].bottom > frame.bottom + 1 || boxes[i].top < frame.top - 1).map(label => label.textContent);
  return { id: svg.querySelector('title').id, height: frame.height, overlaps, outside };
});
const result = { width: innerWidth, content: document.documentElement.scrollWidth, pictures,
  injected: 'injected' in window, resources: performance.getEntriesByType('resource').length };
document.getElementById('probe').textContent = JSON.stringify(result).replace(/[<>&]/g, '?');
</script></body>"#;

/// The longest a browser may take: it is far slower where other tests run beside it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser: what `CHROMIUM` says, or one on the path.
fn browser() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("CHROMIUM").filter(|given| !given.is_empty()) {
        return Some(given.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut places = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    places.find(|place| place.is_file())
}

fn command(browser: &Path, profile: &Path, page: &Path) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.args(["--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]);
    command.arg(format!("--user-data-dir={}", profile.display())).arg("--window-size=1280,3200").arg(page);
    command
}

/// What the probe finds on the page.
fn measure(browser: &Path, page: &Path) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dom.html");
    run(command(browser, folder.path(), page).arg("--dump-dom").stdout(File::create(&file).unwrap()));
    let dom = std::fs::read_to_string(file).unwrap();
    let found = dom.rsplit("<pre id=\"probe\">").next().and_then(|rest| rest.split("</pre>").next()).unwrap();
    serde_json::from_str(found).unwrap_or_else(|error| panic!("the probe found nothing: {error}: {found}"))
}

/// The page as a PDF of A4 sheets.
fn print(browser: &Path, page: &Path) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("page.pdf");
    let print = format!("--print-to-pdf={}", pdf.display());
    run(command(browser, folder.path(), page).arg(print).stdout(Stdio::null()));
    std::fs::read(pdf).unwrap()
}

/// Runs a browser to its end, and ends it where it hangs.
fn run(command: &mut Command) {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{command:?}: {status}");
            return;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not end within {PATIENCE:?}: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A record as long as records become.
fn sheet_filling(index: usize) -> Record {
    super::record(include_str!("../../bench/baseline.json"), |record| {
        record["name"] = json!(format!("Machine {index} of the second rack at the left"));
        record["warnings"] = json!([{"kind": "load", "message": "other programs used 0.3 CPUs meanwhile"}]);
        for workload in record["workloads"].as_array_mut().unwrap() {
            for seconds in workload["seconds"].as_array_mut().unwrap() {
                *seconds = json!(seconds.as_f64().unwrap() * (1.0 + 0.3 * index as f64));
            }
        }
    })
}

/// How many pages a PDF has.
fn sheets(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    text.matches("/Type /Page").count() - text.matches("/Type /Pages").count()
}

#[test]
#[ignore = "needs a browser: scripts/slow.sh browser"]
fn a_person_reads_the_report_on_a_desk_and_on_paper() {
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
    // A copy of the page that allows the probe, and with it whatever a record would smuggle in.
    let page = Report::new(&super::machines(), None).html();
    let page = page.replace("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'");
    let found = measure(&browser, &write("desk.html", &page.replace("</body>", PROBE)));
    assert!(found["content"].as_u64() <= found["width"].as_u64(), "the page is wider than its window: {found:#}");
    assert_eq!((&found["injected"], &found["resources"]), (&Value::Bool(false), &Value::from(0)));
    let pictures = found["pictures"].as_array().unwrap();
    for name in ["ranking", "workloads", "scaling"] {
        assert!(pictures.iter().any(|picture| picture["id"].as_str().unwrap().starts_with(name)), "{name}");
    }
    for picture in pictures {
        assert!(picture["height"].as_f64().unwrap() > 60.0, "{picture:#}");
        assert_eq!(picture["overlaps"], json!([]), "labels lie on one another: {picture:#}");
        assert_eq!(picture["outside"], json!([]), "labels are cut: {picture:#}");
    }
    // Ranking, heat map and facts of a dozen machines, each with every workload of the fullest suite, fit on four sheets.
    let dozen: Vec<(String, Record)> = (0..12).map(|index| (format!("{index}.json"), sheet_filling(index))).collect();
    let pdf = print(&browser, &write("dozen.html", &Report::new(&dozen, None).html()));
    assert!(pdf.starts_with(b"%PDF-"), "{} bytes", pdf.len());
    let sheets = sheets(&pdf);
    assert!((2..=4).contains(&sheets), "{sheets} sheets");
}
