//! Every kind of figure, in every dimension that it is for: well-formed, escaped, drawn alike as SVG and PNG, complete.

mod common;

use common::{HOSTILE, Scene};
use mixgist::slice::{Array, NamedArrays, slicer};
use mixgist::stability::stability;
use mixgist::{AtomCount, Estimator, MixingMeasure, Points, Settings, Silent, SliceCount, summarize};
use mixgist_io::posterior::{About, StabilityDocument};
use mixgist_io::{MeasureDocument, SummaryDocument};
use mixgist_report::figure::{Layer, Ticks};
use mixgist_report::{KINDS, Kind, Subject, html};

#[test]
fn every_kind_is_well_formed_and_named_by_the_columns() {
    for (dim, columns) in [(1, &["a & b"][..]), (2, &HOSTILE[..]), (3, &["one", "<two>", "three"])] {
        let scene = Scene::new(dim, 40, 50, &["smix-w"], columns);
        let subject = scene.subjects().remove(0);
        let mut drawn = 0;
        for kind in KINDS.iter().filter(|kind| kind.fits(&subject)) {
            let figure = kind.draw(&subject).unwrap();
            let svg = figure.to_svg();
            let document = roxmltree::Document::parse(&svg).unwrap_or_else(|cause| panic!("{}: {cause}", kind.name));
            assert!(!figure.description.is_empty() && figure.caption.ends_with('.'), "{}", kind.name);
            let root = document.root_element();
            assert_eq!(root.attribute("aria-label"), Some(figure.description.as_str()), "{}", kind.name);
            // Nothing but drawing, and every letter that is used is defined.
            let known = ["svg", "title", "desc", "defs", "g", "path", "rect", "use"];
            for node in root.descendants().filter(roxmltree::Node::is_element) {
                assert!(known.contains(&node.tag_name().name()), "{}: {}", kind.name, node.tag_name().name());
                if let Some(target) = node.attribute("href") {
                    let id = target.trim_start_matches('#');
                    assert!(root.descendants().any(|other| other.attribute("id") == Some(id)), "{target}");
                }
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{}", kind.name);
            let png = figure.to_png(48.0).unwrap();
            assert!(png.starts_with(b"\x89PNG") && png.len() > 500, "{}", kind.name);
            drawn += 1;
        }
        let expected = if dim == 1 { KINDS.len() - 2 } else { KINDS.len() - if dim == 2 { 1 } else { 2 } };
        assert_eq!(drawn, expected, "dimension {dim}");
        assert_eq!(Kind::of_estimate(dim).name, ["density", "contours", "pairs"][dim - 1]);
    }
}

#[test]
fn every_observation_is_drawn_once_in_the_colour_of_its_cluster() {
    let scene = Scene::new(2, 20, 200, &["sw"], &["x", "y"]);
    let subject = scene.subjects().remove(0);
    let figure = Kind::from_name("contours").unwrap().draw(&subject).unwrap();
    let panel = figure.panels[0].as_ref().unwrap();
    assert_eq!((panel.x.label.as_str(), panel.y.label.as_str()), ("x", "y"));
    let labels = scene.documents[0].labels.as_ref().unwrap();
    let mut drawn = 0;
    for layer in &panel.layers {
        let Layer::Points(points) = layer else { continue };
        let Some(group) = points.group else { continue };
        let members: Vec<[f64; 2]> = (0..200)
            .filter(|&i| labels[i] as usize == group)
            .map(|i| [scene.data[2 * i], scene.data[2 * i + 1]])
            .collect();
        assert_eq!(points.at, members);
        drawn += members.len();
        assert!(points.at.iter().all(|at| (0.0..=1.0).contains(&panel.x.fraction(at[0]))));
    }
    assert_eq!(drawn, 200);
}

#[test]
fn every_row_of_components_has_a_line_of_its_own() {
    for (dim, columns) in [(1, &["x"][..]), (2, &["x", "y"]), (3, &["x", "y", "z"])] {
        let scene = Scene::with_clusters(dim, 12, 80, &["sw"], columns, 40);
        let figure = Kind::from_name("components").unwrap().draw(&scene.subjects()[0]).unwrap();
        let mut named = 0;
        for panel in figure.panels.iter().flatten() {
            let Ticks::At(rows) = &panel.y.ticks else { continue };
            assert!(rows.len() >= 40, "dimension {dim}: {} rows", rows.len());
            for two in rows.windows(2) {
                let apart = (panel.y.fraction(two[0].at) - panel.y.fraction(two[1].at)).abs() * panel.height;
                assert!(apart >= 15.0, "dimension {dim}: {apart} between {} and {}", two[0].text, two[1].text);
            }
            named += 1;
        }
        assert!(named > 0, "dimension {dim}");
    }
}

#[test]
fn a_legend_says_what_it_does_not_list() {
    for (dim, columns, listed) in [(1, &["x"][..], 8), (2, &["x", "y"], 12)] {
        let scene = Scene::with_clusters(dim, 12, 45, &["sw"], columns, 15);
        let figure = Kind::of_estimate(dim).draw(&scene.subjects()[0]).unwrap();
        let last = figure.legend.last().unwrap();
        assert_eq!(last.text, format!("and {} more", 15 - listed), "dimension {dim}");
    }
}

#[test]
fn no_axis_of_weights_reaches_beyond_one() {
    let scene = Scene::with_clusters(2, 60, 20, &["sw"], &["x", "y"], 1);
    let figure = Kind::from_name("components").unwrap().draw(&scene.subjects()[0]).unwrap();
    let panel = figure.panels.iter().flatten().find(|panel| panel.x.label == "weight").unwrap();
    assert!(panel.x.low >= -0.02 && panel.x.high <= 1.02 && panel.x.fraction(1.0) < 1.0, "{:?}", panel.x);
    let page = html("one", scene.subjects()).unwrap();
    assert!(page.contains("It has 1 main atom with 100.0 % of the mass, around x = "));
    assert!(page.contains("The one component can be given intervals"));
}

#[test]
fn coordinates_far_from_zero_are_told_apart() {
    let scene = Scene::moved(2, 40, 50, &["smix-w"], &["time", "y"], 1e8);
    let subject = scene.subjects().remove(0);
    let mean = subject.estimate.atoms().mean(subject.main_atoms()[0]).to_vec();
    let page = html("far", vec![subject]).unwrap();
    // The answer, the atoms and the components name the mean to a part of its standard deviation, of nearly 1.
    for digits in [1, 2] {
        assert!(page.contains(&format!("{:.digits$}", mean[0])), "{} with {digits} decimals", mean[0]);
    }
    assert!(!page.contains("1.00e8 [") && !page.contains("1.000e8"));
}

#[test]
fn the_same_figure_has_the_same_bytes() {
    let scene = Scene::new(2, 30, 40, &["mix-sw"], &["x", "y"]);
    for kind in KINDS.iter().filter(|kind| kind.fits(&scene.subjects()[0])) {
        let draw = || kind.draw(&scene.subjects()[0]).unwrap().to_svg();
        assert_eq!(draw(), draw(), "{}", kind.name);
    }
}

#[test]
fn what_is_missing_is_said_with_a_remedy() {
    let scene = Scene::new(1, 10, 10, &["sw"], &["x"]);
    let alone = Subject::new(&scene.documents[0], &Silent).unwrap();
    let refuse = |name: &str| Kind::from_name(name).unwrap().draw(&alone).unwrap_err();
    assert_eq!(refuse("map").to_string(), "the figure 'map' needs the draws that were summarised");
    assert_eq!(refuse("map").hint_text(), Some("give them with --draws"));
    assert_eq!(refuse("contours").to_string(), "the figure 'contours' needs dimension 2, the estimate has 1");
    assert_eq!(refuse("contours").hint_text(), Some("use --kind density"));
    assert!(refuse("similarity").to_string().contains("labels"));
    assert!(Kind::from_name("density").unwrap().draw(&alone).is_ok());
    let other = Scene::new(1, 11, 10, &["sw"], &["x"]);
    let error = Subject::new(&scene.documents[0], &Silent).unwrap().with_draws(&other.ensemble).err().unwrap();
    assert!(error.to_string().contains("11 draws of dimension 1, the summary is of 10"), "{error}");
    let points = Points::new(1, &scene.data[..9]).unwrap();
    let error = Subject::new(&scene.documents[0], &Silent).unwrap().with_data(points).err().unwrap();
    assert_eq!(error.to_string(), "9 observations, the summary labels 10");
}

#[test]
fn odd_summaries_are_drawn_too() {
    // A single draw; observations that are all equal; no data at all.
    for (draws, n) in [(1, 3), (2, 1), (5, 2)] {
        let mut scene = Scene::new(2, draws, n, &["smix-w"], &["x", "y"]);
        scene.data.fill(1.5);
        for kind in KINDS.iter().filter(|kind| kind.fits(&scene.subjects()[0])) {
            let figure = kind.draw(&scene.subjects()[0]).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
            roxmltree::Document::parse(&figure.to_svg()).unwrap();
        }
        assert!(html("odd", scene.subjects()).is_ok());
    }
}

#[test]
fn a_report_on_ten_thousand_observations_is_below_two_megabytes() {
    for (dim, columns) in [(2, &["x", "y"][..]), (3, &["x", "y", "z"])] {
        let scene = Scene::new(dim, 400, 10_000, &["sw", "mix-sw", "smix-w"], columns);
        let page = html("large", scene.subjects()).unwrap();
        assert!(page.len() < 2_000_000, "dimension {dim}: {} bytes", page.len());
        assert!(page.len() > 200_000, "dimension {dim}: {} bytes", page.len());
    }
    // The largest: many small panels, many contours, marks of every shape.
    let columns = ["u", "v", "w", "x", "y", "z"];
    let distances = ["sw", "mix-sw", "mix-sw-frobenius", "smix-w"];
    for distances in [&distances[..1], &distances] {
        let scene = Scene::with_clusters(6, 60, 10_000, distances, &columns, 12);
        let page = html("largest", scene.subjects()).unwrap();
        // The limit leaves room for the marks of more draws, of which a report shows 3000 in each kind of figure.
        assert!(page.len() < 1_750_000, "{} distances: {} bytes", distances.len(), page.len());
        assert!(page.contains("of 10000 observations are shown"));
        for part in ["Conformal ball", "Could a summary be better", "Does it depend on choices"] {
            assert_eq!(page.matches(part).count(), distances.len(), "{part}");
        }
    }
}

#[test]
fn names_are_text_and_not_markup() {
    let scene = Scene::new(2, 20, 30, &["sw"], &HOSTILE);
    let page = html("</title><script>alert(1)</script>", scene.subjects()).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "the list of memberships and our own");
    assert!(!page.contains("<img") && page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    let estimate = MixingMeasure::try_from(&scene.documents[0].estimate).unwrap();
    assert!(page.contains(&format!("{:.4}", estimate.weights()[0])));
}

#[test]
fn every_estimate_has_its_certificate_and_every_section_its_answer() {
    let scene = Scene::new(2, 60, 80, &["smix-w"], &["x", "y"]);
    let page = html("one mode", scene.subjects()).unwrap();
    for words in [
        "<b>Certificate.</b> Under the same slices no summary of any kind has an expected loss below",
        "of the best possible",
        "<b>Credible ball.</b> The 95 % ball around the estimate, of radius",
        "holds 95.0 % of the posterior",
        "most distant in the ball",
        "<b>Conformal ball.</b>",
        "stand clear of each other",
        "the draws show a single mode",
        "<b>Verdict:</b>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("Not computed"));
    for id in ["components", "path", "representatives", "stability"] {
        assert!(page.contains(&format!("id=\"v0-{id}\"")), "{id}");
    }
    // The numbers of the page are those of the documents.
    let subjects = scene.subjects();
    let (card, path) = (subjects[0].stability().unwrap(), subjects[0].path().unwrap());
    for check in &card.document.checks {
        assert!(page.contains(&format!("<td>{}</td>", check.change)), "{}", check.change);
    }
    let free = path.assessment.free.as_ref().unwrap();
    assert!(page.contains(&format!("{} (chosen)", free.path[free.chosen].atoms)));
    assert!(free.judgement.expected_loss >= path.assessment.floor);
}

/// A summary under slices of the user's own holds their name only.
#[test]
fn what_cannot_be_computed_again_is_left_out_and_said() {
    let mut scene = Scene::new(2, 60, 80, &["smix-w"], &["x", "y"]);
    scene.documents[0].distance = "<lambda>".into();
    let page = html("own slices", scene.subjects()).unwrap();
    let said = "the distance &#39;&lt;lambda&gt;&#39; cannot be computed again: it is none of mixgist&#39;s own";
    assert!(page.contains(&format!("Figures of distances between draws are left out: {said}.")));
    assert!(page.contains(&format!("Not computed: {said}.")));
    assert!(page.contains("<b>Credible ball.</b> The 95 % ball") && page.contains("<b>Verdict:"));
    let subject = scene.subjects().remove(0);
    assert!(
        Kind::from_name("map").unwrap().draw(&subject).unwrap_err().to_string().contains("cannot be computed again")
    );
}

#[test]
fn parts_can_be_left_out() {
    let scene = Scene::new(1, 30, 40, &["sw"], &["x"]);
    let parts = mixgist_report::page::PARTS.map(String::from);
    let subjects = scene.subjects().into_iter().map(|subject| subject.without(&parts)).collect();
    let page = html("short", subjects).unwrap();
    for part in ["Components with intervals", "Conformal", "smaller?", "more than one answer", "depend on choices"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("<b>Credible ball.</b>"));
}

#[test]
fn two_modes_have_two_representatives_in_every_dimension() {
    for (dim, columns) in [(1, &["x"][..]), (2, &["x", "y"]), (3, &["x", "y", "z"])] {
        let scene = Scene::with_jump(dim, 200, 60, &["smix-w"], columns, 4.0);
        let subject = scene.subjects().remove(0);
        let figure = Kind::from_name("representatives").unwrap().draw(&subject).unwrap();
        let titles: Vec<&str> = figure.panels.iter().flatten().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles.len(), 2, "dimension {dim}: {titles:?}");
        assert!(titles.iter().all(|title| title.contains(": 50.0 %")), "{titles:?}");
        let page = html("two modes", vec![subject]).unwrap();
        assert!(page.contains("The posterior has 2 modes"), "dimension {dim}");
    }
}

/// The card of a small posterior is that of all slices: the same as a card of its own, about the estimate that the report presents.
#[test]
fn the_card_of_a_report_is_about_its_estimate() {
    let scene = Scene::with_jump(2, 60, 30, &["smix-w"], &["x", "y"], 0.5);
    let points = Points::new(2, &scene.data).unwrap();
    let settings = Settings { slices: SliceCount::Fixed(250), ..Settings::default() };
    let summary = summarize(&scene.ensemble, Some(points), &settings, &Silent).unwrap();
    let document = SummaryDocument::new(&summary, &scene.ensemble, &settings, None);
    let subject = |document| {
        let subject = Subject::new(document, &Silent).unwrap().with_draws(&scene.ensemble).unwrap();
        subject.with_data(points).unwrap()
    };
    let first = subject(&document);
    let card = first.stability().unwrap();
    let own = stability(&scene.ensemble, Some(points), &settings, 0.95, &mixgist::estimate, &Silent).unwrap();
    let about = About { ensemble: &scene.ensemble, settings: &settings, columns: None };
    assert_eq!(card.document, StabilityDocument::new(&own, &about).unwrap());
    assert_eq!((card.away, card.how.as_str()), (None, "250 slices"));
    let caption = |subject: &Subject| Kind::from_name("stability").unwrap().draw(subject).unwrap().caption;
    assert!(!caption(&first).contains("another draw"));
    // A summary whose estimate is another draw.
    let other = (document.draw + 1) % 60;
    let estimate = MeasureDocument::from(&scene.ensemble.draw(other));
    let moved = SummaryDocument { draw: other, estimate, ..document.clone() };
    let text = caption(&subject(&moved));
    assert!(text.contains("is another draw than the summary's, ") && text.contains(" radii from it"), "{text}");
}

#[test]
fn weighted_draws_are_told_why_they_have_no_conformal_ball() {
    let scene = Scene::new(1, 40, 30, &["smix-w"], &["x"]);
    let weights: Vec<f64> = (0..40).map(|m| 1.0 + f64::from(m % 3)).collect();
    let weighted = scene.ensemble.clone().with_draw_weights(&weights).unwrap();
    let settings = Settings { slices: SliceCount::Fixed(20), ..Settings::default() };
    let summary = summarize(&weighted, None, &settings, &Silent).unwrap();
    let document = SummaryDocument::new(&summary, &weighted, &settings, None);
    let page =
        html("weighted", vec![Subject::new(&document, &Silent).unwrap().with_draws(&weighted).unwrap()]).unwrap();
    assert!(page.contains("<b>Conformal ball.</b> There is none: a conformal ball needs exchangeable draws"));
}

#[test]
fn few_draws_are_not_said_to_show_one_mode() {
    let scene = Scene::new(1, 12, 30, &["smix-w"], &["x"]);
    let page = html("few", scene.subjects()).unwrap();
    assert!(
        page.contains("there are too few different draws to look for more modes") && !page.contains("a single mode")
    );
    // In the text and under the map.
    assert!(page.matches("holds 100.0 % of the posterior").count() == 2 && page.contains("undecided"));
}

#[test]
fn standard_deviations_have_their_intervals_in_the_table() {
    for (dim, columns) in [(1, &["x"][..]), (2, &["x", "y"])] {
        let scene = Scene::new(dim, 60, 30, &["smix-w"], columns);
        let subject = scene.subjects().remove(0);
        let document = subject.components().unwrap();
        let sd = document.components[0].intervals.as_ref().unwrap().sd[dim - 1];
        let cell = mixgist_report::words::interval(sd.median, sd.low, sd.high);
        let caption = Kind::from_name("components").unwrap().draw(&subject).unwrap().caption;
        assert!(dim > 1 || caption.starts_with("Weight, mean and standard deviation of each component."), "{caption}");
        let page = html("components", vec![subject]).unwrap();
        let last = columns[dim - 1];
        assert!(page.contains(&format!(">sd {last}</th>")) && page.contains(&format!("<td>{cell}</td>")), "{cell}");
    }
}

#[test]
fn a_free_estimate_is_reported_as_one() {
    let scene = Scene::new(2, 40, 50, &["smix-w"], &["x", "y"]);
    let points = Points::new(2, &scene.data).unwrap();
    let settings = Settings {
        slices: SliceCount::Fixed(40),
        estimator: Estimator::Free(AtomCount::Fixed(2)),
        ..Settings::default()
    };
    let summary = summarize(&scene.ensemble, Some(points), &settings, &Silent).unwrap();
    let document = SummaryDocument::new(&summary, &scene.ensemble, &settings, None);
    let subject = || Subject::new(&document, &Silent).unwrap().with_draws(&scene.ensemble).unwrap();
    let page = html("free", vec![subject().with_data(points).unwrap()]).unwrap();
    assert!(page.contains("A measure of 2 atoms that is not confined to the draws stands for the posterior"));
    assert!(page.contains("the free estimate (") && page.contains("; the medoid ("));
    // The path is that of the summary, so that it needs no draws.
    let alone = Subject::new(&document, &Silent).unwrap();
    let figure = Kind::from_name("path").unwrap().draw(&alone).unwrap();
    assert_eq!(figure.panels.len(), 2);
    // On the map the estimate is a place of its own.
    let map = Kind::from_name("map").unwrap().draw(&subject()).unwrap();
    assert!(map.legend.iter().any(|entry| entry.text == "estimate"));
    assert!(map.legend.iter().any(|entry| entry.text.starts_with("medoid (draw ")));
}

#[test]
fn given_directions_are_used_or_their_absence_is_said() {
    let scene = Scene::new(2, 30, 20, &["sw"], &["x", "y"]);
    // Directions in the space of means and covariances, 2 + 4 numbers each.
    let direction = |l: usize| {
        let v: Vec<f64> = (0..6).map(|a| (1.0 + l as f64 * 0.7 + a as f64 * (1.3 + 0.1 * l as f64)).sin()).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.into_iter().map(move |x| x / norm)
    };
    let theta = (0..80).flat_map(direction).collect();
    let directions = NamedArrays::from([("sw_theta".to_owned(), Array { shape: vec![80, 6], values: theta })]);
    let settings =
        Settings { slicer: slicer("sw").unwrap(), directions: Some(directions.clone()), ..Settings::default() };
    let summary = summarize(&scene.ensemble, None, &settings, &Silent).unwrap();
    let document = SummaryDocument::new(&summary, &scene.ensemble, &settings, None);
    let without = Subject::new(&document, &Silent).unwrap().with_draws(&scene.ensemble).unwrap();
    let with =
        Subject::new(&document, &Silent).unwrap().with_draws(&scene.ensemble).unwrap().with_directions(&directions);
    for name in ["map", "convergence"] {
        let caption = |subject| Kind::from_name(name).unwrap().draw(subject).unwrap().caption;
        assert!(caption(&without).contains("are not at hand; independent ones (seed 0) stand in"), "{name}");
        assert!(!caption(&with).contains("stand in"), "{name}");
    }
    // With the directions at hand the curve ends at the loss of the summary.
    let figure = Kind::from_name("convergence").unwrap().draw(&with).unwrap();
    let ends: Vec<f64> = figure.panels[0]
        .as_ref()
        .unwrap()
        .layers
        .iter()
        .filter_map(|layer| match layer {
            Layer::Line { path, .. } => path.last().map(|point| point[1]),
            _ => None,
        })
        .collect();
    assert!(ends.iter().any(|end| (end / document.expected_loss - 1.0).abs() < 1e-9), "{ends:?}");
}

#[test]
fn words_in_other_scripts_stay_words() {
    let scene = Scene::new(2, 10, 20, &["sw"], &["長さ", "y"]);
    let figure = Kind::from_name("contours").unwrap().draw(&scene.subjects()[0]).unwrap();
    let svg = figure.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let words: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    assert_eq!(words, ["長さ"]);
    assert!(figure.to_png(48.0).unwrap().len() > 500);
}
