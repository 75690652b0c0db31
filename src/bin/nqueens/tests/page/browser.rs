//! The page as a person sees it: opened in a real browser, on a desk and on a phone, in both themes.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::Record;
use crate::draw::page::Report;
use serde_json::{Value, json};

/// Measures what is on the page and leaves it there as JSON. `overlaps` are labels that lie on one another, `outside` those
/// that are cut by their picture's edge. Then it does what a reader does: sorts, chooses, points.
const PROBE: &str = r#"<pre id="probe"></pre><script>
const box = element => element.getBoundingClientRect();
const fold = open => document.querySelectorAll('details').forEach(details => { details.open = open; });
fold(true);
const pictures = [...document.querySelectorAll('figure svg')].filter(svg => box(svg).width > 0).map(svg => {
  const frame = box(svg), scale = frame.width / svg.viewBox.baseVal.width;
  const labels = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim() && !text.closest('defs'));
  const boxes = labels.map(box), overlaps = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 3) overlaps.push([labels[i].textContent, labels[i + 1 + j].textContent]);
  }));
  const outside = labels.filter((label, i) => boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1
    || boxes[i].bottom > frame.bottom + 1 || boxes[i].top < frame.top - 1).map(label => label.textContent);
  const smallest = Math.min(...labels.map(label => parseFloat(getComputedStyle(label).fontSize) * scale));
  return { id: svg.querySelector('title').id, width: frame.width, height: frame.height, labels: labels.length, overlaps,
    outside, smallest, ink: getComputedStyle(labels[0]).fill };
});
const tables = [...document.querySelectorAll('.scroll')].map(scroll => ({
  name: scroll.getAttribute('aria-label'), width: scroll.clientWidth, content: scroll.scrollWidth,
  rows: scroll.querySelectorAll('tbody tr').length, overflow: getComputedStyle(scroll).overflowX }));
const result = { width: innerWidth, content: document.documentElement.scrollWidth, pictures, tables,
  injected: 'injected' in window, resources: performance.getEntriesByType('resource').length,
  paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.querySelector('h1')).color,
  accent: getComputedStyle(document.querySelector('#ranking .accent')).fill };
fold(false);
// What paper shows: nothing was unfolded for it.
result.rows = [...document.querySelectorAll('tbody tr')].map(row => row.checkVisibility({ contentVisibilityAuto: true }) && box(row).height > 0);
if (!document.getElementById('tools').hidden) {
  const head = [...document.querySelectorAll('#scaling th[scope=col]')][3];
  const medians = () => [...document.querySelectorAll('#scaling tbody tr')].map(row => Number(row.cells[3].dataset.v));
  const isSorted = list => list.every((value, index) => index === 0 || list[index - 1] <= value);
  const before = medians();
  head.querySelector('[role=button]').click();
  const up = medians();
  head.querySelector('[role=button]').click();
  result.sort = { before: isSorted(before), up: isSorted(up), down: isSorted(medians().reverse()), aria: head.getAttribute('aria-sort') };
  const row = document.querySelector('#ranking .row');
  row.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 20, clientY: 20 }));
  result.hover = { told: row.dataset.t, tip: document.getElementById('tip').textContent,
    shown: !document.getElementById('tip').hidden, lit: document.querySelectorAll('.lit').length };
  const link = row.querySelector('a').getAttribute('href');
  result.link = document.querySelector(link).querySelector('h3').textContent;
  const first = document.querySelector('#tools input[type=checkbox]');
  first.click();
  const away = [...document.querySelectorAll(`[data-m="${first.value}"]`)];
  result.chosen = { status: document.querySelector('#tools [role=status]').textContent, marked: away.length,
    seen: away.filter(element => element.checkVisibility() && getComputedStyle(element).display !== 'none').length };
  first.click();
}
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

/// A browser in light or dark.
struct Browser<'a> {
    program: &'a Path,
    is_dark: bool,
}

impl Browser<'_> {
    fn command(&self, profile: &Path, page: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.args(["--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]);
        command.arg(format!("--user-data-dir={}", profile.display())).arg("--window-size=1280,3200");
        // 0 is dark and 1 is light, whatever this machine prefers.
        command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!self.is_dark))).arg(page);
        command
    }

    /// What the probe finds on the page.
    fn measure(&self, page: &Path) -> Value {
        let dom = self.dom(page);
        let found = dom.rsplit("<pre id=\"probe\">").next().and_then(|rest| rest.split("</pre>").next()).unwrap();
        serde_json::from_str(found).unwrap_or_else(|error| panic!("the probe found nothing: {error}: {found}"))
    }

    /// The page after its own script ran.
    fn dom(&self, page: &Path) -> String {
        let folder = tempfile::tempdir().unwrap();
        let dom = folder.path().join("dom.html");
        run(self.command(folder.path(), page).arg("--dump-dom").stdout(File::create(&dom).unwrap()));
        std::fs::read_to_string(dom).unwrap()
    }

    /// The page as a PDF of A4 sheets.
    fn print(&self, page: &Path) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let pdf = folder.path().join("page.pdf");
        run(self.command(folder.path(), page).arg(format!("--print-to-pdf={}", pdf.display())).stdout(Stdio::null()));
        std::fs::read(pdf).unwrap()
    }
}

/// The page in a frame, as wide as a phone or a sheet of paper: windows do not become so narrow. The frame's findings are
/// passed on.
fn framed(page: &str, width: usize) -> String {
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    let pass = "document.getElementById('probe').textContent = \
                document.querySelector('iframe').contentDocument.getElementById('probe').textContent";
    format!(
        "<!DOCTYPE html><iframe style=\"width:{width}px;height:844px;border:0\" srcdoc=\"{page}\"></iframe>\
         <script>onload = () => {{ {pass} }}</script><pre id=\"probe\"></pre>"
    )
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

/// That every picture is there, large enough, with labels that can be read.
fn check_pictures(found: &Value, layout: &str) {
    let pictures = found["pictures"].as_array().unwrap();
    for name in ["ranking", "workloads", "scaling"] {
        let id = format!("{name}-{layout}");
        assert!(pictures.iter().any(|picture| picture["id"].as_str().unwrap().starts_with(&id)), "{id}");
    }
    for picture in pictures {
        assert!(picture["id"].as_str().unwrap().contains(layout));
        assert!(picture["height"].as_f64().unwrap() > 60.0, "{picture:#}");
        assert_eq!(picture["overlaps"], Value::Array(Vec::new()), "labels lie on one another: {picture:#}");
        assert_eq!(picture["outside"], Value::Array(Vec::new()), "labels are cut: {picture:#}");
        assert!(picture["smallest"].as_f64().unwrap() >= 11.0, "{picture:#}");
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

/// A copy of the page that allows the probe, and with it whatever a record would smuggle in.
fn probed(page: &str) -> String {
    let (head, rest) = page.split_once("script-src 'sha256-").unwrap();
    let (_, rest) = rest.split_once('"').unwrap();
    format!("{head}script-src 'unsafe-inline'\"{rest}").replace("</body>", PROBE)
}

#[test]
#[ignore = "needs a browser: scripts/slow.sh browser"]
fn a_person_reads_the_report_on_a_desk_on_a_phone_and_on_paper() {
    let Some(browser) = browser() else {
        // Past the capture of the test's output: whoever reads the log is to know.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no browser to look at the report with: install chromium, or name one in CHROMIUM"
        );
        return;
    };
    let records = super::machines();
    let page = Report::new(&records, None).html();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let probed = probed(&page);
    // Paper is 210 mm less its margins; what holds there is put where the probe is, and the script is not.
    let script = page.rfind("<script>").unwrap()..page.rfind("</script>").unwrap() + 9;
    let on_paper = probed
        .replace(&page[script], "")
        .replace("@media print{", "@media all{")
        .replace("@media screen and", "@media print and")
        .replace("@page{size:A4;margin:12mm}", "");
    let (real, desk) = (write("real.html", &page), write("desk.html", &probed));
    let (phone, paper) = (write("phone.html", &framed(&probed, 390)), write("paper.html", &framed(&on_paper, 703)));

    let [day, night] = [false, true].map(|is_dark| Browser { program: &browser, is_dark });
    let (light, dark, small, printed) =
        (day.measure(&desk), night.measure(&desk), day.measure(&phone), day.measure(&paper));

    for (found, width, layout) in [(&light, 1280, "wide"), (&dark, 1280, "wide"), (&small, 390, "narrow")] {
        assert_eq!(found["width"], width);
        assert!(found["content"].as_u64().unwrap() <= width, "the page is wider than its window: {found:#}");
        assert_eq!((&found["injected"], &found["resources"]), (&Value::Bool(false), &Value::from(0)));
        check_pictures(found, layout);
        let tables = found["tables"].as_array().unwrap();
        assert_eq!(tables.len(), 2);
        for table in tables {
            assert!(table["rows"].as_u64().unwrap() >= 4 && table["overflow"] == "auto", "{table:#}");
            assert!(table["width"].as_u64().unwrap() <= width, "{table:#}");
        }
        // A reader sorts, points, follows a link and chooses.
        assert_eq!(found["sort"], json!({"before": false, "up": true, "down": true, "aria": "descending"}));
        let hover = &found["hover"];
        assert_eq!((&hover["told"], &hover["shown"]), (&hover["tip"], &Value::Bool(true)), "{hover}");
        assert!(hover["lit"].as_u64().unwrap() > 3, "{hover}");
        assert!(
            hover["told"].as_str().unwrap().starts_with(found["link"].as_str().unwrap()),
            "{hover} {}",
            found["link"]
        );
        assert_eq!((&found["chosen"]["status"], &found["chosen"]["seen"]), (&json!("3 of 4 machines"), &json!(0)));
        assert!(found["chosen"]["marked"].as_u64().unwrap() > 10);
    }
    // Folded, the tables are not seen on a screen. On paper they are not: numbers are for spreadsheets.
    let seen = |found: &Value| found["rows"].as_array().unwrap().iter().filter(|row| **row == true).count();
    assert_eq!((seen(&light), seen(&printed)), (0, 0));
    assert!(printed["content"].as_u64().unwrap() <= 703, "paper is cut at its edge: {printed:#}");
    let pdf = day.print(&real);
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 20_000, "{} bytes", pdf.len());
    // Ranking, heat map and facts of a dozen machines, each with every workload of the fullest suite, fit on four sheets.
    let dozen: Vec<(String, Record)> = (0..12).map(|index| (format!("{index}.json"), sheet_filling(index))).collect();
    let pdf = day.print(&write("dozen.html", &Report::new(&dozen, None).html()));
    let sheets = sheets(&pdf);
    assert!((2..=4).contains(&sheets), "{sheets} sheets");
    // The policy lets the page's own script run.
    assert!(day.dom(&real).contains("4 of 4 machines"));

    assert_eq!((&light["paper"], &dark["paper"]), (&"rgb(255, 255, 255)".into(), &"rgb(20, 24, 29)".into()));
    assert_eq!((&light["accent"], &dark["accent"]), (&"rgb(9, 105, 218)".into(), &"rgb(88, 166, 255)".into()));
    assert_ne!(light["ink"], dark["ink"]);
    assert_ne!(light["pictures"][1]["ink"], dark["pictures"][1]["ink"]);
}
