//! Every kind of figure, in every dimension that it is for: well-formed, escaped, drawn alike as SVG and PNG, complete.

mod common;

use common::{HOSTILE, Scene, presented};
use mixgist::narrative::numbers;
use mixgist::slice::{Array, NamedArrays, slicer};
use mixgist::text::CommandLine;
use mixgist::{
    AtomCount, ChainVerdict, Ensemble, Estimator, GivenDirections, Pruning, Reading, Route, Settings, Silent,
    SliceCount, SlicerName, Source, SourceFile, Units, summarize,
};
use mixgist::{Points, Posterior};
use mixgist_report::figure::{Crossing, Layer, Ticks};
use mixgist_report::palette::{Color, Marker};
use mixgist_report::{KINDS, Kind, Presentation, html};

#[test]
fn every_kind_is_well_formed_and_named_by_the_columns() {
    for (dim, columns) in [(1, &["a & b"][..]), (2, &HOSTILE[..]), (3, &["one", "<two>", "three"])] {
        let scene = Scene::new(dim, 40, 50, &["smix-w"], columns);
        let presentation = scene.presentations().remove(0);
        let mut drawn = 0;
        for kind in KINDS.iter().filter(|kind| kind.fits(&presentation)) {
            let figure = kind.draw(&presentation).unwrap();
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
            let pdf = figure.to_pdf().unwrap();
            assert!(pdf.starts_with(b"%PDF-1.4") && pdf.ends_with(b"%%EOF\n"), "{}", kind.name);
            drawn += 1;
        }
        // `axes` are for more than two coordinates; of `density`, `contours` and `pairs` each dimension has one or two.
        let expected = KINDS.len() - if dim == 1 { 3 } else { 2 };
        assert_eq!(drawn, expected, "dimension {dim}");
        assert_eq!(Kind::of_estimate(dim).name, ["density", "contours", "pairs"][dim - 1]);
    }
}

#[test]
fn every_observation_is_drawn_once_in_the_colour_of_its_cluster() {
    let scene = Scene::new(2, 20, 200, &["sw"], &["x", "y"]);
    let presentation = scene.presentations().remove(0);
    let figure = Kind::from_name("contours").unwrap().draw(&presentation).unwrap();
    let panel = figure.panels[0].as_ref().unwrap();
    assert_eq!((panel.x.label.as_str(), panel.y.label.as_str()), ("x", "y"));
    let labels = &scene.answers[0].allocation.as_ref().unwrap().labels;
    let mut drawn = 0;
    for layer in &panel.layers {
        let Layer::Dots(points) = layer else { continue };
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
        let figure = Kind::from_name("components").unwrap().draw(&scene.presentations()[0]).unwrap();
        let mut named = 0;
        for panel in figure.panels.iter().flatten() {
            let Ticks::At(rows) = &panel.y.ticks else { continue };
            assert!(rows.len() >= 20, "dimension {dim}: {} rows", rows.len());
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
    for (dim, columns, rest) in [(1, &["x"][..], "and 7 more"), (2, &["x", "y"], "3 lighter: 20.0 %")] {
        let scene = Scene::with_clusters(dim, 12, 45, &["sw"], columns, 15);
        let figure = Kind::of_estimate(dim).draw(&scene.presentations()[0]).unwrap();
        let last = figure.legend.last().unwrap();
        assert_eq!(last.text, rest, "dimension {dim}");
    }
}

#[test]
fn no_axis_of_weights_reaches_beyond_one() {
    let scene = Scene::with_clusters(2, 60, 20, &["sw"], &["x", "y"], 1);
    let figure = Kind::from_name("components").unwrap().draw(&scene.presentations()[0]).unwrap();
    let panel = figure.panels.iter().flatten().find(|panel| panel.x.label == "weight").unwrap();
    assert!(panel.x.low >= -0.02 && panel.x.high <= 1.02 && panel.x.fraction(1.0) < 1.0, "{:?}", panel.x);
    let page = html("one", scene.presentations()).unwrap();
    assert!(page.contains("1 component: each is clearly identified"));
}

#[test]
fn coordinates_far_from_zero_are_told_apart() {
    let scene = Scene::moved(2, 40, 50, &["smix-w"], &["time", "y"], 1e8);
    let presentation = scene.presentations().remove(0);
    let mean = presentation.estimate().atoms().mean(presentation.main_atoms()[0]).to_vec();
    let page = html("far", vec![presentation]).unwrap();
    // The answer, the atoms and the components name the mean to a part of its standard deviation, of nearly 1.
    for digits in [1, 2] {
        assert!(page.contains(&format!("{:.digits$}", mean[0])), "{} with {digits} decimals", mean[0]);
    }
    assert!(!page.contains("1.00e8 [") && !page.contains("1.000e8"));
}

#[test]
fn the_same_figure_has_the_same_bytes() {
    let scene = Scene::new(2, 30, 40, &["mix-sw"], &["x", "y"]);
    for kind in KINDS.iter().filter(|kind| kind.fits(&scene.presentations()[0])) {
        let draw = || kind.draw(&scene.presentations()[0]).unwrap().to_svg();
        assert_eq!(draw(), draw(), "{}", kind.name);
    }
}

#[test]
fn what_is_missing_is_said_with_a_remedy() {
    let scene = Scene::new(1, 10, 10, &["sw"], &["x"]);
    let alone = Presentation::new(&scene.answers[0], &CommandLine, &Silent).unwrap();
    let refuse = |name: &str| Kind::from_name(name).unwrap().draw(&alone).unwrap_err();
    let hint = |name: &str| refuse(name).hint_text().unwrap().spelled(&CommandLine);
    assert_eq!(refuse("map").to_string(), "the figure 'map' needs the draws that were summarised");
    assert_eq!(hint("map"), "give them: --draws");
    assert_eq!(refuse("contours").to_string(), "the figure 'contours' needs dimension 2, the estimate has 1");
    assert_eq!(hint("contours"), "use --kind density");
    assert!(refuse("similarity").to_string().contains("labels"));
    assert!(Kind::from_name("density").unwrap().draw(&alone).is_ok());
    let other = Scene::new(1, 11, 10, &["sw"], &["x"]);
    let posterior = Posterior::new(&other.ensemble, None, Settings::default()).unwrap();
    let error = alone.with_posterior(&posterior).err().unwrap();
    assert!(error.to_string().contains("11 draws of dimension 1, the summary is of 10"), "{error}");
    let points = Points::new(1, &scene.data[..9]).unwrap();
    let error = Presentation::new(&scene.answers[0], &CommandLine, &Silent).unwrap().with_data(points).err().unwrap();
    assert_eq!(error.to_string(), "9 observations, the summary labels 10");
}

#[test]
fn odd_summaries_are_drawn_too() {
    // A single draw; observations that are all equal; no data at all.
    for (draws, n) in [(1, 3), (2, 1), (5, 2)] {
        let mut scene = Scene::new(2, draws, n, &["smix-w"], &["x", "y"]);
        scene.data.fill(1.5);
        for kind in KINDS.iter().filter(|kind| kind.fits(&scene.presentations()[0])) {
            let figure = kind.draw(&scene.presentations()[0]).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
            roxmltree::Document::parse(&figure.to_svg()).unwrap();
        }
        assert!(html("odd", scene.presentations()).is_ok());
    }
}

#[test]
fn a_report_on_ten_thousand_observations_is_below_two_megabytes() {
    for (dim, columns) in [(2, &["x", "y"][..]), (3, &["x", "y", "z"])] {
        let scene = Scene::new(dim, 400, 10_000, &["sw", "mix-sw", "smix-w"], columns);
        let page = html("large", scene.presentations()).unwrap();
        assert!(page.len() < 2_000_000, "dimension {dim}: {} bytes", page.len());
        assert!(page.len() > 200_000, "dimension {dim}: {} bytes", page.len());
    }
    // The largest: many small panels, many contours, marks of every shape.
    let columns = ["u", "v", "w", "x", "y", "z"];
    let distances = ["sw", "mix-sw", "mix-sw-frobenius", "smix-w"];
    for distances in [&distances[..1], &distances] {
        let scene = Scene::with_clusters(6, 60, 10_000, distances, &columns, 12);
        let page = html("largest", scene.presentations()).unwrap();
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
    let page = html("</title><script>alert(1)</script>", scene.presentations()).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "the list of memberships and our own");
    assert!(!page.contains("<img") && page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    let estimate = &scene.answers[0].estimate;
    assert!(page.contains(&format!("{:.4}", estimate.weights()[0])));
}

#[test]
fn every_estimate_has_its_certificate_and_every_section_its_answer() {
    let scene = Scene::new(2, 60, 80, &["smix-w"], &["x", "y"]);
    let page = html("one mode", scene.presentations()).unwrap();
    for words in [
        "no summary of any kind has an expected loss below",
        "of the best possible",
        "<dt>95 % ball</dt><dd>radius ",
        " of the posterior",
        "farthest in the ball",
        "<dt>Conformal ball</dt>",
        "each is clearly identified",
        "One mode: one estimate can stand for the posterior",
        "<b>Verdict:</b>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("Not computed"));
    for id in ["components", "path", "representatives", "stability"] {
        assert!(page.contains(&format!("id=\"v0-{id}\"")), "{id}");
    }
    // The numbers of the page are those of the answers.
    let presentations = scene.presentations();
    let (card, free) = (presentations[0].stability().unwrap(), presentations[0].free().unwrap());
    for check in &card.checks {
        let change = check.change.spelled(&mixgist::text::CommandLine);
        assert!(page.contains(&format!("<td>{change}</td>")), "{change}");
    }
    let found = free.free().unwrap();
    assert!(page.contains("<td>chosen</td>"));
    assert!(found.judgement.expected_loss >= free.assessment.as_ref().unwrap().floor.value);
    // The path is that of the slices of the summary: its medoid is the estimate.
    assert_eq!((free.slices, free.medoid.draw), (scene.answers[0].slices, scene.answers[0].medoid.draw));
}

/// The floor stands twice on a page, with the summary and with the path, and is one number; so is what the medoid is above it.
#[test]
fn one_page_has_one_floor() {
    let scene = Scene::new(2, 60, 80, &["smix-w"], &["x", "y"]);
    let presentations = scene.presentations();
    let [own, of_path] =
        [&scene.answers[0], presentations[0].free().unwrap()].map(|answer| answer.assessment.as_ref().unwrap());
    assert_eq!((own.floor, own.medoid.excess), (of_path.floor, of_path.medoid.excess));
    let free = of_path.free.as_ref().unwrap();
    assert_eq!(free.judgement.excess, own.floor.excess(free.judgement.expected_loss));
    assert_eq!(free.path[free.chosen].judgement.excess, free.judgement.excess);
    let page = html("one floor", presentations).unwrap();
    assert!(page.contains("E[TV]") && page.contains(&format!("medoid, draw {}", scene.answers[0].medoid.draw)));
}

/// Where weights are uncertain the loss asks for atoms that no draw has: the section of the path says that they were refused, and its caption by which rule.
#[test]
fn the_path_says_what_it_refuses() {
    let weights: Vec<f64> = (0..120).flat_map(|m| [0.5 + 0.004 * f64::from(m % 60 - 30), 0.3, 0.2]).collect();
    let means: Vec<f64> = (0..120).flat_map(|_| [0.0, 6.0, 12.0]).collect();
    let ones = vec![1.0; 360];
    let ensemble =
        Ensemble::builder(1).atoms_per_draw(3).weights(&weights).means(&means).covariances(&ones).build().unwrap();
    let settings = Settings::default().with_slices(SliceCount::Fixed(40));
    let answer = summarize(&ensemble, None, &settings, &Silent).unwrap();
    let presentation = presented(&answer, &ensemble, None);
    let refused =
        presentation.free().unwrap().warnings.iter().find(|warning| warning.name() == "atoms-refused").cloned();
    let page = html("refused", vec![presentation]).unwrap();
    let sentence = refused.expect("atoms between the components are refused").to_string();
    let section = &page[page.find("id=\"v0-path\"").unwrap()..];
    assert!(section.contains(&sentence[1..]), "{sentence}");
    assert!(section.contains("among fits of whose mass at most 1 % lies where almost no draw has a component"));
}

/// A summary under slices of the user's own holds their name only.
#[test]
fn what_cannot_be_computed_again_is_left_out_and_said() {
    let mut scene = Scene::new(2, 60, 80, &["smix-w"], &["x", "y"]);
    scene.answers[0].about.settings.slicer = SlicerName::own("<lambda>");
    let page = html("own slices", scene.presentations()).unwrap();
    let said = "the distance &#39;&lt;lambda&gt;&#39; cannot be computed again: it is none of mixgist&#39;s own";
    assert!(page.contains(&format!("Figures of distances between draws are left out: {said}.")));
    assert!(page.contains(&format!("Not computed: {said}.")));
    assert!(page.contains("<dt>95 % ball</dt>") && page.contains("<b>Verdict:"));
    let presentation = scene.presentations().remove(0);
    assert!(
        Kind::from_name("map")
            .unwrap()
            .draw(&presentation)
            .unwrap_err()
            .to_string()
            .contains("cannot be computed again")
    );
}

#[test]
fn parts_can_be_left_out() {
    let scene = Scene::new(1, 30, 40, &["sw"], &["x"]);
    let parts = mixgist_report::page::PARTS.map(String::from);
    let presentations = scene.presentations().into_iter().map(|presentation| presentation.without(&parts)).collect();
    let page = html("short", presentations).unwrap();
    for part in ["Components with intervals", "Conformal", "smaller?", "more than one answer", "depend on choices"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("<dt>95 % ball</dt>"));
}

#[test]
fn two_modes_have_two_representatives_in_every_dimension() {
    for (dim, columns) in [(1, &["x"][..]), (2, &["x", "y"]), (3, &["x", "y", "z"])] {
        let scene = Scene::with_jump(dim, 200, 60, &["smix-w"], columns, 4.0);
        let presentation = scene.presentations().remove(0);
        let figure = Kind::from_name("representatives").unwrap().draw(&presentation).unwrap();
        let titles: Vec<&str> = figure.panels.iter().flatten().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles.len(), 2, "dimension {dim}: {titles:?}");
        assert!(titles.iter().all(|title| title.contains(": 50.0 %")), "{titles:?}");
        let page = html("two modes", vec![presentation]).unwrap();
        assert!(page.contains("2 modes: one estimate alone does not stand for the posterior"), "dimension {dim}");
    }
}

/// The card of a report is that of the posterior: about the estimate and over the slices that the report presents.
#[test]
fn the_card_of_a_report_is_about_its_estimate() {
    let scene = Scene::with_jump(2, 60, 30, &["smix-w"], &["x", "y"], 0.5);
    let presentation = scene.presentations().remove(0);
    let card = presentation.stability().unwrap();
    let points = Points::new(2, &scene.data).unwrap();
    let own = Posterior::new(&scene.ensemble, Some(points), scene.answers[0].about.settings.clone()).unwrap();
    assert_eq!(card.result, own.stability(0.95, &Silent).unwrap().result);
    assert_eq!(card.estimate, scene.answers[0].estimate);
    let caption = Kind::from_name("stability").unwrap().draw(&presentation).unwrap().caption;
    assert!(caption.contains("(smix-w distances, 40 slices)") && !caption.contains("another draw"), "{caption}");
}

#[test]
fn weighted_draws_are_told_why_they_have_no_conformal_ball() {
    let scene = Scene::new(1, 40, 30, &["smix-w"], &["x"]);
    let weights: Vec<f64> = (0..40).map(|m| 1.0 + f64::from(m % 3)).collect();
    let weighted = scene.ensemble.clone().with_draw_weights(&weights).unwrap();
    let settings = Settings::default().with_slices(SliceCount::Fixed(20));
    let answer = summarize(&weighted, None, &settings, &Silent).unwrap();
    let page = html("weighted", vec![presented(&answer, &weighted, None)]).unwrap();
    assert!(page.contains("There is no conformal ball: a conformal ball needs exchangeable draws"));
}

#[test]
fn few_draws_are_not_said_to_show_one_mode() {
    let scene = Scene::new(1, 12, 30, &["smix-w"], &["x"]);
    let page = html("few", scene.presentations()).unwrap();
    assert!(
        page.contains("there are too few different draws to look for more")
            && !page.contains("can stand for the posterior")
    );
    // In the text and under the map.
    assert!(page.contains("holds 1.0000 of the posterior") && page.contains("holds 100.0 % of the posterior"));
}

#[test]
fn standard_deviations_have_their_intervals_in_the_table() {
    for (dim, columns) in [(1, &["x"][..]), (2, &["x", "y"])] {
        let scene = Scene::new(dim, 60, 30, &["smix-w"], columns);
        let presentation = scene.presentations().remove(0);
        let components = presentation.components().unwrap();
        let sd = components.components[0].intervals.as_ref().unwrap().sd[dim - 1];
        let cell = numbers::interval(sd.median, sd.low, sd.high);
        let caption = Kind::from_name("components").unwrap().draw(&presentation).unwrap().caption;
        assert!(dim > 1 || caption.contains("Weight, mean and standard deviation of each component."), "{caption}");
        let page = html("components", vec![presentation]).unwrap();
        let last = columns[dim - 1];
        assert!(page.contains(&format!(">sd {last}</th>")) && page.contains(&format!("<td>{cell}</td>")), "{cell}");
    }
}

#[test]
fn a_free_estimate_is_reported_as_one() {
    let scene = Scene::new(2, 40, 50, &["smix-w"], &["x", "y"]);
    let points = Points::new(2, &scene.data).unwrap();
    let settings =
        Settings::default().with_slices(SliceCount::Fixed(40)).with_estimator(Estimator::Free(AtomCount::Fixed(2)));
    let answer = summarize(&scene.ensemble, Some(points), &settings, &Silent).unwrap();
    let presentation = || presented(&answer, &scene.ensemble, Some(points));
    let page = html("free", vec![presentation()]).unwrap();
    assert!(page.contains("<dt>Estimate</dt><dd>free, 2 atoms</dd>") && page.contains("<dt>Medoid</dt><dd>draw "));
    // The path is that of the summary, so that it needs no draws.
    let alone = Presentation::new(&answer, &CommandLine, &Silent).unwrap();
    let figure = Kind::from_name("path").unwrap().draw(&alone).unwrap();
    assert_eq!(figure.panels.len(), 2);
    // On the map the estimate is a place of its own.
    let map = Kind::from_name("map").unwrap().draw(&presentation()).unwrap();
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
    let directions = Some(GivenDirections::new(directions));
    let settings = Settings::default().with_slicer(slicer("sw").unwrap().into()).with_directions(directions);
    let answer = summarize(&scene.ensemble, None, &settings, &Silent).unwrap();
    let with = presented(&answer, &scene.ensemble, None);
    // The document alone holds their fingerprint: nothing stands in for them.
    let mut read = answer.clone();
    read.about.settings = serde_json::from_str(&serde_json::to_string(&settings).unwrap()).unwrap();
    let without = presented(&read, &scene.ensemble, None);
    for name in ["map", "convergence"] {
        let kind = Kind::from_name(name).unwrap();
        let error = kind.draw(&without).unwrap_err();
        assert_eq!(error.to_string(), "the directions that were given are not at hand", "{name}");
        assert!(kind.draw(&with).is_ok(), "{name}");
    }
    let page = html("without", vec![without]).unwrap();
    assert!(page.contains("left out: the directions that were given are not at hand."));
    assert!(page.contains("<dt>95 % ball</dt>") && page.contains("<i>What helps:</i> give them: --directions."));
    // With the directions at hand the curve ends at the lead of the summary.
    let figure = Kind::from_name("convergence").unwrap().draw(&with).unwrap();
    let layers = &figure.panels[0].as_ref().unwrap().layers;
    let end = layers.iter().find_map(|layer| match layer {
        Layer::Dots(points) => points.at.last().map(|point| point[1]),
        _ => None,
    });
    let lead = answer.medoid.runner_up.unwrap().expected_loss - answer.medoid.expected_loss;
    assert!((end.unwrap() - lead).abs() < 1e-9 * answer.expected_loss, "{end:?} {lead}");
}

/// The marks of one look in a panel.
fn marks(panel: &mixgist_report::figure::Panel, marker: Marker, color: Color) -> Vec<[f64; 2]> {
    let of = |layer: &Layer| match layer {
        Layer::Dots(points) if points.marker == marker && points.color == color => Some(points.at.clone()),
        _ => None,
    };
    panel.layers.iter().find_map(of).unwrap_or_default()
}

#[test]
fn no_draw_is_below_the_line_of_the_least_loss() {
    // A route that does not keep the losses, so that the figure computes them.
    for (loss, route) in [(mixgist::Loss::Distance, Route::Certified), (mixgist::Loss::Power, Route::Sweep)] {
        let scene = Scene::new(2, 300, 20, &["smix-w"], &["x", "y"]);
        let settings = Settings::default().with_slices(SliceCount::Fixed(150)).with_loss(loss).with_route(route);
        let mut answer = summarize(&scene.ensemble, None, &settings, &Silent).unwrap();
        answer.result.medoid.expected_losses = None;
        let figure = Kind::from_name("losses").unwrap().draw(&presented(&answer, &scene.ensemble, None)).unwrap();
        let panel = figure.panels[0].as_ref().unwrap();
        let line = panel.layers.iter().find_map(|layer| match layer {
            Layer::Rule { at: Crossing::Y(y), .. } => Some(*y),
            _ => None,
        });
        let line = line.unwrap();
        assert_eq!(line, answer.medoid.expected_loss);
        for layer in &panel.layers {
            let Layer::Dots(points) = layer else { continue };
            assert!(points.at.iter().all(|at| at[1] >= line * (1.0 - 1e-9)), "{loss:?}");
        }
        // The named draws lie where the others say they do.
        assert!(figure.caption.starts_with("Expected loss of 15") && figure.caption.contains("over all 300"));
    }
}

#[test]
fn draws_outside_of_the_ball_are_drawn_outside_of_its_circle() {
    let scene = Scene::new(2, 150, 20, &["smix-w"], &["x", "y"]);
    // One draw is far away.
    let far = Ensemble::builder(2)
        .atoms_per_draw(1)
        .weights(&[1.0])
        .means(&[400.0, 0.0])
        .covariances(&[1.0, 1.0])
        .form(mixgist::CovarianceForm::Diagonal)
        .build()
        .unwrap();
    let ensemble = Ensemble::concatenate(&[&scene.ensemble, &far]).unwrap();
    let settings = Settings::default().with_slices(SliceCount::Fixed(60)).with_units(Units::None);
    let answer = summarize(&ensemble, None, &settings, &Silent).unwrap();
    let presentation = presented(&answer, &ensemble, None);
    let radius = presentation.credible().unwrap().ball.radius;
    let figure = Kind::from_name("map").unwrap().draw(&presentation).unwrap();
    let panel = figure.panels[0].as_ref().unwrap();
    let length = |at: &[f64; 2]| at[0].hypot(at[1]);
    let (inside, outside) =
        (marks(panel, Marker::Circle, Color::BLUE.mix(Color::WHITE, 0.35)), marks(panel, Marker::Plus, Color::GREY));
    assert!(inside.len() > 130 && !outside.is_empty());
    assert!(inside.iter().all(|at| length(at) <= radius * (1.0 + 1e-9)));
    assert!(outside.iter().all(|at| length(at) > radius));
    // Every mark is as far from the middle as the draw is from the estimate.
    let mut drawn: Vec<f64> = inside.iter().chain(&outside).map(length).collect();
    let mut known = answer.distances.clone();
    drawn.sort_by(f64::total_cmp);
    known.sort_by(f64::total_cmp);
    assert!(drawn.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-9));
    // The far one is at the edge, and does not press the others together.
    assert_eq!(marks(panel, Marker::Triangle, Color::GREY).len(), 1);
    assert!(panel.x.high < 4.0 * radius && figure.caption.contains("1 draw is farther than the frame reaches"));
}

#[test]
fn the_command_has_every_setting() {
    let scene = Scene::new(2, 30, 20, &["smix-w"], &["x", "y"]);
    let file = |path: &str| SourceFile { path: path.into(), bytes: 1, crc32: 7 };
    let settings = Settings::default()
        .with_slices(SliceCount::Fixed(30))
        .with_pruning(Pruning::Tolerance(1e-4))
        .with_route(Route::Pairs)
        .with_estimator(Estimator::Free(AtomCount::Fixed(2)))
        .with_candidate(Some(scene.ensemble.draw(3)))
        .with_units(Units::Whiten)
        .with_scheme(mixgist::slice::Scheme::Iid)
        .with_seed(5);
    let source = Source {
        draws: vec![file("my draws.npz")],
        reading: Reading {
            format: None,
            covariance_form: "covariance".into(),
            variables: ["w", "m", "c"].map(String::from),
            label_variable: None,
            burn_in: 10,
            thin: 2,
        },
        data: None,
        directions: None,
        candidate: Some(file("own.json")),
    };
    let posterior = Posterior::new(&scene.ensemble, None, settings).unwrap().with_source(Some(source));
    let summary = posterior.summary(&Silent).unwrap().clone();
    let answer = posterior.answer(summary);
    let page = html("all", vec![Presentation::new(&answer, &CommandLine, &Silent).unwrap()]).unwrap();
    let command = "mixgist summarize &#39;my draws.npz&#39; --weights w --means m --covariances c --burn-in 10 --thin 2 --distance smix-w --order 2 \
                   --loss distance --slices 30 --scheme iid --seed 5 --estimate free --atoms 2 --candidate own.json --units whiten --prune 0.0001 --route pairs";
    assert!(page.contains(command), "{}", &page[page.find("<pre>").unwrap()..][..400]);
}

#[test]
fn no_tick_stands_where_chains_disagree() {
    // Each chain has a second atom of its own.
    let scene = Scene::new(1, 80, 30, &["smix-w"], &["x"]);
    let shifted = Scene::moved(1, 80, 30, &["smix-w"], &["x"], 3.0);
    let both = Ensemble::concatenate(&[&scene.ensemble, &shifted.ensemble]).unwrap();
    let ensemble = both.with_chains((0..160).map(|m| m / 80).collect(), (0..160).collect()).unwrap();
    let settings = Settings::default().with_slices(SliceCount::Fixed(40));
    let answer = summarize(&ensemble, None, &settings, &Silent).unwrap();
    assert_eq!(answer.agreement.verdict, ChainVerdict::Disagree);
    let page = html("apart", vec![presented(&answer, &ensemble, None)]).unwrap();
    assert!(!page.contains("class=\"good\""));
    assert!(page.contains("all this holds for these draws, not for the posterior"), "the methods say so");
    let (verdict, first) = (page.find("The chains disagree").unwrap(), page.find("id=\"v0-answer\"").unwrap());
    assert!(verdict < first, "the verdict on the chains is at the top");
    // Where they agree, ticks stand.
    let page = html("alike", scene.presentations()).unwrap();
    assert!(page.contains("class=\"good\""));
}

#[test]
fn words_in_other_scripts_stay_words() {
    let scene = Scene::new(2, 10, 20, &["sw"], &["長さ", "y"]);
    let figure = Kind::from_name("contours").unwrap().draw(&scene.presentations()[0]).unwrap();
    let svg = figure.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let words: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    assert_eq!(words, ["長さ"]);
    assert!(figure.to_png(48.0).unwrap().len() > 500);
}
