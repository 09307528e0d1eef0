//! How often two observations share a cluster in the draws, as shades.

use mixgist::partition::similarity_block;
use mixgist::{PartitionDraws, Progress, Result};

use crate::figure::{Axis, Figure, Fill, Key, Layer, Panel, Ticks};
use crate::palette::Color;
use crate::presentation::Presentation;
use crate::ticks::Tick;
use mixgist::narrative::numbers;

/// Rows and columns of the picture.
const MOST: usize = 160;
/// The darkest shade.
const DARK: Color = Color(0x08, 0x30, 0x6b);

pub fn draw(presentation: &Presentation) -> Result<Figure> {
    let partitions = presentation.need_partitions()?;
    let labels = presentation.labels().filter(|labels| labels.len() == partitions.observations());
    let rank_of = presentation.ranks();
    let certainty = presentation.summary().allocation.as_ref().map_or(&[][..], |all| &all.membership_probability);
    let key = |i: usize, label: u32| (rank_of[label as usize], -certainty.get(i).copied().unwrap_or(0.0));
    heat_map(partitions, labels, key, presentation.progress)
}

/// The similarity of observations, sorted by their cluster in a partition when there is one.
pub fn of_partitions(partitions: &PartitionDraws, labels: Option<&[u32]>, progress: &dyn Progress) -> Result<Figure> {
    heat_map(partitions, labels, |_, label| (label as usize, 0.0), progress)
}

fn heat_map(
    partitions: &PartitionDraws,
    labels: Option<&[u32]>,
    key: impl Fn(usize, u32) -> (usize, f64),
    progress: &dyn Progress,
) -> Result<Figure> {
    let n = partitions.observations();
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(labels) = labels {
        let key = |i: usize| key(i, labels[i]);
        order.sort_by(|&i, &j| key(i).partial_cmp(&key(j)).unwrap_or(std::cmp::Ordering::Equal));
    }
    let count = n.min(MOST);
    let shown: Vec<usize> = (0..count).map(|i| order[i * n / count]).collect();
    let picked: Vec<Vec<i64>> =
        (0..partitions.len()).map(|m| shown.iter().map(|&i| partitions.labels(m).get(i)).collect()).collect();
    let mut few = PartitionDraws::from_rows(&picked)?;
    if let Some(weights) = partitions.draw_weights() {
        few = few.with_draw_weights(weights)?;
    }
    let block = similarity_block(&few, 0..count, 0..count, progress)?;
    let rows = block.values.chunks_exact(count).map(<[f64]>::to_vec).collect();

    let bounds = labels.map_or(Vec::new(), |labels| boundaries(&shown, labels));
    let mark = |edge: &usize, flip: bool| {
        let at = if flip { (count - edge) as f64 } else { *edge as f64 };
        Tick { at, text: String::new() }
    };
    let axis = |name: &str, flip: bool| {
        let ticks = bounds.iter().map(|edge| mark(edge, flip)).collect();
        Axis::linear(name, 0.0, count as f64).with_ticks(Ticks::At(ticks))
    };
    let sorted = if labels.is_some() { "observations, sorted by cluster of the estimate" } else { "observations" };
    let panel = Panel::new(axis(sorted, false), axis(sorted, true))
        .sized(400.0, 400.0)
        .with(Layer::Shades { rows, color: DARK });
    let some = if count < n { format!(" {count} of {n} observations are shown.") } else { String::new() };
    let marks = if bounds.is_empty() { "" } else { " Marks at the axes separate the clusters of the estimate." };
    let caption = format!(
        "Posterior similarity: the share of {} draws in which two observations are in one cluster.{marks}{some}",
        partitions.len()
    );
    let description = format!(
        "Heat map of the posterior similarity of {n} observations in {}.",
        numbers::count(bounds.len() + 1, "block")
    );
    let mut figure = Figure::single(panel).described(description, caption);
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let color = Color::WHITE.mix(DARK, share).mix(Color(0, 0, 0), if share == 0.0 { 0.06 } else { 0.0 });
        figure = figure.with_legend(Key::Area(Fill { color, opacity: 1.0 }), format!("{share}"));
    }
    Ok(figure)
}

/// Places where the label changes.
fn boundaries(shown: &[usize], labels: &[u32]) -> Vec<usize> {
    (1..shown.len()).filter(|&i| labels[shown[i]] != labels[shown[i - 1]]).collect()
}
