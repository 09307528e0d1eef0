//! Traces of the chains: quantities that do not depend on labels, draw by draw.

use mixgist::Trace;
use mixgist::diagnostics::Convergence;
use mixgist::narrative::numbers::{capitalised, count, every as every_draw};
use mixgist::{Agreement, Ensemble, Result};

use super::upper_fence;
use crate::figure::{Axis, Dots, Figure, Key, Layer, Panel, Stroke};
use crate::palette::{Marker, group_style};
use crate::presentation::{MOST_DRAWS, Presentation};

/// More chains than this are not listed in the legend.
const MOST_LISTED: usize = 8;

/// The functions of the draws that are traced, with what the summary says about them: those that the verdict on the chains is based on.
fn traces(presentation: &Presentation) -> Result<Vec<(Trace, Option<Convergence>)>> {
    let draws = presentation.need_draws()?;
    let distances = Some(&presentation.summary().distances[..]);
    Ok(judged(Agreement::functions(draws, distances), &presentation.summary().agreement))
}

/// One layer for each chain, its values at the draw's index.
pub fn chain_layers(chains: &[u32], values: &[(usize, f64)]) -> Vec<Layer> {
    let names = chain_names(chains);
    let radius = if values.len() > 3000 { 0.8 } else { 1.3 };
    let of_chain = |(rank, chain): (usize, &u32)| {
        let at = values.iter().filter(|(m, _)| chains[*m] == *chain).map(|&(m, value)| [m as f64, value]).collect();
        let color = group_style(rank).0;
        Layer::Dots(Dots { at, marker: Marker::Circle, radius, color, opacity: 0.7, group: None })
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
pub fn draw(presentation: &Presentation) -> Result<Figure> {
    Ok(of_traces(presentation.need_draws()?, &traces(presentation)?, presentation.most_draws))
}

/// The figure of draws that were not summarised.
pub fn of_draws(draws: &Ensemble) -> Figure {
    let traces = Agreement::functions(draws, None);
    let agreement = Agreement::of_traces(draws, traces.clone());
    of_traces(draws, &judged(traces, &agreement), MOST_DRAWS)
}

/// Traces with their R-hat and effective sample sizes, as far as they are known.
fn judged(traces: Vec<Trace>, agreement: &Agreement) -> Vec<(Trace, Option<Convergence>)> {
    let told = |trace: Trace| {
        let known = agreement.traces.iter().find(|one| one.name == trace.name).and_then(|one| one.convergence);
        (trace, known)
    };
    traces.into_iter().map(told).collect()
}

fn of_traces(draws: &Ensemble, traces: &[(Trace, Option<Convergence>)], most_draws: usize) -> Figure {
    let names = chain_names(draws.chains());
    let mut panels = Vec::new();
    let every = draws.len().div_ceil(most_draws);
    let mut beyond = 0;
    for (i, (trace, convergence)) in traces.iter().enumerate() {
        let x = Axis::linear(if i + 1 == traces.len() { "draw" } else { "" }, 0.0, draws.len() as f64);
        // A few draws that are far away must not press all the others into a line.
        let top = upper_fence(trace.values.iter().copied());
        let bottom = -upper_fence(trace.values.iter().map(|value| -value));
        let is_held = |value: &f64| (bottom..=top).contains(value);
        beyond += trace.values.iter().filter(|value| value.is_finite() && !is_held(value)).count();
        let y = Axis::around("", trace.values.iter().copied().filter(is_held));
        let judged = convergence.filter(|c| c.rhat.is_finite()).map_or(String::new(), |c| {
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
    let some =
        if every > 1 { format!(" {} is shown.", capitalised(&every_draw(every, "draw"))) } else { String::new() };
    let description =
        format!("Traces of {} quantities over {} draws of {}.", traces.len(), draws.len(), count(names.len(), "chain"));
    let far = match beyond {
        0 => String::new(),
        1 => " One value lies outside of its frame.".into(),
        _ => format!(" {beyond} values lie outside of their frames."),
    };
    let caption = format!("Quantities that do not depend on labels, draw by draw; colours are chains.{some}{far}");
    let mut figure = Figure::grid(1, panels).described(description, caption);
    for (rank, chain) in names.iter().enumerate().take(MOST_LISTED) {
        figure = figure.with_legend(Key::Line(Stroke::new(group_style(rank).0, 2.0)), format!("chain {chain}"));
    }
    figure.and_more(names.len(), MOST_LISTED)
}
