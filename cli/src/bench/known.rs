//! The machines that this project measured: their records are in docs/machines/.

/// A line for each machine: its points on one thread and on all, and its name. `FIGURES=overwrite cargo test figures`
/// writes it.
const KNOWN: &str = include_str!("known.tsv");

/// Machines whose points differ by less stand beside each other: times drift from minute to minute.
const ALIKE: f64 = 0.05;

/// Where a machine with these points on one thread and on all stands among those of [`KNOWN`].
pub(crate) fn place(one: f64, all: f64) -> String {
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
fn among(points: f64, mut known: Vec<(f64, &str)>) -> String {
    known.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let name = |(points, name): &(f64, &str)| format!("{name} ({points:.0} points)");
    let slower = known.partition_point(|(other, _)| *other < points);
    let (below, above) = (slower.checked_sub(1).map(|at| &known[at]), known.get(slower));
    let beside = [below, above].into_iter().flatten().find(|(other, _)| (other / points - 1.0).abs() < ALIKE);
    match (beside, below, above) {
        (Some(beside), ..) => format!("beside {}", name(beside)),
        (_, Some(below), Some(above)) => format!("between {} and {}", name(above), name(below)),
        (_, Some(below), None) => format!("above {}", name(below)),
        (_, None, Some(above)) => format!("below {}", name(above)),
        (_, None, None) => "alone".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_placed_between_its_neighbours() {
        let place = |points| among(points, vec![(3000.0, "B"), (1000.0, "A")]);
        assert_eq!(place(500.0), "below A (1000 points)");
        assert_eq!([place(960.0), place(1040.0)], ["beside A (1000 points)"; 2]);
        assert_eq!(place(2000.0), "between B (3000 points) and A (1000 points)");
        assert_eq!(place(4000.0), "above B (3000 points)");
    }
}
