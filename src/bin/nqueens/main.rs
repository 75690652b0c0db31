//! The command line program.

#![forbid(unsafe_code)]

#[cfg(test)]
#[path = "../../altered.rs"]
mod altered;
mod bench;
mod commands;
mod draw;
mod exit;
mod machine;
mod runs;
mod terminal;
#[cfg(test)]
mod tests;
mod version;

fn main() -> std::process::ExitCode {
    commands::main(std::env::args_os()).into()
}

/// The static builds' own allocator: that of musl is slow where threads share it. This one divides up pieces of a MiB and
/// more. Seconds of `count 18 --threads 2` and 20 on two cores of a Zen 4, over those of the build with glibc:
///
/// | allocator | 18 | 20 | memory, 20 |
/// | --- | ---: | ---: | ---: |
/// | glibc | 1 (0.130 s) | 1 (2.3 s) | 39 MiB |
/// | musl | 1.18 | 1.05 | 36 MiB |
/// | dlmalloc 0.2, behind a lock that sleeps | 1.11 | 1.01 | 37 MiB |
/// | mimalloc 0.1 (in C) | 0.98 | 1.00 | 99 MiB |
/// | talc 5, this one | 1.02 | 1.01 | 36 MiB |
///
/// Eight threads on the two cores took 1.21 times as long as with glibc when waiting only spun, and 0.99 times as it is.
#[cfg(target_env = "musl")]
mod allocator {
    use std::alloc::System;

    use spinning_top::RawSpinlock;
    use spinning_top::relax::Relax;
    use talc::TalcLock;
    use talc::source::GlobalAllocSource;

    #[global_allocator]
    static ALLOCATOR: TalcLock<RawSpinlock<Patience>, GlobalAllocSource<System>> =
        TalcLock::new(GlobalAllocSource::new(System));

    /// Waits for the allocator's lock, which is held for some dozen nanoseconds: unless the thread that holds it was
    /// interrupted, and then it may need this processor.
    #[derive(Default)]
    struct Patience {
        asked: u8,
    }

    /// How often to ask before another thread may run.
    const SOON: u8 = 100;

    impl Relax for Patience {
        fn relax(&mut self) {
            if self.asked < SOON {
                self.asked += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
