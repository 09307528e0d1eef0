//! Many coordinates on the two axes that show the components best: discriminant directions of the estimate.

use mixgist::Result;
use mixgist::narrative::numbers::significant;
use mixgist::{DiscriminantAxes, discriminant_axes};

use super::atoms::outline;
use crate::figure::{Axis, Dots, Figure, Fill, Key, Layer, Panel, Stroke};
use crate::palette::group_style;
use crate::presentation::Presentation;

/// Components that the legend lists.
const MOST_LISTED: usize = 8;

/// Coordinates whose part in an axis the caption names.
const MOST_NAMED: usize = 3;

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let estimate = presentation.estimate();
    let d = estimate.dim();
    let found = discriminant_axes(estimate, 2)?;
    let along = |point: &[f64]| [0, 1].map(|a| found.axes[a].iter().zip(point).map(|(w, x)| w * x).sum::<f64>());
    let atoms = presentation.main_atoms();
    let shape = |k: usize| -> [f64; 4] {
        let covariance = estimate.atoms().covariance(k);
        let form = |a: usize, b: usize| -> f64 {
            (0..d * d).map(|e| found.axes[a][e / d] * covariance[e] * found.axes[b][e % d]).sum()
        };
        [form(0, 0), form(0, 1), form(1, 0), form(1, 1)]
    };
    let rings: Vec<Vec<[f64; 2]>> =
        atoms.iter().map(|&k| outline(along(estimate.atoms().mean(k)), shape(k), 2.0)).collect();
    // A twelfth of the marks will do: a page has such a figure for each summary.
    let shown = presentation.shown(12);
    let observed: Vec<[f64; 2]> =
        presentation.data.map_or_else(Vec::new, |data| shown.iter().map(|&i| along(data.point(i))).collect());
    let axis = |a: usize| {
        let values = observed.iter().chain(rings.iter().flatten()).map(move |at| at[a]);
        Axis::around(format!("discriminant axis {}", a + 1), values)
    };
    let mut panel = Panel::new(axis(0), axis(1));
    for (rank, &k) in atoms.iter().enumerate() {
        let (color, marker) = group_style(rank);
        if let Some(labels) = presentation.labels() {
            let own = shown.iter().zip(&observed).filter(|(i, _)| labels[**i] as usize == k).map(|(_, at)| *at);
            panel = panel.with(Layer::Dots(Dots {
                at: own.collect(),
                marker,
                radius: 2.2,
                color,
                opacity: 0.7,
                group: None,
            }));
        }
    }
    for (rank, ring) in rings.into_iter().enumerate() {
        let (color, _) = group_style(rank);
        let fill = Fill { color, opacity: 0.08 };
        panel = panel.with(Layer::Area { rings: vec![ring], fill, outline: Some(Stroke::new(color, 1.4)) });
    }
    let caption = format!(
        "All {d} coordinates on the two axes along which the means of the estimate's atoms differ most, in units of the spread within atoms (discriminant directions of the \
         estimate): they show {:.0} % of the separation. Ellipses lie two standard deviations around the atoms. {}; {}.{}",
        100.0 * found.shown,
        named(&found, 0, presentation),
        named(&found, 1, presentation),
        presentation.left_out(12)
    );
    let description = format!("Observations and atoms of {d} coordinates on two discriminant axes.");
    let mut figure = Figure::single(panel.sized(440.0, 360.0)).described(description, caption);
    for (rank, &k) in atoms.iter().enumerate().take(MOST_LISTED) {
        let (color, marker) = group_style(rank);
        figure = figure.with_legend(Key::Point(marker, color), format!("atom {k}"));
    }
    Ok(figure.and_more(atoms.len(), MOST_LISTED))
}

/// What an axis is mostly made of.
fn named(found: &DiscriminantAxes, axis: usize, presentation: &Presentation) -> String {
    let parts = &found.axes[axis];
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| parts[b].abs().total_cmp(&parts[a].abs()));
    order.truncate(MOST_NAMED);
    let told = order.iter().map(|&a| format!("{} {}", significant(parts[a], 2), presentation.columns[a]));
    format!("Axis {} is mostly {}", axis + 1, told.collect::<Vec<_>>().join(", "))
}
