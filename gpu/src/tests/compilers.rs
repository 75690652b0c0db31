//! What compilers say about the kernels: naga, which wgpu has, and Chromium's Tint.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use wgpu::Limits;
use wgpu::naga::proc::Layouter;
use wgpu::naga::{AddressSpace, front::wgsl};

use crate::adapter::{STORAGE_BUFFERS, WORKGROUP_BYTES, lacks};
use crate::card::Kernel;

/// Every kernel, for each number of free columns.
fn kernels() -> Vec<Kernel> {
    let counting = (2..=15).flat_map(|columns| [Kernel::Fill(columns), Kernel::Dot(columns)]);
    [Kernel::Merge, Kernel::Planes, Kernel::Turn].into_iter().chain(counting).collect()
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

/// Compiles the scripts of the page, with the limits that every browser has, and sends what the compiler says.
const PAGE: &str = r#"<!doctype html><script type="module">
const say = (text) => fetch("/said", { method: "POST", body: text });
try {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const said = [];
    for (const { id, textContent: code } of document.querySelectorAll("script[id]")) {
        const module = device.createShaderModule({ code });
        for (const message of (await module.getCompilationInfo()).messages) said.push(`${id}: ${message.message}`);
        await device.createComputePipelineAsync({ layout: "auto", compute: { module } })
            .then(() => said.push(`${id}: fine`), (error) => said.push(`${id}: ${error.message}`));
    }
    say(said.join("\n"));
} catch (error) {
    say(`no device: ${error}`);
}
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

fn open_in_browser(address: &str, profile: &str) -> Browser {
    let given = std::env::var("CHROMIUM").ok().filter(|given| !given.is_empty());
    let names = given.into_iter().chain(["chromium", "chromium-browser", "google-chrome"].map(str::to_owned));
    for name in names {
        let mut command = Command::new(name);
        command.args(["--headless", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]);
        // Without a graphics card Chromium counts on SwiftShader, which is in its package.
        command.args(["--enable-unsafe-webgpu", &format!("--user-data-dir={profile}"), address]);
        if let Ok(child) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            return Browser(child);
        }
    }
    panic!("there is no browser: install chromium, or name one in CHROMIUM");
}

/// Answers a request. Returns what a page sends.
fn answer(mut stream: TcpStream, page: &str) -> std::io::Result<Option<String>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let (mut read, mut part) = (Vec::new(), [0; 4096]);
    let (head, body) = loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                break (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut part)? {
            0 => return Ok(None),
            bytes => read.extend_from_slice(&part[..bytes]),
        }
    };
    let sent = if head.starts_with("GET / ") { page } else { "" };
    let length = sent.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{sent}")?;
    Ok(head.starts_with("POST").then_some(body))
}

#[test]
#[ignore = "needs Chromium: scripts/slow.sh gpu"]
fn chromium_compiles_every_kernel() {
    let script = |kernel: &Kernel| format!("<script id='{kernel:?}' type='wgsl'>{}</script>\n", kernel.source());
    let page = kernels().iter().map(script).collect::<String>() + PAGE;
    let profile = std::env::temp_dir().join(format!("nqueens-tint-{}", std::process::id()));
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let browser = open_in_browser(&format!("http://{}/", server.local_addr().unwrap()), profile.to_str().unwrap());
    let start = Instant::now();
    let said = loop {
        assert!(start.elapsed() < Duration::from_secs(300), "the browser says nothing");
        match server.accept() {
            Ok((stream, _)) => {
                if let Ok(Some(said)) = answer(stream, &page) {
                    break said;
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(Duration::from_millis(20)),
            Err(error) => panic!("{error}"),
        }
    };
    drop(browser);
    let _ = std::fs::remove_dir_all(profile);
    let expected: Vec<String> = kernels().iter().map(|kernel| format!("{kernel:?}: fine")).collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
