//! The machines that this project measured: their records are in docs/machines/.

use super::figure::Figure;

/// A line for each machine: its points on one thread and on all, and its name. `FIGURES=overwrite cargo test figures`
/// writes it.
const KNOWN: &str = include_str!("known.tsv");

/// Where a machine with these points on one thread and on all stands among those of [`KNOWN`].
pub(crate) fn place(one: Figure, all: Figure) -> String {
    let places = [("one thread", one, 0), ("all threads", all, 1)].map(|(on, points, column)| {
        let known = KNOWN.lines().filter_map(|line| {
            let [one, all, name] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
            Some(([one, all][column].parse().ok()?, name))
        });
        format!("on {on} {}", among(points, known.collect()))
    });
    format!("Among the machines of docs/machines it stands {}.\n", places.join(", and "))
}

/// Where these points stand among known machines.
fn among(points: Figure, mut known: Vec<(f64, &str)>) -> String {
    let name = |(points, name): &(f64, &str)| format!("{name} ({points:.0} points)");
    if let Some(alike) = known.iter().find(|(other, _)| (points.low..=points.high).contains(other)) {
        return format!("beside {}", name(alike));
    }
    known.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let slower = known.partition_point(|(other, _)| *other < points.value);
    match (slower.checked_sub(1).map(|at| &known[at]), known.get(slower)) {
        (Some(below), Some(above)) => format!("between {} and {}", name(above), name(below)),
        (Some(below), None) => format!("above {}", name(below)),
        (None, Some(above)) => format!("below {}", name(above)),
        (None, None) => "alone".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_placed_between_its_neighbours() {
        let known = || vec![(1000.0, "A"), (3000.0, "B")];
        let place = |points: f64| among(Figure { value: points, low: 0.98 * points, high: 1.02 * points }, known());
        assert_eq!(place(500.0), "below A (1000 points)");
        assert_eq!(place(1010.0), "beside A (1000 points)");
        assert_eq!(place(2000.0), "between B (3000 points) and A (1000 points)");
        assert_eq!(place(4000.0), "above B (3000 points)");
    }
}
