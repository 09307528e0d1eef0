//! Traces of the chains: quantities that do not depend on labels, draw by draw.

use mixgist::diagnostics::{Convergence, convergence};
use mixgist::{Ensemble, Result};

use crate::figure::{Axis, Figure, Key, Layer, Panel, Points, Stroke};
use crate::palette::{Marker, group_style};
use crate::subject::Subject;
use crate::words::count;

/// A quantity of every draw.
pub struct Trace {
    /// What it is.
    pub name: String,
    /// One value a draw.
    pub values: Vec<f64>,
    /// Do the chains agree on it? `None` with too few draws or chains of unequal length.
    pub convergence: Option<Convergence>,
}

/// Atoms lighter than this do not count as part of a draw.
const LIGHT: f64 = 0.01;

/// More chains than this are not listed in the legend.
const MOST_LISTED: usize = 8;

/// The quantities that are traced.
pub fn traces(subject: &Subject) -> Result<Vec<Trace>> {
    let draws = subject.need_draws()?;
    let of_draws = |f: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
        (0..draws.len()).map(|m| f(&draws.weights()[draws.range(m)])).collect()
    };
    let mut traces = vec![("distance to the estimate".to_owned(), subject.summary.distances.clone())];
    if let Some(partitions) = subject.partitions.filter(|partitions| partitions.len() == draws.len()) {
        let counts = (0..draws.len()).map(|m| partitions.clusters(m) as f64).collect();
        traces.push(("clusters".to_owned(), counts));
    }
    let heavy = |weights: &[f64]| weights.iter().filter(|weight| **weight >= LIGHT).count() as f64;
    traces.push((format!("atoms of weight ≥ {LIGHT}"), of_draws(&heavy)));
    traces.push(("largest weight".to_owned(), of_draws(&|weights| weights.iter().copied().fold(0.0, f64::max))));
    let judged = |(name, values): (String, Vec<f64>)| Trace { convergence: judge(draws, &values), name, values };
    Ok(traces.into_iter().map(judged).collect())
}

fn judge(draws: &Ensemble, values: &[f64]) -> Option<Convergence> {
    let mut chains = std::collections::BTreeMap::<u32, Vec<f64>>::new();
    for (&chain, &value) in draws.chains().iter().zip(values) {
        chains.entry(chain).or_default().push(value);
    }
    let chains: Vec<&[f64]> = chains.values().map(Vec::as_slice).collect();
    convergence(&chains).ok()
}

/// One layer for each chain, its values at the draw's index.
pub fn chain_layers(chains: &[u32], values: &[(usize, f64)]) -> Vec<Layer> {
    let names = chain_names(chains);
    let radius = if values.len() > 3000 { 0.8 } else { 1.3 };
    let of_chain = |(rank, chain): (usize, &u32)| {
        let at = values.iter().filter(|(m, _)| chains[*m] == *chain).map(|&(m, value)| [m as f64, value]).collect();
        let color = group_style(rank).0;
        Layer::Points(Points { at, marker: Marker::Circle, radius, color, opacity: 0.7, group: None })
    };
    names.iter().enumerate().map(of_chain).collect()
}

fn chain_names(chains: &[u32]) -> Vec<u32> {
    let mut names = chains.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

/// The figure.
pub fn draw(subject: &Subject) -> Result<Figure> {
    let draws = subject.need_draws()?;
    let names = chain_names(draws.chains());
    let mut panels = Vec::new();
    let traces = traces(subject)?;
    let every = draws.len().div_ceil(subject.most_draws);
    for (i, trace) in traces.iter().enumerate() {
        let x = Axis::linear(if i + 1 == traces.len() { "draw" } else { "" }, 0.0, draws.len() as f64);
        let y = Axis::around("", trace.values.iter().copied());
        let judged = trace.convergence.filter(|c| c.rhat.is_finite()).map_or(String::new(), |c| {
            format!(" (R-hat {:.3}, bulk ESS {:.0}, tail ESS {:.0})", c.rhat, c.bulk_ess, c.tail_ess)
        });
        let mut panel = Panel::new(x, y).sized(520.0, 110.0).titled(format!("{}{judged}", trace.name));
        for (rank, chain) in names.iter().enumerate() {
            let path = (0..draws.len()).step_by(every).filter(|&m| draws.chains()[m] == *chain);
            let path = path.map(|m| [m as f64, trace.values[m]]).collect();
            panel = panel.with(Layer::Line { path, stroke: Stroke::new(group_style(rank).0, 0.8) });
        }
        panels.push(Some(panel));
    }
    let some = if every > 1 { format!(" Every {every}th draw is shown.") } else { String::new() };
    let description =
        format!("Traces of {} quantities over {} draws of {}.", traces.len(), draws.len(), count(names.len(), "chain"));
    let caption = format!("Quantities that do not depend on labels, draw by draw; colours are chains.{some}");
    let mut figure = Figure::grid(1, panels).described(description, caption);
    for (rank, chain) in names.iter().enumerate().take(MOST_LISTED) {
        figure = figure.with_legend(Key::Line(Stroke::new(group_style(rank).0, 2.0)), format!("chain {chain}"));
    }
    Ok(figure.and_more(names.len(), MOST_LISTED))
}
