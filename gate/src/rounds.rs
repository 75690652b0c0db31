//! The runs of a pair of commands, and the order in which a round runs them.

use serde::Serialize;

use crate::clock::Clock;

/// The runs before the first round. The second run of the base shows whether it prints the same each time.
pub(crate) const WARM_UP: [Side; 3] = [Side::Base, Side::Base, Side::Head];

/// One of the two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Head,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

/// The measurements of one run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Run {
    /// Seconds by each of [`Clock::ALL`].
    pub(crate) times: [f64; 2],
    /// How often the run gave up its processor to wait for a thread, a file or a timer.
    pub(crate) waits: u64,
    /// Peak memory in bytes.
    pub(crate) memory: u64,
}

/// Two runs of the base and two of the head, each in the order in which they ran.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct Round {
    pub(crate) base: [Run; 2],
    pub(crate) head: [Run; 2],
}

impl Run {
    /// Returns the seconds by a clock.
    pub(crate) fn time(&self, clock: Clock) -> f64 {
        self.times[clock as usize]
    }
}

impl Round {
    /// Runs a round, whose number decides the order of its runs. `run` runs a side once.
    pub(crate) fn run<E>(number: usize, mut run: impl FnMut(Side) -> Result<Run, E>) -> Result<Self, E> {
        use Side::{Base, Head};
        let order = if number.is_multiple_of(2) { [Base, Head, Head, Base] } else { [Head, Base, Base, Head] };
        let mut round = Self::default();
        for (at, side) in order.into_iter().enumerate() {
            let runs = if side == Base { &mut round.base } else { &mut round.head };
            runs[at / 2] = run(side)?;
        }
        Ok(round)
    }

    /// Returns whether both runs of the head take longer than both runs of the base, by more than a `limit` such as
    /// 1.03.
    pub(crate) fn is_clear(&self, clock: Clock, limit: f64) -> bool {
        let [base, head] = [self.base, self.head].map(|runs| runs.map(|run| run.time(clock)));
        head[0].min(head[1]) > base[0].max(base[1]) * limit
    }
}

/// Returns a value of all runs of the base and of all runs of the head, each in ascending order.
pub(crate) fn ascending(rounds: &[Round], of: impl Fn(&Run) -> f64) -> [Vec<f64>; 2] {
    [|round: &Round| round.base, |round: &Round| round.head].map(|side| {
        let mut values: Vec<f64> = rounds.iter().flat_map(side).map(|run| of(&run)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn the_order_turns() {
        let mut order = Vec::new();
        for number in 0..4 {
            let run = |side| {
                order.push(side);
                Ok::<_, Infallible>(Run::default())
            };
            let Ok(_) = Round::run(number, run);
        }
        let (a, b) = (Side::Base, Side::Head);
        assert_eq!(order, [[a, b, b, a, b, a, a, b]; 2].concat());
    }
}
