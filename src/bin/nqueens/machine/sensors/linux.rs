//! Where Linux keeps the processor's sensors under /sys.

use std::path::{Path, PathBuf};

use super::super::linux::{numbered, text};

/// Names of the chips and zones that measure the processor.
const PROCESSOR: [&str; 7] =
    ["coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "x86_pkg_temp", "soc_thermal"];

pub(crate) fn celsius() -> Option<f64> {
    let folders =
        [("/sys/class/hwmon", "hwmon", "name", "temp1_input"), ("/sys/class/thermal", "thermal_zone", "type", "temp")];
    let hottest = |(folder, prefix, name, value): (&str, &str, &str, &str)| {
        let places = numbered(folder, prefix)?;
        let of_processor =
            places.iter().filter(|place| text(place.join(name)).is_some_and(|name| PROCESSOR.contains(&name.as_str())));
        of_processor.filter_map(|place| millidegrees(&text(place.join(value))?)).max_by(f64::total_cmp)
    };
    folders.into_iter().find_map(hottest)
}

fn millidegrees(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().map(|value| value / 1000.0).filter(|celsius| (-40.0..=150.0).contains(celsius))
}

pub(crate) fn energy() -> Vec<(u64, u64)> {
    let packages = packages(Path::new("/sys/class/powercap"));
    packages
        .iter()
        .filter_map(|place| {
            let number = |name: &str| text(place.join(name))?.parse().ok();
            Some((number("energy_uj")?, number("max_energy_range_uj")?))
        })
        .collect()
}

fn packages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| text(path.join("name")).is_some_and(|name| name.starts_with("package-")))
        .collect();
    found.sort_unstable();
    // The same counters stand there under the name of the other way to read them, too.
    if found.iter().any(|path| is_msr(path)) {
        found.retain(|path| is_msr(path));
    }
    found
}

fn is_msr(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("intel-rapl:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_that_no_processor_has_are_unknown() {
        assert_eq!((millidegrees("45500"), millidegrees("-128000"), millidegrees("x")), (Some(45.5), None, None));
    }
}
