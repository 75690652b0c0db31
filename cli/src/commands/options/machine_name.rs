//! The name of this machine in results and records.

use crate::machine;
use crate::terminal::escape::is_harmless;

/// The maximum length of a name in bytes, which is also the maximum for host names.
const LONGEST: usize = 253;

/// Parses a name that the user typed.
pub(crate) fn parse(text: &str) -> Result<String, String> {
    let is_name = !text.trim().is_empty() && text.len() <= LONGEST && is_harmless(text);
    let error = || format!("give a name of 1 to {LONGEST} visible characters");
    is_name.then(|| text.to_owned()).ok_or_else(error)
}

/// Returns the name of this machine: the short host name or, without one, the processor's model.
pub(crate) fn here() -> String {
    // A host without a name of its own is called localhost.
    let host = sysinfo::System::host_name()
        .and_then(|host| Some(host.split('.').next()?.to_owned()))
        .filter(|host| host != "localhost");
    host.and_then(|host| parse(&host).ok()).unwrap_or_else(|| machine::facts().cpu_model.clone())
}
