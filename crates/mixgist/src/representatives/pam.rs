//! k-medoids: the k points whose weighted sum of distances to the nearest of them is least under swaps.

use crate::pairwise::Condensed;
use crate::progress::Progress;
use crate::{Error, Result};

/// A point's nearest medoid (its place) with its distance, and the distance of the second nearest.
#[derive(Clone, Copy)]
struct Near {
    place: usize,
    first: f64,
    second: f64,
}

/// k medoids of the points of `set`, as indices of the matrix; `starts` are taken first, the rest greedily (BUILD), and then swaps
/// are made as long as one helps (FasterPAM: every swap that helps is made at once). Cost O(n²) a sweep.
pub(super) fn k_medoids(
    matrix: &Condensed,
    weights: &[f64],
    set: &[usize],
    k: usize,
    starts: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<usize>> {
    if set.len() < k || k == 0 {
        return Err(Error::usage(format!("{k} medoids of {} draws cannot be chosen", set.len())));
    }
    let mut medoids: Vec<usize> = starts.iter().copied().take(k).collect();
    while medoids.len() < k {
        medoids.push(build_step(matrix, weights, set, &medoids, progress)?);
    }
    let mut near = nearest(matrix, set, &medoids);
    let scale: f64 = set.iter().zip(&near).map(|(&i, near)| weights[i] * near.first).sum();
    let mut since = 0;
    for &candidate in set.iter().cycle() {
        progress.check()?;
        if since >= set.len() {
            break;
        }
        since += 1;
        if medoids.contains(&candidate) {
            continue;
        }
        let (place, change) = best_swap(matrix, weights, set, &near, k, candidate);
        // Rounding must not keep the search going for ever.
        if change < -1e-12 * scale {
            medoids[place] = candidate;
            near = nearest(matrix, set, &medoids);
            since = 0;
        }
    }
    Ok(medoids)
}

/// The point that lowers the sum most as a further medoid; the first among equals.
fn build_step(
    matrix: &Condensed,
    weights: &[f64],
    set: &[usize],
    medoids: &[usize],
    progress: &dyn Progress,
) -> Result<usize> {
    let near = nearest(matrix, set, medoids);
    let cost = |candidate: usize| -> f64 {
        set.iter().zip(&near).map(|(&i, near)| weights[i] * matrix.get(i, candidate).min(near.first)).sum()
    };
    let mut best = (f64::INFINITY, set[0]);
    for &candidate in set.iter().filter(|candidate| !medoids.contains(candidate)) {
        progress.check()?;
        let cost = cost(candidate);
        if cost < best.0 {
            best = (cost, candidate);
        }
    }
    Ok(best.1)
}

fn nearest(matrix: &Condensed, set: &[usize], medoids: &[usize]) -> Vec<Near> {
    let one = |&i: &usize| {
        let mut near = Near { place: 0, first: f64::INFINITY, second: f64::INFINITY };
        for (place, &medoid) in medoids.iter().enumerate() {
            let distance = matrix.get(i, medoid);
            if distance < near.first {
                near = Near { place, first: distance, second: near.first };
            } else {
                near.second = near.second.min(distance);
            }
        }
        // Before there is a medoid every point is far from all.
        if near.first.is_infinite() { Near { first: f64::MAX, ..near } } else { near }
    };
    set.iter().map(one).collect()
}

/// Which medoid the candidate should replace, and how the sum changes then.
fn best_swap(
    matrix: &Condensed,
    weights: &[f64],
    set: &[usize],
    near: &[Near],
    k: usize,
    candidate: usize,
) -> (usize, f64) {
    // What everyone gains, and what the points of each medoid lose beyond that when it goes.
    let (mut shared, mut own) = (0.0, vec![0.0; k]);
    for (&i, near) in set.iter().zip(near) {
        let distance = matrix.get(i, candidate);
        let stays = (distance - near.first).min(0.0);
        let goes = distance.min(near.second) - near.first;
        shared += weights[i] * stays;
        own[near.place] += weights[i] * (goes - stays);
    }
    let place = (0..k).reduce(|best, p| if own[p] < own[best] { p } else { best }).unwrap_or(0);
    (place, shared + own[place])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::random::{Purpose, standard_normals, stream};

    fn random_matrix(n: usize, seed: u64) -> (Condensed, Vec<f64>) {
        let mut x = vec![0.0; 3 * n];
        standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut x);
        let mut matrix = Condensed::zeros(n).unwrap();
        for (i, row) in matrix.rows_mut().into_iter().enumerate() {
            for (value, j) in row.iter_mut().zip(i + 1..) {
                *value = (x[2 * i] - x[2 * j]).hypot(x[2 * i + 1] - x[2 * j + 1]);
            }
        }
        (matrix, x[2 * n..].iter().map(|v| v.abs()).collect())
    }

    fn cost(matrix: &Condensed, weights: &[f64], medoids: &[usize]) -> f64 {
        let nearest = |i: usize| medoids.iter().map(|&m| matrix.get(i, m)).fold(f64::INFINITY, f64::min);
        (0..weights.len()).map(|i| weights[i] * nearest(i)).sum()
    }

    /// No swap improves what is returned, and for k = 1 it is the best of all.
    #[test]
    fn the_result_is_a_local_optimum_by_brute_force() {
        for seed in 0..20 {
            let (matrix, weights) = random_matrix(23, seed);
            let set: Vec<usize> = (0..23).collect();
            for k in [1, 2, 3, 5] {
                let medoids = k_medoids(&matrix, &weights, &set, k, &[], &Silent).unwrap();
                let found = cost(&matrix, &weights, &medoids);
                for place in 0..k {
                    for candidate in 0..23 {
                        let mut other = medoids.clone();
                        other[place] = candidate;
                        assert!(cost(&matrix, &weights, &other) >= found * (1.0 - 1e-10));
                    }
                }
                let from_elsewhere = k_medoids(&matrix, &weights, &set, k, &[22], &Silent).unwrap();
                assert!(k > 1 || from_elsewhere == medoids);
            }
        }
    }
}
