//! Small dense linear algebra on row-major slices: what atoms and kernels need, nothing more.

use nalgebra::DMatrix;

/// Lower Cholesky factor of a symmetric matrix, written over `a` (the upper triangle becomes zero).
///
/// Fails with the index of the first pivot that is not positive, or is so small against its diagonal entry that the matrix is
/// singular to rounding.
pub fn cholesky_in_place(a: &mut [f64], d: usize) -> Result<(), usize> {
    cholesky_of_triangle(a, d, |r, c| r * d + c)?;
    for j in 0..d {
        a[j * d + j + 1..(j + 1) * d].fill(0.0);
    }
    Ok(())
}

/// As [`cholesky_in_place`], for a lower triangle that keeps entry (r, c), c ≤ r, at `at(r, c)`; other places are left alone.
#[inline(always)]
pub fn cholesky_of_triangle(a: &mut [f64], d: usize, at: impl Fn(usize, usize) -> usize) -> Result<(), usize> {
    for j in 0..d {
        let diagonal = a[at(j, j)];
        let mut pivot = diagonal;
        for k in 0..j {
            pivot -= a[at(j, k)] * a[at(j, k)];
        }
        let floor = 4.0 * d as f64 * f64::EPSILON * diagonal;
        if !(pivot > floor && pivot.is_finite()) {
            return Err(j);
        }
        let root = pivot.sqrt();
        a[at(j, j)] = root;
        for i in j + 1..d {
            let mut sum = a[at(i, j)];
            for k in 0..j {
                sum -= a[at(i, k)] * a[at(j, k)];
            }
            a[at(i, j)] = sum / root;
        }
    }
    Ok(())
}

/// L Lᵀ of a lower triangular factor; entries above the diagonal of `factor` are ignored.
pub fn from_cholesky(factor: &[f64], d: usize, out: &mut [f64]) {
    for i in 0..d {
        for j in 0..=i {
            let sum: f64 = (0..=j).map(|k| factor[i * d + k] * factor[j * d + k]).sum();
            out[i * d + j] = sum;
            out[j * d + i] = sum;
        }
    }
}

/// Solves L x = b in place, L lower triangular.
pub fn solve_lower(factor: &[f64], d: usize, b: &mut [f64]) {
    solve_triangle(factor, |r, c| r * d + c, &mut b[..d]);
}

/// As [`solve_lower`], for a factor that keeps entry (r, c), c ≤ r, at `at(r, c)`.
#[inline(always)]
pub fn solve_triangle(factor: &[f64], at: impl Fn(usize, usize) -> usize, b: &mut [f64]) {
    for i in 0..b.len() {
        let mut sum = b[i];
        for k in 0..i {
            sum -= factor[at(i, k)] * b[k];
        }
        b[i] = sum / factor[at(i, i)];
    }
}

/// C⁻¹ A C⁻ᵀ of a symmetric matrix A and a lower factor C: what A is where C Cᵀ is the unit matrix.
pub fn whiten(a: &[f64], factor: &[f64], d: usize) -> Vec<f64> {
    let mut half = a.to_vec();
    half.chunks_exact_mut(d).for_each(|row| solve_lower(factor, d, row));
    // The rows are now those of A C⁻ᵀ; its columns are solved for next.
    let mut white = vec![0.0; d * d];
    for j in 0..d {
        let mut column: Vec<f64> = (0..d).map(|i| half[i * d + j]).collect();
        solve_lower(factor, d, &mut column);
        (0..d).for_each(|i| white[i * d + j] = column[i]);
    }
    white
}

/// Inverse of a symmetric positive definite matrix; fails as [`cholesky_in_place`] does.
pub fn inverse_spd(a: &[f64], d: usize) -> Result<Vec<f64>, usize> {
    let mut factor = a.to_vec();
    cholesky_in_place(&mut factor, d)?;
    // A⁻¹ = L⁻ᵀ L⁻¹; the columns of L⁻¹ are the solutions of L x = e_j.
    let mut columns = vec![0.0; d * d];
    for j in 0..d {
        let column = &mut columns[j * d..(j + 1) * d];
        column[j] = 1.0;
        solve_lower(&factor, d, column);
    }
    let mut inverse = vec![0.0; d * d];
    for i in 0..d {
        for j in 0..=i {
            let sum: f64 = (0..d).map(|k| columns[i * d + k] * columns[j * d + k]).sum();
            inverse[i * d + j] = sum;
            inverse[j * d + i] = sum;
        }
    }
    Ok(inverse)
}

/// Eigenvalues (in no particular order) and the matrix with the eigenvectors in its columns, of a symmetric matrix.
#[non_exhaustive]
pub struct Eigen {
    /// The eigenvalues.
    pub values: Vec<f64>,
    /// Row-major; column j belongs to `values[j]`.
    pub vectors: Vec<f64>,
}

/// Eigen-decomposition of a symmetric matrix. Cost O(d³).
pub fn eigen_symmetric(a: &[f64], d: usize) -> Eigen {
    match d {
        1 => Eigen { values: vec![a[0]], vectors: vec![1.0] },
        2 => eigen_2(a[0], a[1], a[3]),
        _ => {
            let eigen = DMatrix::from_row_slice(d, d, a).symmetric_eigen();
            Eigen {
                values: eigen.eigenvalues.as_slice().to_vec(),
                vectors: eigen.eigenvectors.transpose().as_slice().to_vec(),
            }
        }
    }
}

/// One Jacobi rotation diagonalises [[a, b], [b, c]].
fn eigen_2(a: f64, b: f64, c: f64) -> Eigen {
    if b == 0.0 {
        return Eigen { values: vec![a, c], vectors: vec![1.0, 0.0, 0.0, 1.0] };
    }
    let theta = (c - a) / (2.0 * b);
    let t = theta.signum() / (theta.abs() + libm::hypot(theta, 1.0));
    let cos = 1.0 / libm::hypot(t, 1.0);
    let sin = t * cos;
    Eigen { values: vec![a - t * b, c + t * b], vectors: vec![cos, sin, -sin, cos] }
}

/// f of a symmetric matrix, f applied to its eigenvalues.
pub fn apply_to_spectrum(a: &[f64], d: usize, f: impl Fn(f64) -> f64, out: &mut [f64]) {
    let Eigen { values, vectors } = eigen_symmetric(a, d);
    let mapped: Vec<f64> = values.iter().map(|&v| f(v)).collect();
    for i in 0..d {
        for j in 0..=i {
            let sum: f64 = (0..d).map(|k| vectors[i * d + k] * mapped[k] * vectors[j * d + k]).sum();
            out[i * d + j] = sum;
            out[j * d + i] = sum;
        }
    }
}

/// Matrix logarithm of a symmetric positive definite matrix. An eigenvalue that rounding pushed below
/// the smallest one that the matrix can resolve is lifted to it, so that the logarithm stays finite.
pub fn log_spd(a: &[f64], d: usize, out: &mut [f64]) {
    let largest = (0..d).map(|i| a[i * d + i]).fold(0.0, f64::max);
    apply_to_spectrum(a, d, |v| libm::log(v.max(largest * f64::EPSILON)), out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, standard_normals, stream};

    fn random_spd(d: usize, seed: u64) -> Vec<f64> {
        let mut x = vec![0.0; d * d];
        standard_normals(&mut stream(seed, Purpose::Simulation, 0), &mut x);
        let mut a = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                a[i * d + j] = (0..d).map(|k| x[i * d + k] * x[j * d + k]).sum::<f64>() + 0.1 * f64::from(i == j);
            }
        }
        a
    }

    fn product(a: &[f64], b: &[f64], d: usize) -> Vec<f64> {
        let mut c = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                c[i * d + j] = (0..d).map(|k| a[i * d + k] * b[k * d + j]).sum();
            }
        }
        c
    }

    fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() <= tolerance, "{a:?} against {b:?}");
        }
    }

    #[test]
    fn factors_inverses_and_logarithms_undo_themselves() {
        for d in [1, 2, 3, 7, 20] {
            let a = random_spd(d, d as u64);
            let mut factor = a.clone();
            cholesky_in_place(&mut factor, d).unwrap();
            let mut back = vec![0.0; d * d];
            from_cholesky(&factor, d, &mut back);
            assert_close(&a, &back, 1e-12 * d as f64);

            let mut identity = vec![0.0; d * d];
            (0..d).for_each(|i| identity[i * d + i] = 1.0);
            assert_close(&product(&a, &inverse_spd(&a, d).unwrap(), d), &identity, 1e-9);
            assert_close(&whiten(&a, &factor, d), &identity, 1e-9);
            let white = whiten(&random_spd(d, 99), &factor, d);
            let transposed: Vec<f64> = (0..d * d).map(|e| factor[e % d * d + e / d]).collect();
            let unwhitened = product(&product(&factor, &white, d), &transposed, d);
            assert_close(&unwhitened, &random_spd(d, 99), 1e-9 * d as f64);

            let mut log = vec![0.0; d * d];
            log_spd(&a, d, &mut log);
            apply_to_spectrum(&log, d, f64::exp, &mut back);
            assert_close(&a, &back, 1e-11 * d as f64);
        }
    }

    #[test]
    fn indefinite_and_singular_matrices_name_the_pivot() {
        assert_eq!(cholesky_in_place(&mut [1.0, 2.0, 2.0, 1.0], 2), Err(1));
        assert_eq!(cholesky_in_place(&mut [1.0, 1.0, 1.0, 1.0], 2), Err(1));
        assert_eq!(cholesky_in_place(&mut [0.0], 1), Err(0));
    }
}
