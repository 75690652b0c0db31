//! `nqueens estimate`: how long a count would take.

mod timed_units;

use std::io;
use std::time::Duration;

use nqueens::board::Size;
use nqueens::solver::Isa;
use serde_json::{Value, json};

use super::counting::{Code, Counting, Fitted, WantedThreads};
use super::options::{TypedSolver, any_isa_parser, parse_duration, parse_sizes, solver_parser, threads_parser};
use crate::exit;
use crate::forecast::Forecast;
use crate::run::RunPlan;
use crate::terminal::Streams;
use crate::terminal::durations::{between, in_words};
use crate::terminal::table::{Column, Table};
use crate::terminal::task::Task;
use crate::terminal::units::bytes;
use timed_units::TimedUnits;

/// Predict the time, memory and shards of a count
///
/// Predictions are based on measured counts. A prediction of more than ten seconds is scaled by the speed of this
/// machine, which takes 0.1 s to measure. For a run in progress, 'nqueens status RUN' makes a better forecast.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens estimate 24               predict for this machine
  nqueens estimate 24..=28          predict for several sizes
  nqueens estimate 22 --threads 64  predict for 64 threads
  nqueens estimate 26 --measure 5m  time a sample of units for five minutes")]
pub(crate) struct Args {
    /// Sizes and ranges of sizes, from 0 to 32, such as 24 or 24..=28
    #[arg(value_name = "N", required = true, allow_negative_numbers = true, value_parser = parse_sizes)]
    sizes: Vec<Vec<Size>>,
    /// Solver to predict for
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = solver_parser())]
    solver: TypedSolver,
    /// Number of threads to predict for, each on its own core, here or elsewhere. Default: as many as 'nqueens count'
    /// starts here
    #[arg(long, short, value_name = "T", value_parser = threads_parser(), allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Highest instruction set to predict for, here or, with --threads, on a machine that has it. Default: the best of
    /// this machine
    #[arg(long, value_name = "SET", value_parser = any_isa_parser())]
    isa: Option<Isa>,
    /// Time a sample of units on one thread and predict the other units from it. This takes about TIME, or longer if
    /// TIME is too short for two timings of each kind of unit or if other programs run
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    measure: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    refuse_missing_isa(args)?;
    args.sizes.iter().flatten().try_for_each(|&size| estimate(args, size, streams))
}

/// Fails if this machine lacks the typed instruction set and the other options do not describe another machine.
fn refuse_missing_isa(args: &Args) -> anyhow::Result<()> {
    let Some(Err(missing)) = args.isa.map(Isa::checked) else { return Ok(()) };
    let advice = match (args.measure, args.threads) {
        (Some(_), _) => "--measure can only time code of this machine",
        (None, None) => "to predict for a machine that has it, add its number of threads with --threads",
        (None, Some(_)) => return Ok(()),
    };
    Err(exit::Kind::Usage.error(format!("{missing}; {advice}")))
}

/// Prints the estimate of the count for a size, after timing a sample of its units if `--measure` asks for one.
fn estimate(args: &Args, size: Size, streams: &mut Streams<'_>) -> anyhow::Result<()> {
    let solver = args.solver.unwrap_or_else(|| RunPlan::default_solver(size));
    solver.check_size(size)?;
    let counting = Counting::on_processor(args.threads, args.isa);
    let code = args.isa.map_or(counting.code(solver)?, |isa| Code::elsewhere(solver, isa));
    let fitted = fitted(args, &counting, code, size, streams);
    let here = code.forecast(size, fitted.threads);
    let by_formula = if args.threads.is_some() { here.elsewhere() } else { here };
    let plan = code.plan(size)?;
    let mut timed = None;
    let mut ended = Ok(());
    if let Some(time) = args.measure {
        let units = timed.insert(TimedUnits::new(&*plan)?);
        // An interrupted estimate is printed before it fails, and so is its sample.
        ended = measure_units(units, time, here, size, streams);
    }
    let by_sample = timed.as_ref().and_then(|timed| by_sample(timed, by_formula, size, streams));
    let estimate = Estimate {
        size,
        code,
        predicted_bytes: solver.predicted_bytes(size, code.isa, fitted.threads),
        fitted,
        uses_sample: by_sample.is_some(),
        forecast: by_sample.unwrap_or(by_formula),
        timed,
        shards: RunPlan::usual_shards(size, solver, plan.units()),
    };
    if args.json {
        streams.json(estimate.json())?;
    } else {
        estimate.show(streams)?;
    }
    ended
}

/// Returns the threads to predict for. A typed number may describe another machine, with enough memory and with a core
/// for each thread. If none was typed, they are those that `count` starts here.
fn fitted(args: &Args, counting: &Counting, code: Code<'_>, size: Size, streams: &Streams<'_>) -> Fitted {
    if let Some(typed) = args.threads {
        return Fitted::all(WantedThreads::Typed(typed));
    }
    counting.fit(code, size).unwrap_or_else(|refusal| {
        streams.note(format_args!("{refusal:#}"));
        Fitted::all(WantedThreads::Usual(counting.most_threads()))
    })
}

/// Times units of a count, whose forecast for this machine is `here`, for about `time`. After an error or a signal, the
/// units that were timed before it count.
fn measure_units(
    timed: &mut TimedUnits<'_>,
    time: Duration,
    here: Forecast,
    size: Size,
    streams: &Streams<'_>,
) -> anyhow::Result<()> {
    let task = Task::new(&format!("n = {size}"), streams)?;
    let (seconds, least) = (time.as_secs_f64(), timed.least_seconds(time, here.core_seconds));
    if least > seconds.max(1.0) {
        let (least, kinds) = (in_words(least), timed.kinds());
        streams.note(format_args!(
            "n = {size}: timing units for about {least} or more, because each of {kinds} kinds is timed at least twice"
        ));
    } else if seconds >= 1.0 {
        streams.note(format_args!("n = {size}: timing units for about {}", in_words(seconds)));
    }
    let stopped = || format!("n = {size}: stopped before --measure was over");
    task.watch_while(stopped, || Ok(timed.time_units(time, here.core_seconds, &task)?))
}

/// Returns the forecast by timed units. `None` if they say less than the formula does, which is noted, or if timing was
/// interrupted too early.
fn by_sample(timed: &TimedUnits<'_>, by_formula: Forecast, size: Size, streams: &Streams<'_>) -> Option<Forecast> {
    let forecast = by_formula.narrowed(timed.core_seconds()?);
    if forecast.is_none() {
        streams.note(format_args!(
            "n = {size}: {} are too few for a better forecast than the one without them: give a longer --measure",
            timed.in_words()
        ));
    }
    forecast
}

/// The predicted time, memory and shards of a count.
struct Estimate<'a> {
    size: Size,
    code: Code<'a>,
    fitted: Fitted,
    forecast: Forecast,
    /// The units that were timed for `--measure`.
    timed: Option<TimedUnits<'a>>,
    /// Whether the forecast is by these units.
    uses_sample: bool,
    predicted_bytes: u64,
    shards: usize,
}

impl Estimate<'_> {
    fn json(&self) -> Value {
        json!({
            "size": self.size,
            "solver": self.code.solver.name(),
            "isa": self.code.name(),
            "threads": self.fitted.threads,
            "predicted_core_seconds": self.forecast.core_seconds,
            "caveats": self.forecast.caveats(),
            "core_seconds_between": self.forecast.core_seconds_between(),
            "measured": self.timed.as_ref().map(TimedUnits::json).unwrap_or_default(),
            "predicted_seconds": self.forecast.seconds(),
            "predicted_bytes": self.predicted_bytes,
            "shards": self.shards,
        })
    }

    /// Prints the estimate for people.
    fn show(&self, streams: &mut Streams<'_>) -> io::Result<()> {
        let Self { size, code, forecast, .. } = self;
        let table = Table::new([Column::Text(9), Column::Text(0)]);
        let mut line = |name: &str, text: &str| write!(streams.out, "{}", table.line(&[name, text]));
        line(&format!("n = {size}"), &format!("{code} {}", self.fitted.hardware))?;
        let cores = match forecast.quota {
            None => "free cores".to_owned(),
            Some(quota) => format!("{quota:.2} cores, the CPU quota"),
        };
        line("time", &format!("{} on {cores}{}", forecast.range(), forecast.caveats_in_words()))?;
        line("core time", &between(forecast.core_seconds_between()))?;
        if let Some(timed) = &self.timed {
            let unused = if self.uses_sample { "" } else { ", too few to use" };
            line("sample", &format!("{}{unused}", timed.in_words()))?;
        }
        line("memory", &format!("about {}", bytes(self.predicted_bytes)))?;
        // Without the solver, the command would choose another one, or refuse the count.
        let is_named = forecast.takes_ages() || code.solver.name() != RunPlan::default_solver(*size).name();
        let option = if is_named { format!(" --solver {}", code.solver.name()) } else { String::new() };
        line("shards", &format!("{}, with 'nqueens count {size} --dir RUN{option}'", self.shards))
    }
}
