//! What `nqueens estimate` prints.

use serde::Serialize;

use super::sampler::Sampled;
use crate::terminal::Streams;
use crate::terminal::duration::in_words;
use crate::terminal::plural::plural;
use crate::terminal::units::{self, seconds_in_json};

/// Everything that is printed.
#[derive(Serialize)]
pub(super) struct EstimateReport<'a> {
    pub(super) schema: u32,
    pub(super) size: usize,
    pub(super) solver: &'a str,
    pub(super) isa: &'a str,
    pub(super) threads: usize,
    #[serde(serialize_with = "seconds_in_json")]
    pub(super) predicted_core_seconds: f64,
    pub(super) predicted_bytes: u64,
    pub(super) shards: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sample: Option<Sampled>,
}

impl EstimateReport<'_> {
    /// Prints the estimate for people.
    pub(super) fn show(&self, streams: &mut Streams<'_>) -> std::io::Result<()> {
        let mut line = |name: &str, text: String| writeln!(streams.out, "{name:<10} {text}");
        let threads = plural(self.threads, "thread");
        line(&format!("n = {}", self.size), format!("{} ({}) on {threads}", self.solver, self.isa))?;
        let time = |core_seconds: f64| in_words(core_seconds / self.threads as f64);
        let (core_seconds, error) = match &self.sample {
            Some(sample) => (sample.core_seconds, format!("standard error {}", time(sample.core_seconds_error))),
            None => (self.predicted_core_seconds, "predicted".to_owned()),
        };
        line("time", format!("about {} on free cores, {error}", time(core_seconds)))?;
        line("core time", format!("about {}", in_words(core_seconds)))?;
        line("memory", format!("about {} predicted", units::bytes(self.predicted_bytes)))?;
        if let Some(sample) = &self.sample {
            let percent = 100.0 * sample.solutions_error / sample.solutions.max(1.0);
            let told = match sample.counted {
                Some(counted) => format!("{counted}, counted in full"),
                None => format!("about {:.4e}, standard error {percent:.2} %", sample.solutions),
            };
            line("solutions", told)?;
            line(
                "sample",
                format!(
                    "{}, {:.2} % of the predicted work, in {} on {}; sum {}",
                    plural(sample.parts, "part"),
                    100.0 * sample.share,
                    in_words(sample.elapsed_seconds),
                    plural(sample.threads, "thread"),
                    sample.sum
                ),
            )?;
        }
        line("shards", format!("{}, by 'nqueens run plan {} --dir RUN'", self.shards, self.size))
    }
}
