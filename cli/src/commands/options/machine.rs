//! The name of this machine in results.

use crate::exit;
use crate::machine;
use crate::terminal::escape::is_harmless;

/// The environment variable that names this machine if the command line does not.
pub(crate) const VARIABLE: &str = "NQUEENS_MACHINE";

/// The most bytes of a name, as for hosts.
const LONGEST: usize = 253;

/// Checks a name from the command line or from [`VARIABLE`].
pub(crate) fn name(text: &str) -> Result<String, String> {
    let is_name = !text.trim().is_empty() && text.len() <= LONGEST && is_harmless(text);
    let error = || format!("'{text}' cannot name a machine: give 1 to {LONGEST} visible characters");
    is_name.then(|| text.to_owned()).ok_or_else(error)
}

/// The name in [`VARIABLE`], if it is set and not empty.
pub(crate) fn name_by_variable() -> anyhow::Result<Option<String>> {
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return Ok(None) };
    let named = name(&value.to_string_lossy());
    named.map(Some).map_err(|error| exit::Kind::Usage.error(format!("the variable {VARIABLE}: {error}")))
}

/// The name of this machine: the value of [`VARIABLE`], the short name of the host, or else the processor's model.
pub(crate) fn here() -> anyhow::Result<String> {
    if let Some(name) = name_by_variable()? {
        return Ok(name);
    }
    // Every host without a name is called localhost.
    let host = sysinfo::System::host_name()
        .and_then(|host| Some(host.split('.').next()?.to_owned()))
        .filter(|host| host != "localhost");
    Ok(host.and_then(|host| name(&host).ok()).unwrap_or_else(|| machine::facts().cpu_model))
}
