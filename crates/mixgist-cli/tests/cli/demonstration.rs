//! `mixgist demo`, help texts and completions.

use crate::{Workplace, names};

#[test]
fn the_demonstration_finds_the_three_clusters() {
    let place = Workplace::new();
    let run = place.done("demo -o shown");
    assert!(run.stdout.starts_with("400 draws around a mixture of 3 Gaussians"), "{}", run.stdout);
    for distance in ["sw", "mix-sw", "smix-w"] {
        assert!(run.stdout.contains(&format!("\n{distance} estimate, draw ")), "{}", run.stdout);
        let summary: serde_json::Value =
            serde_json::from_str(&place.read(&format!("shown/summary-{distance}.json"))).unwrap();
        assert_eq!(summary["clusters"], 3);
    }
    let expected = ["data.csv", "draws.npz", "summary-mix-sw.json", "summary-smix-w.json", "summary-sw.json"];
    assert_eq!(names(&place.path("shown")), expected);

    let again = place.json("summarize shown/draws.npz --data shown/data.csv --distance sw");
    let summary: serde_json::Value = serde_json::from_str(&place.read("shown/summary-sw.json")).unwrap();
    assert_eq!(again["draw"], summary["draw"]);

    let refused = place.run("demo -o shown");
    assert_eq!(refused.code, Some(2));
    assert_eq!(refused.stderr, "error: shown: exists already\nhint: name a folder that does not exist yet\n");
}

#[test]
fn every_verb_has_help_with_an_example() {
    let place = Workplace::new();
    for verb in ["", "summarize", "distance", "inspect", "convert", "demo", "completions"] {
        let help = place.done(&format!("{verb} --help")).stdout;
        assert!(help.contains("Example") && help.contains("  mixgist "), "{verb}: {help}");
    }
    assert!(place.done("help distance").stdout.contains("--to-draws"));
    assert!(place.done("--version").stdout.starts_with("mixgist 0."));
}

#[test]
fn every_shell_gets_its_completions() {
    let place = Workplace::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.done(&format!("completions {shell}")).stdout;
        assert!(script.contains("summarize") && script.contains("to-draws"), "{shell}");
    }
}
