//! The number of threads that fit in memory.

use anyhow::bail;
use nqueens::board::Size;

use super::{Cards, Code, Counting};
use crate::machine::{self, MemoryLimit, granted, memory_limit};
use crate::terminal::units::{bytes, plural};
use WantedThreads::{Typed, Usual};

/// A number of threads that may need more memory than there is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WantedThreads {
    /// The user typed it, so a count fails if they do not fit.
    Typed(usize),
    /// The program chose it, so a count takes as many of them as fit.
    Usual(usize),
}

/// The number of threads of a count.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub(crate) threads: usize,
    /// The cards, or the threads with the limit that decided their number, in words such as `on 2 threads`.
    pub(crate) hardware: String,
}

impl Fitted {
    /// Describes threads, all of which fit. Names what limits their number, unless the user typed it.
    pub(crate) fn all(wanted: WantedThreads) -> Self {
        let (Typed(threads) | Usual(threads)) = wanted;
        // A short count takes one thread by choice, so no limit is named.
        let is_limited = matches!(wanted, Usual(_)) && threads >= machine::usable_threads();
        let limit = if is_limited { machine::limit_in_words() } else { None };
        let limit = limit.map_or_else(String::new, |limit| format!(": {limit}"));
        Self { threads, hardware: format!("on {}{limit}", plural(threads, "thread")) }
    }
}

impl Counting {
    /// Returns the number of threads for code that counts boards of a size: one for each card, or the number that the
    /// user typed. If none was typed, it is one for a short count, and otherwise as many of all usable threads as fit
    /// in memory.
    ///
    /// # Errors
    /// The typed number of threads does not fit in memory, or not even one thread does.
    pub(crate) fn fit(&self, code: Code<'_>, size: Size) -> anyhow::Result<Fitted> {
        if let Some(Cards { names, .. }) = &self.cards {
            return Ok(Fitted { threads: names.len(), hardware: format!("on {}", names.join(", ")) });
        }
        let usual = granted(code.counter(size).threads_used()?);
        fit_in(code, size, self.wanted_threads.map_or(Usual(usual), Typed), memory_limit())
    }
}

/// Returns the wanted threads or, unless the user typed their number, as many of them as fit in memory.
fn fit_in(
    Code { solver, isa, .. }: Code<'_>,
    size: Size,
    wanted: WantedThreads,
    limit: Option<MemoryLimit>,
) -> anyhow::Result<Fitted> {
    let Some(limit) = limit else { return Ok(Fitted::all(wanted)) };
    let (Typed(threads) | Usual(threads)) = wanted;
    let needed = |threads| limit.charged(solver.predicted_bytes(size, isa, threads), threads);
    let fitting = (1..=threads).rev().find(|&threads| needed(threads) <= limit.bytes);
    let there_is = format!("more than the {} {}", bytes(limit.bytes), limit.words);
    let refuse = |threads, advice| {
        let takes = bytes(needed(threads));
        let threads = plural(threads, "thread");
        let solver = solver.name();
        let problem = format!("n = {size} takes about {takes} with {solver} on {threads}, {there_is}: {advice}");
        bail!(problem)
    };
    match (fitting, wanted) {
        (Some(fitting), _) if fitting == threads => Ok(Fitted::all(wanted)),
        (None, _) => refuse(1, limit.remedy.to_owned()),
        (Some(fitting), Typed(_)) => refuse(threads, format!("give '--threads {fitting}', which fits")),
        (Some(fitting), Usual(_)) => {
            let all = bytes(needed(threads));
            let hardware =
                format!("on {fitting} of {threads} threads: on all of them it would take about {all}, {there_is}");
            Ok(Fitted { threads: fitting, hardware })
        }
    }
}

#[cfg(test)]
mod tests {
    use nqueens::registry;

    use super::*;
    use crate::exit;

    #[test]
    fn threads_that_do_not_fit_are_left_out_or_refused() {
        let (size, code) = (Size::new(24).unwrap(), Code::on_processor(registry::COLOR, registry::machine_isa()));
        let limit = |bytes| Some(MemoryLimit { bytes, words: "there is", remedy: "get more", bytes_of_stack: 0 });
        let of = |threads| code.solver.predicted_bytes(size, code.isa, threads);
        assert!(of(1) < of(2) && of(2) < of(64));
        let fit = |wanted: fn(usize) -> WantedThreads, limit| fit_in(code, size, wanted(64), limit);
        for limit in [limit(of(64)), None] {
            let Fitted { threads, hardware } = fit(Usual, limit).unwrap();
            assert!(threads == 64 && hardware.starts_with("on 64 threads"), "{hardware}");
        }
        assert_eq!(fit(Typed, None).unwrap().threads, 64);
        let with_stacks = |bytes| Some(MemoryLimit { bytes_of_stack: 2 << 20, ..limit(bytes).unwrap() });
        for (limit, threads) in
            [(limit(of(7)), 7), (with_stacks(of(7) + 7 * (2 << 20)), 7), (with_stacks(of(7) + 7 * (2 << 20) - 1), 6)]
        {
            let fitted = fit(Usual, limit).unwrap();
            assert_eq!(fitted.threads, threads);
            assert!(fitted.hardware.starts_with(&format!("on {threads} of 64 threads: ")));
        }
        for (wanted, bytes, advice) in [
            (Typed as fn(usize) -> WantedThreads, of(7), "give '--threads 7', which fits"),
            (Usual, of(1) - 1, "there is: get more"),
            (Typed, 0, "there is: get more"),
        ] {
            let refused = fit(wanted, limit(bytes)).unwrap_err();
            assert_eq!(exit::Kind::of(&refused), exit::Kind::Failure);
            let refused = refused.to_string();
            assert!(refused.contains(advice), "{refused}");
        }
    }
}
