//! What spoils a measurement, or the comparison of two: said in the same words wherever records are shown.

use super::Record;
use super::record::Workload;
use super::score;
use super::units::percent;

/// Half the relative width of an interval beyond which a median says little.
pub const WIDE: f64 = 0.025;

/// A reason to doubt a record, or its comparison with others.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Doubt {
    /// Which kind, a word; the kinds of [`super::record::Warning`], and `anchor`, `virtual`, `version`, `commit`, `compiler`.
    pub kind: String,
    /// A few words.
    pub words: String,
    /// Whether times measured like this should not be trusted at all.
    pub is_grave: bool,
}

impl Doubt {
    fn new(kind: &str, words: String) -> Self {
        let is_grave = matches!(kind, "build" | "load" | "steal" | "throttling" | "quota" | "battery");
        Self { kind: kind.to_owned(), words, is_grave }
    }
}

/// Whether a workload's interval is too wide for its median to say much.
#[must_use]
pub fn is_wide(workload: &Workload) -> bool {
    workload.estimate().relative_width() / 2.0 > WIDE
}

/// What makes a record doubtful, the worst first.
#[must_use]
pub fn of_record(record: &Record) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let program = &record.program;
    if !program.flags.starts_with("release") {
        doubts.push(Doubt::new("build", format!("not a release build ({})", program.flags)));
    }
    for warning in &record.warnings {
        // These two are told from the record itself, as they stand in every record, old or new.
        let words = match warning.kind.as_str() {
            "build" | "spread" | "dirty" => continue,
            "load" => "other programs at work",
            "steal" => "processor time given to other guests",
            "throttling" => "slowed down because it was hot",
            "quota" => "stopped by its quota",
            "battery" => "on battery",
            "governor" => "governor powersave",
            "hybrid" => "cores of more than one kind",
            _ => &warning.message,
        };
        doubts.push(Doubt::new(&warning.kind, words.to_owned()));
    }
    let wide = record.workloads.iter().filter(|workload| is_wide(workload)).count();
    if wide > 0 {
        let all = record.workloads.len();
        doubts.push(Doubt::new("spread", format!("wider than ± {} in {wide} of {all} workloads", percent(WIDE))));
    }
    if program.dirty {
        doubts.push(Doubt::new("dirty", "built from changed sources".to_owned()));
    }
    // What is shown and compared is made from the samples, with the anchor of this program.
    if let (Some(scores), Some(anchor)) = (&record.scores, score::anchor())
        && scores.baseline != anchor.name
    {
        let words = format!("its scores are against another anchor ({}, not {})", scores.baseline, anchor.name);
        doubts.push(Doubt::new("anchor", words));
    }
    if record.machine.virtualised == Some(true) {
        let hypervisor = record.machine.hypervisor.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
        doubts.push(Doubt::new("virtual", format!("virtual machine{hypervisor}")));
    }
    doubts.sort_by_key(|doubt| !doubt.is_grave);
    doubts
}

/// What makes each of several records doubtful, and its comparison with the others: another version, commit or compiler
/// than most of them have.
#[must_use]
pub fn of_records(records: &[(String, Record)]) -> Vec<Vec<Doubt>> {
    let most = |fact: fn(&Record) -> &str| {
        let count = |value: &str| records.iter().filter(|(_, record)| fact(record) == value).count();
        // Of equally many, the first record's.
        let best = records.iter().rev().max_by_key(|(_, record)| count(fact(record)));
        best.map_or("", |(_, record)| fact(record)).to_owned()
    };
    type Fact = (&'static str, fn(&Record) -> &str);
    let facts: [Fact; 3] = [
        ("version", |record| &record.program.version),
        ("commit", |record| &record.program.commit),
        ("compiler", |record| &record.program.rustc),
    ];
    let usual = facts.map(|(_, fact)| most(fact));
    let each = |record: &Record| {
        let mut doubts = of_record(record);
        for ((kind, fact), usual) in facts.iter().zip(&usual) {
            if fact(record) != usual {
                doubts.push(Doubt::new(kind, format!("other {kind} ({}, not {usual})", fact(record))));
            }
        }
        doubts
    };
    records.iter().map(|(_, record)| each(record)).collect()
}

/// The doubts in one line; `None` of none.
#[must_use]
pub fn line(doubts: &[Doubt]) -> Option<String> {
    let words: Vec<&str> = doubts.iter().map(|doubt| doubt.words.as_str()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::record::Warning;
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
                "other programs at work; wider than ± 2.5 % in 1 of {} workloads; built from changed sources; virtual \
                 machine (KVM); other commit (0123456, not {})",
                bad.workloads.len(),
                sound.program.commit
            )
        );
        // Its own scores say something else than those that this program makes of its samples.
        let mut other = sound.clone();
        other.scores = Some(score::scores(&sound, score::anchor().unwrap()));
        assert_eq!(of_record(&other), []);
        other.scores.as_mut().unwrap().baseline = "older@1".to_owned();
        let words = format!("its scores are against another anchor (older@1, not {})", sound.name);
        assert_eq!(line(&of_record(&other)).unwrap(), words);
        bad.program.flags = "debug -O0".to_owned();
        assert_eq!(of_record(&bad)[0].kind, "build");
    }
}
