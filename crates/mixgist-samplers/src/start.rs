//! Where chains start: far from each other, so that agreement means something.

use rand_chacha::ChaCha8Rng;

use crate::algorithm::{Model, State};
use crate::clusters::Clusters;
use crate::component::Component;
use crate::variates::uniform;

/// Chain 0 starts with all points in one cluster; every other chain with 2 to 10 clusters, the points going to the nearest of
/// as many points chosen at random.
pub(crate) fn start<C: Component>(model: &Model<'_, C>, chain: u64, rng: &mut ChaCha8Rng) -> State {
    let points = model.points;
    let most = model.sticks.or(model.prior.limit()).unwrap_or(usize::MAX).min(points.len()).min(10);
    let pick = |limit: usize, rng: &mut ChaCha8Rng| ((uniform(rng) * limit as f64) as usize).min(limit - 1);
    let centers: Vec<usize> = if chain == 0 || most < 2 {
        vec![0]
    } else {
        let count = 2 + pick(most - 1, rng);
        (0..count).map(|_| pick(points.len(), rng)).collect()
    };
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let nearest: Vec<usize> = (0..points.len())
        .map(|i| {
            let distance = |c: &usize| square(points.row(i), points.row(centers[*c]));
            (0..centers.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
        })
        .collect();
    // centres may coincide: number the clusters that got points
    let mut number = vec![u32::MAX; centers.len()];
    let mut used = 0;
    let labels = nearest
        .into_iter()
        .map(|c| {
            if number[c] == u32::MAX {
                number[c] = used;
                used += 1;
            }
            number[c]
        })
        .collect();
    let clusters = Clusters::new(labels, &model.component, points);
    let positions = if model.sticks.is_some() { (0..clusters.len() as u32).collect() } else { Vec::new() };
    State { clusters, alpha: model.concentration.mean(), positions, scales: model.start_scales(), sweeps: 0 }
}
