//! A map of points from distances alone: classical scaling of some landmarks, the others placed by their distances to those.

use mixgist::linalg::eigen_symmetric;

/// A map in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Where each point lies.
    pub at: Vec<[f64; 2]>,
    /// Share of the landmarks' squared distances that the two axes show.
    pub share: f64,
}

/// Maps `points` points from their distances to the landmarks, one row of `distances` for each landmark.
///
/// `landmarks` are indices of points. Classical scaling (Torgerson) of the landmarks, whose axes the other points are projected to
/// (de Silva and Tenenbaum); with all points as landmarks it is classical scaling itself. For distances of a Hilbert space, such as
/// sliced ones of order 2, the map is a projection: no two points lie further apart on it than they are. Cost O(l³ + l · points).
pub fn landmark_map(distances: &[f64], landmarks: &[usize], points: usize) -> Map {
    let l = landmarks.len();
    if l == 0 || points == 0 {
        return Map { at: vec![[0.0; 2]; points], share: 1.0 };
    }
    let squared = |a: usize, i: usize| distances[a * points + i].powi(2);
    let means: Vec<f64> = (0..l).map(|a| landmarks.iter().map(|&i| squared(a, i)).sum::<f64>() / l as f64).collect();
    let overall = means.iter().sum::<f64>() / l as f64;
    let mut products = vec![0.0; l * l];
    for a in 0..l {
        for b in 0..l {
            // The mean of both directions, which rounding may tell apart.
            let both = 0.5 * (squared(a, landmarks[b]) + squared(b, landmarks[a]));
            products[a * l + b] = -0.5 * (both - means[a] - means[b] + overall);
        }
    }
    let eigen = eigen_symmetric(&products, l);
    let mut order: Vec<usize> = (0..l).collect();
    order.sort_by(|&a, &b| eigen.values[b].total_cmp(&eigen.values[a]));
    let total: f64 = eigen.values.iter().filter(|v| **v > 0.0).sum();
    let mut at = vec![[0.0; 2]; points];
    let mut shown = 0.0;
    for (axis, &e) in order.iter().take(2).enumerate() {
        let value = eigen.values[e];
        // What is nothing but rounding shows nothing.
        if value <= 1e-12 * total {
            continue;
        }
        shown += value;
        let mut vector: Vec<f64> = (0..l).map(|a| eigen.vectors[a * l + e]).collect();
        // The sign of an eigenvector is arbitrary: the largest entry is made positive, so that maps are the same everywhere.
        let largest =
            vector.iter().copied().fold(0.0, |m: f64, v| if v.abs() > m.abs() * (1.0 + 1e-9) { v } else { m });
        if largest < 0.0 {
            vector.iter_mut().for_each(|v| *v = -*v);
        }
        for (i, place) in at.iter_mut().enumerate() {
            let sum: f64 = (0..l).map(|a| vector[a] * (means[a] - squared(a, i))).sum();
            place[axis] = 0.5 * sum / value.sqrt();
        }
    }
    Map { at, share: if total > 0.0 { shown / total } else { 1.0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(count: usize, spread: [f64; 3]) -> Vec<[f64; 3]> {
        let mut state = 7u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        (0..count).map(|_| spread.map(|s| s * uniform())).collect()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
    }

    fn map_of(points: &[[f64; 3]], landmarks: &[usize]) -> Map {
        let rows: Vec<f64> =
            landmarks.iter().flat_map(|&a| points.iter().map(move |p| distance(&points[a], p))).collect();
        landmark_map(&rows, landmarks, points.len())
    }

    #[test]
    fn a_plane_is_recovered_from_all_or_some_distances() {
        let points = cloud(40, [3.0, 1.0, 0.0]);
        for landmarks in [(0..40).collect::<Vec<_>>(), vec![3, 9, 17, 20, 33]] {
            let map = map_of(&points, &landmarks);
            assert!((map.share - 1.0).abs() < 1e-9);
            for i in 0..40 {
                for j in 0..40 {
                    let error = distance(&map.at[i], &map.at[j]) - distance(&points[i], &points[j]);
                    assert!(error.abs() < 1e-9, "{error}");
                }
            }
        }
    }

    #[test]
    fn a_map_never_stretches() {
        let points = cloud(60, [3.0, 2.0, 1.0]);
        for landmarks in [(0..60).collect::<Vec<_>>(), (0..60).step_by(4).collect()] {
            let map = map_of(&points, &landmarks);
            assert!(map.share > 0.8 && map.share < 1.0);
            for i in 0..60 {
                for j in 0..i {
                    assert!(distance(&map.at[i], &map.at[j]) <= distance(&points[i], &points[j]) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn equal_points_lie_together() {
        let map = map_of(&[[1.0; 3]; 5], &[0, 1, 2]);
        assert_eq!(map.at, [[0.0; 2]; 5]);
        assert_eq!(landmark_map(&[], &[], 2).at, [[0.0; 2]; 2]);
    }
}
