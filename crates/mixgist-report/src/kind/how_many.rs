//! How many clusters and components: posteriors of their numbers, and the number after merge-truncate-merge against its rate.

use mixgist::Result;
use mixgist::narrative::numbers::significant;
use mixgist::{CountPosterior, HowMany};

use crate::figure::{Axis, Crossing, Dash, Dots, Figure, Fill, Key, Layer, Panel, Stroke, Ticks};
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;
use crate::ticks::Tick;

/// Numbers that a panel shows.
const MOST_BARS: usize = 14;

/// The weight above which atoms are counted in the figure.
const WEIGHT: f64 = 0.01;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let document = presentation.how_many()?;
    let found: &HowMany = &document.result;
    let mut panels = Vec::new();
    if let Some(occupied) = &found.occupied {
        panels.push(Some(bars("clusters with observations", &occupied.posterior, Color::BLUE)));
    }
    if let Some(heavier) = found.heavier.iter().find(|one| one.weight == WEIGHT) {
        panels.push(Some(bars("atoms of weight 0.01 or more", &heavier.posterior, Color::BLUE)));
    }
    if let Some(merged) = found.merged.iter().find(|one| one.multiple == 1.0) {
        panels.push(Some(bars("components after merging", &merged.posterior, Color::VERMILION)));
    }
    panels.push(Some(against_rate(found)));
    let caption = format!(
        "Posterior probabilities of the number of clusters and components. Before components were counted, those of a draw that are nearer than about ω = {} were merged, and those lighter than ω² = {} \
         left out (the merge-truncate-merge rule of Guha, Ho and Nguyen). The last panel shows the mean number for other values of ω; the dashed line is the chosen one.",
        significant(found.omega, 3),
        significant(found.omega * found.omega, 3)
    );
    let description = format!("{} components after similar ones are merged.", found.components);
    let legend = Figure::grid(2, panels).described(description, caption);
    Ok(legend.with_legend(Key::Line(Stroke::new(Color::GREY, 1.2).dashed(Dash::Dashed)), "chosen ω"))
}

/// A bar for each number; the rarest are left out when there are very many.
fn bars(label: &str, posterior: &CountPosterior, color: Color) -> Panel {
    let mut order: Vec<usize> = (0..posterior.counts.len()).collect();
    order.sort_by(|&a, &b| posterior.probabilities[b].total_cmp(&posterior.probabilities[a]));
    order.truncate(MOST_BARS);
    let numbers = || order.iter().map(|&i| posterior.counts[i]);
    let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
    let step = ((most - least) / 10).max(1);
    let tick = |number: usize| Tick { at: number as f64, text: number.to_string() };
    let ticks = Ticks::At((least..=most).step_by(step).map(tick).collect());
    let x = Axis::linear(label, least as f64 - 0.8, most as f64 + 0.8).with_ticks(ticks);
    let highest = posterior.probabilities.iter().copied().fold(0.0, f64::max);
    let mut panel = Panel::new(x, Axis::linear("probability", 0.0, 1.05 * highest)).sized(250.0, 150.0);
    for &i in &order {
        let (at, height) = (posterior.counts[i] as f64, posterior.probabilities[i]);
        let ring = vec![[at - 0.35, 0.0], [at - 0.35, height], [at + 0.35, height], [at + 0.35, 0.0]];
        panel = panel.with(Layer::Area { rings: vec![ring], fill: Fill { color, opacity: 0.8 }, outline: None });
    }
    panel
}

fn against_rate(found: &HowMany) -> Panel {
    let at: Vec<[f64; 2]> = found.merged.iter().map(|one| [one.omega, one.posterior.mean]).collect();
    let (low, high) = (at.first().map_or(0.1, |x| x[0] / 1.2), at.last().map_or(1.0, |x| x[0] * 1.2));
    let most = at.iter().map(|x| x[1]).fold(1.0, f64::max);
    let stroke = Stroke::new(Color::GREY, 1.2).dashed(Dash::Dashed);
    Panel::new(Axis::log("merging distance ω", low, high), Axis::linear("mean number after merging", 0.0, 1.08 * most))
        .sized(250.0, 150.0)
        .with(Layer::Rule { at: Crossing::X(found.omega), stroke })
        .with(Layer::Line { path: at.clone(), stroke: Stroke::new(Color::VERMILION, 1.4) })
        .with(Layer::Dots(Dots {
            at,
            marker: Marker::Circle,
            radius: 3.0,
            color: Color::VERMILION,
            opacity: 1.0,
            group: None,
        }))
}
