//! How many threads fit the memory.

use nqueens::{Counter, Result};

use crate::exit;
use crate::machine::{self, MemoryLimit, granted, memory_limit};
use crate::terminal::units::{bytes, plural};

/// A number of threads in words, with what decided it if the user did not.
pub(crate) fn on_threads(threads: usize, is_typed: bool) -> String {
    // A short count takes one thread.
    let is_chosen = is_typed || threads < machine::usable_threads();
    let why = if is_chosen { String::new() } else { format!(": {}", machine::usable_in_words()) };
    format!("on {}{why}", plural(threads, "thread"))
}

/// The counter with its threads, and their number in words: the number that the user typed, or what fits the memory. If
/// the user typed none, the counter chooses: a short count takes one thread. The words say why there are fewer threads
/// than hardware threads.
///
/// # Errors
/// The typed number does not fit, or one thread does not.
pub(crate) fn fit(counter: Counter, typed: Option<usize>) -> anyhow::Result<(Counter, String)> {
    // The system is asked once for the number of threads.
    let threads = match typed {
        Some(typed) => typed,
        None => granted(counter.threads_used()?),
    };
    fit_in(counter.threads(threads), typed.is_some(), memory_limit())
}

fn fit_in(counter: Counter, is_typed: bool, limit: Option<MemoryLimit>) -> anyhow::Result<(Counter, String)> {
    let threads = counter.threads_used()?;
    let mut fitting = threads;
    if let Some(limit) = limit {
        while fitting > 0 && bytes_on(&counter, fitting, limit)? > limit.bytes {
            fitting -= 1;
        }
    }
    let Some(limit) = limit.filter(|_| fitting < threads) else {
        return Ok((counter, on_threads(threads, is_typed)));
    };
    let takes = |threads| -> Result<String> { Ok(bytes(bytes_on(&counter, threads, limit)?)) };
    let (size, solver) = (counter.size(), counter.choice()?.solver.name());
    let there_is = format!("more than the {} {}", bytes(limit.bytes), limit.words);
    if fitting == 0 || is_typed {
        let (least, advice) = match fitting {
            0 => (1, "count on a machine with more memory, or with '--solver bitmask', which takes longer".to_owned()),
            _ => (threads, format!("give '--threads {fitting}', which fits")),
        };
        let (takes, on) = (takes(least)?, plural(least, "thread"));
        return Err(exit::Kind::Failure
            .error(format!("n = {size} takes about {takes} with {solver} on {on}, {there_is}: {advice}")));
    }
    let all = takes(threads)?;
    let fewer = format!("on {fitting} of {threads} threads: on all of them it would take about {all}, {there_is}");
    Ok((counter.threads(fitting), fewer))
}

/// Predicted peak memory of a count on `threads` threads, in bytes.
pub(crate) fn predicted_bytes(counter: &Counter, threads: usize) -> Result<u64> {
    let choice = counter.choice()?;
    Ok(choice.solver.predicted_bytes(counter.size(), choice.isa, threads))
}

/// Predicted bytes of a count on `threads` threads, with their stacks if the limit counts them.
fn bytes_on(counter: &Counter, threads: usize, limit: MemoryLimit) -> Result<u64> {
    let stacks = limit.bytes_of_stack.saturating_mul(threads as u64);
    Ok(predicted_bytes(counter, threads)?.saturating_add(stacks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_do_not_fit_are_left_out_or_refused() {
        let counter = || Counter::new(24).unwrap().solver("color");
        let limit = |bytes| Some(MemoryLimit { bytes, words: "this machine has free", bytes_of_stack: 0 });
        let of = |threads| predicted_bytes(&counter(), threads).unwrap();
        assert!(of(1) < of(2) && of(2) < of(64));
        let fit = |typed: bool, limit: Option<MemoryLimit>| {
            let fitted = fit_in(counter().threads(64), typed, limit);
            fitted.map(|(counter, said)| (counter.threads_used().unwrap(), said))
        };
        for limit in [limit(of(64)), None] {
            let (fitting, said) = fit(false, limit).unwrap();
            assert!(fitting == 64 && said.starts_with("on 64 threads: "), "{said}");
        }
        assert_eq!(fit(true, None).unwrap().0, 64);
        let with_stacks = |bytes| Some(MemoryLimit { bytes_of_stack: 2 << 20, ..limit(bytes).unwrap() });
        for (limit, threads) in
            [(limit(of(7)), 7), (with_stacks(of(7) + 7 * (2 << 20)), 7), (with_stacks(of(7) + 7 * (2 << 20) - 1), 6)]
        {
            let (fitting, said) = fit(false, limit).unwrap();
            assert_eq!(fitting, threads);
            assert!(said.starts_with(&format!("on {threads} of 64 threads: ")));
        }
        for (typed, bytes, advice) in [(true, of(7), "give '--threads 7'"), (false, of(1) - 1, "--solver bitmask")] {
            let refused = fit(typed, limit(bytes)).unwrap_err();
            assert_eq!(exit::Kind::of(&refused), exit::Kind::Failure);
            assert!(refused.to_string().contains(advice), "{refused}");
        }
    }
}
