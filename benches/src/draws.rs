//! Draws for benchmarks: what a truncated Dirichlet process posterior looks like, of any size.

use mixgist::Ensemble;
use mixgist::random::{Purpose, standard_normals, stream};
use rand::Rng;
use rand_distr::{ChiSquared, Distribution, Exp1, Gamma};

/// `draws` draws of `atoms` atoms in dimension `dim`: three clusters of 150, 100 and 22 observations that move as a posterior does, and
/// a tail of prior atoms with stick-breaking weights and heavy-tailed covariances, in random order.
pub fn posterior_like(draws: usize, atoms: usize, dim: usize, seed: u64) -> Ensemble {
    const SIZES: [f64; 3] = [150.0, 100.0, 22.0];
    let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
    for m in 0..draws {
        let mut rng = stream(seed, Purpose::Simulation, m as u64);
        let mut own = dirichlet_and_sticks(&SIZES, atoms, &mut rng);
        shuffle(&mut own, &mut rng);
        for (kind, weight) in own {
            weights.push(weight);
            let prior_degrees = dim as f64 + 2.0;
            let (center, spread, degrees) = match kind {
                Some(cluster) => (4.0 * cluster as f64, 1.0 / SIZES[cluster].sqrt(), SIZES[cluster].max(prior_degrees)),
                None => (4.0, 4.0, prior_degrees),
            };
            let mut noise = vec![0.0; dim];
            standard_normals(&mut rng, &mut noise);
            means.extend(
                noise.iter().enumerate().map(|(a, z)| center * if a % 2 == 0 { 1.0 } else { -0.5 } + spread * z),
            );
            covariances.extend(inverse_wishart(dim, degrees, &mut rng));
        }
    }
    Ensemble::builder(dim)
        .atoms_per_draw(atoms)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()
        .expect("draws are valid")
}

/// The same atoms with weights that are all of like size, uniform on the simplex: what no posterior of a Dirichlet process looks like, and the hardest
/// case for products of draws.
pub fn evenly_weighted(draws: usize, atoms: usize, dim: usize, seed: u64) -> Ensemble {
    let atoms_of = posterior_like(draws, atoms, dim, seed);
    let mut rng = stream(seed, Purpose::Simulation, draws as u64);
    let weights: Vec<f64> = (0..draws * atoms).map(|_| Exp1.sample(&mut rng)).collect();
    let (means, covariances) = (atoms_of.atoms().means(), atoms_of.atoms().covariances());
    Ensemble::builder(dim)
        .atoms_per_draw(atoms)
        .weights(&weights)
        .means(means)
        .covariances(covariances)
        .build()
        .expect("draws are valid")
}

fn dirichlet_and_sticks(sizes: &[f64], atoms: usize, rng: &mut impl Rng) -> Vec<(Option<usize>, f64)> {
    let gamma = |shape: f64, rng: &mut _| Gamma::new(shape, 1.0).expect("a positive shape").sample(rng);
    let clusters = sizes.len().min(atoms);
    let mut own: Vec<(Option<usize>, f64)> = (0..clusters).map(|k| (Some(k), gamma(sizes[k], rng))).collect();
    let mut left = gamma(1.0, rng);
    let total: f64 = own.iter().map(|atom| atom.1).sum::<f64>() + left;
    own.iter_mut().for_each(|atom| atom.1 /= total);
    left /= total;
    for k in clusters..atoms {
        let stick = if k + 1 == atoms { left } else { left * rand::RngExt::random::<f64>(rng) };
        own.push((None, stick));
        left -= stick;
    }
    own
}

fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    rand::seq::SliceRandom::shuffle(items, rng);
}

/// Inverse Wishart around the identity: the inverse of a Wishart matrix by its Bartlett factor.
fn inverse_wishart(dim: usize, degrees: f64, rng: &mut impl Rng) -> Vec<f64> {
    let mut factor = vec![0.0; dim * dim];
    standard_normals(rng, &mut factor);
    for i in 0..dim {
        factor[i * dim + i] = ChiSquared::new(degrees - i as f64).expect("enough degrees").sample(rng).sqrt();
        (i + 1..dim).for_each(|j| factor[i * dim + j] = 0.0);
    }
    let mut wishart = vec![0.0; dim * dim];
    mixgist::linalg::from_cholesky(&factor, dim, &mut wishart);
    let mut inverse = mixgist::linalg::inverse_spd(&wishart, dim).expect("a Wishart matrix is positive definite");
    let scale = (degrees - dim as f64 - 1.0).max(1.0);
    inverse.iter_mut().for_each(|x| *x *= scale);
    inverse
}
