//! Choosing: the medoid of the draws, by whichever route is fastest, with the evidence for it.

mod blocks;
mod certified;
mod embedding;
mod evidence;
mod pairs;
mod rivals;
mod sweep;
pub(crate) mod verdict;

pub(crate) use verdict::ALIKE;
pub use verdict::{ChoiceVerdict, Margin};

pub(crate) use blocks::{MOST_ROWS, medoid_of_blocks};
pub(crate) use certified::most_numbers;
use evidence::{Evidence, Judging};
use rivals::{LossBounds, RivalRows};

use crate::by_name::named;
use crate::ensemble::Ensemble;
use crate::line::Order;
use crate::loss::Loss;
use crate::pairwise::{Decompositions, SliceRows, SlicedDistance};
use crate::progress::Progress;
use crate::projection::Projection;
use crate::text;
use crate::text::Index;
use crate::text::option;
use crate::work::Form;
use crate::{Error, Result};

/// How the medoid is found. Every route gives the same draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Route {
    /// The fastest one that fits.
    #[default]
    Auto,
    /// All pairs of draws.
    Pairs,
    /// Bounds exclude most draws, the rest is computed exactly; for p = 2 and the distance loss. Below some hundred draws
    /// there is nothing to exclude, and all pairs are computed instead.
    Certified,
    /// Mean quantile functions, no pairs at all; for p = 2 and the power loss.
    Sweep,
    /// The same from draws in blocks, in bounded memory: mean quantile functions are known on cells, which bound every loss, and the few draws that could be
    /// the best get rows. For p = 2, the power loss and draws of equal weight.
    Blocks,
}

named!(Route, "Route", "route", "How the medoid is found: every route that can be taken gives the same draw.");

impl Route {
    /// Every route, with the name that options use.
    pub const NAMES: [(&'static str, Route); 5] = [
        ("auto", Route::Auto),
        ("pairs", Route::Pairs),
        ("certified", Route::Certified),
        ("sweep", Route::Sweep),
        ("blocks", Route::Blocks),
    ];

    /// The route to take, or why the one that was asked for cannot be taken.
    pub(crate) fn resolve(self, order: Order, loss: Loss, draws: usize) -> Result<Route> {
        let fits = |route| match route {
            Route::Certified => order == Order::TWO && loss == Loss::Distance,
            Route::Sweep | Route::Blocks => order == Order::TWO && loss == Loss::Power,
            Route::Auto | Route::Pairs => true,
        };
        match self {
            Route::Auto if fits(Route::Sweep) => Ok(Route::Sweep),
            Route::Auto if fits(Route::Certified) && draws >= certified::WORTHWHILE => Ok(Route::Certified),
            Route::Auto => Ok(Route::Pairs),
            Route::Certified if fits(self) && !certified::can_screen(draws) => Ok(Route::Pairs),
            route if fits(route) => Ok(route),
            Route::Sweep | Route::Blocks => {
                let name = if self == Route::Sweep { "sweep" } else { "blocks" };
                Err(Error::usage(format!("route '{name}' is for order 2 and the power loss")).hint(text![
                    "use ",
                    option("loss", "power"),
                    ", or ",
                    option("route", "auto")
                ]))
            }
            _ => Err(Error::usage("route 'certified' is for order 2 and the distance loss")
                .hint(text!["use ", option("route", "auto")])),
        }
    }
}

/// The draw of least expected loss, with what supports the choice.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Medoid {
    /// Index of the draw.
    #[schemars(with = "Index")]
    pub draw: usize,
    /// Its chain.
    pub chain: u32,
    /// Its iteration within the chain.
    pub iteration: u64,
    /// Its mean loss over all draws, its own zero included.
    #[serde(rename = "medoid_expected_loss")]
    pub expected_loss: f64,
    /// Monte Carlo standard error of that over slices; null with a single independent group of slices.
    #[serde(rename = "medoid_expected_loss_se")]
    pub expected_loss_se: Option<f64>,
    /// The best draw that differs from the medoid; `None` when all draws are the same measure.
    pub runner_up: Option<RunnerUp>,
    /// The route that was taken; never [`Route::Auto`].
    pub route: Route,
    /// Expected loss of every draw, when the route computed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_losses: Option<Vec<f64>>,
    /// Distance from the medoid to every draw; empty in a summary that was read, whose own distances are those from its estimate.
    #[serde(skip)]
    pub distances: Vec<f64>,
    /// How safe the choice is, over slices and over draws; null when all draws are the same measure.
    #[serde(default)]
    pub margin: Option<Margin>,
    /// How many draws had their loss computed exactly.
    pub exact_draws: usize,
}

impl Medoid {
    /// Whether the runner-up is as good but for rounding.
    pub fn is_tied(&self) -> bool {
        self.runner_up.is_some_and(|other| is_tied(self.expected_loss, other.expected_loss))
    }
}

/// A lead of this many standard errors of the difference is called safe: chance makes it less than once in 400 choices of directions.
pub(crate) const SAFE_SEPARATION: f64 = 3.0;

/// Whether two expected losses agree but for rounding.
pub(crate) fn is_tied(one: f64, other: f64) -> bool {
    (other - one).abs() <= TIE * one.max(other)
}

/// The second-best draw and how safely it is behind.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct RunnerUp {
    /// Index of the draw.
    #[schemars(with = "Index")]
    pub draw: usize,
    /// Its expected loss.
    pub expected_loss: f64,
    /// How far it is behind the medoid, in standard errors over slices of the difference: 0 when tied, infinite when every slice agrees on the
    /// difference (written as null); null when there is no standard error. The error over draws is left out here: the margin has both.
    pub separation: Option<f64>,
}

/// Finds the medoid.
///
/// Draws whose losses agree to 12 digits count as tied, and the lowest index wins: the answer does not depend on rounding, and so
/// neither on the route, the CPU nor the number of threads.
///
/// The decomposed slices are handed on, for what follows.
pub(crate) fn medoid<'p, 'a>(
    ensemble: &Ensemble,
    projection: &'p Projection<'a>,
    loss: Loss,
    route: Route,
    progress: &dyn Progress,
) -> Result<(Medoid, Decompositions<'p, 'a>)> {
    let route = match route.resolve(projection.order(), loss, projection.draws())? {
        // Draws that are on the slices together are swept together.
        Route::Blocks => Route::Sweep,
        route => route,
    };
    let form = if route == Route::Certified { Form::Compressed } else { Form::Exact };
    let mut decompositions = Decompositions::new(projection, form);
    let mut choice = match route {
        Route::Sweep | Route::Blocks => sweep::choose(projection, &mut decompositions, progress)?,
        Route::Certified => certified::choose(projection, &mut decompositions, progress)?,
        Route::Pairs | Route::Auto => pairs::choose(projection, loss, progress)?,
    };
    let evidence = evidence::gather(projection, &decompositions, loss, &choice, progress)?;
    let order = projection.order();
    let distances: Vec<f64> = choice.winner.costs.iter().map(|&cost| order.root(cost)).collect();
    let replicates = projection.replicates();
    let judging = Judging { origin: ensemble, order, loss, replicates, distances: &distances };
    let bounds = choice.bounds.take();
    let mut rivals = RivalRows { projection, decompositions: &mut decompositions, loss, bounds, progress };
    let margin = evidence::margin(&judging, &choice, &evidence, &mut rivals)?;
    Ok((made(choice, &evidence, margin, route, distances), decompositions))
}

/// The medoid that a route has found.
fn made(choice: Choice<'_>, evidence: &Evidence, margin: Option<Margin>, route: Route, distances: Vec<f64>) -> Medoid {
    Medoid {
        draw: choice.winner.draw,
        // Whoever knows the ensemble fills these in.
        chain: 0,
        iteration: 0,
        expected_loss: choice.winner.expected_loss,
        expected_loss_se: evidence.expected_loss_se,
        runner_up: choice.runner_up.map(|candidate| RunnerUp {
            draw: candidate.draw,
            expected_loss: candidate.expected_loss,
            separation: evidence.difference_se.map(|se| {
                let lead = candidate.expected_loss - choice.winner.expected_loss;
                if lead > TIE * candidate.expected_loss { lead / se } else { 0.0 }
            }),
        }),
        margin,
        route,
        expected_losses: choice.expected_losses,
        distances,
        exact_draws: choice.exact_draws,
    }
}

impl SlicedDistance<'_> {
    /// The medoid of the draws under this distance: the draw of least expected loss.
    pub fn medoid(&self, ensemble: &Ensemble, loss: Loss, route: Route, progress: &dyn Progress) -> Result<Medoid> {
        Ok(medoid(ensemble, &self.project(ensemble)?, loss, route, progress)?.0)
    }
}

/// A draw with its exact loss and its mean transport costs to all draws.
#[derive(Debug, Clone)]
struct Candidate {
    draw: usize,
    expected_loss: f64,
    costs: Vec<f64>,
    /// Costs up to this are nothing but rounding.
    rounding: f64,
}

/// Slices that the size of a draw is looked up on.
const SIZING_SLICES: usize = 16;

impl Candidate {
    fn new(draw: usize, costs: &[f64], projection: &Projection, loss: Loss) -> Self {
        let losses = costs.iter().map(|&cost| loss.of_cost(cost, projection.order()));
        let expected_loss = losses.zip(projection.draw_weights()).map(|(loss, weight)| loss * weight).sum();
        // The size of the draw is needed only where a cost is neither 0 nor plainly more than rounding.
        let mean = costs.iter().sum::<f64>() / costs.len() as f64;
        let doubtful = costs.iter().any(|&cost| cost > 0.0 && cost <= 1e-14 * mean);
        let rounding = if doubtful { rounding(draw, projection) } else { 0.0 };
        Candidate { draw, expected_loss, costs: costs.to_vec(), rounding }
    }

    /// Tells which draws are the same measure as this one: those whose distance from it is nothing but rounding.
    fn copies(&self) -> impl Fn(usize) -> bool + '_ {
        move |draw| self.costs[draw] <= self.rounding
    }
}

/// What rounding makes of the cost between copies of a draw: cumulative weights that differ in their last digits move that much mass from
/// one end of the draw to the other, at most, and positions have last digits themselves. How far other draws lie does not matter.
fn rounding(draw: usize, projection: &Projection) -> f64 {
    let order = projection.order();
    let few: Vec<usize> = (0..projection.slices().min(SIZING_SLICES)).collect();
    let of_slice = |lines: crate::line::Lines| {
        let positions = lines.draw(draw).positions();
        let (low, high) = (positions[0], positions[positions.len() - 1]);
        1e-14 * order.power(high - low) + order.power(1e-14 * low.abs().max(high.abs()))
    };
    let mut total = 0.0;
    let passed = projection.stream(std::slice::from_ref(&few), &crate::Silent, of_slice, |_, sizes| {
        total += sizes.iter().sum::<f64>();
        Ok(())
    });
    // Positions that cannot be computed with were refused before there was a cost.
    passed.map_or(0.0, |()| total / few.len() as f64)
}

/// What a route finds.
struct Choice<'p> {
    winner: Candidate,
    runner_up: Option<Candidate>,
    expected_losses: Option<Vec<f64>>,
    /// Lower bounds of the losses of all draws, where the losses themselves are not known.
    loss_bounds: Vec<f64>,
    /// What raises those bounds.
    bounds: Option<LossBounds<'p>>,
    exact_draws: usize,
    /// Costs on each slice, as far as the route has kept any.
    slice_rows: Vec<SliceRows>,
}

impl Choice<'_> {
    /// With the losses of all draws known.
    fn new(winner: Candidate, runner_up: Option<Candidate>, losses: Vec<f64>) -> Self {
        let (exact_draws, slice_rows) = (losses.len(), Vec::new());
        let (expected_losses, loss_bounds) = (Some(losses), Vec::new());
        Choice { winner, runner_up, exact_draws, expected_losses, loss_bounds, bounds: None, slice_rows }
    }
}

/// Losses that agree to this relative difference are tied.
const TIE: f64 = 1e-12;

/// Index of the least loss, the lowest one among the tied.
pub(crate) fn least(losses: impl Iterator<Item = (usize, f64)> + Clone) -> Option<usize> {
    let smallest = losses.clone().map(|(_, loss)| loss).fold(f64::INFINITY, f64::min);
    losses.filter(|&(_, loss)| loss <= smallest * (1.0 + TIE)).map(|(index, _)| index).min()
}
