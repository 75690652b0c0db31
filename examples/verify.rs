//! Checks the fast solvers with each instruction set of this machine: compares every unit of work with the reference,
//! and on larger boards, for all sets but the portable one, some units with portable code.

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
            // Portable code would agree with itself.
            let larger = if isa == Isa::Portable { 0..0 } else { 14..17 };
            for n in larger {
                let size = Size::new(n)?;
                let plan = solver.plan(size, isa, &cancel)?;
                let portable = solver.plan(size, Isa::Portable, &cancel)?;
                let some = verify::representative_units(&*plan)?;
                let expected = Expected::by_count(portable.count().units(some))?;
                let wrong = expected.check(plan.count())?;
                assert!(wrong.is_empty(), "{name} ({isa}), n = {n}: {wrong:?}");
                units += expected.units().len();
            }
            println!("{name:<8} {isa:<14} {units} units agree");
        }
    }
    Ok(())
}
