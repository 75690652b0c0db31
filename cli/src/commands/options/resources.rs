//! What counts: threads of the processor, or graphics cards as a solver with threads of their own.

use nqueens::Counter;
use nqueens::engine::Pool;
use serde_json::Value;

use super::{DeviceOption, OnCards, ThreadsOption};
use crate::terminal::Streams;

/// The threads and the graphics cards of a command.
pub(crate) struct Resources {
    threads: ThreadsOption,
    pub(crate) cards: Option<OnCards>,
}

impl Resources {
    /// Opens the graphics cards that were asked for, if any. Warns of variables of schedulers that cannot be read.
    pub(crate) fn open(threads: ThreadsOption, device: &DeviceOption, streams: &Streams<'_>) -> anyhow::Result<Self> {
        threads.warn(streams);
        Ok(Self { threads, cards: device.open(threads)? })
    }

    /// The threads of the engine, one for each card.
    pub(crate) fn pool(&self) -> Pool {
        match &self.cards {
            Some(cards) => Pool::Own(cards.threads()),
            None => self.threads.pool(self.threads.number()),
        }
    }

    /// What counts, in words, and what decided the number of threads.
    pub(crate) fn in_words(&self) -> String {
        match &self.cards {
            Some(cards) => format!("on {}", cards.in_words()),
            None => self.threads.in_words(self.threads.number()),
        }
    }

    /// The counter with the threads that fit the memory, as [`ThreadsOption::fit`]. Cards bring theirs.
    pub(crate) fn fit(&self, counter: Counter) -> anyhow::Result<(Counter, Option<String>)> {
        if self.cards.is_some() { Ok((counter, None)) } else { self.threads.fit(counter) }
    }

    /// What each card did since the program started, as in JSON.
    pub(crate) fn work(&self) -> Vec<Value> {
        self.cards.as_ref().map_or_else(Vec::new, OnCards::work)
    }

    /// Notes which units the cards could not count.
    pub(crate) fn note(&self, streams: &Streams<'_>) {
        self.cards.iter().for_each(|cards| cards.note(|text| streams.note(text)));
    }
}
