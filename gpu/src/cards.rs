//! Workers that count units of `color` on graphics cards.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::gpu::{Card, Counter, KERNELS, Trouble};
use super::plan::Unit;
use super::{COLOR, Code, ColorPlan, ColorWorker};
use crate::board::Size;
use crate::count::Tally;
use crate::room::collect;
use crate::solver::{Isa, Plan, Solver, Worker};
use crate::{CancelToken, Error, Result};

/// One unit in this many is counted again by the processor, and compared.
pub const CHECKED_EVERY: usize = 200;

/// Graphics cards that count units of `color`. The plan is that of `color`: units, tallies and records are equal.
///
/// ```no_run
/// use std::sync::Arc;
/// use nqueens::{Counter, gpu::Cards};
///
/// let cards = Cards::open(false)?;
/// let counter = Counter::new(20)?.threads(cards.names().len()).with_solver(Arc::new(cards));
/// assert_eq!(counter.run()?.solutions, 39_029_188_884);
/// # Ok::<(), nqueens::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cards(Arc<All>);

#[derive(Debug)]
struct All {
    names: Vec<String>,
    /// The cards that no worker uses.
    idle: Mutex<Vec<(usize, Counter)>>,
    /// By card: what it did.
    done: Mutex<Vec<CardWork>>,
}

/// What a card has done.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CardWork {
    /// The card's name.
    pub card: String,
    /// Units that it counted.
    pub units: u64,
    /// Units among them that the processor counted again, with equal tallies.
    pub checked: u64,
    /// Units that the processor counted instead.
    pub given_back: u64,
    /// Why the last of them was given back.
    pub reason: Option<String>,
    /// Seconds of listing and merging, making planes, turning tables, filling, and multiplying.
    pub seconds: [f64; KERNELS],
    /// Words of 32 keys that leaves have met.
    pub leaf_words: u64,
}

impl Cards {
    /// Opens all graphics cards of this machine. With `software` it opens software adapters instead: programs that do
    /// what a card does on the processor, for tests.
    ///
    /// # Errors
    /// [`Error::NoCard`].
    pub fn open(software: bool) -> Result<Self> {
        Self::with_room(software, usize::MAX)
    }

    /// Like [`open`](Self::open), with large buffers of at most `room` bytes.
    pub(super) fn with_room(software: bool, room: usize) -> Result<Self> {
        let cards = Card::open_all(software).into_iter().filter_map(|mut card| {
            card.room = card.room.min(room);
            Counter::new(card).ok()
        });
        let idle: Vec<(usize, Counter)> = cards.enumerate().collect();
        if idle.is_empty() {
            return Err(Error::NoCard);
        }
        let names: Vec<String> = idle.iter().map(|(_, counter)| counter.card.name.clone()).collect();
        let done = names.iter().map(|card| CardWork { card: card.clone(), ..CardWork::default() }).collect();
        Ok(Self(Arc::new(All { names, idle: Mutex::new(idle), done: Mutex::new(done) })))
    }

    /// Ends the idle cards, as drivers that fail do.
    #[cfg(test)]
    pub(super) fn destroy(&self) {
        lock(&self.0.idle).iter().for_each(|(_, counter)| counter.card.destroy());
    }

    /// Puts a fault into the kernels of the idle cards.
    #[cfg(test)]
    pub(super) fn break_kernels(&self, fault: [&'static str; 2]) {
        lock(&self.0.idle).iter_mut().for_each(|(_, counter)| counter.card.fault = fault);
    }

    /// The names of the cards.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0.names
    }

    /// What each card has done so far.
    #[must_use]
    pub fn work(&self) -> Vec<CardWork> {
        lock(&self.0.done).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Solver for Cards {
    fn name(&self) -> &'static str {
        COLOR.name()
    }

    fn about(&self) -> &'static str {
        "the color split on graphics cards"
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        COLOR.instruction_sets()
    }

    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        let plan = COLOR.color_plan(size, isa, cancel)?;
        Ok(Box::new(ColorPlan { code: Code::Cards(self.clone()), ..plan }))
    }

    fn largest(&self) -> usize {
        COLOR.largest()
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> f64 {
        COLOR.predicted_seconds(size, isa)
    }

    fn predicted_bytes(&self, size: Size, isa: Isa, threads: usize) -> u64 {
        COLOR.predicted_bytes(size, isa, threads)
    }
}

/// Counts units on a card, or on the processor if there is no card left, or if the card fails.
pub(super) struct CardWorker<'a> {
    plan: &'a ColorPlan,
    cards: &'a Cards,
    card: Option<(usize, Counter)>,
    processor: ColorWorker<'a>,
}

impl<'a> CardWorker<'a> {
    /// Makes a worker with an idle card, if there is one left.
    pub(super) fn new(plan: &'a ColorPlan, cards: &'a Cards, processor: ColorWorker<'a>) -> Self {
        Self { plan, cards, card: lock(&cards.0.idle).pop(), processor }
    }
}

impl Drop for CardWorker<'_> {
    fn drop(&mut self) {
        lock(&self.cards.0.idle).extend(self.card.take());
    }
}

impl Worker for CardWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Some((number, counter)) = &mut self.card else { return self.processor.count(unit, cancel) };
        let Unit { family, o, .. } = self.plan.units[unit];
        let family = &self.plan.families[family];
        let counted = counter.count(&family.class, o, &collect(family.terms(o))?, cancel);
        let (number, card) = (*number, counter.card.name.clone());
        let note = |change: &mut dyn FnMut(&mut CardWork)| change(&mut lock(&self.cards.0.done)[number]);
        note(&mut |work| (work.seconds, work.leaf_words) = (counter.card.seconds, counter.leaf_words));
        match counted {
            // The caller drops the tally of a unit that was stopped.
            Err(None) => Ok(Tally::default()),
            Err(Some(Trouble::Wrong(problem))) => Err(Error::Card { card, unit, problem: problem.to_owned() }),
            Err(Some(trouble)) => {
                note(&mut |work| {
                    work.given_back += 1;
                    work.reason = Some(trouble.to_string());
                });
                if matches!(trouble, Trouble::Lost(_)) {
                    self.card = None;
                }
                self.processor.count(unit, cancel)
            }
            Ok(tally) => {
                let is_checked = unit.is_multiple_of(CHECKED_EVERY);
                if is_checked {
                    let expected = self.processor.count(unit, cancel)?.solutions;
                    if expected != tally.solutions && !cancel.is_cancelled() {
                        let problem = format!("it counts {}, and the processor {expected}", tally.solutions);
                        return Err(Error::Card { card, unit, problem });
                    }
                }
                note(&mut |work| {
                    work.units += 1;
                    work.checked += u64::from(is_checked);
                });
                Ok(tally)
            }
        }
    }
}
