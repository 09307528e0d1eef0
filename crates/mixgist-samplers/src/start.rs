//! Where chains start: far from each other, so that agreement means something.

use mixgist::Result;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::informed::Effort;
use crate::algorithm::{Model, State, sampler};
use crate::clusters::Clusters;
use crate::component::{Component, Posterior};
use crate::held::Held;
use crate::points::ScaledData;
use crate::settings::Algorithm;
use crate::tiles::{Question, TileInput};
use crate::variates::uniform;

/// Chain 0 starts with all points in one cluster; every other chain with 2 to 10 clusters, the points going to the nearest of
/// as many points chosen at random.
///
/// Pieces of one cluster that has very many points hardly ever become one again: their labels would have to be guessed. With more points than a tile every
/// chain but chain 0 therefore first runs on a few points alone, chain 1 from 20 clusters and the others from 2 to 20; then all points join those clusters.
pub(crate) fn start<C: Component>(model: &Model<'_, C>, chain: u64, rng: &mut ChaCha8Rng) -> Result<State> {
    let many = model.tiling.cuts(model.points.len());
    if !many || chain == 0 {
        return with_clusters(model, if chain == 0 { Some(1) } else { None }, 10, rng);
    }
    let n = model.points.len();
    let few: Vec<u32> = (0..FEW.min(n)).map(|_| pick(n, rng) as u32).collect();
    let rows = model.points.rows(&few)?;
    let rows: Vec<f64> = few.iter().enumerate().flat_map(|(place, &i)| rows.get(place, i)).copied().collect();
    let points = ScaledData::of_rows(&rows, model.points.frame().clone());
    let mut own = Model {
        points: Held::Here(&points),
        component: model.component.clone(),
        scales: model.scales.clone(),
        effort: Effort { proposals: 4, ..model.effort },
        tiling: Default::default(),
        ..*model
    };
    let mut state = with_clusters(&own, if chain == 1 { Some(20) } else { None }, 20, rng)?;
    let algorithm = if model.sticks.is_some() { Algorithm::NAMES[0].1 } else { Algorithm::Slice };
    let mut chain = sampler::<C>(algorithm);
    for _ in 0..SWEEPS {
        chain.sweep(&mut own, &mut state, rng)?;
    }
    let labels = join(&own, model, &state, rng)?;
    Ok(State { sweeps: 0, alpha: state.alpha, scales: state.scales, ..begun(model, labels)? })
}

/// Points that a chain of many points runs on first, and for how many sweeps.
const FEW: usize = 512;
const SWEEPS: usize = 400;

fn pick(limit: usize, rng: &mut ChaCha8Rng) -> usize {
    ((uniform(rng) * limit as f64) as usize).min(limit - 1)
}

/// So many clusters, or 2 to `most`.
fn with_clusters<C: Component>(
    model: &Model<'_, C>,
    count: Option<usize>,
    most: usize,
    rng: &mut ChaCha8Rng,
) -> Result<State> {
    let most = model.sticks.or(model.prior.limit()).unwrap_or(usize::MAX).min(model.points.len()).min(most);
    if count == Some(1) || most < 2 {
        return begun(model, vec![0; model.points.len()]);
    }
    let points = model.points.in_memory()?;
    let count = count.map_or_else(|| 2 + pick(most - 1, rng), |count| count.min(most));
    let centers: Vec<usize> = (0..count).map(|_| pick(points.len(), rng)).collect();
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let nearest: Vec<u32> = (0..points.len())
        .map(|i| {
            let distance = |c: &usize| square(points.row(i), points.row(centers[*c]));
            (0..centers.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0) as u32
        })
        .collect();
    begun(model, nearest)
}

/// Every point of the model in the likeliest cluster of a few points.
fn join<C: Component>(
    few: &Model<'_, C>,
    model: &Model<'_, C>,
    state: &State,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<u32>> {
    let (component, d) = (&few.component, model.points.dim());
    let shape = component.shape();
    let mut posterior = Posterior::new(d);
    let mut atoms = Vec::new();
    for cluster in state.clusters.occupied() {
        let mut atom = vec![0.0; shape.atom_len(d)];
        component.posterior(cluster.count, cluster.statistic, &mut posterior)?;
        component.draw_atom(&mut posterior, rng, &mut atom);
        atom[0] += f64::from(cluster.count).ln();
        atoms.extend(atom);
    }
    let (n, size, k) = (model.points.len(), model.tiling.size, state.clusters.len());
    let inputs = (0..n.div_ceil(size)).map(|tile| TileInput::new(tile, vec![])).collect();
    let mut labels = Vec::with_capacity(n);
    for (tile, answer) in
        model.points.ask(shape, model.tiling, &Question::Join { atoms }, inputs)?.into_iter().enumerate()
    {
        labels.extend(answer.into_joined(size.min(n - tile * size), k)?);
    }
    Ok(labels)
}

/// The state of these clusters, of which some may be empty.
fn begun<C: Component>(model: &Model<'_, C>, nearest: Vec<u32>) -> Result<State> {
    let mut number = vec![u32::MAX; nearest.iter().max().map_or(0, |&most| most as usize + 1)];
    let mut used = 0;
    let labels = nearest
        .into_iter()
        .map(|c| {
            let number = &mut number[c as usize];
            if *number == u32::MAX {
                *number = used;
                used += 1;
            }
            *number
        })
        .collect();
    let clusters = Clusters::new(labels, model.component.shape(), model.points, model.tiling)?;
    let positions = if model.sticks.is_some() { (0..clusters.len() as u32).collect() } else { Vec::new() };
    Ok(State { clusters, alpha: model.concentration.mean(), positions, scales: model.start_scales(), sweeps: 0 })
}
