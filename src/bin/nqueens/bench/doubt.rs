//! What spoils a measurement, or the comparison of two: said in the same words wherever records are shown.

use super::Record;
use super::record::Workload;
use crate::terminal::units::percent;

/// Half the relative width of an interval beyond which a median says little.
pub(crate) const WIDE: f64 = 0.025;

/// A reason to doubt a record, or its comparison with others.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Doubt {
    /// Which kind, a word; the kinds of [`super::record::Warning`], and `virtual`, `version`, `commit`, `compiler`,
    /// `target`.
    pub(crate) kind: String,
    /// A few words.
    pub(crate) words: String,
    /// Whether times measured like this should not be trusted at all.
    pub(crate) is_grave: bool,
}

impl Doubt {
    fn new(kind: &str, words: String) -> Self {
        let is_grave = matches!(kind, "build" | "busy" | "load" | "steal" | "throttling" | "quota" | "battery");
        Self { kind: kind.to_owned(), words, is_grave }
    }
}

/// Whether a workload's interval is too wide for its median to say much.
pub(crate) fn is_wide(workload: &Workload) -> bool {
    workload.estimate().relative_width() / 2.0 > WIDE
}

/// What makes a record doubtful, the worst first.
pub(crate) fn of_record(record: &Record) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let program = &record.program;
    if !program.flags.starts_with("release") {
        doubts.push(Doubt::new("build", format!("not a release build ({})", program.flags)));
    }
    for warning in &record.warnings {
        // These are told from the record itself. Of a message the part before the advice is enough here.
        if !matches!(warning.kind.as_str(), "build" | "spread" | "dirty") {
            let words = warning.message.split(": ").next().unwrap_or_default();
            doubts.push(Doubt::new(&warning.kind, words.to_owned()));
        }
    }
    let wide = record.workloads.iter().filter(|workload| is_wide(workload)).count();
    if wide > 0 {
        let all = record.workloads.len();
        doubts.push(Doubt::new("spread", format!("wider than ± {} in {wide} of {all} workloads", percent(WIDE))));
    }
    if program.dirty {
        doubts.push(Doubt::new("dirty", "built from changed sources".to_owned()));
    }
    if record.machine.virtualised == Some(true) {
        let hypervisor = record.machine.hypervisor.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
        doubts.push(Doubt::new("virtual", format!("virtual machine{hypervisor}")));
    }
    doubts.sort_by_key(|doubt| !doubt.is_grave);
    doubts
}

/// What most of these are; of equally many the first.
fn usual<'a>(values: impl DoubleEndedIterator<Item = &'a str> + Clone) -> &'a str {
    let count = |value: &str| values.clone().filter(|other| *other == value).count();
    values.clone().rev().max_by_key(|value| count(value)).unwrap_or_default()
}

/// The processor and system that a program was built for: its target without the last word, which on some systems says
/// with which library it was linked, such as `gnu` or `musl`.
fn platform(record: &Record) -> &str {
    let target = &*record.program.target;
    target.rsplit_once('-').map_or(target, |(platform, _)| platform)
}

/// What makes each of several records doubtful, and its comparison with the others: another version, commit or compiler
/// than most of them have, or another library than most of those for the same system.
pub(crate) fn of_records(records: &[(String, Record)]) -> Vec<Vec<Doubt>> {
    type Fact = (&'static str, fn(&Record) -> &str);
    let facts: [Fact; 3] = [
        ("version", |record| &record.program.version),
        ("commit", |record| &record.program.commit),
        ("compiler", |record| &record.program.rustc),
    ];
    let all = records.iter().map(|(_, record)| record);
    let usual_facts = facts.map(|(_, fact)| usual(all.clone().map(fact)));
    let each = |record: &Record| {
        let mut doubts = of_record(record);
        let mut expect = |kind: &str, found: &str, usual: &str| {
            if found != usual {
                doubts.push(Doubt::new(kind, format!("other {kind} ({found}, not {usual})")));
            }
        };
        for ((kind, fact), usual) in facts.iter().zip(usual_facts) {
            expect(kind, fact(record), usual);
        }
        // Another processor or system needs another target: that is what is compared, and spoils nothing.
        let alike = all.clone().filter(|other| platform(other) == platform(record));
        expect("target", &record.program.target, usual(alike.map(|other| &*other.program.target)));
        doubts
    };
    all.clone().map(each).collect()
}

/// The doubts in one line; `None` of none.
pub(crate) fn line(doubts: &[Doubt]) -> Option<String> {
    let words: Vec<&str> = doubts.iter().map(|doubt| doubt.words.as_str()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::record::Warning;
    use super::super::score;
    use super::*;

    #[test]
    fn what_spoils_a_comparison_is_told_the_worst_first() {
        let mut sound = score::anchor().unwrap().clone();
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
        let records = [&sound, &bad, &sound].map(|record| ("x.json".to_owned(), record.clone()));
        let doubts = of_records(&records);
        assert!(doubts[0].is_empty() && doubts[2].is_empty());
        assert_eq!(
            line(&doubts[1]).unwrap(),
            format!(
                "other programs used 1.2 CPUs; wider than ± 2.5 % in 1 of {} workloads; built from changed sources; virtual \
                 machine (KVM); other commit (0123456, not {})",
                bad.workloads.len(),
                sound.program.commit
            )
        );
        bad.program.flags = "debug -O0".to_owned();
        assert_eq!(of_record(&bad)[0].kind, "build");
    }

    #[test]
    fn builds_for_one_system_with_different_libraries_are_told_apart_and_systems_are_not() {
        let targets = |targets: &[&str]| {
            let records = targets.iter().map(|target| {
                let mut record = score::anchor().unwrap().clone();
                record.program.target = (*target).to_owned();
                ("x.json".to_owned(), record)
            });
            let of = |doubts: &Vec<Doubt>| {
                doubts.iter().find(|doubt| doubt.kind == "target").map(|doubt| doubt.words.clone()).unwrap_or_default()
            };
            of_records(&records.collect::<Vec<_>>()).iter().map(of).collect::<Vec<_>>()
        };
        let [gnu, musl] = ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"];
        let other = "other target (x86_64-unknown-linux-musl, not x86_64-unknown-linux-gnu)";
        assert_eq!(targets(&[gnu, musl]), ["", other]);
        assert_eq!(targets(&[musl, "aarch64-apple-darwin", gnu, gnu]), [other, "", "", ""]);
        assert_eq!(targets(&["aarch64-unknown-linux-musl", gnu, "x86_64-pc-windows-msvc"]), ["", "", ""]);
    }
}
