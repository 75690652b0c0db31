//! A build for scripts/gate-demo.sh to judge: it counts with this library and answers as `nqueens sample` does, and its
//! file's name says how it is worse than the others. After a dash come thousandths of the time of every sample, which it
//! waits in a busy loop (`slow-0030`: 3 % slower); one whose name begins with `errs` counts one solution too many.
//!
//! All candidates are one file under several names, so that nothing else differs between them.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use nqueens::CancelToken;
use nqueens::measure::WorkloadId;
use nqueens::measure::regress::protocol::answer;
use nqueens::measure::sample::Runner;
use nqueens::solver::Isa;

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = std::env::args().skip(1);
    if options.next().as_deref() != Some("sample") {
        return Err("this is a build for 'nqueens regress', which asks it to 'sample'".into());
    }
    let (mut workload, mut repetitions, mut runs, mut isa) = (None, 1usize, None, None);
    while let (Some(option), Some(value)) = (options.next(), options.next()) {
        match option.as_str() {
            "--workload" => workload = Some(value.parse::<WorkloadId>()?),
            "--repetitions" => repetitions = value.parse()?,
            "--runs" => runs = Some(value.parse()?),
            "--isa" if value != "auto" => isa = Some(value.parse::<Isa>()?),
            "--isa" => {}
            _ => return Err(format!("'{option}' is not an option of 'sample'").into()),
        }
    }
    let workload = workload.ok_or("give the workload: --workload ID")?;
    let file = std::env::current_exe()?;
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let thousandths: f64 = name.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0.0);

    let cancel = CancelToken::new();
    let mut answer = answer(&workload, isa, 1, runs, &cancel)?;
    let mut runner = Runner::new(&workload, isa)?;
    answer.seconds.clear();
    answer.processor_seconds.clear();
    for _ in 0..repetitions {
        let start = Instant::now();
        runner.sample(answer.runs, &cancel)?;
        wait_until(start, start.elapsed().mul_f64(1.0 + thousandths / 1000.0));
        answer.seconds.push(start.elapsed().as_secs_f64() / answer.runs as f64);
    }
    if name.starts_with("errs") {
        answer.count.0 += 1;
    }
    println!("{}", serde_json::to_string(&answer)?);
    Ok(())
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
