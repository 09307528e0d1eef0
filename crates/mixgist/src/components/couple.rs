//! One draw coupled with the estimate: who belongs to whom.

use crate::atoms::GaussianAtoms;
use crate::components::Rules;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::linalg::{cholesky_in_place, solve_lower};
use crate::transport::ground::{log_euclidean_coordinates, width};
use crate::transport::solve;
use crate::units::ResolvedUnits;
use crate::{Error, Result};

/// A Gaussian by its parameters.
#[derive(Clone, Copy)]
pub(super) struct Gaussian<'a> {
    pub(super) mean: &'a [f64],
    pub(super) covariance: &'a [f64],
}

/// What of a draw belongs to one atom of the estimate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Match {
    /// Mass that belongs to it.
    pub(super) weight: f64,
    /// Mean and covariance of that mass as one Gaussian; empty when there is none.
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Vec<f64>,
    pub(super) exists: bool,
    /// No atom holds two thirds of it.
    pub(super) in_pieces: bool,
    /// Atoms of the coupler that half of its mass is shared with.
    pub(super) ambiguous_with: Vec<usize>,
}

/// A draw, coupled.
pub(super) struct Coupled {
    pub(super) matches: Vec<Match>,
    pub(super) unmatched: f64,
    /// The root of the cost of the coupling.
    pub(super) distance: f64,
}

/// Atoms of a measure with equal ones merged and the lightest, up to [`LIGHT_MASS`] in all, given to the heaviest.
struct Merged {
    weights: Vec<f64>,
    atoms: GaussianAtoms,
    /// For each atom the first index that it has in the measure.
    first: Vec<usize>,
}

/// So much of the mass of a measure may be moved to save time: no weight that is reported changes by more.
pub(super) const LIGHT_MASS: f64 = 1e-6;

impl Merged {
    /// Atoms come out sorted by their parameters, so that nothing depends on their order.
    fn new(weights: &[f64], atoms: &GaussianAtoms, range: std::ops::Range<usize>) -> Self {
        let key = |k: usize| atoms.mean(k).iter().chain(atoms.covariance(k));
        let compare = |&a: &usize, &b: &usize| {
            key(a).zip(key(b)).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(a.cmp(&b))
        };
        let same = |a: usize, b: usize| key(a).zip(key(b)).all(|(x, y)| x == y);
        let mut order: Vec<usize> = range.clone().collect();
        order.sort_by(compare);
        let mut kept: Vec<(usize, f64)> = Vec::with_capacity(order.len());
        for k in order {
            match kept.last_mut() {
                Some((first, weight)) if same(*first, k) => *weight += weights[k],
                _ => kept.push((k, weights[k])),
            }
        }
        let mut by_weight: Vec<usize> = (0..kept.len()).collect();
        by_weight.sort_by(|&a, &b| kept[a].1.total_cmp(&kept[b].1).then(a.cmp(&b)));
        let mut light = 0.0;
        for &i in &by_weight[..kept.len() - 1] {
            if light + kept[i].1 > LIGHT_MASS {
                break;
            }
            light += kept[i].1;
            kept[i].1 = 0.0;
        }
        kept[by_weight[by_weight.len() - 1]].1 += light;
        kept.retain(|atom| atom.1 > 0.0);
        Merged {
            weights: kept.iter().map(|atom| atom.1).collect(),
            atoms: atoms.select(kept.iter().map(|atom| atom.0)),
            first: kept.iter().map(|atom| atom.0 - range.start).collect(),
        }
    }

    fn gaussian(&self, k: usize) -> Gaussian<'_> {
        Gaussian { mean: self.atoms.mean(k), covariance: self.atoms.covariance(k) }
    }
}

/// The estimate, ready to be coupled with draws.
pub(super) struct Coupler<'a> {
    estimate: Merged,
    coordinates: Vec<f64>,
    units: &'a ResolvedUnits,
    rules: Rules,
}

/// A draw atom is clearly at the place of one that is at most a third as far as any other: squared, a ninth.
const CLEARLY: f64 = 1.0 / 9.0;

/// A draw atom is shared by those that send at least this part of what near ones send.
const SHARED: f64 = 0.25;

impl<'a> Coupler<'a> {
    pub(super) fn new(estimate: &MixingMeasure, units: &'a ResolvedUnits, rules: Rules) -> Result<Self> {
        let estimate = Merged::new(estimate.weights(), estimate.atoms(), 0..estimate.len());
        let coordinates = scaled_coordinates(&estimate.atoms, units)?;
        Ok(Coupler { estimate, coordinates, units, rules })
    }

    /// Number of atoms.
    pub(super) fn len(&self) -> usize {
        self.estimate.weights.len()
    }

    pub(super) fn weight(&self, k: usize) -> f64 {
        self.estimate.weights[k]
    }

    pub(super) fn gaussian(&self, k: usize) -> Gaussian<'_> {
        self.estimate.gaussian(k)
    }

    /// First index of the atom in the estimate as it was given.
    pub(super) fn first_index(&self, k: usize) -> usize {
        self.estimate.first[k]
    }

    /// Couples draw m; a match for each of the reported atoms.
    pub(super) fn couple(&self, ensemble: &Ensemble, m: usize, reported: &[usize]) -> Result<Coupled> {
        let draw = Merged::new(ensemble.weights(), ensemble.atoms(), ensemble.range(m));
        let (n, own) = (draw.weights.len(), self.len());
        let costs = self.costs(&scaled_coordinates(&draw.atoms, self.units)?);
        let plan = solve(&self.estimate.weights, &draw.weights, &costs)?;
        let distance = plan.moves.iter().map(|step| step.mass * costs[step.source * n + step.sink]).sum::<f64>().sqrt();
        let mut sent = vec![0.0; own * n];
        plan.moves.iter().for_each(|step| sent[step.source * n + step.sink] += step.mass);
        let owners: Vec<Owner> = (0..n).map(|j| self.owner(&draw, j, &costs, &sent)).collect();
        let strangers = (0..n).filter(|&j| owners[j].atom.is_none());
        let unmatched = strangers.fold(0.0, |sum, j| sum + draw.weights[j]);
        let matches = reported.iter().map(|&k| self.matched(k, &draw, &owners, &sent)).collect();
        Ok(Coupled { matches, unmatched, distance })
    }

    fn costs(&self, coordinates: &[f64]) -> Vec<f64> {
        let width = width(self.estimate.atoms.dim());
        let mut costs = Vec::with_capacity(self.len() * coordinates.len() / width);
        for x in self.coordinates.chunks_exact(width) {
            costs.extend(coordinates.chunks_exact(width).map(|y| squared(x, y)));
        }
        costs
    }

    /// Whom atom j of a draw belongs to.
    fn owner(&self, draw: &Merged, j: usize, costs: &[f64], sent: &[f64]) -> Owner {
        let n = draw.weights.len();
        let near: Vec<usize> =
            (0..self.len()).filter(|&k| overlap(self.gaussian(k), draw.gaussian(j)) >= self.rules.overlap).collect();
        let cost = |k: usize| costs[k * n + j];
        let mass = |k: usize| sent[k * n + j];
        let Some(nearest) = near.iter().copied().reduce(|best, k| if cost(k) < cost(best) { k } else { best }) else {
            return Owner { atom: None, shared: Vec::new() };
        };
        if near.iter().all(|&k| k == nearest || cost(nearest) <= CLEARLY * cost(k)) {
            return Owner { atom: Some(nearest), shared: Vec::new() };
        }
        let total: f64 = near.iter().map(|&k| mass(k)).sum();
        if total <= 0.0 {
            return Owner { atom: Some(nearest), shared: Vec::new() };
        }
        let heaviest = near.iter().copied().reduce(|best, k| if mass(k) > mass(best) { k } else { best });
        let sharing: Vec<usize> = near.into_iter().filter(|&k| mass(k) >= SHARED * total).collect();
        Owner { atom: heaviest, shared: if sharing.len() > 1 { sharing } else { Vec::new() } }
    }

    fn matched(&self, k: usize, draw: &Merged, owners: &[Owner], sent: &[f64]) -> Match {
        let n = draw.weights.len();
        let own: Vec<usize> = (0..n).filter(|&j| owners[j].atom == Some(k)).collect();
        let moments = mixture_moments(draw.atoms.dim(), own.iter().map(|&j| (draw.weights[j], draw.gaussian(j))));
        let largest = own.iter().map(|&j| draw.weights[j]).fold(0.0, f64::max);
        let mut shared_with = vec![0.0; self.len()];
        for j in (0..n).filter(|&j| owners[j].shared.contains(&k)) {
            owners[j].shared.iter().filter(|&&l| l != k).for_each(|&l| shared_with[l] += sent[k * n + j]);
        }
        let ambiguous_with = (0..self.len()).filter(|&l| shared_with[l] >= 0.5 * self.weight(k)).collect();
        Match {
            weight: moments.weight,
            exists: moments.weight >= self.rules.share * self.weight(k),
            mean: moments.mean,
            covariance: moments.covariance,
            in_pieces: 3.0 * largest < 2.0 * moments.weight * (1.0 - 1e-12),
            ambiguous_with,
        }
    }

    /// Where the matches of the reported atoms number a and b (k and l) lie on the line from θ̂_k (0) to θ̂_l (1).
    pub(super) fn places(&self, k: usize, l: usize, matches: &[Match], a: usize, b: usize) -> [Option<f64>; 2] {
        let d = self.estimate.atoms.dim();
        let point = |k: usize| &self.coordinates[k * width(d)..(k + 1) * width(d)];
        let (from, to) = (point(k), point(l));
        let length = squared(from, to);
        [a, b].map(|place| {
            let found = &matches[place];
            if !found.exists || length <= 0.0 {
                return None;
            }
            let atoms = GaussianAtoms::new(d, found.mean.clone(), found.covariance.clone(), Default::default()).ok()?;
            let at = scaled_coordinates(&atoms, self.units).ok()?;
            let dot: f64 = at.iter().zip(from).zip(to).map(|((x, f), t)| (x - f) * (t - f)).sum();
            Some(dot / length)
        })
    }
}

/// The atom of the estimate that an atom of a draw belongs to, and those that share it.
struct Owner {
    atom: Option<usize>,
    shared: Vec<usize>,
}

fn scaled_coordinates(atoms: &GaussianAtoms, units: &ResolvedUnits) -> Result<Vec<f64>> {
    let coordinates = match &units.transform {
        Some(transform) => log_euclidean_coordinates(&atoms.transformed(transform)?),
        None => log_euclidean_coordinates(atoms),
    };
    if coordinates.iter().any(|x| x.is_nan() || x.abs() > 1e100) {
        return Err(Error::input("an atom is too far away to be coupled").hint("rescale the data"));
    }
    Ok(coordinates)
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// Total weight, mean and covariance of a mixture.
pub(super) struct Moments {
    pub(super) weight: f64,
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Vec<f64>,
}

/// The Gaussian with the mean and covariance of a mixture; empty vectors when it has no parts.
pub(super) fn mixture_moments<'a>(d: usize, parts: impl Iterator<Item = (f64, Gaussian<'a>)> + Clone) -> Moments {
    let weight: f64 = parts.clone().map(|part| part.0).sum();
    if weight <= 0.0 {
        return Moments { weight: 0.0, mean: Vec::new(), covariance: Vec::new() };
    }
    let mut mean = vec![0.0; d];
    for (w, gaussian) in parts.clone() {
        mean.iter_mut().zip(gaussian.mean).for_each(|(sum, x)| *sum += w / weight * x);
    }
    let mut covariance = vec![0.0; d * d];
    for (w, gaussian) in parts {
        for a in 0..d {
            for b in 0..d {
                let between = (gaussian.mean[a] - mean[a]) * (gaussian.mean[b] - mean[b]);
                covariance[a * d + b] += w / weight * (gaussian.covariance[a * d + b] + between);
            }
        }
    }
    Moments { weight, mean, covariance }
}

/// Bhattacharyya's coefficient ∫ √(f g) of two Gaussians: 1 when they are equal, 0 when they have nothing in common; the same in all
/// coordinates that a linear map gives. Covariances that cannot be factored overlap with nothing.
pub(super) fn overlap(f: Gaussian, g: Gaussian) -> f64 {
    let d = f.mean.len();
    let mut middle: Vec<f64> = f.covariance.iter().zip(g.covariance).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut gap: Vec<f64> = f.mean.iter().zip(g.mean).map(|(a, b)| a - b).collect();
    if cholesky_in_place(&mut middle, d).is_err() {
        return 0.0;
    }
    solve_lower(&middle, d, &mut gap);
    let distance = gap.iter().map(|x| x * x).sum::<f64>() / 8.0;
    // More than that apart the rest need not be known.
    if distance > 50.0 {
        return 0.0;
    }
    let half_log_det = |factor: &[f64]| (0..d).map(|i| libm::log(factor[i * d + i])).sum::<f64>();
    let of = |covariance: &[f64]| {
        let mut factor = covariance.to_vec();
        cholesky_in_place(&mut factor, d).ok().map(|()| half_log_det(&factor))
    };
    let (Some(a), Some(b)) = (of(f.covariance), of(g.covariance)) else { return 0.0 };
    libm::exp(-distance - half_log_det(&middle) + 0.5 * (a + b)).min(1.0)
}
