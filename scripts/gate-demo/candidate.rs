//! A build for scripts/gate-demo.sh that is slower or counts wrong on purpose. It answers as `nqueens bench sample`
//! does.
//!
//! Its file name says what is wrong. `slow-0030` adds 30 thousandths to the time of every sample, in a busy loop. A
//! name that begins with `errs` counts one solution too many. All candidates are copies of one file, so nothing else
//! differs. They run the program in their folder for all fields except the times.

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use nqueens::Counter;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |option: &str| arguments.iter().skip_while(|word| *word != option).nth(1).cloned();
    let workload = value("--workload").ok_or("give the workload: --workload ID")?;
    let repetitions: usize = value("--repetitions").unwrap_or_default().parse().unwrap_or(1);
    let file = std::env::current_exe()?;
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let thousandths: f64 = name.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0.0);

    let asked = Command::new(file.with_file_name("nqueens")).args(&arguments).output()?;
    if !asked.status.success() {
        return Err(String::from_utf8_lossy(&asked.stderr).into());
    }
    let mut answer: Value = serde_json::from_slice(&asked.stdout)?;
    let counter = counter(&workload, &answer)?;
    let runs = answer["runs"].as_u64().ok_or("no number of runs")?;
    let mut seconds = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let start = Instant::now();
        for _ in 0..runs {
            counter.run()?;
        }
        wait_until(start, start.elapsed().mul_f64(1.0 + thousandths / 1000.0));
        seconds.push(start.elapsed().as_secs_f64() / runs as f64);
    }
    answer["seconds"] = seconds.into();
    answer["processor_seconds"] = Vec::<f64>::new().into();
    if name.starts_with("errs") {
        let count: u128 = answer["count"].as_str().ok_or("no count")?.parse()?;
        answer["count"] = (count + 1).to_string().into();
    }
    println!("{answer}");
    Ok(())
}

/// What counts a workload such as `count/bitmask/n=13/t=1@3`, with the threads and the instruction set of the answer.
fn counter(workload: &str, answer: &Value) -> Result<Counter, Box<dyn Error>> {
    let mut parts = workload.split('/').skip(1);
    let solver = parts.next().ok_or("the workload names no solver")?;
    let size = parts.next().and_then(|part| part.strip_prefix("n=")).ok_or("the workload names no size")?.parse()?;
    let threads = answer["threads"].as_u64().ok_or("no number of threads")? as usize;
    let isa = answer["isa"].as_str().ok_or("no instruction set")?.parse()?;
    Ok(Counter::new(size)?.solver(solver).isa(isa).threads(threads))
}

/// Keeps the processor busy until so long after the start.
fn wait_until(start: Instant, end: Duration) {
    let mut turns = 0u64;
    while start.elapsed() < end {
        // More instructions than the clock's own, as other work would have.
        for _ in 0..100 {
            turns = black_box(turns + 1);
        }
    }
}
