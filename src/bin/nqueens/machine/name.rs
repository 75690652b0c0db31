//! The name of this machine in records.

use crate::machine;
use crate::terminal::escape::is_harmless;

/// The environment variable with the name, if the command line has none.
pub(crate) const VARIABLE: &str = "NQUEENS_MACHINE";

/// The longest name in bytes, as for hosts.
const LONGEST: usize = 253;

/// Checks a name from the command line or from [`VARIABLE`]. An empty variable counts as not set.
pub(crate) fn name(text: &str) -> Result<String, String> {
    if text.is_empty() && std::env::var_os(VARIABLE).is_some_and(|value| value.is_empty()) {
        return Ok(here());
    }
    if !is_name(text) {
        return Err(format!("'{text}' is not a name of a machine: give 1 to {LONGEST} visible characters"));
    }
    Ok(text.to_owned())
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= LONGEST && text.chars().all(is_harmless)
}

/// The name of this machine: [`VARIABLE`], the short name of the host, or else the processor's model.
pub(crate) fn here() -> String {
    // All hosts without a name are called localhost.
    let host = host().and_then(|host| Some(host.split('.').next()?.to_owned())).filter(|host| host != "localhost");
    let names = [std::env::var(VARIABLE).ok(), host];
    names.into_iter().flatten().find(|name| is_name(name)).unwrap_or_else(|| machine::facts().cpu_model)
}

fn host() -> Option<String> {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_have_names_that_can_be_shown() {
        for good in ["node17", "my machine", "Größe"] {
            assert_eq!(name(good), Ok(good.to_owned()));
        }
        for wrong in [" ", "\u{1b}[2J", "a\nb", &"x".repeat(254)] {
            assert!(name(wrong).is_err(), "{wrong:?}");
        }
        assert!(is_name(&here()));
    }
}
