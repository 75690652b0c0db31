//! The page as a person sees it: opened in a real browser, on a desk and on a phone, in both themes.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nqueens::report::Report;
use serde_json::Value;

/// Measures what is on the page and leaves it there as JSON. `overlaps` are labels that lie on one another, `outside` those
/// that are cut by their picture's edge.
const PROBE: &str = r#"<pre id="probe"></pre><script>
const box = element => element.getBoundingClientRect();
const pictures = [...document.querySelectorAll('figure svg')].filter(svg => box(svg).width > 0).map(svg => {
  const frame = box(svg), scale = frame.width / svg.viewBox.baseVal.width;
  const labels = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim());
  const boxes = labels.map(box), overlaps = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 3) overlaps.push([labels[i].textContent, labels[i + 1 + j].textContent]);
  }));
  const outside = labels.filter((label, i) => boxes[i].left < frame.left - 1 || boxes[i].right > frame.right + 1
    || boxes[i].bottom > frame.bottom + 1 || boxes[i].top < frame.top - 1).map(label => label.textContent);
  const smallest = Math.min(...labels.map(label => parseFloat(getComputedStyle(label).fontSize) * scale));
  return { id: svg.querySelector('title').id, width: frame.width, height: frame.height, top: frame.top + scrollY,
    left: frame.left, labels: labels.length, overlaps, outside, smallest,
    ink: getComputedStyle(labels[0]).fill };
});
document.querySelectorAll('details').forEach(details => details.open = true);
const tables = [...document.querySelectorAll('.scroll')].map(scroll => ({
  name: scroll.getAttribute('aria-label'), width: scroll.clientWidth, content: scroll.scrollWidth,
  rows: scroll.querySelectorAll('tbody tr').length, overflow: getComputedStyle(scroll).overflowX }));
const result = { width: innerWidth, content: document.documentElement.scrollWidth, pictures, tables,
  injected: 'injected' in window, resources: performance.getEntriesByType('resource').length,
  paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.querySelector('h1')).color };
document.getElementById('probe').textContent = JSON.stringify(result).replace(/[<>&]/g, '?');
document.querySelectorAll('details').forEach(details => details.open = false);
</script></body>"#;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

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
        let folder = tempfile::tempdir().unwrap();
        let dom = folder.path().join("dom.html");
        run(self.command(folder.path(), page).arg("--dump-dom").stdout(File::create(&dom).unwrap()));
        let dom = std::fs::read_to_string(dom).unwrap();
        let found = dom.rsplit("<pre id=\"probe\">").next().and_then(|rest| rest.split("</pre>").next()).unwrap();
        serde_json::from_str(found).unwrap_or_else(|error| panic!("the probe found nothing: {error}: {found}"))
    }

    /// What the page looks like.
    fn look(&self, page: &Path) -> Screen {
        let folder = tempfile::tempdir().unwrap();
        let shot = folder.path().join("screen.png");
        run(self.command(folder.path(), page).arg(format!("--screenshot={}", shot.display())).stdout(Stdio::null()));
        Screen::read(&shot)
    }
}

/// The page in a frame as wide as a phone: windows do not become so narrow. The frame's findings are passed on.
fn on_a_phone(page: &str) -> String {
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    let pass = "document.getElementById('probe').textContent = \
                document.querySelector('iframe').contentDocument.getElementById('probe').textContent";
    format!(
        "<!DOCTYPE html><iframe style=\"width:390px;height:844px;border:0\" srcdoc=\"{page}\"></iframe>\
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

/// A screenshot.
struct Screen {
    width: usize,
    channels: usize,
    bytes: Vec<u8>,
}

impl Screen {
    fn read(path: &Path) -> Self {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        Self { width: info.width as usize, channels: info.color_type.samples(), bytes }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * self.channels;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// How many pixels of a picture have this colour.
    fn count(&self, picture: &Value, color: [u8; 3]) -> usize {
        let at = |name: &str| picture[name].as_f64().unwrap() as usize;
        let (left, top) = (at("left"), at("top"));
        let rows = (top..top + at("height")).filter(|y| (y + 1) * self.width * self.channels <= self.bytes.len());
        rows.flat_map(|y| (left..left + at("width")).map(move |x| (x, y)))
            .filter(|&(x, y)| self.pixel(x, y) == color)
            .count()
    }
}

/// That every picture is there, large enough, with labels that can be read.
fn check_pictures(found: &Value, layout: &str) {
    let pictures = found["pictures"].as_array().unwrap();
    let ids: Vec<&str> = pictures.iter().map(|picture| picture["id"].as_str().unwrap()).collect();
    let expected = ["scores", "time", "scaling", "samples"].map(|name| format!("{name}-{layout}-title"));
    assert_eq!(ids, expected, "what is shown");
    for picture in pictures {
        assert!(picture["height"].as_f64().unwrap() > 100.0, "{picture:#}");
        assert!(picture["labels"].as_u64().unwrap() >= 10, "{picture:#}");
        assert_eq!(picture["overlaps"], Value::Array(Vec::new()), "labels lie on one another: {picture:#}");
        assert_eq!(picture["outside"], Value::Array(Vec::new()), "labels are cut: {picture:#}");
        assert!(picture["smallest"].as_f64().unwrap() >= 11.0, "{picture:#}");
    }
}

#[test]
fn a_person_sees_the_report_on_a_desk_and_on_a_phone_by_day_and_by_night() {
    let Some(browser) = browser() else {
        // Past the capture of the test's output: whoever reads the log is to know.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no browser to look at the report with: install chromium, or name one in CHROMIUM"
        );
        return;
    };
    let records = super::machines();
    let page = Report::new(&records).unwrap().html();
    assert!(page.contains(POLICY) && page.contains("</body>"));
    let folder = tempfile::tempdir().unwrap();
    // The page allows no script. This copy allows the probe, and with it whatever a record would smuggle in.
    let probed = page.replace(POLICY, &format!("{POLICY}; script-src 'unsafe-inline'")).replace("</body>", PROBE);
    let (desk, phone) = (folder.path().join("desk.html"), folder.path().join("phone.html"));
    std::fs::write(&desk, &probed).unwrap();
    std::fs::write(&phone, on_a_phone(&probed)).unwrap();

    let [day, night] = [false, true].map(|is_dark| Browser { program: &browser, is_dark });
    let (light, dark, small) = (day.measure(&desk), night.measure(&desk), day.measure(&phone));
    let (by_day, by_night) = (day.look(&desk), night.look(&desk));

    for (found, width, layout) in [(&light, 1280, "wide"), (&dark, 1280, "wide"), (&small, 390, "narrow")] {
        assert_eq!(found["width"], width);
        assert!(found["content"].as_u64().unwrap() <= width, "the page is wider than its window: {found:#}");
        assert_eq!((&found["injected"], &found["resources"]), (&Value::Bool(false), &Value::from(0)));
        check_pictures(found, layout);
        let tables = found["tables"].as_array().unwrap();
        assert_eq!(tables.len(), 5);
        for table in tables {
            assert!(table["rows"].as_u64().unwrap() >= 4 && table["overflow"] == "auto", "{table:#}");
            assert!(table["width"].as_u64().unwrap() <= width, "{table:#}");
        }
    }
    // On the phone, four machines do not fit: their table scrolls by itself.
    let facts = &small["tables"][4];
    assert!(facts["content"].as_u64().unwrap() > facts["width"].as_u64().unwrap(), "{facts:#}");

    assert_eq!((&light["paper"], &dark["paper"]), (&"rgb(255, 255, 255)".into(), &"rgb(20, 24, 29)".into()));
    assert_ne!(light["ink"], dark["ink"]);
    assert_ne!(light["pictures"][1]["ink"], dark["pictures"][1]["ink"]);
    for (screen, found, paper, first, other) in [
        (&by_day, &light, [255, 255, 255], [0x09, 0x69, 0xda], [0x58, 0xa6, 0xff]),
        (&by_night, &dark, [20, 24, 29], [0x58, 0xa6, 0xff], [0x09, 0x69, 0xda]),
    ] {
        assert_eq!(screen.pixel(2, 2), paper);
        for picture in &found["pictures"].as_array().unwrap()[..3] {
            let area = picture["width"].as_f64().unwrap() * picture["height"].as_f64().unwrap();
            let blank = screen.count(picture, paper) as f64 / area;
            assert!((0.3..0.99).contains(&blank), "{blank} of this picture is blank: {picture:#}");
        }
        // The first machine's colour of this theme, and not of the other one.
        let time = &found["pictures"][1];
        assert!(screen.count(time, first) > 40, "{}", screen.count(time, first));
        assert_eq!(screen.count(time, other), 0);
    }
}
