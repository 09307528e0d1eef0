//! Draws the picture of the README: the posterior of Old Faithful, and the one draw that stands for it.
//!
//! `cargo run --release --package mixgist-samplers --example picture > docs/picture.svg`

use mixgist::linalg::eigen_symmetric;
use mixgist::{Ensemble, Points, Settings as SummarySettings, Silent, Units, summarize};
use mixgist_samplers::{ComponentPrior, Scale, Settings, fit};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
const COLORS: [&str; 5] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"];

fn main() -> mixgist::Result<()> {
    let text = include_str!("../../../datasets/faithful.csv");
    let rows = text.lines().skip(1).flat_map(|line| line.split(',').map(|x| x.parse::<f64>().expect("a number")));
    let data: Vec<f64> = rows.collect();
    let settings = Settings {
        component: ComponentPrior {
            mu0: Some(vec![3.0, 70.0]),
            lambda: Some(1.0),
            psi: Some(Scale::Diagonal(vec![4.0, 36.0])),
            nu: Some(4.0),
            ..ComponentPrior::default()
        },
        iterations: 2000,
        burn_in: 1000,
        thin: 10,
        ..Settings::default()
    };
    let draws = fit(&data, 2, &settings, None, &Silent)?.ensemble;
    let points = Points::new(2, &data)?;
    let summary_settings = SummarySettings { units: Units::Sd, ..SummarySettings::default() };
    let summary = summarize(&draws, Some(points), &summary_settings, &Silent)?;

    println!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="13">"#,
        2.0 * WIDTH + 20.0,
        HEIGHT + 60.0
    );
    println!(r#"<rect width="100%" height="100%" fill="white"/>"#);
    panel(0.0, &format!("{} posterior draws (60 of them shown)", draws.len()), &data, |_| "#888888".into());
    for m in (0..draws.len()).step_by(draws.len() / 60) {
        ellipses(0.0, &draws, m, 0.01, |_| {
            r##"stroke="#D55E00" stroke-opacity="0.25" stroke-width="1" fill="none""##.into()
        });
    }
    println!("</g>");
    let labels = &summary.allocation.as_ref().expect("data were given").labels;
    let color = |label: u32| COLORS[label as usize % COLORS.len()].to_owned();
    let order = by_weight(&draws, summary.medoid.draw);
    let rank = |label: u32| order.iter().position(|&k| k == label as usize).unwrap_or(0) as u32;
    panel(
        WIDTH + 20.0,
        &format!(
            "draw {} stands for them: {} clusters",
            summary.medoid.draw,
            summary.allocation.as_ref().expect("data").clusters()
        ),
        &data,
        |i| color(rank(labels[i])),
    );
    ellipses(WIDTH + 20.0, &draws, summary.medoid.draw, 0.01, |k| {
        format!(r#"stroke="{0}" stroke-width="2.5" fill="{0}" fill-opacity="0.10""#, color(rank(k as u32)))
    });
    println!("</g>\n</svg>");
    Ok(())
}

/// Atoms of a draw, heaviest first.
fn by_weight(draws: &Ensemble, m: usize) -> Vec<usize> {
    let range = draws.range(m);
    let mut order: Vec<usize> = (0..range.len()).collect();
    order.sort_by(|&a, &b| draws.weights()[range.start + b].total_cmp(&draws.weights()[range.start + a]));
    order
}

fn place(left: f64, x: f64, y: f64) -> (f64, f64) {
    (left + (x - 1.0) / 5.0 * WIDTH, 30.0 + HEIGHT - (y - 38.0) / 64.0 * HEIGHT)
}

/// Opens a panel with its title, axes and data.
fn panel(left: f64, title: &str, data: &[f64], color: impl Fn(usize) -> String) {
    println!(r#"<clipPath id="c{left}"><rect x="{left}" y="30" width="{WIDTH}" height="{HEIGHT}"/></clipPath>"#);
    println!(r#"<text x="{}" y="20" font-weight="bold">{title}</text>"#, left + 4.0);
    println!(r##"<rect x="{left}" y="30" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#444444"/>"##);
    println!(
        r#"<text x="{}" y="{}" text-anchor="middle">eruption (minutes)</text>"#,
        left + WIDTH / 2.0,
        HEIGHT + 50.0
    );
    println!(
        r#"<text transform="translate({},{}) rotate(-90)" text-anchor="middle">waiting (minutes)</text>"#,
        left + 15.0,
        30.0 + HEIGHT / 2.0
    );
    println!(r#"<g clip-path="url(#c{left})">"#);
    for (i, point) in data.chunks_exact(2).enumerate() {
        let (x, y) = place(left, point[0], point[1]);
        println!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.2" fill="{}" fill-opacity="0.6"/>"#, color(i));
    }
}

/// 2-sigma ellipses of the atoms of some weight.
fn ellipses(left: f64, draws: &Ensemble, m: usize, least: f64, style: impl Fn(usize) -> String) {
    let range = draws.range(m);
    for k in range.clone().filter(|&k| draws.weights()[k] >= least) {
        let (mean, covariance) = (draws.atoms().mean(k), draws.atoms().covariance(k));
        let eigen = eigen_symmetric(covariance, 2);
        let outline: Vec<String> = (0..=64)
            .map(|step| {
                let angle = std::f64::consts::TAU * f64::from(step) / 64.0;
                let (a, b) = (2.0 * eigen.values[0].sqrt() * angle.cos(), 2.0 * eigen.values[1].sqrt() * angle.sin());
                let x = mean[0] + a * eigen.vectors[0] + b * eigen.vectors[1];
                let y = mean[1] + a * eigen.vectors[2] + b * eigen.vectors[3];
                let (x, y) = place(left, x, y);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        println!(r#"<polygon points="{}" {}/>"#, outline.join(" "), style(k - range.start));
    }
}
