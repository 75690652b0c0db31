//! Tests of the program's parts together; what only its command line shows is in tests/it/.

mod figures;
mod page;
pub(crate) mod records;
mod records_fuzz;
mod run;
