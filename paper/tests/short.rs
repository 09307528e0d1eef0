//! A short form of the reproduction: few draws, two repeats, every table.

use mixgist_paper::entries::{ENTRIES, entry};
use mixgist_paper::model::Length;
use mixgist_paper::page::{Block, Section, markdown};
use mixgist_paper::study::{Options, Source, Study};
use mixgist_paper::table::compare;

fn study(repeats: usize, as_published: bool) -> Study {
    let length = Length { iterations: 120, burn_in: 90 };
    Study::new(Options { draws: None, as_published, repeats, length }).unwrap()
}

fn sections(study: &Study, name: &str) -> Vec<Section> {
    (entry(name).unwrap().run)(study).unwrap()
}

#[test]
fn every_cell_of_every_table_has_both_numbers_and_a_score() {
    let study = study(2, false);
    for (table, cells) in
        [("table1", 42), ("table2", 24), ("table3", 18), ("table4", 24), ("table5", 12), ("table6", 9)]
    {
        let repeats = if table < "table4" { study.simulation(Source::Own) } else { study.faithful(Source::Own) };
        let compared = compare(&study, table, repeats.unwrap(), 0).unwrap();
        assert_eq!(compared.len(), cells, "{table}");
        assert!(
            compared.iter().all(|cell| cell.ours.mean.is_finite() && cell.z.is_some_and(f64::is_finite)),
            "{table}"
        );
    }
    for name in ["summary", "slices", "table1", "figure2", "figure3", "errata"] {
        let text = markdown("", &sections(&study, name));
        assert!(!text.contains("NaN"), "{text}");
        assert!(name.starts_with("figure") || text.contains(" | "), "{text}");
    }
    let Some(Block::Figure { svg, .. }) = sections(&study, "figure2")[0].blocks.first().cloned() else { panic!() };
    assert!(svg.starts_with("<svg") && svg.len() < 1_000_000, "{}", svg.len());
}

#[test]
fn a_repeat_depends_on_its_seed_alone() {
    let (one, two) = (study(1, true), study(2, true));
    for source in [Source::Own, Source::AsPublished] {
        let (a, b) = (&one.simulation(source).unwrap()[0], &two.simulation(source).unwrap()[0]);
        assert_eq!(a.evaluation.numbers, b.evaluation.numbers);
        assert_eq!(a.posterior.ensemble, b.posterior.ensemble);
    }
}

/// Where conventions differ both numbers are there, and they differ as they must.
#[test]
fn published_conventions_stand_beside_the_right_ones() {
    let study = study(1, false);
    let numbers = &study.simulation(Source::Own).unwrap()[0].evaluation.numbers;
    let number = |method, key: &str| numbers[&(method, key.to_owned())];
    assert_ne!(number("smix-w", "tv*"), number("smix-w", "tv* right"));
    assert!(number("vi", "E omari right") <= number("vi", "E omari"));
    for method in ["sw", "mix-sw", "smix-w"] {
        // a medoid is no worse than the others under its own distance
        let own = number(method, &format!("E G {method}"));
        assert!(["sw", "mix-sw", "smix-w"].iter().all(|other| own <= number(other, &format!("E G {method}"))));
    }
}

#[test]
fn entries_are_found_by_name() {
    assert_eq!(ENTRIES.len(), 14);
    assert!(entry("table9").err().unwrap().to_string().contains("unknown entry 'table9'"));
    assert!(Study::new(Options { draws: None, as_published: false, repeats: 0, length: Length::PAPER }).is_err());
    let missing = Options { draws: Some("no-such-folder".into()), ..study(1, false).options };
    assert!(Study::new(missing).unwrap().faithful(Source::Given).is_err());
}
