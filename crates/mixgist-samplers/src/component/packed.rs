//! Lower triangular matrices packed by rows: entry (r, c), c ≤ r, at r(r + 1)/2 + c. No allocation.

use mixgist::linalg::{cholesky_of_triangle, solve_triangle};

/// Number of entries of a packed triangle.
pub(crate) const fn packed_len(d: usize) -> usize {
    d * (d + 1) / 2
}

/// Position of entry (r, c), c ≤ r.
#[inline(always)]
pub(crate) const fn at(r: usize, c: usize) -> usize {
    r * (r + 1) / 2 + c
}

/// Cholesky factor of the packed lower half of a symmetric matrix, in place; false when it is singular to rounding.
pub(crate) fn cholesky(a: &mut [f64], d: usize) -> bool {
    cholesky_of_triangle(a, d, at).is_ok()
}

/// Solves L x = b in place.
pub(crate) fn solve(factor: &[f64], b: &mut [f64]) {
    solve_triangle(factor, at, b);
}

/// Inverse of a lower triangular matrix.
pub(crate) fn invert(factor: &[f64], d: usize, out: &mut [f64]) {
    for j in 0..d {
        out[at(j, j)] = 1.0 / factor[at(j, j)];
        for i in j + 1..d {
            let mut sum = 0.0;
            for k in j..i {
                sum -= factor[at(i, k)] * out[at(k, j)];
            }
            out[at(i, j)] = sum / factor[at(i, i)];
        }
    }
}

/// a ← a b, both lower triangular.
pub(crate) fn multiply_into(a: &mut [f64], b: &[f64], d: usize) {
    for i in 0..d {
        for j in 0..=i {
            let mut sum = 0.0;
            for k in j..=i {
                sum += a[at(i, k)] * b[at(k, j)];
            }
            // entries (i, k) with k > j are still needed by later columns, entry (i, j) is not
            a[at(i, j)] = sum;
        }
    }
}

/// ‖L⁻¹ b‖² without the solution being kept beyond `b`.
pub(crate) fn solved_square(factor: &[f64], b: &mut [f64]) -> f64 {
    solve(factor, b);
    b.iter().map(|x| x * x).sum()
}

/// Σ log of the diagonal.
pub(crate) fn log_determinant(factor: &[f64], d: usize) -> f64 {
    (0..d).map(|j| factor[at(j, j)].ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn factors_multiply_back(d in 1usize..6, entries in prop::collection::vec(-2.0f64..2.0, 36)) {
            let a: Vec<f64> = (0..d * d).map(|e| {
                let (i, j) = (e / d, e % d);
                (0..d).map(|k| entries[i * d + k] * entries[j * d + k]).sum::<f64>() + f64::from(i == j)
            }).collect();
            let mut factor: Vec<f64> = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| a[i * d + j]).collect();
            prop_assert!(cholesky(&mut factor, d));
            let mut inverse = vec![0.0; packed_len(d)];
            invert(&factor, d, &mut inverse);
            let mut product = inverse.clone();
            multiply_into(&mut product, &factor, d);
            for i in 0..d {
                for j in 0..=i {
                    let back: f64 = (0..=j).map(|k| factor[at(i, k)] * factor[at(j, k)]).sum();
                    prop_assert!((back - a[i * d + j]).abs() < 1e-12 * (1.0 + a[i * d + j].abs()));
                    prop_assert!((product[at(i, j)] - f64::from(i == j)).abs() < 1e-10);
                }
            }
            let b: Vec<f64> = entries[..d].to_vec();
            let by_inverse: f64 = (0..d).map(|i| (0..=i).map(|k| inverse[at(i, k)] * b[k]).sum::<f64>().powi(2)).sum();
            let solved = solved_square(&factor, &mut b.clone());
            prop_assert!((solved - by_inverse).abs() < 1e-10 * (1.0 + solved));
        }
    }
}
