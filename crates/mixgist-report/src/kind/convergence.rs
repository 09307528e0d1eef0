//! By how much the runner-up is behind the medoid, against the number of slices.

use std::ops::Range;

use mixgist::narrative::numbers::{count, significant};
use mixgist::slice::{Coordinates, Replicates, Scheme, Slices};
use mixgist::{Error, GaussianAtoms, Result, SlicedDistance};

use crate::figure::{Axis, Crossing, Dash, Dots, Figure, Key, Layer, Panel, Stroke};
use crate::palette::{Color, Marker};
use crate::presentation::Presentation;

/// The first slices of others.
struct Leading<'a> {
    slices: &'a dyn Slices,
    count: usize,
}

impl Slices for Leading<'_> {
    fn len(&self) -> usize {
        self.count
    }

    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates {
        self.slices.coordinates(atoms)
    }

    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]) {
        self.slices.project(slices, coordinates, out);
    }

    fn reach(&self, coordinates: &Coordinates, i: usize, j: usize) -> Option<f64> {
        self.slices.reach(coordinates, i, j)
    }

    fn replicates(&self) -> Replicates {
        self.slices.replicates()
    }
}

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let (summary, settings, posterior) =
        (presentation.summary(), presentation.settings(), presentation.need_posterior()?);
    let medoid = &summary.medoid;
    let other = medoid.runner_up.ok_or_else(|| Error::usage("all draws are the same: there is no runner-up"))?;
    let (slices, scaled) = (posterior.slices(presentation.progress)?, posterior.scaled()?);
    let both = [scaled.draw(medoid.draw), scaled.draw(other.draw)];
    let mut curve = Vec::new();
    for count in slice_counts(slices.len()) {
        let leading = Leading { slices, count };
        let distance = SlicedDistance::new(&leading, settings.order).with_pruning(settings.pruning);
        let losses = distance.expected_losses(&both, scaled, settings.loss, presentation.progress)?;
        curve.push([count as f64, losses[1] - losses[0]]);
    }
    let most = slices.len() as f64;
    let behind = other.expected_loss - medoid.expected_loss;
    let error = other.separation.filter(|separation| separation.abs() > 0.0).map(|separation| behind / separation);
    // The error shrinks with the root of L for independent slices; with others it is known for all of them only.
    let shrinks = settings.directions.is_none() && matches!(settings.scheme, Scheme::Iid | Scheme::Orthogonal);
    let reach = |l: f64| error.filter(|_| shrinks || l == most).map(|error| 1.96 * error * (most / l).sqrt());
    let (color, name) = (Color::BLUE, presentation.medoid_name());
    let mut layers =
        vec![Layer::Rule { at: Crossing::Y(0.0), stroke: Stroke::new(Color::INK, 1.0).dashed(Dash::Dashed) }];
    for &[l, lead] in &curve {
        if let Some(reach) = reach(l) {
            let stroke = Stroke::new(color, 2.5).with_opacity(0.35);
            layers.push(Layer::Line { path: vec![[l, lead - reach], [l, lead + reach]], stroke });
        }
    }
    layers.push(Layer::Line { path: curve.clone(), stroke: Stroke::new(color, 1.6) });
    let points = Dots { at: curve.clone(), marker: Marker::Circle, radius: 2.8, color, opacity: 1.0, group: None };
    layers.push(Layer::Dots(points));
    // A single slice can be far off; the frame holds the values, and the errors of ten slices and more.
    let ends = curve.iter().flat_map(|&[l, lead]| {
        let reach = reach(l).filter(|_| l >= 10.0).unwrap_or(0.0);
        [lead - reach, lead + reach]
    });
    let x = Axis::log("slices L", 0.9, 1.1 * most.max(2.0));
    let y = Axis::around("runner-up's expected loss minus the least", ends.chain([0.0]));
    let description = format!(
        "Expected loss of the runner-up, draw {}, minus that of draw {}, against the number of slices: {} with {}.",
        other.draw,
        medoid.draw,
        significant(behind, 3),
        count(slices.len(), "slice")
    );
    let bars = match (error, shrinks) {
        (None, _) => "",
        (Some(_), true) => " Bars reach 1.96 standard errors over slices either way.",
        (Some(_), false) => " The bar at the last point reaches 1.96 standard errors over slices either way.",
    };
    let caption = format!(
        "By how much draw {} (the runner-up) is behind draw {} (the {name}) in expected loss over all {}, by the first L slices; the last \
         point is that of the summary. Below the dashed line the runner-up would have been chosen: with few slices that may happen.{bars}",
        other.draw,
        medoid.draw,
        count(scaled.len(), "draw")
    );
    let mut figure =
        Figure::single(Panel::new(x, y).sized(460.0, 300.0).with_all(layers)).described(description, caption);
    figure = figure.with_legend(Key::Point(Marker::Circle, color), "lead over the runner-up");
    if error.is_some() {
        figure = figure.with_legend(Key::Line(Stroke::new(color, 2.5).with_opacity(0.35)), "± 1.96 standard errors");
    }
    Ok(figure)
}

/// 1, 2, 5, 10, … and the last one.
fn slice_counts(most: usize) -> Vec<usize> {
    let mut counts = Vec::new();
    let mut power = 1;
    while power < most {
        counts.extend([1, 2, 5].map(|digit| digit * power).into_iter().filter(|count| *count < most));
        power *= 10;
    }
    counts.push(most);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_with_all_slices() {
        assert_eq!(slice_counts(1), [1]);
        assert_eq!(slice_counts(60), [1, 2, 5, 10, 20, 50, 60]);
        assert_eq!(slice_counts(1000), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    }
}
