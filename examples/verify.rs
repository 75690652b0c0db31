//! Checks the fast solvers with each instruction set of this machine: compares every unit of work with the reference,
//! and on larger boards some units with portable code.

use nqueens::CancelToken;
use nqueens::board::Size;
use nqueens::registry;
use nqueens::solver::Isa;
use nqueens::verify::{self, Expected};

fn main() -> nqueens::Result<()> {
    let cancel = CancelToken::new();
    for name in ["bitmask", "color"] {
        let solver = registry::find(name)?;
        let sets = solver.instruction_sets().iter().copied().filter(|isa| isa.is_available());
        for isa in sets {
            let mut units = 0;
            for n in 0..=10 {
                let size = Size::new(n)?;
                let plan = solver.plan(size, isa, &cancel)?;
                let expected = Expected::by_reference(&*plan, &cancel)?;
                let wrong = expected.check(plan.count())?;
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
                units += plan.units();
            }
            for n in 14..=16 {
                let plans = [isa, Isa::Portable]
                    .map(|isa| solver.plan(Size::new(n).unwrap(), isa, &CancelToken::new()).unwrap());
                let some = verify::representative_units(&*plans[0])?;
                let portable = Expected::by_count(plans[1].count().units(some))?;
                let wrong = portable.check(plans[0].count())?;
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
                units += portable.units().len();
            }
            println!("{name:<8} {isa:<14} {units} units agree");
        }
    }
    Ok(())
}
