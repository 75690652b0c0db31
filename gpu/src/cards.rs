//! Workers that count units of `color` on graphics cards.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nqueens::board::Size;
use nqueens::internal::{ColorPlan, Method, OnPacks, Units};
use nqueens::registry;
use nqueens::solver::{Isa, Plan, Solver, Worker};
use nqueens::tally::Tally;
use nqueens::{CancelToken, Cancelled, Error, Result};
use serde::Serialize;

use crate::adapter::{self, Choice, NoCard};
use crate::card::{Card, KERNELS, Trouble};
use crate::unit::Counter;

/// The processor recounts one in this many units, and compares the counts.
pub const CHECKED_EVERY: usize = 200;

/// A solver that counts units of `color` on graphics cards. Its plan, units and tallies are those of `color`.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use nqueens::Counter;
/// use nqueens_gpu::{Cards, Choice};
///
/// let cards = Cards::open(&Choice::Cards)?;
/// let counter = Counter::new(20)?.threads(cards.names().len()).with_solver(Arc::new(cards));
/// assert_eq!(counter.run()?.solutions, 39_029_188_884);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cards(Arc<All>);

#[derive(Debug)]
struct All {
    names: Vec<String>,
    /// The cards that no worker uses.
    idle: Mutex<Vec<(usize, Counter)>>,
    /// The work of each card, by its number.
    done: Mutex<Vec<CardWork>>,
}

/// The seconds that a card took, by kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KernelSeconds {
    /// Making and merging lists.
    pub lists: f64,
    /// Making fittings.
    pub fittings: f64,
    /// Turning tables.
    pub turn: f64,
    /// Filling tables.
    pub fill: f64,
    /// Multiplying counts by table entries.
    pub dot: f64,
}

impl From<[f64; KERNELS]> for KernelSeconds {
    fn from([lists, fittings, turn, fill, dot]: [f64; KERNELS]) -> Self {
        Self { lists, fittings, turn, fill, dot }
    }
}

/// The work that a card has done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CardWork {
    /// The card's name.
    pub card: String,
    /// How many units it counted.
    pub units: u64,
    /// How many of these units the processor counted again, with equal tallies.
    pub checked: u64,
    /// How many units the processor counted instead.
    pub given_back: u64,
    /// Why the last of these units was given back.
    pub reason: Option<String>,
    /// The seconds that its kernels took.
    pub seconds: KernelSeconds,
    /// How often a leaf was compared with a slice of 32 keys while the card filled and multiplied tables.
    pub leaf_slices: u64,
}

impl Cards {
    /// Opens the chosen adapters.
    ///
    /// # Errors
    /// [`NoCard`] if none of them can count.
    pub fn open(choice: &Choice) -> Result<Self, NoCard> {
        Self::with_room(choice, usize::MAX)
    }

    /// Like [`open`](Self::open), with large buffers of at most `room` bytes.
    pub(crate) fn with_room(choice: &Choice, room: usize) -> Result<Self, NoCard> {
        let ready = |mut card: Card| {
            card.room = card.room.min(room);
            Counter::new(card).map_err(|trouble| trouble.to_string())
        };
        let idle: Vec<(usize, Counter)> = adapter::open(choice, ready)?.into_iter().enumerate().collect();
        let names: Vec<String> = idle.iter().map(|(_, counter)| counter.card.name.clone()).collect();
        let done = names.iter().map(|card| CardWork { card: card.clone(), ..CardWork::default() }).collect();
        Ok(Self(Arc::new(All { names, idle: Mutex::new(idle), done: Mutex::new(done) })))
    }

    /// Destroys the idle cards, as if their drivers had failed.
    #[cfg(test)]
    pub(crate) fn destroy(&self) {
        lock(&self.0.idle).iter().for_each(|(_, counter)| counter.card.destroy());
    }

    /// Puts a fault into the kernels of the idle cards.
    #[cfg(test)]
    pub(crate) fn break_kernels(&self, fault: [&'static str; 2]) {
        lock(&self.0.idle).iter_mut().for_each(|(_, counter)| counter.card.fault = fault);
    }

    /// Returns the names of the cards.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0.names
    }

    /// Returns the work that each card has done so far.
    #[must_use]
    pub fn work(&self) -> Vec<CardWork> {
        lock(&self.0.done).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the solver whose units the cards count.
fn color() -> &'static dyn Solver {
    registry::find("color").expect("the library has it")
}

impl Solver for Cards {
    fn name(&self) -> &'static str {
        color().name()
    }

    fn instruction_sets(&self) -> &'static [Isa] {
        color().instruction_sets()
    }

    fn plan(&self, size: Size, isa: Isa, cancel: &CancelToken) -> Result<Box<dyn Plan>> {
        let ColorPlan { units, method } = ColorPlan::new(size, OnPacks::new(size, isa), cancel)?;
        Ok(Box::new(ColorPlan { units, method: OnCards { cards: self.clone(), processor: method } }))
    }

    fn largest(&self) -> usize {
        color().largest()
    }

    fn predicted_seconds(&self, size: Size, isa: Isa) -> Option<f64> {
        color().predicted_seconds(size, isa)
    }

    fn predicted_bytes(&self, size: Size, isa: Isa, threads: usize) -> u64 {
        color().predicted_bytes(size, isa, threads)
    }
}

/// Makes the workers: the first ones count on a card each, and the others on the processor.
#[derive(Clone)]
struct OnCards {
    cards: Cards,
    processor: OnPacks,
}

impl Method for OnCards {
    fn workers<'a>(&'a self, units: &'a Units, threads: usize) -> Vec<Box<dyn Worker + 'a>> {
        let worker = |processor| -> Box<dyn Worker + 'a> {
            // If there are more threads than cards, the others count on the processor.
            let card = lock(&self.cards.0.idle).pop();
            Box::new(CardWorker { cards: &self.cards, units, card, processor })
        };
        self.processor.workers(units, threads).into_iter().map(worker).collect()
    }
}

thread_local! {
    static UNITS: Cell<u64> = const { Cell::new(0) };
}

/// Returns the number of units that cards have counted for this thread. The thread waits while a card counts, so the
/// seconds of such a unit are elapsed time.
#[must_use]
pub fn units_of_this_thread() -> u64 {
    UNITS.get()
}

/// Returns the error for a unit that a card, its driver or a kernel counted wrongly.
fn wrong(card: &str, unit: usize, problem: &str) -> Error {
    Error::Bug { unit: Some(unit), problem: format!("the graphics card '{card}' is wrong ({problem})") }
}

/// Counts units on a card, or on the processor if no card is left or if the card fails.
struct CardWorker<'a> {
    cards: &'a Cards,
    units: &'a Units,
    card: Option<(usize, Counter)>,
    processor: Box<dyn Worker + 'a>,
}

impl Drop for CardWorker<'_> {
    fn drop(&mut self) {
        lock(&self.cards.0.idle).extend(self.card.take());
    }
}

impl Worker for CardWorker<'_> {
    fn count(&mut self, unit: usize, cancel: &CancelToken) -> Result<Tally> {
        let Some((number, counter)) = &mut self.card else { return self.processor.count(unit, cancel) };
        let (class, o, terms) = self.units.terms(unit);
        let counted = counter.count(class, o, &terms, cancel);
        let (number, card) = (*number, counter.card.name.clone());
        let note = |change: &mut dyn FnMut(&mut CardWork)| change(&mut lock(&self.cards.0.done)[number]);
        note(&mut |work| (work.seconds, work.leaf_slices) = (counter.card.seconds.into(), counter.leaf_slices));
        match counted {
            Err(Trouble::Cancelled) => Err(Cancelled.into()),
            Err(Trouble::Wrong(problem)) => Err(wrong(&card, unit, problem)),
            Err(trouble) => {
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
                UNITS.set(UNITS.get() + 1);
                let is_checked = unit.is_multiple_of(CHECKED_EVERY);
                if is_checked {
                    let expected = self.processor.count(unit, cancel)?.solutions;
                    if expected != tally.solutions {
                        let problem = format!("it counts {}, and the processor {expected}", tally.solutions);
                        return Err(wrong(&card, unit, &problem));
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
