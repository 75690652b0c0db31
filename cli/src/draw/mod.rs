//! Pictures of boards and searches.

pub(crate) mod board;
pub(crate) mod search;
pub(crate) mod svg;

use horrorshow::{Raw, Template};

/// A piece of a page or a picture. Its text is escaped, so a larger piece takes it as it is.
pub(crate) type Markup = Raw<String>;

/// Writes a template. All text and all values in it are escaped, except what is `Raw`.
pub(crate) fn markup(template: impl Template) -> Markup {
    Raw(template.into_string().expect("a String takes every text"))
}
