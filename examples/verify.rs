//! Checks the fast solvers on this machine, with each of its instruction sets. Every unit of work is compared with the
//! reference. On larger boards some units are compared with portable code.

use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::verify::{self, Expected};
use nqueens::{CancelToken, Progress};

fn main() -> nqueens::Result<()> {
    let (cancel, progress) = (CancelToken::new(), Progress::new());
    for name in ["bitmask", "color"] {
        let solver = registry::find(name)?;
        let sets = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        for isa in sets {
            let mut units = 0;
            for n in 0..=10 {
                let size = Size::new(n)?;
                let plan = solver.plan(size, isa, &cancel)?;
                let reference = verify::consult_reference(size, &[&*plan], None, &cancel)?;
                let wrong = reference.plans[0].check(&*plan, 1, &cancel, &progress)?;
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
                units += plan.units();
            }
            for n in 14..=16 {
                let plans = [isa, Isa::Portable]
                    .map(|isa| solver.plan(Size::new(n).unwrap(), isa, &CancelToken::new()).unwrap());
                let some = verify::representative_units(&*plans[0])?;
                let portable = Expected::by_portable(&*plans[1], &some, 1, &cancel, &progress)?;
                let wrong = portable.check(&*plans[0], 1, &cancel, &progress)?;
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
                units += some.len();
            }
            println!("{name:<8} {isa:<14} {units} units agree");
        }
    }
    Ok(())
}
