//! One draw coupled with the estimate: who belongs to whom.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::atoms::GaussianAtoms;
use crate::components::Rules;
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::overlap::{Gaussian, NEARLY_EQUAL, half_log_det, may_overlap, overlap, overlap_given};
use crate::progress::Progress;
use crate::transport::ground::{log_euclidean_coordinates, width};
use crate::transport::solve;
use crate::units::ResolvedUnits;
use crate::{Error, Result};

/// A mean and a covariance of its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Vec<f64>,
}

impl Place {
    pub(super) fn of(gaussian: Gaussian) -> Self {
        Place { mean: gaussian.mean.to_vec(), covariance: gaussian.covariance.to_vec() }
    }

    pub(super) fn gaussian(&self) -> Gaussian<'_> {
        Gaussian { mean: &self.mean, covariance: &self.covariance }
    }
}

/// What of a draw belongs to one atom of the estimate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Match {
    /// Mass that belongs to it.
    pub(crate) weight: f64,
    /// Mean and covariance of that mass as one Gaussian; empty when there is none.
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Vec<f64>,
    /// Whether the draw has it: at least the share of the weight that the rules ask for.
    pub(crate) exists: bool,
    /// The heaviest atom of it.
    pub(super) largest: f64,
    /// Half of its mass is shared with other atoms of the coupler.
    pub(super) ambiguous: bool,
    /// Those with which it is.
    pub(super) ambiguous_with: Vec<usize>,
    /// Mean and covariance of what lies beside it, by the mass that it sends there: half of its mass goes to atoms that are nobody's and not far.
    /// `None` when the draw has the component, or nothing beside it.
    pub(super) beside: Option<Place>,
}

impl Match {
    /// What it is as one Gaussian.
    pub(super) fn gaussian(&self) -> Gaussian<'_> {
        Gaussian { mean: &self.mean, covariance: &self.covariance }
    }

    /// Whether no atom holds two thirds of it.
    pub(super) fn in_pieces(&self) -> bool {
        3.0 * self.largest < 2.0 * self.weight * (1.0 - 1e-12)
    }
}

/// An atom of a draw that belongs to no atom of the estimate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stranger {
    pub(super) weight: f64,
    pub(super) place: Place,
}

/// A draw, coupled.
pub(crate) struct Coupled {
    pub(super) matches: Vec<Match>,
    pub(super) unmatched: f64,
    /// For each atom of the draw the atom of the estimate that it belongs to, by their indices there.
    pub(crate) owners: Vec<Option<usize>>,
    /// What belongs to nobody, as far as it is not too light to matter.
    pub(super) strangers: Vec<Stranger>,
    /// The root of the cost of the coupling.
    pub(super) distance: f64,
    /// For each match the atom of the prepared draw that it is, when it is a single one.
    singles: Vec<Option<usize>>,
}

/// Atoms of a measure with equal ones merged and the lightest, up to [`LIGHT_MASS`] in all, given to the heaviest.
#[derive(Clone)]
struct Merged {
    weights: Vec<f64>,
    atoms: GaussianAtoms,
    /// For each atom the indices that it has in the measure, ascending.
    indices: Vec<Vec<usize>>,
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
        let mut kept: Vec<(Vec<usize>, f64)> = Vec::with_capacity(order.len());
        for k in order {
            match kept.last_mut() {
                Some((equal, weight)) if same(equal[0], k) => {
                    equal.push(k);
                    *weight += weights[k];
                }
                _ => kept.push((vec![k], weights[k])),
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
            atoms: atoms.select(kept.iter().map(|atom| atom.0[0])),
            indices: kept.into_iter().map(|atom| atom.0.into_iter().map(|k| k - range.start).collect()).collect(),
        }
    }

    /// Atoms that a chain of near copies connects as one, with the moments of their mixture.
    fn with_near_copies_as_one(self) -> Result<Self> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for k in 0..self.weights.len() {
            let equal =
                |set: &Vec<usize>| set.iter().any(|&l| overlap(self.gaussian(k), self.gaussian(l)) >= NEARLY_EQUAL);
            let (joined, apart): (Vec<_>, Vec<_>) = sets.into_iter().partition(equal);
            let mut set = joined.concat();
            set.push(k);
            set.sort_unstable();
            sets = apart;
            sets.push(set);
        }
        if sets.len() == self.weights.len() {
            return Ok(self);
        }
        sets.sort();
        let d = self.atoms.dim();
        let (mut weights, mut means, mut covariances, mut indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for set in sets {
            let moments = mixture_moments(d, set.iter().map(|&k| (self.weights[k], self.gaussian(k))));
            weights.push(moments.weight);
            means.extend(moments.mean);
            covariances.extend(moments.covariance);
            let mut all: Vec<usize> = set.iter().flat_map(|&k| self.indices[k].iter().copied()).collect();
            all.sort_unstable();
            indices.push(all);
        }
        Ok(Merged { weights, atoms: GaussianAtoms::new(d, means, covariances, Default::default())?, indices })
    }

    fn gaussian(&self, k: usize) -> Gaussian<'_> {
        Gaussian { mean: self.atoms.mean(k), covariance: self.atoms.covariance(k) }
    }
}

/// A draw, ready to be coupled with estimates.
#[derive(Clone)]
pub(crate) struct Prepared {
    merged: Merged,
    /// Number of its atoms before equal ones were merged.
    atoms: usize,
    /// See [`scaled_coordinates`].
    coordinates: Vec<f64>,
    half_log_dets: Vec<Option<f64>>,
}

impl Prepared {
    pub(crate) fn new(ensemble: &Ensemble, m: usize, units: &ResolvedUnits) -> Result<Self> {
        let merged = Merged::new(ensemble.weights(), ensemble.atoms(), ensemble.range(m));
        let coordinates = scaled_coordinates(&merged.atoms, units).map_err(|error| error.at_draw(m))?;
        let half_log_dets = half_log_dets(&merged.atoms);
        Ok(Prepared { atoms: ensemble.range(m).len(), merged, coordinates, half_log_dets })
    }
}

fn half_log_dets(atoms: &GaussianAtoms) -> Vec<Option<f64>> {
    (0..atoms.len()).map(|k| half_log_det(atoms.covariance(k), atoms.dim())).collect()
}

/// Draws that estimates are coupled with, prepared once unless that would take more than [`PREPARED_BYTES`]: matrix logarithms cost more than couplings
/// in many dimensions.
pub(crate) struct PreparedDraws<'a> {
    pub(crate) ensemble: &'a Ensemble,
    pub(crate) units: &'a ResolvedUnits,
    prepared: Option<Vec<Prepared>>,
}

/// Prepared draws are kept when they take no more than this.
const PREPARED_BYTES: usize = 256 << 20;

impl<'a> PreparedDraws<'a> {
    pub(crate) fn new(ensemble: &'a Ensemble, units: &'a ResolvedUnits, progress: &dyn Progress) -> Result<Self> {
        let d = ensemble.dim();
        let bytes = ensemble.weights().len().saturating_mul(8 * (d + d * d + width(d) + 8));
        let prepare = |m: usize| {
            progress.check()?;
            Prepared::new(ensemble, m, units)
        };
        let all = || (0..ensemble.len()).into_par_iter().map(prepare).collect::<Result<_>>();
        let prepared = if bytes <= PREPARED_BYTES { Some(all()?) } else { None };
        Ok(PreparedDraws { ensemble, units, prepared })
    }

    pub(super) fn get(&self, m: usize) -> Result<Cow<'_, Prepared>> {
        match &self.prepared {
            Some(all) => Ok(Cow::Borrowed(&all[m])),
            None => Prepared::new(self.ensemble, m, self.units).map(Cow::Owned),
        }
    }
}

/// The estimate, ready to be coupled with draws.
pub(crate) struct Coupler<'a> {
    estimate: Merged,
    /// Where the rules look for each atom: there, or at the centre of what the draws have beside it.
    places: GaussianAtoms,
    coordinates: Vec<f64>,
    half_log_dets: Vec<Option<f64>>,
    units: &'a ResolvedUnits,
    rules: Rules,
}

/// Strangers lighter than this part of the least weight are no pieces of anything.
const LEAST_PIECE: f64 = 0.1;

/// A draw atom is clearly at the place of one that is at most a third as far as any other: squared, a ninth.
const CLEARLY: f64 = 1.0 / 9.0;

/// A draw atom's owners are those that send at least this part of what the heaviest sender does. Of two senders these are the ones with a
/// quarter of the mass.
const LIKE_THE_HEAVIEST: f64 = 1.0 / 3.0;

/// A draw atom is shared for an owner when others send at least this part of what near ones send.
const SHARED: f64 = 0.25;

/// Mass could as well go elsewhere when its cost is at least this part of what it would be then.
const AS_WELL: f64 = 0.75;

impl<'a> Coupler<'a> {
    pub(crate) fn new(estimate: &MixingMeasure, units: &'a ResolvedUnits, rules: Rules) -> Result<Self> {
        let estimate =
            Merged::new(estimate.weights(), estimate.atoms(), 0..estimate.len()).with_near_copies_as_one()?;
        let coordinates = scaled_coordinates(&estimate.atoms, units)?;
        let places = estimate.atoms.clone();
        Ok(Coupler { half_log_dets: half_log_dets(&places), places, estimate, coordinates, units, rules })
    }

    /// The same with other places for some atoms.
    pub(super) fn recentred(self, centres: &[Option<Place>]) -> Result<Self> {
        let d = self.places.dim();
        let (mut means, mut covariances) = (Vec::new(), Vec::new());
        for (k, centre) in centres.iter().enumerate() {
            let place = self.place(k);
            means.extend_from_slice(centre.as_ref().map_or(place.mean, |centre| &centre.mean));
            covariances.extend_from_slice(centre.as_ref().map_or(place.covariance, |centre| &centre.covariance));
        }
        let places = GaussianAtoms::new(d, means, covariances, Default::default())?;
        let coordinates = scaled_coordinates(&places, self.units)?;
        Ok(Coupler { coordinates, half_log_dets: half_log_dets(&places), places, ..self })
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

    /// Where the rules look for the atom.
    pub(super) fn place(&self, k: usize) -> Gaussian<'_> {
        Gaussian { mean: self.places.mean(k), covariance: self.places.covariance(k) }
    }

    /// Indices of the atom, and of those that are nearly the same, in the estimate as it was given, ascending.
    pub(super) fn indices(&self, k: usize) -> &[usize] {
        &self.estimate.indices[k]
    }

    /// The first of them.
    pub(super) fn first_index(&self, k: usize) -> usize {
        self.estimate.indices[k][0]
    }

    /// Whether atom j of a draw overlaps with the place of atom k by at least so much.
    fn overlaps(&self, k: usize, draw: &Prepared, j: usize, least: f64) -> bool {
        let (Some(own), Some(other)) = (self.half_log_dets[k], draw.half_log_dets[j]) else { return false };
        let (place, atom) = (self.place(k), draw.merged.gaussian(j));
        may_overlap(place, atom, least) && overlap_given(place, atom, own, other) >= least
    }

    /// Couples a draw; a match for each of the reported atoms.
    pub(crate) fn couple(&self, prepared: &Prepared, reported: &[usize]) -> Result<Coupled> {
        let draw = &prepared.merged;
        let (n, own) = (draw.weights.len(), self.len());
        let costs = self.costs(&prepared.coordinates);
        let plan = solve(&self.estimate.weights, &draw.weights, &costs)?;
        let distance = plan.moves.iter().map(|step| step.mass * costs[step.source * n + step.sink]).sum::<f64>().sqrt();
        let mut sent = vec![0.0; own * n];
        plan.moves.iter().for_each(|step| sent[step.source * n + step.sink] += step.mass);
        let owners: Vec<Owner> = (0..n).map(|j| self.owner(prepared, j, &costs, &sent)).collect();
        let strangers = (0..n).filter(|&j| owners[j].atom.is_none());
        let unmatched = strangers.clone().fold(0.0, |sum, j| sum + draw.weights[j]);
        let strangers = strangers
            .filter(|&j| draw.weights[j] >= LEAST_PIECE * self.rules.least_weight)
            .map(|j| Stranger { weight: draw.weights[j], place: Place::of(draw.gaussian(j)) })
            .collect();
        let sinks: Vec<Vec<usize>> = (0..own).map(|k| (0..n).filter(|&j| sent[k * n + j] > 0.0).collect()).collect();
        let coupling = Coupling { prepared, costs: &costs, sent: &sent, sinks: &sinks, owners: &owners };
        let matches = reported.iter().map(|&k| self.matched(k, &coupling)).collect();
        let single = |k: usize| {
            let mut its = (0..n).filter(|&j| owners[j].atom == Some(k));
            its.next().filter(|_| its.next().is_none())
        };
        let singles = reported.iter().map(|&k| single(k)).collect();
        let mut by_atom = vec![None; prepared.atoms];
        for (j, owner) in owners.iter().enumerate() {
            let owner = owner.atom.map(|k| self.first_index(k));
            draw.indices[j].iter().for_each(|&index| by_atom[index] = owner);
        }
        Ok(Coupled { matches, unmatched, owners: by_atom, strangers, distance, singles })
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
    fn owner(&self, draw: &Prepared, j: usize, costs: &[f64], sent: &[f64]) -> Owner {
        let n = draw.merged.weights.len();
        let near: Vec<usize> = (0..self.len()).filter(|&k| self.overlaps(k, draw, j, self.rules.overlap)).collect();
        let cost = |k: usize| costs[k * n + j];
        let mass = |k: usize| sent[k * n + j];
        let Some(nearest) = near.iter().copied().reduce(|best, k| if cost(k) < cost(best) { k } else { best }) else {
            return Owner { atom: None, sharing: None };
        };
        if near.iter().all(|&k| k == nearest || cost(nearest) <= CLEARLY * cost(k)) {
            return Owner { atom: Some(nearest), sharing: None };
        }
        let total: f64 = near.iter().map(|&k| mass(k)).sum();
        if total <= 0.0 {
            return Owner { atom: Some(nearest), sharing: None };
        }
        let heaviest = near.iter().copied().reduce(|best, k| if mass(k) > mass(best) { k } else { best });
        let most = heaviest.map_or(0.0, mass);
        let owners = near.iter().copied().filter(|&k| mass(k) >= LIKE_THE_HEAVIEST * most).collect();
        Owner { atom: heaviest, sharing: Some(Sharing { near, owners, total }) }
    }

    fn matched(&self, k: usize, coupling: &Coupling) -> Match {
        let Coupling { prepared, owners, sent, .. } = *coupling;
        let draw = &prepared.merged;
        let n = draw.weights.len();
        let own: Vec<usize> = (0..n).filter(|&j| owners[j].atom == Some(k)).collect();
        let moments = mixture_moments(draw.atoms.dim(), own.iter().map(|&j| (draw.weights[j], draw.gaussian(j))));
        let largest = own.iter().map(|&j| draw.weights[j]).fold(0.0, f64::max);
        let mass = |k: usize, j: usize| sent[k * n + j];
        let mut shared = 0.0;
        let mut shared_with = vec![0.0; self.len()];
        for (j, sharing) in owners.iter().enumerate().filter_map(|(j, owner)| Some((j, owner.sharing.as_ref()?))) {
            if !sharing.near.contains(&k) {
                continue;
            }
            let owns = sharing.owners.contains(&k);
            let others = sharing.total - mass(k, j);
            if owns && others < SHARED * sharing.total {
                let partners: Vec<usize> =
                    sharing.near.iter().copied().filter(|&l| coupling.may_exchange(k, j, l)).collect();
                shared += if partners.is_empty() { 0.0 } else { mass(k, j) };
                partners.into_iter().for_each(|l| shared_with[l] += mass(k, j));
                continue;
            }
            shared += mass(k, j);
            // An owner shares also with those that it carries, light as they are.
            let with = |l: usize| sharing.owners.contains(&l) || owns && mass(l, j) >= 0.5 * self.weight(l);
            sharing.near.iter().filter(|&&l| l != k && with(l)).for_each(|&l| shared_with[l] += mass(k, j));
        }
        let half = 0.5 * self.weight(k);
        let exists = moments.weight >= self.rules.share * self.weight(k);
        Match {
            weight: moments.weight,
            exists,
            mean: moments.mean,
            covariance: moments.covariance,
            largest,
            ambiguous: shared >= half,
            ambiguous_with: (0..self.len()).filter(|&l| shared_with[l] >= half).collect(),
            beside: if exists { None } else { self.beside(k, prepared, owners, sent) },
        }
    }

    /// What atom k is coupled with in a draw that does not have it, if that lies beside it: so far that an atom half-way of the same shape would
    /// be near both.
    fn beside(&self, k: usize, prepared: &Prepared, owners: &[Owner], sent: &[f64]) -> Option<Place> {
        let draw = &prepared.merged;
        let n = draw.weights.len();
        let least = self.rules.overlap.powi(4);
        let strangers: Vec<usize> = (0..n)
            .filter(|&j| owners[j].atom.is_none() && sent[k * n + j] > 0.0)
            .filter(|&j| self.overlaps(k, prepared, j, least))
            .collect();
        let there = mixture_moments(draw.atoms.dim(), strangers.iter().map(|&j| (sent[k * n + j], draw.gaussian(j))));
        (there.weight >= 0.5 * self.weight(k)).then_some(Place { mean: there.mean, covariance: there.covariance })
    }

    /// The coordinates of what a draw has of each reported atom.
    pub(super) fn coordinates_of(&self, coupled: &Coupled, draw: &Prepared, place: usize) -> Option<Vec<f64>> {
        let (d, found) = (self.estimate.atoms.dim(), &coupled.matches[place]);
        if !found.exists {
            return None;
        }
        if let Some(j) = coupled.singles[place] {
            return Some(draw.coordinates[j * width(d)..(j + 1) * width(d)].to_vec());
        }
        let atoms = GaussianAtoms::new(d, found.mean.clone(), found.covariance.clone(), Default::default()).ok()?;
        scaled_coordinates(&atoms, self.units).ok()
    }

    /// Where matches of atoms k and l, by their coordinates, lie on the line from the place of k (0) to that of l (1).
    pub(super) fn places(&self, k: usize, l: usize, matches: [Option<&[f64]>; 2]) -> [Option<f64>; 2] {
        let d = self.estimate.atoms.dim();
        let point = |k: usize| &self.coordinates[k * width(d)..(k + 1) * width(d)];
        let (from, to) = (point(k), point(l));
        let length = squared(from, to);
        let along = |at: &[f64]| at.iter().zip(from).zip(to).map(|((x, f), t)| (x - f) * (t - f)).sum::<f64>() / length;
        matches.map(|found| found.filter(|_| length > 0.0).map(along))
    }
}

/// The optimal coupling of a draw with the estimate.
#[derive(Clone, Copy)]
struct Coupling<'a> {
    prepared: &'a Prepared,
    /// Costs and masses from each atom of the estimate to each of the draw.
    costs: &'a [f64],
    sent: &'a [f64],
    /// The atoms of the draw that each atom of the estimate sends mass to.
    sinks: &'a [Vec<usize>],
    owners: &'a [Owner],
}

impl Coupling<'_> {
    /// Whether what k sends to j could as well go where l sends as much, and the other way round: both atoms of the draw are near both and clearly at nobody's place,
    /// and the exchange would cost little.
    fn may_exchange(&self, k: usize, j: usize, l: usize) -> bool {
        let n = self.prepared.merged.weights.len();
        let (cost, mass) = (|k: usize, j: usize| self.costs[k * n + j], |k: usize, j: usize| self.sent[k * n + j]);
        let near_both = |i: usize| {
            let sharing = self.owners[i].sharing.as_ref();
            sharing.is_some_and(|sharing| sharing.near.contains(&k) && sharing.near.contains(&l))
        };
        l != k
            && self.sinks[l].iter().any(|&i| {
                i != j
                    && mass(l, i) >= LIKE_THE_HEAVIEST * mass(k, j)
                    && cost(k, j) + cost(l, i) >= AS_WELL * (cost(k, i) + cost(l, j))
                    && near_both(i)
            })
    }
}

/// The atom of the estimate that an atom of a draw belongs to, and who else could claim it unless it is clearly at one's place.
struct Owner {
    atom: Option<usize>,
    sharing: Option<Sharing>,
}

/// An atom of a draw that is clearly at nobody's place.
struct Sharing {
    /// The near ones.
    near: Vec<usize>,
    /// Those of them that send about as much as the heaviest sender.
    owners: Vec<usize>,
    /// What all near ones send.
    total: f64,
}

/// Coordinates of atoms in which squared distances are the costs of couplings.
pub(crate) fn scaled_coordinates(atoms: &GaussianAtoms, units: &ResolvedUnits) -> Result<Vec<f64>> {
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
