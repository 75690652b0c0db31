//! Counts on graphics cards. A software adapter, as in Debian's mesa-vulkan-drivers and libvulkan1, can stand in for a
//! card.

use crate::helpers::nqueens;
#[cfg(feature = "gpu")]
use crate::helpers::typed;

#[cfg(not(feature = "gpu"))]
#[test]
fn a_program_without_cards_says_how_to_get_them() {
    for command in ["count 8", "count 8 --threads 2", "verify"] {
        let line = format!("{command} --device gpu");
        let ended = crate::helpers::run(&mut nqueens(&line.split(' ').collect::<Vec<_>>()));
        ended.expect(2, "build it with 'cargo build --release --features gpu'");
    }
    crate::helpers::run(&mut nqueens(&["count", "8", "--gpu"]))
        .expect(2, "tip: this program was built without graphics");
}

/// Without a driver, Vulkan finds no card.
#[cfg(all(feature = "gpu", target_os = "linux"))]
#[test]
fn without_a_card_there_is_a_sentence() {
    crate::helpers::run(&mut nqueens(&["count", "8", "--gpu"]))
        .expect(2, "tip: 'nqueens count 20 --device gpu' counts");
    for device in ["gpu", "h100"] {
        let mut command = nqueens(&["count", "12", "--device", device]);
        command.env("VK_DRIVER_FILES", "/dev/null").env("VK_ICD_FILENAMES", "/dev/null");
        crate::helpers::run(&mut command).expect(1, "find none; install its driver");
    }
}

#[cfg(all(feature = "gpu", target_os = "linux"))]
#[test]
fn a_number_of_threads_is_refused_beside_cards() {
    for command in ["count 8", "count 8 --classes", "count 8 --dir run", "batch", "verify", "audit run"] {
        let line = format!("{command} --device none-of-this-name --threads 2");
        let refused = crate::helpers::run(&mut nqueens(&line.split(' ').collect::<Vec<_>>()));
        refused.expect(2, "each card takes one thread: leave out --threads");
    }
}

/// The program prints what each card did as the package for cards does.
#[cfg(all(feature = "gpu", unix))]
#[test]
fn the_page_of_cards_has_every_field_of_their_json_and_no_other() {
    use crate::json_page::{Fields, Page, add_fields};
    let mut printed = Fields::new();
    add_fields(&mut printed, "", &serde_json::json!(nqueens_gpu::CardWork::default()));
    assert_eq!(printed, Page::read("gpu/README.md").fields("Which fields does the JSON have?"));
}

#[cfg(feature = "gpu")]
#[test]
#[ignore = "needs a software adapter: scripts/slow.sh gpu"]
fn a_card_counts_verifies_and_shares_runs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| crate::helpers::run(&mut typed(folder.path(), line));
    // The name of Mesa's software adapter begins with this word.
    let run = |line: &str| run(&line.replace("SOFTWARE", "LLVMpipe"));
    let counted = run("count 12 --device SOFTWARE --time --json");
    counted.expect(0, "14200");
    let line = counted.json();
    let card = &line["cards"][0];
    assert_eq!((&line["solver"], &card["given_back"]), (&"color".into(), &0.into()), "{line}");
    assert!(card["units"].as_u64() > Some(0) && card["checked"].as_u64() > Some(0), "{card}");
    assert!(card["seconds"]["dot"].as_f64() > Some(0.0) && card["leaf_slices"].as_u64() > Some(0), "{card}");
    run("verify --max 9 --device SOFTWARE").expect(0, "color (gpu)");
    run("count 9 --device SOFTWARE --classes").expect(0, " 46 ");
    run("batch --device SOFTWARE --solver color").expect(0, "");
    run("count 12 --device gup").expect(1, "is a software adapter, and was not asked for");
    // The processor audits a run of the card, and the card audits a run of the processor.
    let counted = run("count 13 --dir by-card --device SOFTWARE --time --json");
    counted.expect(0, "73712");
    run("status by-card").expect(0, "gpu (");
    // A thread sleeps while its card counts, so logs contain the elapsed seconds. Otherwise the time left would be
    // wrong.
    let elapsed = counted.json()["seconds"].clone();
    let status = run("status by-card --json").json();
    let [elapsed, recorded] = [&elapsed, &status["core_seconds"]].map(|seconds| seconds.as_f64().unwrap());
    assert!(recorded > 0.5 * elapsed, "{recorded} of {elapsed} s");
    run("audit by-card --sample 9").expect(0, "units counted again: all agree");
    run("count 13 --dir by-core --quiet").expect(0, "73712");
    run("audit by-core --sample 9 --device SOFTWARE").expect(0, "units counted again: all agree");
    run("count 13 --dir by-core --device SOFTWARE --quiet").expect(0, "73712");
    for line in
        ["count 12 --solver arrays", "count 12 --nodes", "estimate 12", "verify --large", "audit by-core --image"]
    {
        run(&format!("{line} --device SOFTWARE")).expect(2, "--device");
    }
}
