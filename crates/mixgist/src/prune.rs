//! Pruning: atoms of negligible weight hand their mass to the heaviest atom of their draw, with a bound on every distance.
//!
//! W_p^p(·, β) changes by at most p D^(p−1) W_1(α, α′) when α becomes α′, D being the largest gap between two atoms on any slice: the
//! Kantorovich potentials are that steep at most. Moving the mass w_k over a gap of at most `reach` costs w_k · reach in W_1.

use std::ops::Range;

use crate::line::Order;
use crate::slice::{Coordinates, Slices};
use crate::text;
use crate::text::named;
use crate::{Error, Result};

/// Which atoms may be dropped before distances are computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pruning {
    /// None.
    Off,
    /// Those that change no transport cost by more than rounding does: 1e-13 of the spread of the draws.
    #[default]
    Rounding,
    /// Those that change no transport cost by more than this, relative to the spread of the draws.
    Tolerance(f64),
}

/// What pruning did.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Pruned {
    /// Number of atoms dropped, over all draws.
    pub atoms: usize,
    /// The largest mass that a draw moved.
    pub mass: f64,
    /// No transport cost W_p^p between two draws changed by more than this.
    pub cost_bound: f64,
}

impl Pruning {
    /// `off`, `rounding`, or a tolerance from 0 to below 1.
    pub fn from_name(text: &str) -> Result<Self> {
        match text {
            "off" => Ok(Pruning::Off),
            "rounding" => Ok(Pruning::Rounding),
            _ => match text.parse::<f64>() {
                Ok(tolerance) if (0.0..1.0).contains(&tolerance) => Ok(Pruning::Tolerance(tolerance)),
                _ => Err(Error::usage(text![
                    named("prune"),
                    format!(" is '{text}', must be off, rounding or a number from 0 to 1")
                ])),
            },
        }
    }

    /// Refuses tolerances that are not numbers of at least 0.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Pruning::Tolerance(t) if !(t.is_finite() && t >= 0.0) => {
                Err(Error::usage(format!("pruning tolerance is {t}, must be a finite number of at least 0")))
            }
            _ => Ok(()),
        }
    }

    fn tolerance(self) -> f64 {
        match self {
            Pruning::Off => 0.0,
            Pruning::Rounding => 1e-13,
            Pruning::Tolerance(tolerance) => tolerance,
        }
    }
}

/// The atoms that stay, with their new weights.
pub(crate) struct Survivors {
    pub(crate) atoms: Vec<usize>,
    pub(crate) weights: Vec<f64>,
    pub(crate) offsets: Vec<usize>,
    pub(crate) report: Pruned,
}

/// What dropping atoms may cost, decided by the draws.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Mass times gap that a draw may spend.
    spendable: f64,
    /// No atom is farther than this from the reference.
    farthest: f64,
    /// Steepest slope of a potential.
    steepest: f64,
}

impl Budget {
    /// `None` when nothing may be dropped. Cost O(atoms × coordinates).
    pub(crate) fn of_draws(
        slices: &dyn Slices,
        coordinates: &Coordinates,
        weights: &[f64],
        offsets: &[usize],
        order: Order,
        pruning: Pruning,
    ) -> Option<Self> {
        let tolerance = pruning.tolerance();
        if tolerance <= 0.0 {
            return None;
        }
        let p = order.value();
        let draws = offsets.len() - 1;
        let reference = heaviest(weights, offsets[0]..offsets[1]);
        let (mut farthest, mut spread) = (0.0, 0.0);
        for k in 0..weights.len() {
            let gap = slices.reach(coordinates, k, reference)?;
            farthest = f64::max(farthest, gap);
            spread += weights[k] * libm::pow(gap, p) / draws as f64;
        }
        let steepest = p * libm::pow(2.0 * farthest, p - 1.0);
        let spendable = tolerance * spread / (2.0 * steepest);
        (spendable > 0.0 && spendable.is_finite()).then_some(Budget { spendable, farthest, steepest })
    }

    /// Decides which atoms of each draw stay, or of each measure that is compared with the draws; `None` when all do.
    pub(crate) fn survivors(
        &self,
        slices: &dyn Slices,
        coordinates: &Coordinates,
        weights: &[f64],
        offsets: &[usize],
    ) -> Option<Survivors> {
        let Budget { spendable, farthest, steepest } = *self;
        let mut out = Survivors { atoms: Vec::new(), weights: Vec::new(), offsets: vec![0], report: Pruned::default() };
        let mut costs: Vec<(f64, usize)> = Vec::new();
        let mut dropped = Vec::new();
        let mut most_spent: f64 = 0.0;
        for range in offsets.windows(2).map(|pair| pair[0]..pair[1]) {
            let heir = heaviest(weights, range.clone());
            costs.clear();
            let light = |&k: &usize| k != heir && weights[k] * farthest <= spendable * 1e3;
            costs.extend(range.clone().filter(light).filter_map(|k| {
                let gap = slices.reach(coordinates, k, heir)?;
                let cost = weights[k] * gap;
                // Atoms of draws are never farther apart; a measure that spreads farther would meet steeper potentials.
                (cost <= spendable && gap <= 2.0 * farthest).then_some((cost, k))
            }));
            costs.sort_by(|a, b| a.0.total_cmp(&b.0));
            dropped.clear();
            dropped.resize(range.len(), false);
            let (mut spent, mut mass) = (0.0, 0.0);
            for &(cost, k) in &costs {
                if spent + cost > spendable {
                    break;
                }
                spent += cost;
                mass += weights[k];
                dropped[k - range.start] = true;
            }
            for k in range.clone().filter(|k| !dropped[k - range.start]) {
                out.atoms.push(k);
                out.weights.push(weights[k] + if k == heir { mass } else { 0.0 });
            }
            out.offsets.push(out.atoms.len());
            most_spent = most_spent.max(spent);
            out.report.mass = out.report.mass.max(mass);
        }
        out.report.atoms = weights.len() - out.atoms.len();
        out.report.cost_bound = 2.0 * steepest * most_spent;
        (out.report.atoms > 0).then_some(out)
    }
}

fn heaviest(weights: &[f64], range: Range<usize>) -> usize {
    range.reduce(|best, k| if weights[k] > weights[best] { k } else { best }).expect("a draw has an atom")
}
