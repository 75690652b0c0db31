//! Writes a record in the formats of other tools.

use serde_json::json;

use super::Record;
use super::record::Workload;

/// JSON for github-action-benchmark, tool `customSmallerIsBetter`: seconds, and half the interval's width as range.
pub(crate) fn github(record: &Record) -> String {
    let entries = record.workloads.iter().map(|workload| {
        let estimate = workload.estimate();
        json!({
            "name": workload.id.to_string(),
            "unit": "s",
            "value": estimate.value,
            "range": format!("± {:.3e}", (estimate.high - estimate.low) / 2.0),
            "extra": extra(record, workload),
        })
    });
    pretty(&json!(entries.collect::<Vec<_>>()))
}

/// Bencher Metric Format: the latency in nanoseconds with the ends of its interval.
pub(crate) fn bencher(record: &Record) -> String {
    let nanoseconds = |seconds: f64| seconds * 1e9;
    let entries = record.workloads.iter().map(|workload| {
        let estimate = workload.estimate();
        let latency = json!({
            "value": nanoseconds(estimate.value),
            "lower_value": nanoseconds(estimate.low),
            "upper_value": nanoseconds(estimate.high),
        });
        (workload.id.to_string(), json!({ "latency": latency }))
    });
    pretty(&json!(entries.collect::<serde_json::Map<_, _>>()))
}

/// CSV with a line of names, and then one line for each sample.
pub(crate) fn csv(record: &Record) -> String {
    let mut text = "machine,suite,workload,solver,n,threads,isa,count,sample,seconds\n".to_owned();
    for workload in &record.workloads {
        let Workload { id, threads, isa, count, .. } = workload;
        for (index, seconds) in workload.seconds.iter().enumerate() {
            let [name, suite, isa] = [&record.name, &record.suite, isa].map(|text| quoted(text));
            let (solver, size) = (&id.solver, id.size);
            text += &format!("{name},{suite},{id},{solver},{size},{threads},{isa},{count},{index},{seconds}\n");
        }
    }
    text
}

/// The record as JSON.
pub(crate) fn json(record: &Record) -> String {
    serde_json::to_value(record).map_or_else(|_| String::new(), |value| pretty(&value))
}

fn extra(record: &Record, workload: &Workload) -> String {
    format!(
        "isa={} threads={} solutions={} samples={} commit={} cpu={}",
        workload.isa,
        workload.threads,
        workload.count,
        workload.seconds.len(),
        record.program.commit,
        record.machine.cpu_model
    )
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{}\n", crate::terminal::escape::json(&format!("{value:#}")))
}

/// A text as a field of CSV.
pub(crate) fn quoted(field: &str) -> String {
    crate::terminal::escape::csv(field)
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::*;

    fn record() -> Record {
        let mut record = score::quiet_anchor();
        record.name = "a \"fast\", small one".to_owned();
        record.workloads.truncate(1);
        record.workloads[0].seconds = vec![1.5, 1.25, 1.75];
        record
    }

    #[test]
    fn every_format_is_what_its_reader_expects() {
        let record = record();
        let id = record.workloads[0].id.to_string();
        let github: serde_json::Value = serde_json::from_str(&github(&record)).unwrap();
        assert_eq!(
            (&github[0]["name"], &github[0]["unit"], &github[0]["value"]),
            (&json!(id), &json!("s"), &json!(1.5))
        );
        assert!(github[0]["range"].as_str().unwrap().starts_with("± "));
        let bencher: serde_json::Value = serde_json::from_str(&bencher(&record)).unwrap();
        assert_eq!(bencher[&id]["latency"]["value"], 1.5e9);
        assert_eq!(bencher[&id]["latency"]["lower_value"], 1.25e9);
        let csv = csv(&record);
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.lines().nth(1).unwrap().starts_with("\"a \"\"fast\"\", small one\","));
        assert!(csv.ends_with(",2,1.75\n"));
        assert_eq!(super::super::read::parse(json(&record).as_bytes()).unwrap(), record);
    }
}
