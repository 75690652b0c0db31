//! The machines that this project measured: their records are in docs/machines/.

/// A line for each machine: its points on one thread and on all, and its name. `FIGURES=overwrite cargo test figures`
/// writes it.
const KNOWN: &str = include_str!("known.tsv");

/// The points of these machines, to compare with.
pub(crate) fn machines() -> String {
    let line = |line: &str| {
        let [one, all, name] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        Some(format!("{name} {one} points on one thread and {all} on all"))
    };
    format!("For comparison: {}.\n", KNOWN.lines().filter_map(line).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_known_machine_is_named() {
        let shown = super::machines();
        assert_eq!(shown.matches(" points on one thread and ").count(), super::KNOWN.lines().count(), "{shown}");
    }
}
