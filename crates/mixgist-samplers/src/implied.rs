//! The density that a partition implies: that of the mixing measure given the partition and the data.

use mixgist::random::{Purpose, stream};
use mixgist::{Ensemble, Error, Partition, Points, Result};
use rayon::prelude::*;

use crate::algorithm::{Model, State};
use crate::clusters::Clusters;
use crate::component::{Component, FullCovariance, Posterior};
use crate::draws::ChainDraws;
use crate::hyperparameters::Hyperparameters;
use crate::measure::impute;
use crate::mixing::Concentration;
use crate::outline::Outline;
use crate::points::ScaledData;
use crate::settings::CovarianceModel;

/// Weight of the unoccupied part of a draw that may be left unbroken; the last atom takes it.
const REMAINDER: f64 = 1e-10;

/// A model with its numbers and the data: any mixing prior of known concentration, components of full covariance.
#[derive(Debug, Clone)]
pub struct ImpliedModel {
    points: ScaledData,
    hyperparameters: Hyperparameters,
    alpha: f64,
}

impl ImpliedModel {
    /// Checks the hyperparameters by themselves and against the data (n × d, row-major).
    pub fn new(data: &[f64], hyperparameters: Hyperparameters) -> Result<Self> {
        let points = ScaledData::new(data, hyperparameters.dim)?;
        hyperparameters.check(&Outline::of(data, hyperparameters.dim))?;
        if hyperparameters.covariance != CovarianceModel::Full {
            return Err(Error::usage("a partition implies a density for full covariances only"));
        }
        let Concentration::Fixed(alpha) = hyperparameters.concentration else {
            return Err(Error::usage("a partition implies a density for a fixed alpha only"));
        };
        if hyperparameters.learned.any() {
            // the values that they had along the chains are not kept
            return Err(Error::usage("a partition implies a density for fixed lambda, Psi and nu only")
                .hint("fit with fixed scales, or give the values of lambda, Psi and nu yourself"));
        }
        Ok(ImpliedModel { points, hyperparameters: Hyperparameters { truncation: None, ..hyperparameters }, alpha })
    }

    /// E[F given partition, data] = Σ_j m_j t_j + m_0 t_0: the predictive t of each cluster and that of the prior, each with the
    /// probability that the next observation comes from there; n_j/(n + α) and α/(n + α) for the Dirichlet process.
    pub fn expected_density(&self, partition: &Partition) -> Result<ImpliedDensity<'_>> {
        let (model, state) = self.given(partition)?;
        let mut terms = Vec::with_capacity(state.clusters.len() + 1);
        let mut push = |mass: f64, count: u32, statistic: &[f64]| {
            let mut posterior = Posterior::new(self.points.dim());
            model.component.posterior(count, statistic, &mut posterior)?;
            model.component.prepare(&mut posterior);
            terms.push(Term { mass, posterior });
            Ok(())
        };
        for cluster in state.clusters.occupied() {
            push(model.prior.cluster_mass(cluster.count, self.alpha), cluster.count, cluster.statistic)?;
        }
        let fresh = model.prior.new_mass(state.clusters.len(), self.alpha);
        push(fresh, 0, &vec![0.0; model.component.statistic_len()])?;
        let total: f64 = terms.iter().map(|term| term.mass).sum();
        terms.iter_mut().for_each(|term| term.mass /= total);
        Ok(ImpliedDensity { points: &self.points, component: model.component, terms })
    }

    /// `draws` draws of the mixing measure from p(G given partition, data); their mean density estimates
    /// [`Self::expected_density`]. Draw m depends on the seed and m alone.
    pub fn sample_measures(&self, partition: &Partition, draws: usize, seed: u64) -> Result<Ensemble> {
        if draws == 0 {
            return Err(Error::usage("0 draws were asked for, expected at least 1"));
        }
        let (model, state) = self.given(partition)?;
        let one = |draw: usize| {
            // Starts of a search under the same seed use the low indices of this purpose.
            let mut rng = stream(seed, Purpose::Partitions, (1 << 40) | draw as u64);
            let mut measure = ChainDraws::default();
            impute(&mut model.clone(), &state, &mut rng, &mut measure)?;
            Ok(measure)
        };
        let mut all = ChainDraws::default();
        for measure in (0..draws).into_par_iter().map(one).collect::<Result<Vec<_>>>()? {
            all.append(&measure);
        }
        let dim = self.points.dim();
        Ensemble::builder(dim)
            .offsets(&all.offsets)
            .weights(&all.weights)
            .means(&all.means)
            .covariances(&all.covariances)
            .build()
    }

    fn given(&self, partition: &Partition) -> Result<(Model<'_, FullCovariance>, State)> {
        if self.points.len() != partition.len() {
            return Err(Error::input(format!(
                "data hold {} observations, the partition labels {}",
                self.points.len(),
                partition.len()
            )));
        }
        let model = Model::<FullCovariance>::new(&self.points, &self.hyperparameters, REMAINDER);
        if let Some(limit) = model.prior.limit().filter(|&limit| limit < partition.clusters()) {
            return Err(Error::input(format!("{} clusters, the model has {limit} components", partition.clusters())));
        }
        let shape = model.component.shape();
        let clusters = Clusters::new(partition.labels().to_vec(), shape, &self.points, model.tiling)?;
        Ok((model, State { clusters, alpha: self.alpha, positions: Vec::new(), scales: None, sweeps: 0 }))
    }
}

/// A mixture of multivariate t's: one per cluster and, last, the prior predictive.
#[derive(Debug, Clone)]
pub struct ImpliedDensity<'a> {
    points: &'a ScaledData,
    component: FullCovariance,
    terms: Vec<Term>,
}

#[derive(Debug, Clone)]
struct Term {
    mass: f64,
    posterior: Posterior,
}

impl ImpliedDensity<'_> {
    /// The weights, which sum to 1; the last one is that of the prior predictive.
    pub fn weights(&self) -> Vec<f64> {
        self.terms.iter().map(|term| term.mass).collect()
    }

    /// Logarithm of the density at each of the points (row-major, d numbers each). Cost O(points · k · d²).
    pub fn log_density(&self, points: &[f64]) -> Result<Vec<f64>> {
        let points = Points::new(self.component.dim(), points)?;
        let room = || (self.terms.clone(), vec![0.0; points.dim()], vec![0.0; self.terms.len()]);
        let at = |(terms, x, logs): &mut (Vec<Term>, Vec<f64>, Vec<f64>), i: usize| {
            x.iter_mut()
                .zip(points.point(i))
                .enumerate()
                .for_each(|(j, (x, &y))| *x = self.points.frame.scaled_value(j, y));
            for (log, term) in logs.iter_mut().zip(terms) {
                *log = term.mass.ln() + self.component.log_predictive(&mut term.posterior, x);
            }
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln() + self.points.frame.log_jacobian()
        };
        Ok((0..points.len()).into_par_iter().with_min_len(64).map_init(room, at).collect())
    }
}

#[cfg(test)]
mod tests;
