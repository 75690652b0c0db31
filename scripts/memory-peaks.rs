//! The peak of the memory of a count, without counting all of it: `memory_peaks N THREADS ISA`, Linux only.
//!
//! It counts some units of the costliest families of each class, because workers keep the memory of the largest unit
//! that they have counted. docs/measuring.md has the results.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;

use nqueens::board::Size;
use nqueens::internal::{ColorPlan, Tuning};
use nqueens::solver::{Isa, Plan};
use nqueens::{CancelToken, Progress, engine};

/// Families of each class, by cost, by the number of their terms, and spread over all ranks.
const FAMILIES: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [n, threads, isa] = &arguments[..] else { return Err("give N THREADS ISA".into()) };
    let (threads, cancel): (usize, _) = (threads.parse()?, CancelToken::new());
    let (n, isa): (usize, Isa) = (n.parse()?, isa.parse()?);
    let plan = ColorPlan::new(Size::new(n)?, isa, Tuning::new(n, isa), &cancel)?;
    let mut classes: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for family in plan.families() {
        classes.entry(plan.units.rows(family.start).0).or_default().push(family);
    }
    let mut chosen: Vec<Range<usize>> = Vec::new();
    for families in classes.values_mut() {
        let cost = |family: &Range<usize>| family.clone().map(|unit| plan.cost(unit)).sum::<f64>();
        families.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        chosen.extend(families.iter().take(FAMILIES).cloned());
        families.sort_by_key(|family| Reverse(plan.units.terms(family.start).2.len()));
        chosen.extend(families.iter().take(FAMILIES).cloned());
        families.sort_by_key(|family| plan.units.rows(family.start).1);
        chosen.extend(families.iter().step_by(families.len().div_ceil(FAMILIES)).cloned());
    }
    chosen.sort_by_key(|family| family.start);
    chosen.dedup();
    let some = |family: Range<usize>| {
        let step = (family.len() / threads.max(2)).max(1);
        family.step_by(step)
    };
    let units: Vec<usize> = chosen.iter().cloned().flat_map(some).collect();
    engine::run(&plan, &units, threads, &cancel, &Progress::new())?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("n = {n}, {threads} threads, {isa}: {} units, {peak}", units.len());
    Ok(())
}
