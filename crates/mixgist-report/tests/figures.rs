//! Every kind of figure, in every dimension that it is for: well-formed, escaped, drawn alike as SVG and PNG, complete.

mod common;

use common::{HOSTILE, Scene};
use mixgist::{MixingMeasure, Points, Silent};
use mixgist_report::figure::Layer;
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
        let expected = if dim == 1 { 7 } else { KINDS.len() - if dim == 2 { 1 } else { 2 } };
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
