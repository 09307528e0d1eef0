//! Draws the picture of the README: the posterior of Old Faithful, and the one draw that stands for it.
//!
//! `cargo run --release --package mixgist-report --example picture > docs/picture.svg`

use mixgist::text::CommandLine;
use mixgist::{Points, Posterior, Settings, Silent};
use mixgist_report::figure::{Dots as Marks, Fill, Layer, Stroke};
use mixgist_report::kind::atoms::ellipse;
use mixgist_report::palette::{Color, Marker};
use mixgist_report::{Figure, Kind, Presentation};
use mixgist_samplers::{ComponentPrior, FitSettings, Scale, fit};

/// Draws whose ellipses are shown.
const SHOWN: usize = 60;

fn main() -> mixgist::Result<()> {
    let text = include_str!("../../../datasets/faithful.csv");
    let rows = text.lines().skip(1).flat_map(|line| line.split(',').map(|x| x.parse::<f64>().expect("a number")));
    let data: Vec<f64> = rows.collect();
    let settings = FitSettings::default()
        .with_component(ComponentPrior {
            mu0: Some(vec![3.0, 70.0]),
            lambda: Some(1.0),
            psi: Some(Scale::Diagonal(vec![4.0, 36.0])),
            nu: Some(4.0),
            ..ComponentPrior::default()
        })
        .with_iterations(2000)
        .with_burn_in(1000)
        .with_thin(10);
    let draws = fit(&data, 2, &settings, None, &Silent)?.ensemble;
    let points = Points::new(2, &data)?;
    let columns = ["eruption (minutes)", "waiting (minutes)"].map(String::from);
    let posterior = Posterior::new(&draws, Some(points), Settings::default())?.with_columns(Some(&columns));
    let answer = posterior.answer(posterior.summary(&Silent)?.clone());
    let presentation = Presentation::new(&answer, &CommandLine, &Silent)?.with_posterior(&posterior)?;

    let figure = Kind::from_name("contours")?.draw(&presentation)?;
    let (draw, clusters) = (answer.medoid.draw, answer.clusters.unwrap_or(0));
    let chosen = figure.panels[0].clone().expect("the figure has a panel").sized(430.0, 320.0);
    let mut all = chosen.clone().titled(format!("{} posterior draws ({SHOWN} of them shown)", draws.len()));
    all.layers = vec![Layer::Dots(Marks {
        at: data.chunks_exact(2).map(|point| [point[0], point[1]]).collect(),
        marker: Marker::Circle,
        radius: 2.1,
        color: Color::GREY,
        opacity: 0.6,
        group: None,
    })];
    for m in (0..draws.len()).step_by(draws.len() / SHOWN) {
        let measure = draws.draw(m);
        for k in (0..measure.len()).filter(|&k| measure.weights()[k] >= 0.01) {
            all.layers.push(Layer::Area {
                rings: vec![ellipse(&measure, k, [0, 1], 2.0)],
                fill: Fill { color: Color::WHITE, opacity: 0.0 },
                outline: Some(Stroke::new(Color::VERMILION, 1.0).with_opacity(0.25)),
            });
        }
    }
    let chosen = chosen.titled(format!("draw {draw} stands for them: {clusters} clusters"));
    let picture = Figure { panels: vec![Some(all), Some(chosen)], columns: 2, ..figure };
    print!("{}", picture.to_svg());
    Ok(())
}
