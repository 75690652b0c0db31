//! Tests of the program's parts together; what only its command line shows is in tests/it/.

mod chart;
mod page;
mod pictures;
mod records;
mod records_fuzz;
mod runs;
// What the tests of the command line read with, too.
#[path = "../../../../tests/it/queens_in.rs"]
mod queens_in;
