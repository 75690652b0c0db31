//! What compilers say about the kernels: naga, which wgpu has, and Chromium's Tint.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wgpu::Limits;
use wgpu::naga::proc::Layouter;
use wgpu::naga::{AddressSpace, front::wgsl};

use crate::adapter::{STORAGE_BUFFERS, WORKGROUP_BYTES, lacks};
use crate::card::Kernel;

/// Every kernel, for each number of free columns.
fn kernels() -> Vec<Kernel> {
    let counting = (2..=15).flat_map(|columns| [Kernel::Fill(columns), Kernel::Dot(columns)]);
    [Kernel::Merge, Kernel::Fit, Kernel::Turn].into_iter().chain(counting).collect()
}

#[test]
fn kernels_take_what_every_card_has() {
    let mut most = [0, 0];
    for kernel in kernels() {
        let module = wgsl::parse_str(&kernel.source()).unwrap();
        let mut layouts = Layouter::default();
        layouts.update(module.to_ctx()).unwrap();
        let (mut buffers, mut bytes) = (0, 0);
        for (_, variable) in module.global_variables.iter() {
            match variable.space {
                AddressSpace::Storage { .. } => buffers += 1,
                // Tint pads each variable to 16 bytes.
                AddressSpace::WorkGroup => bytes += layouts[variable.ty].size.next_multiple_of(16),
                _ => {}
            }
        }
        assert!(buffers <= STORAGE_BUFFERS && bytes <= WORKGROUP_BYTES, "{kernel:?}: {buffers} buffers, {bytes} bytes");
        most = [most[0].max(buffers), most[1].max(bytes)];
    }
    assert_eq!(most, [STORAGE_BUFFERS, WORKGROUP_BYTES], "cards may have lower limits than `lacks` asks for");
    // What a browser has at least.
    assert_eq!(lacks(&Limits::default()), None);
}

#[test]
fn a_card_that_cannot_count_is_told_its_limit() {
    let few = Limits { max_storage_buffers_per_shader_stage: 4, ..Limits::default() };
    assert_eq!(lacks(&few).unwrap(), "it allows 4 of the 8 storage buffers that a shader needs");
    let small = Limits { max_compute_workgroup_storage_size: 16_383, ..Limits::default() };
    assert_eq!(lacks(&small).unwrap(), "it allows 16383 bytes of workgroup memory, and 16384 are needed");
}

/// Compiles the scripts of the page, with the limits that every browser has, and logs what the compiler says.
const PAGE: &str = r#"<!doctype html><script type="module">
try {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    for (const { id, textContent: code } of document.querySelectorAll("script[id]")) {
        const module = device.createShaderModule({ code });
        for (const message of (await module.getCompilationInfo()).messages) console.log(`${id}: ${message.message}`);
        await device.createComputePipelineAsync({ layout: "auto", compute: { module } })
            .then(() => console.log(`${id}: fine`), (error) => console.log(`${id}: ${error.message}`));
    }
} catch (error) {
    console.log(`no device: ${error}`);
}
console.log("the end");
</script>
"#;

/// Ends the browser also if the test fails.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens a page. What it logs goes to standard error, which is a pipe.
fn open_in_browser(page: &Path, profile: &Path) -> Browser {
    let given = std::env::var("CHROMIUM").ok().filter(|given| !given.is_empty());
    let names = given.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(str::to_owned));
    for name in names {
        let mut command = Command::new(name);
        command.args(["--headless", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]);
        // Without a graphics card Chromium counts on SwiftShader, which is in its package.
        command.args(["--enable-unsafe-webgpu", "--enable-logging=stderr"]);
        command.arg(format!("--user-data-dir={}", profile.display())).arg(page);
        if let Ok(child) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn() {
            return Browser(child);
        }
    }
    panic!("there is no browser: install chromium, or name one in CHROMIUM");
}

#[test]
#[ignore = "needs Chromium: scripts/slow.sh gpu"]
fn chromium_compiles_every_kernel() {
    let script = |kernel: &Kernel| format!("<script id='{kernel:?}' type='wgsl'>{}</script>\n", kernel.source());
    let folder = std::env::temp_dir().join(format!("nqueens-tint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let page = folder.join("kernels.html");
    std::fs::write(&page, kernels().iter().map(script).collect::<String>() + PAGE).unwrap();
    let mut browser = open_in_browser(&page, &folder);
    let lines = BufReader::new(browser.0.stderr.take().unwrap()).lines().map_while(Result::ok);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // `[process:thread:time:INFO:CONSOLE:line] "text", source: address (line)`
        let logged = |line: &str| {
            Some(line.split_once(":CONSOLE")?.1.split_once('"')?.1.rsplit_once("\", source")?.0.to_owned())
        };
        lines.filter_map(|line| logged(&line)).try_for_each(|text| sender.send(text))
    });
    let said = || receiver.recv_timeout(Duration::from_secs(300)).expect("the browser says nothing");
    let said: Vec<String> = std::iter::repeat_with(said).take_while(|text| text != "the end").collect();
    drop(browser);
    let _ = std::fs::remove_dir_all(folder);
    let expected: Vec<String> = kernels().iter().map(|kernel| format!("{kernel:?}: fine")).collect();
    assert_eq!(said, expected);
}
