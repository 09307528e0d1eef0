//! Credible sets for G: balls around any estimate, probabilities of regions, and conformal balls.
//!
//! All of them are statements about the distances d_m = d(Ĝ, G_m) from one measure to the draws, so that they hold for any Ĝ (a
//! medoid, a free-support summary, a measure from elsewhere) and need neither labels nor a density of G.
//!
//! - [`Ball`]: the least radius r with P(d(Ĝ, G) ≤ r | data) ≥ 1 − α, the probability being the share of the draws. Draws are
//!   autocorrelated and weighted, so that share has the error of that many independent draws (see `crate::effective`), and the
//!   radius the error that follows. As everywhere, `low` and `high` are the ends of a 95 % interval, a standard error is named as such.
//! - [`region`]: P(d(G_0, G) ≤ r | data) for a hypothesised G_0 and a radius that means something to the user.
//! - [`conformal()`]: a radius whose coverage of the next draw is guaranteed for a finite number of draws, without asymptotics.
//!
//! [`Posterior::credible`](crate::Posterior::credible) answers all of it about one estimate.

mod ball;
mod conformal;
mod set;

pub use ball::{Ball, Member, ball};
pub use conformal::{Conformal, ConformalRadius, conformal};
pub use set::{Credible, Question, Region};

use crate::effective::Probability;
pub(crate) use crate::effective::check_level;
use crate::ensemble::Ensemble;
use crate::{Error, Result};

/// Posterior probability that a measure is within `radius` of the one that `distances` (one per draw) were measured from.
pub fn region(ensemble: &Ensemble, distances: &[f64], radius: f64) -> Result<Probability> {
    check_distances(ensemble, distances)?;
    if !(radius.is_finite() && radius >= 0.0) {
        return Err(Error::usage(format!("radius is {radius}, must be finite and at least 0")));
    }
    let inside: Vec<bool> = distances.iter().map(|&distance| within(distance, radius)).collect();
    Ok(Probability::of(ensemble, &inside, distances))
}

/// Distances closer than this, relatively, are ties: they differ by the order of summation only.
const TIE: f64 = 1e-12;

/// Whether a ball holds what is so far from its centre.
fn within(distance: f64, radius: f64) -> bool {
    distance <= radius * (1.0 + TIE)
}

fn check_distances(ensemble: &Ensemble, distances: &[f64]) -> Result<()> {
    if distances.len() != ensemble.len() {
        return Err(Error::input(format!("{} distances for {} draws", distances.len(), ensemble.len())));
    }
    match distances.iter().position(|d| !(d.is_finite() && *d >= 0.0)) {
        Some(m) => {
            Err(Error::input(format!("distance is {}, must be finite and not negative", distances[m])).at_draw(m))
        }
        None => Ok(()),
    }
}
