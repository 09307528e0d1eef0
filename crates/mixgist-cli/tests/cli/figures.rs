//! `mixgist plot` and `mixgist report`: from a summary alone, with its files moved, gone or changed.

use crate::Workplace;

fn summarised() -> Workplace {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --data data.csv --slices 50 --burn-in 2 -o summary.json");
    place
}

#[test]
fn a_summary_is_enough_for_its_figures() {
    let place = summarised();
    let of_draws = ["map", "losses", "convergence", "path", "components", "representatives", "stability", "traces"];
    for kind in ["contours", "pairs", "bands"].into_iter().chain(of_draws) {
        place.done(&format!("plot summary.json --kind {kind} -o {kind}.svg"));
        let figure = place.read(&format!("{kind}.svg"));
        assert!(figure.starts_with("<svg") && figure.ends_with("</svg>\n"), "{kind}");
    }
    place.done("plot summary.json -o figure.png --dpi 60 --title Lengths");
    assert!(std::fs::read(place.path("figure.png")).unwrap().starts_with(b"\x89PNG"));
    let refused = place.run("plot summary.json -o figure.png");
    assert_eq!((refused.code, refused.stderr.contains("exists already")), (Some(2), true));
    place.done("plot summary.json -o figure.png --dpi 30 --force");
}

#[test]
fn files_may_move_together_but_not_change() {
    let place = summarised();
    std::fs::create_dir(place.path("moved")).unwrap();
    for name in ["summary.json", "draws.npz", "data.csv"] {
        std::fs::rename(place.path(name), place.path(&format!("moved/{name}"))).unwrap();
    }
    place.done("plot moved/summary.json --kind map -o map.svg");

    std::fs::rename(place.path("moved/draws.npz"), place.path("elsewhere.npz")).unwrap();
    let gone = place.run("plot moved/summary.json -o x.svg");
    assert_eq!(gone.code, Some(1));
    assert_eq!(
        gone.stderr,
        "error: moved/draws.npz: is gone; the summary was made from it\n\
         hint: give the draws with --draws, or summarise again\n"
    );
    // --burn-in is remembered.
    place.done("plot moved/summary.json --draws elsewhere.npz --kind traces -o traces.svg");

    place.write("moved/data.csv", "length,pause\n1,2\n");
    let changed = place.run("plot moved/summary.json --draws elsewhere.npz -o x.svg");
    assert!(changed.stderr.contains("moved/data.csv: has changed since"), "{}", changed.stderr);
    assert!(changed.stderr.contains("hint: give the data with --data"), "{}", changed.stderr);
    assert!(!place.files().contains(&"x.svg".to_owned()));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = summarised();
    let message = |line: &str| {
        let run = place.run(line);
        assert_ne!(run.code, Some(0), "{line}");
        run.stderr
    };
    assert!(message("plot summary.json --kind similarity -o x.svg").contains("needs the labels of the observations"));
    assert!(message("plot summary.json --kind density -o x.svg").contains("hint: use --kind contours"));
    assert!(message("plot summary.json -o x.eps").contains("--output takes a name that ends in .svg, .pdf or .png"));
    assert!(message("report summary.json -o x.pdf").contains("--output takes a name that ends in .html or .htm"));
    assert!(message("report summary.json draws.npz -o x.html").contains("cannot be reported on together"));
    assert_eq!(
        message("report summary.json --seed 0 --slices 50 --units sd --distance sw --thin 2 -o x.html"),
        "error: --distance, --slices, --units, --seed, --thin are for draws; a summary says how it was made\n\
         hint: leave them out, give the draws instead of the summary, or summarise again with these options\n"
    );
    assert!(message("plot data.csv -o x.svg").contains("data.csv"));
    assert_eq!(place.files(), ["data.csv", "draws.npz", "summary.json"]);
}

#[test]
fn reports_come_from_summaries_from_draws_and_from_summarize() {
    let place = summarised();
    let said = place.done("report summary.json -o one.html").stdout;
    assert_eq!(said, "Written to one.html. It opens in any browser.\n");
    place.done("report draws.npz --data data.csv --slices 50 --burn-in 2 --distance smix-w,sw -o two.html");
    let run = place.done("summarize draws.npz --data data.csv --slices 50 --burn-in 2 --report three.html");
    assert!(run.stdout.starts_with("estimate "), "{}", run.stdout);
    let [one, two, three] = ["one.html", "two.html", "three.html"].map(|name| place.read(name));
    for page in [&one, &two, &three] {
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(page.contains("The answer") && page.contains("Nguyen, Khai, and Mueller, Peter"));
        assert!(page.contains("mixgist summarize draws.npz --data data.csv --burn-in 2 --distance smix-w"));
    }
    assert!(one.contains("Components with intervals") && one.contains("<b>Verdict:</b>"));
    place.done("report summary.json --without stability,components -o short.html");
    let short = place.read("short.html");
    assert!(
        !short.contains("Components with intervals")
            && short.contains("no summary of any kind has an expected loss below")
    );
    assert!(place.run("report summary.json --without atoms -o x.html").stderr.contains("invalid value 'atoms'"));
    assert_eq!((one.matches("<article").count(), two.matches("<article").count()), (1, 2));
    // The same summary gives the same report.
    assert!(one.contains("<h1>Mixture posterior: data.csv</h1>"));
    assert_eq!(one, three);
}

/// What a report prints to get the same answer again gives it, to the last bit, for every kind of estimate.
#[test]
fn the_command_of_a_report_gives_the_same_summary() {
    let place = summarised();
    for options in [
        "",
        "--estimate aligned",
        "--estimate free",
        "--estimate free --atoms 2 --units none --loss power",
        "--distance sw --scheme iid --slices 40 --seed 7 --prune 1e-3",
    ] {
        place.done(&format!("summarize draws.npz --data data.csv {options} -o first.json --report first.html --force"));
        let page = place.read("first.html");
        let (_, rest) = page.split_once("<pre><code>mixgist ").unwrap();
        let (command, _) = rest.split_once("</code></pre>").unwrap();
        place.done(&format!("{command} -o again.json --force"));
        let [first, again] = ["first.json", "again.json"]
            .map(|name| serde_json::from_str::<serde_json::Value>(&place.read(name)).unwrap());
        assert!(!first["estimate"].is_null() && !first["expected_loss"].is_null(), "{options}");
        for field in ["estimate", "expected_loss", "expected_loss_se", "slices"] {
            assert_eq!(first[field], again[field], "{options}: {field}, by '{command}'");
        }
    }
}
