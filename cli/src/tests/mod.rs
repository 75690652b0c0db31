//! Tests of the program's parts together; what only its command line shows is in tests/it/.

mod figures;
pub(crate) mod records;
mod run;

use std::time::Duration;

use nqueens::solver::Plan;

use crate::altered::Altered;

/// The sleep of a unit of [`sleepy`].
const NAP: Duration = Duration::from_millis(4);

/// A plan whose workers sleep before each unit, as if another program had the core.
fn sleepy<'a>(plan: Box<dyn Plan + 'a>) -> Altered<'a> {
    Altered::new(plan, |worker, unit, cancel| {
        std::thread::sleep(NAP);
        worker.count(unit, cancel)
    })
}
