//! Tests of the program's parts together; what only its command line shows is in tests/it/.

pub(crate) mod altered;
mod figures;
pub(crate) mod records;
mod run;
