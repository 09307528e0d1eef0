//! The report in a browser: it renders without errors and without a network, its interactions work, it fits a phone, and it is
//! complete on paper and without its script.

#[path = "browser/chromium.rs"]
mod chromium;
mod common;

use chromium::{Browser, Tab};
use common::{HOSTILE, Scene};
use mixgist_report::html;
use serde_json::json;

/// The browser, or a loud note that there is none; where everything must be tested its absence is a failure.
fn browser() -> Option<Browser> {
    let found = Browser::start();
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "chromium is missing: apt-get install chromium");
        eprintln!(
            "SKIPPED: the report was not tried in a browser, because chromium is missing (apt-get install chromium)"
        );
    }
    found
}

fn page() -> String {
    let scene = Scene::with_jump(2, 200, 80, &["smix-w", "sw"], &HOSTILE, 4.0);
    html("Two groups <b>", scene.presentations()).unwrap()
}

fn open<'a>(browser: &'a mut Browser, folder: &std::path::Path, page: &str) -> Tab<'a> {
    let path = folder.join("report.html");
    std::fs::write(&path, page).unwrap();
    browser.open(&format!("file://{}", path.display()))
}

const VISIBLE: &str = "[...document.querySelectorAll('article')].filter(a => a.getClientRects().length).length";

#[test]
fn the_report_works_in_a_browser() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut tab = open(&mut browser, folder.path(), &page());

    assert_eq!(tab.evaluate("document.title"), "Two groups <b>");
    assert_eq!(tab.evaluate("document.querySelectorAll('script').length"), 2);
    assert_eq!(tab.evaluate("document.querySelectorAll('img').length"), 0);
    let drawn = "[...document.querySelectorAll('article:not([hidden]) .drawing > svg')]
        .filter(svg => svg.getBoundingClientRect().height > 100).length";
    // Contours, bands, components, memberships, number of components, map, losses, similarity, path, representatives, stability, traces,
    // convergence.
    assert_eq!(tab.evaluate(drawn), 13);
    let named =
        "[...document.querySelectorAll('.drawing > svg')].every(svg => svg.getAttribute('aria-label').length > 20)";
    assert_eq!(tab.evaluate(named), true);
    for id in ["components", "uncertainty", "path", "representatives", "stability"] {
        let section =
            format!("document.querySelector('#v0-{id} figure, #v0-{id} table').getBoundingClientRect().height > 50");
        assert_eq!(tab.evaluate(&section), true, "{id}");
    }
    // Only the figures of the estimate can be pointed at: in others an atom is not the estimate's.
    assert_eq!(tab.evaluate("document.querySelectorAll('#v0-representatives path[data-group]').length"), 0);

    // Switching.
    assert_eq!(tab.evaluate(VISIBLE), 1);
    assert_eq!(tab.evaluate("document.querySelector('article:not([hidden])').dataset.name"), "smix-w");
    tab.evaluate("document.querySelectorAll('nav button')[1].click()");
    assert_eq!(tab.evaluate(VISIBLE), 1);
    assert_eq!(tab.evaluate("document.querySelector('article:not([hidden])').dataset.name"), "sw");
    assert_eq!(tab.evaluate("document.querySelectorAll('nav button')[1].getAttribute('aria-pressed')"), "true");

    // Pointing at an observation.
    let place = "(() => {
        const path = document.querySelector('article:not([hidden]) path[data-group]');
        path.scrollIntoView({ block: 'center' });
        const [, x, y] = path.getAttribute('d').match(/M(-?[\\d.]+) ?(-?[\\d.]+)/);
        const at = new DOMPoint(+x, +y).matrixTransform(path.getScreenCTM());
        return [at.x, at.y];
    })()";
    let place = tab.evaluate(place);
    tab.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": place[0], "y": place[1]}));
    let tip = "document.getElementById('tip')";
    let text = tab.evaluate(&format!("{tip}.innerText")).as_str().unwrap().to_owned();
    assert!(text.starts_with("observation ") && text.contains("atom ") && text.contains(" %"), "{text}");
    assert_eq!(tab.evaluate(&format!("{tip}.hidden")), false);
    assert_eq!(tab.evaluate("document.querySelectorAll('.spot').length"), 1);
    tab.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": 2, "y": 2}));
    assert_eq!(tab.evaluate(&format!("{tip}.hidden")), true);

    // The keyboard does it too.
    tab.evaluate("document.querySelector('article:not([hidden]) .drawing[tabindex]').focus()");
    tab.call("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": "ArrowRight"}));
    assert_eq!(tab.evaluate(&format!("{tip}.innerText.startsWith('observation ')")), true);

    // On paper nothing is hidden.
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!(tab.evaluate(VISIBLE), 2);
    assert_eq!(tab.evaluate("getComputedStyle(document.querySelector('nav')).display"), "none");
    tab.call("Emulation.setEmulatedMedia", json!({"media": ""}));

    assert_eq!(tab.problems(), Vec::<String>::new());
    let requests = tab.requests();
    assert!(requests.iter().all(|url| url.starts_with("file://") || url.starts_with("data:")), "{requests:?}");
    assert_eq!(requests.iter().filter(|url| url.starts_with("file://")).count(), 1, "{requests:?}");
}

#[test]
fn the_report_fits_a_phone() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut tab = open(&mut browser, folder.path(), &page());
    for width in [320, 360, 412] {
        let metrics = json!({"width": width, "height": 740, "deviceScaleFactor": 2, "mobile": true});
        tab.call("Emulation.setDeviceMetricsOverride", metrics);
        assert_eq!(tab.evaluate("document.documentElement.scrollWidth"), width);
        assert_eq!(tab.evaluate("innerWidth"), width);
        let smallest = tab.evaluate("parseFloat(getComputedStyle(document.querySelector('figcaption')).fontSize)");
        assert!(smallest.as_f64().unwrap() >= 13.0);
        // Wide tables and figures scroll within themselves.
        let wide = "[...document.querySelectorAll('article:not([hidden]) .table, article:not([hidden]) .drawing')]
            .filter(box => box.getBoundingClientRect().right > innerWidth + 1).length";
        assert_eq!(tab.evaluate(wide), 0);
        // The heading of a row leaves room for its numbers, and breaks between words alone.
        let heavy = "[...document.querySelectorAll('article:not([hidden]) .table')].filter(box =>
            [...box.querySelectorAll('tbody th')].some(th => th.getBoundingClientRect().width > 0.7 * box.clientWidth)).length";
        assert_eq!(tab.evaluate(heavy), 0, "{width}");
    }
}

/// A shade at the edge of a table says that there is more of it: it must not stand where all of it is seen.
#[test]
fn tables_that_fit_have_no_shade_at_their_edge() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut tab = open(&mut browser, folder.path(), &page());
    let metrics = json!({"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    tab.call("Emulation.setDeviceMetricsOverride", metrics);
    // The cover moves with the content, the shade stays with the box: they meet where the box has no room for a scrollbar beside the content.
    let uncovered = "[...document.querySelectorAll('article:not([hidden]) .table')].filter(box =>
        box.scrollWidth <= box.clientWidth && box.clientWidth < box.offsetWidth).length";
    assert_eq!(tab.evaluate(uncovered), 0);
}

#[test]
fn paper_cuts_nothing_off() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    // Wide tables: many columns, one with a long name.
    let columns = [
        "u",
        "v",
        "w",
        "x",
        "y",
        "a name that is much longer than the numbers below it, with its units (milliseconds)",
    ];
    let scene = Scene::moved(6, 30, 40, &["sw"], &columns, 1e8);
    let parts = ["conformal", "path", "representatives", "stability"].map(String::from);
    let presentations = scene.presentations().into_iter().map(|presentation| presentation.without(&parts)).collect();
    let mut tab = open(&mut browser, folder.path(), &html("wide", presentations).unwrap());
    // The width of a sheet of A4 within its margins.
    let metrics = json!({"width": 700, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
    tab.call("Emulation.setDeviceMetricsOverride", metrics);
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let cut = "[...document.querySelectorAll('table, .drawing > svg, pre')]
        .filter(box => box.getBoundingClientRect().right > innerWidth + 1).length";
    assert_eq!(tab.evaluate(cut), 0);
}

#[test]
fn the_report_is_complete_without_scripts() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = page();
    let without = &page[..page.find("<script type").unwrap()];
    let mut tab = open(&mut browser, folder.path(), without);
    assert_eq!(tab.evaluate(VISIBLE), 2);
    assert_eq!(tab.evaluate("document.querySelectorAll('.drawing > svg').length"), 26);
    let sections = "['answer', 'components', 'uncertainty', 'path', 'representatives', 'stability'].every(id =>
        document.querySelector('#v1-' + id).innerText.length > 100)";
    assert_eq!(tab.evaluate(sections), true);
    assert_eq!(tab.evaluate("document.querySelector('#v0-stability p').innerText.includes('Verdict:')"), true);
    assert_eq!(tab.evaluate("document.querySelectorAll('table').length >= 14"), true);
}
