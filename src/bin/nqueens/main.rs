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
    let status = commands::main(std::env::args_os());
    terminal::signals::end_by_signal(status);
    status.into()
}

/// The allocator of static builds: that of musl is slow if threads share it. Its lock lets other threads run, because
/// threads beyond the cores would wait long for a lock that only spins.
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
