//! Whether a count fits the available memory.

use crate::machine::{Room, address_space, room};
use crate::terminal::plural::plural;
use crate::terminal::units::bytes;
use nqueens::engine::Pool;
use nqueens::{Counter, Result};

use super::threads::Asked;
use crate::exit::Fault;

/// Predicted peak memory of a count on `threads` threads, in bytes.
pub(crate) fn predicted(counter: &Counter, threads: usize) -> Result<u64> {
    let choice = counter.choice()?;
    Ok(choice.solver.predicted_bytes(counter.size(), choice.isa, threads))
}

/// Predicted peak memory with the stacks of the threads, in bytes.
fn needed(counter: &Counter, threads: usize, room: Room) -> Result<u64> {
    Ok(predicted(counter, threads)? + threads as u64 * room.bytes_of_stack)
}

/// The largest number of threads, up to that of the counter, whose memory fits; 0 if one thread does not fit.
pub(crate) fn threads_that_fit(counter: &Counter, room: Option<Room>) -> Result<usize> {
    room.map_or_else(|| counter.threads_used(), |room| counter.threads_within(room.bytes, room.bytes_of_stack))
}

/// The counter with the number of threads that fit. If that is fewer than it had, the text says so. Fails if the user
/// set the number of threads, or if one thread does not fit.
pub(crate) fn fit(counter: Counter, asked: Option<Asked>) -> anyhow::Result<(Counter, Option<String>)> {
    // A small count fits every machine, so the system is not asked.
    let is_small = predicted(&counter, counter.threads_used()?)? < FITS_ANYWHERE;
    let room = if is_small { address_space() } else { room() };
    fit_in(counter, asked, room)
}

/// Every machine has this much memory, in bytes.
const FITS_ANYWHERE: u64 = 16 << 20;

/// Fails if the limit of the address space leaves less than any command needs. Without this check, Rust would end the
/// program without naming the limit, at a small allocation or at the start of a thread.
pub(crate) fn refuse_little() -> anyhow::Result<()> {
    match address_space() {
        Some(room) if room.bytes < FITS_ANYWHERE => Err(Fault::Failure.error(format!(
            "a command takes {} beside the program itself, more than the {} {}: raise the limit by {}",
            bytes(FITS_ANYWHERE),
            bytes(room.bytes),
            room.limit,
            bytes(FITS_ANYWHERE - room.bytes)
        ))),
        _ => Ok(()),
    }
}

fn fit_in(counter: Counter, asked: Option<Asked>, room: Option<Room>) -> anyhow::Result<(Counter, Option<String>)> {
    let threads = counter.threads_used()?;
    let fitting = threads_that_fit(&counter, room)?;
    let Some(room) = room.filter(|_| fitting < threads) else { return Ok((counter, None)) };
    let (size, solver) = (counter.size(), counter.choice()?.solver.name());
    let there_is = format!("{} {}", bytes(room.bytes), room.limit);
    if fitting == 0 {
        return Err(Fault::Failure.error(format!(
            "n = {size} takes about {} with {solver} on one thread, more than the {there_is}: count on a machine with more \
             memory, or with '--solver bitmask', which needs little memory and much more time",
            bytes(needed(&counter, 1, room)?),
        )));
    }
    if let Some(asked) = asked {
        return Err(Fault::Failure.error(format!(
            "n = {size} takes about {} with {solver} on {}{}, more than the {there_is}: \
             give '--threads {fitting}', which fits",
            bytes(needed(&counter, threads, room)?),
            plural(threads, "thread"),
            asked.source(),
        )));
    }
    let said = format!(
        "on {fitting} of {threads} threads: on all of them it would take about {}, more than the {there_is}",
        bytes(needed(&counter, threads, room)?)
    );
    Ok((counter.threads(Pool::UpTo(fitting)), Some(said)))
}

#[cfg(test)]
mod tests {
    use super::super::threads::THREADS_VARIABLE;
    use super::*;

    #[test]
    fn threads_that_do_not_fit_are_left_out_or_refused() {
        let counter = || Counter::new(24).unwrap().solver("color").threads(64);
        let room = |bytes| Some(Room::of_memory(bytes, "this machine has free"));
        let of = |threads| predicted(&counter(), threads).unwrap();
        assert!(of(1) < of(2) && of(2) < of(64));
        let with_stacks = |bytes| Some(Room { bytes_of_stack: 2 << 20, ..room(bytes).unwrap() });
        assert_eq!(threads_that_fit(&counter(), with_stacks(of(7) + 7 * (2 << 20))), Ok(7));
        assert_eq!(threads_that_fit(&counter(), with_stacks(of(7) + 7 * (2 << 20) - 1)), Ok(6));
        let typed = Some(Asked { threads: 64, is_by_variable: false });
        assert!(fit_in(counter(), typed, room(of(64))).is_ok_and(|(_, said)| said.is_none()));
        assert!(fit_in(counter(), typed, None).is_ok_and(|(_, said)| said.is_none()));
        let (fewer, said) = fit_in(counter(), None, room(of(7))).unwrap();
        assert_eq!(fewer.threads_used(), Ok(7));
        assert!(said.unwrap().starts_with("on 7 of 64 threads: "));
        let refused = fit_in(counter(), typed, room(of(7))).err().unwrap();
        assert!(refused.to_string().contains("give '--threads 7'"), "{refused}");
        assert!(!refused.to_string().contains(THREADS_VARIABLE), "{refused}");
        let by_variable = Some(Asked { threads: 64, is_by_variable: true });
        let named = fit_in(counter(), by_variable, room(of(7))).err().unwrap();
        assert!(named.to_string().contains("on 64 threads (NQUEENS_THREADS), more than"), "{named}");
        assert_eq!(Fault::of(&refused), Fault::Failure);
        let refused = fit_in(counter(), None, room(of(1) - 1)).err().unwrap();
        assert!(refused.to_string().contains("--solver bitmask"), "{refused}");
    }
}
