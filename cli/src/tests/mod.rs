//! Tests of the program's parts together. The tests of its command line and of the pages are in tests/it/.

pub(crate) mod altered;
pub(crate) mod records;
pub(crate) mod run;
