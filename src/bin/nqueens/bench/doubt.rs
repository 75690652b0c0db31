//! Reasons to doubt a record or its comparison with others, in the words that tables and pages show.

use super::Record;
use super::record::ProgramFacts;
use super::statistics::Estimate;
use crate::terminal::units::percent;

/// An interval is too wide if half its relative width reaches this.
pub(crate) const WIDE: f64 = 0.025;

/// A reason to doubt a record, or its comparison with others.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Doubt {
    /// A kind of [`super::record::Warning`], or `build`, `spread`, `dirty`, `virtual` or `program`.
    pub(crate) kind: String,
    pub(crate) words: String,
    /// Whether the times should not be trusted at all.
    pub(crate) is_grave: bool,
}

impl Doubt {
    fn new(kind: &str, words: String) -> Self {
        let is_grave = matches!(kind, "build" | "busy" | "load" | "steal" | "throttling");
        Self { kind: kind.to_owned(), words, is_grave }
    }
}

/// Whether the interval of a time is so wide that its median says little.
pub(crate) fn is_wide(time: Estimate) -> bool {
    time.relative_width() / 2.0 > WIDE
}

/// The doubts about a record, the worst first.
pub(crate) fn of_record(record: &Record) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let program = &record.program;
    if !program.flags.starts_with("release") {
        doubts.push(Doubt::new("build", format!("not a release build ({})", program.flags)));
    }
    for warning in &record.warnings {
        // Without the advice.
        let words = warning.message.split(": ").next().unwrap_or_default();
        doubts.push(Doubt::new(&warning.kind, words.to_owned()));
    }
    let wide = record.workloads.iter().filter(|workload| is_wide(workload.estimate())).count();
    if wide > 0 {
        let all = record.workloads.len();
        doubts.push(Doubt::new("spread", format!("wider than ± {} in {wide} of {all} workloads", percent(WIDE))));
    }
    if program.dirty {
        doubts.push(Doubt::new("dirty", "built from uncommitted changes".to_owned()));
    }
    if record.machine.virtualised == Some(true) {
        doubts.push(Doubt::new("virtual", "virtual machine".to_owned()));
    }
    doubts.sort_by_key(|doubt| !doubt.is_grave);
    doubts
}

/// The doubts about each record and its comparison with the others. A record from another program than most is
/// doubtful.
pub(crate) fn of_records<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> Vec<Vec<Doubt>> {
    let program = |record: &Record| {
        let ProgramFacts { version, commit, rustc, .. } = &record.program;
        format!("version {version}, commit {commit}, {rustc}")
    };
    let programs: Vec<String> = records.clone().map(program).collect();
    let count = |one: &String| programs.iter().filter(|other| *other == one).count();
    // If several programs are equally common, the first one counts as the usual.
    let usual = programs.iter().rev().max_by_key(|one| count(one));
    let each = |(record, program): (&Record, &String)| {
        let mut doubts = of_record(record);
        if Some(program) != usual {
            doubts.push(Doubt::new("program", format!("not the program of most records ({program})")));
        }
        doubts
    };
    records.zip(&programs).map(each).collect()
}

/// Writes the doubts in one line. `None` if there are none.
pub(crate) fn line<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Option<String> {
    let words: Vec<&str> = doubts.into_iter().map(|doubt| doubt.words.as_str()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::record::Warning;
    use super::*;

    #[test]
    fn what_spoils_a_comparison_is_told_the_worst_first() {
        let mut sound = read::parse(crate::tests::records::LARGE.as_bytes()).unwrap();
        sound.machine.virtualised = Some(false);
        sound.warnings.clear();
        sound.workloads.iter_mut().for_each(|workload| workload.seconds = vec![1.0; 5]);
        assert_eq!(of_record(&sound), []);
        let mut bad = sound.clone();
        bad.workloads[0].seconds = vec![1.0, 1.0, 1.2, 1.2, 1.2];
        bad.program.dirty = true;
        bad.program.commit = "0123456".to_owned();
        bad.machine.virtualised = Some(true);
        bad.warnings.push(Warning { kind: "load".to_owned(), message: "other programs used 1.2 CPUs".to_owned() });
        let doubts = of_records([&sound, &bad, &sound].into_iter());
        assert!(doubts[0].is_empty() && doubts[2].is_empty());
        let said = line(&doubts[1]).unwrap();
        let all = bad.workloads.len();
        let expected = format!(
            "other programs used 1.2 CPUs; wider than ± 2.5 % in 1 of {all} workloads; built from uncommitted changes; virtual \
             machine; not the program of most records (version {}, commit 0123456, ",
            bad.program.version
        );
        assert!(said.starts_with(&expected), "{said}");
        bad.program.flags = "debug -O0".to_owned();
        assert_eq!(of_record(&bad)[0].kind, "build");
    }
}
