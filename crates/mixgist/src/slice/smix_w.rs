//! `smix-w`, sliced mixture Wasserstein: w1⟨v, μ⟩ + w2 log √(vᵀΣv), one direction v for both parts.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::coordinates::Coordinates;
use super::directions::Ingredients;
use super::{
    Chart, Freeze, NamedArrays, Replicates, Slicer, Slices, Tangents, direction_array, same_length, unit_length,
};
use crate::Result;
use crate::atoms::GaussianAtoms;
use crate::linalg::{cholesky_in_place, solve_lower};
use crate::vector_math::ln_in_place;

/// The law of `smix-w` slices.
pub(super) struct SmixW;

impl Slicer for SmixW {
    fn name(&self) -> &'static str {
        "smix-w"
    }

    fn help(&self) -> &'static str {
        "sliced mixture Wasserstein: the mean and log standard deviation of the component along a direction"
    }

    fn freeze(&self, freeze: &Freeze) -> Box<dyn Slices> {
        let d = freeze.dim;
        let mut ingredients = Ingredients::new(freeze.seed, freeze.scheme, d, 0, true);
        let replicates = ingredients.replicates();
        let (mut v, mut all_v, mut all_w) = (vec![0.0; d], Vec::new(), Vec::new());
        ingredients.for_each(freeze.slices.clone(), |slice| {
            slice.main_direction(&mut v);
            all_v.extend_from_slice(&v);
            all_w.push(slice.circle());
        });
        Box::new(SmixWSlices::new(d, all_v, all_w, replicates))
    }

    fn given(&self, dim: usize, arrays: &NamedArrays) -> Result<Box<dyn Slices>> {
        let v = direction_array(arrays, "smix_w_v", &[dim])?;
        let w = direction_array(arrays, "smix_w_w", &[2])?;
        same_length(&[("smix_w_v", v), ("smix_w_w", w)])?;
        unit_length("smix_w_v", v)?;
        unit_length("smix_w_w", w)?;
        let w = w.values.chunks_exact(2).map(|w| [w[0], w[1]]).collect();
        Ok(Box::new(SmixWSlices::new(dim, v.values.clone(), w, Replicates::Consecutive(1))))
    }
}

struct SmixWSlices {
    dim: usize,
    v: Vec<f64>,
    w: Vec<[f64; 2]>,
    longest: f64,
    replicates: Replicates,
}

/// Coordinates of an atom: μ, then the lower Cholesky factor of Σ column by column, then bounds of log √(uᵀΣu) over unit u.
///
/// The factor gives vᵀΣv = ‖Lᵀv‖² as a sum of squares: positive whatever the rounding.
impl SmixWSlices {
    fn new(dim: usize, v: Vec<f64>, w: Vec<[f64; 2]>, replicates: Replicates) -> Self {
        let longest_v = super::coordinates::longest(&v, dim);
        let longest_w = super::coordinates::longest(w.as_flattened(), 2);
        SmixWSlices { dim, v, w, longest: longest_w * longest_v.max(1.0), replicates }
    }

    fn factor_len(&self) -> usize {
        self.dim * (self.dim + 1) / 2
    }
}

impl Slices for SmixWSlices {
    fn len(&self) -> usize {
        self.w.len()
    }

    fn coordinates(&self, atoms: &GaussianAtoms) -> Coordinates {
        let d = self.dim;
        Coordinates::of_means_and(atoms, self.factor_len() + 2, |covariance, factor, row| {
            factor.copy_from_slice(covariance);
            let trace: f64 = (0..d).map(|a| factor[a * d + a]).sum();
            cholesky_in_place(factor, d).expect("atoms are positive definite");
            let (lower, bounds) = row.split_at_mut(self.factor_len());
            let entries = (0..d).flat_map(|b| (b..d).map(move |a| a * d + b));
            lower.iter_mut().zip(entries).for_each(|(slot, entry)| *slot = factor[entry]);
            // λ_max ≤ tr Σ and λ_min ≥ 1 / tr Σ⁻¹ = 1 / ‖L⁻¹‖².
            let mut inverse_column = vec![0.0; d];
            let mut inverse_trace = 0.0;
            for b in 0..d {
                inverse_column.fill(0.0);
                inverse_column[b] = 1.0;
                solve_lower(factor, d, &mut inverse_column);
                inverse_trace += inverse_column.iter().map(|x| x * x).sum::<f64>();
            }
            bounds.copy_from_slice(&[-0.5 * libm::log(inverse_trace), 0.5 * libm::log(trace)]);
        })
    }

    fn project(&self, slices: Range<usize>, coordinates: &Coordinates, out: &mut [f64]) {
        let d = self.dim;
        for (l, row) in slices.zip(out.chunks_exact_mut(coordinates.atoms())) {
            let v = &self.v[l * d..(l + 1) * d];
            dispatch!(Level::new(), simd => project_one(simd, v, self.w[l], coordinates, row));
        }
    }

    fn reach(&self, coordinates: &Coordinates, i: usize, j: usize) -> Option<f64> {
        let bounds = self.dim + self.factor_len();
        let (least, most) = (coordinates.column(bounds), coordinates.column(bounds + 1));
        let log_scale = (most[i] - least[j]).max(most[j] - least[i]);
        Some(self.longest * libm::hypot(coordinates.distance(i, j, 0..self.dim), log_scale))
    }

    fn tangents(&self) -> Option<&dyn Tangents> {
        Some(self)
    }

    fn replicates(&self) -> Replicates {
        self.replicates
    }
}

impl Tangents for SmixWSlices {
    fn chart(&self) -> Chart {
        Chart::Factor(None)
    }

    /// With y = Lᵀv, log √(vᵀΣv) = ½ log ‖y‖² has the derivative v yᵀ / ‖y‖² with respect to L.
    fn differentiate(&self, slice: usize, points: &[f64], positions: &mut [f64], tangents: &mut [f64]) {
        let (d, width) = (self.dim, self.dim + self.factor_len());
        let (v, w) = (&self.v[slice * d..(slice + 1) * d], self.w[slice]);
        let atoms = || points.chunks_exact(width);
        let slots = positions.iter_mut().zip(tangents.chunks_exact_mut(width));
        for (point, (position, tangent)) in atoms().zip(slots) {
            let factor = &point[d..];
            let (mean_tangent, factor_tangent) = tangent.split_at_mut(d);
            mean_tangent.iter_mut().zip(v).for_each(|(out, x)| *out = w[0] * x);
            let mut square = 0.0;
            for j in 0..d {
                let y: f64 = (j..d).map(|i| factor[Chart::factor_entry(i, j)] * v[i]).sum();
                square += y * y;
                (j..d).for_each(|i| factor_tangent[Chart::factor_entry(i, j)] = y * v[i]);
            }
            let scale = w[1] / square;
            factor_tangent.iter_mut().for_each(|out| *out *= scale);
            *position = square;
        }
        ln_in_place(positions);
        for (point, position) in atoms().zip(positions) {
            let location: f64 = point[..d].iter().zip(v).map(|(x, v)| x * v).sum();
            *position = w[0] * location + w[1] * (0.5 * *position);
        }
    }
}

#[inline(always)]
fn project_one<S: Simd>(_simd: S, v: &[f64], w: [f64; 2], coordinates: &Coordinates, out: &mut [f64]) {
    const BLOCK: usize = 512;
    let (d, n) = (v.len(), coordinates.atoms());
    let mut square = [0.0; BLOCK];
    let mut part = [0.0; BLOCK];
    for start in (0..n).step_by(BLOCK) {
        let end = n.min(start + BLOCK);
        let location = &mut out[start..end];
        let (square, part) = (&mut square[..end - start], &mut part[..end - start]);
        location.fill(0.0);
        square.fill(0.0);
        for a in 0..d {
            add_scaled(location, v[a], &coordinates.column(a)[start..end]);
        }
        let mut column = d;
        for b in 0..d {
            part.fill(0.0);
            for a in b..d {
                add_scaled(part, v[a], &coordinates.column(column)[start..end]);
                column += 1;
            }
            for (sum, &x) in square.iter_mut().zip(part.iter()) {
                *sum += x * x;
            }
        }
        ln_in_place(square);
        for (x, &log) in location.iter_mut().zip(square.iter()) {
            *x = w[0] * *x + w[1] * (0.5 * log);
        }
    }
}

#[inline(always)]
fn add_scaled(out: &mut [f64], factor: f64, x: &[f64]) {
    for (sum, &x) in out.iter_mut().zip(x) {
        *sum += factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::CovarianceForm;
    use crate::random::{Purpose, standard_normals, stream};
    use crate::slice::Scheme;
    use crate::vector_math::tests::{bits, every_level};

    fn atoms(count: usize, d: usize) -> GaussianAtoms {
        let mut numbers = vec![0.0; count * (d + d * d)];
        standard_normals(&mut stream(2, Purpose::Simulation, 0), &mut numbers);
        let means = numbers.split_off(count * d * d);
        for factor in numbers.chunks_mut(d * d) {
            for i in 0..d {
                factor[i * d + i] = factor[i * d + i].exp();
                factor[i * d + i + 1..(i + 1) * d].fill(0.0);
            }
        }
        GaussianAtoms::new(d, means, numbers, CovarianceForm::Cholesky).unwrap()
    }

    #[test]
    fn positions_have_the_same_bits_at_every_level() {
        let slices = SmixWSlices::new(3, vec![0.6, -0.7, 0.3], vec![[0.8, -0.6]], Replicates::Consecutive(1));
        let coordinates = slices.coordinates(&atoms(1037, 3));
        let of = |level: Level| {
            let mut out = vec![0.0; 1037];
            dispatch!(level, simd => project_one(simd, &slices.v, slices.w[0], &coordinates, &mut out));
            bits(&out)
        };
        assert!(every_level().into_iter().all(|level| of(level) == of(Level::new())));
    }

    /// What pruning relies on: no slice puts two atoms farther apart than `reach` says.
    #[test]
    fn no_slice_reaches_farther_than_the_bound() {
        for d in [1, 2, 4] {
            let atoms = atoms(12, d);
            for (_, scheme) in Scheme::NAMES {
                let slices = SmixW.freeze(&Freeze { dim: d, slices: 0..300, seed: 1, scheme });
                let coordinates = slices.coordinates(&atoms);
                let mut positions = vec![0.0; 300 * 12];
                slices.project(0..300, &coordinates, &mut positions);
                for (i, j) in (0..12).flat_map(|i| (0..i).map(move |j| (i, j))) {
                    let farthest = positions.chunks(12).map(|x| (x[i] - x[j]).abs()).fold(0.0, f64::max);
                    let reach = slices.reach(&coordinates, i, j).unwrap();
                    assert!(farthest <= reach * (1.0 + 1e-14), "{farthest} beyond {reach}");
                }
            }
        }
    }
}
