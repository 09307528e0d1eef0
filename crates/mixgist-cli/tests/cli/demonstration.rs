//! `mixgist demo`, help texts and completions.

use crate::{Workplace, names};

#[test]
fn the_demonstration_goes_from_data_to_files() {
    let place = Workplace::new();
    let run = place.done("demo -o shown");
    assert!(run.stdout.starts_with("Old Faithful: 272 eruptions"), "{}", run.stdout);
    for distance in ["sw", "mix-sw", "smix-w"] {
        assert!(run.stdout.contains(&format!("\n{distance:>8}  ")), "{}", run.stdout);
        let summary: serde_json::Value =
            serde_json::from_str(&place.read(&format!("shown/summary-{distance}.json"))).unwrap();
        // The posterior puts almost all its mass on 2 to 5 clusters.
        assert!((2..=5).contains(&summary["clusters"].as_u64().unwrap()));
        assert_eq!(summary["labels"].as_array().unwrap().len(), 272);
    }
    assert!(run.stdout.contains("\nUnder smix-w:\nestimate       draw "), "{}", run.stdout);
    let summaries = ["summary-mix-sw.json", "summary-smix-w.json", "summary-sw.json"];
    let expected = [&["data.csv", "draws.npz", "report.html"][..], &summaries].concat();
    assert_eq!(names(&place.path("shown")), expected);
    assert_eq!(place.read("shown/report.html").matches("<article").count(), 3);
    place.done("plot shown/summary-sw.json --kind similarity -o similarity.svg");

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
    let overview = place.done("--help").stdout;
    assert!(overview.contains("Example"));
    let commands = overview.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Names stand two blanks from the margin, what help wraps stands further right.
    let verbs: Vec<&str> = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    let verbs: Vec<&str> = verbs.into_iter().filter(|verb| !verb.is_empty() && *verb != "help").collect();
    assert!(["summarize", "distance", "inspect", "convert", "demo", "completions"].iter().all(|v| verbs.contains(v)));
    for verb in verbs {
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
