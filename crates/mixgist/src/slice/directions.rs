//! Where directions come from: independent, in orthogonal blocks, or quasi-Monte Carlo; all from (seed, slice index) alone.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Replicates;
use super::quasi::{mix, scrambled_sobol};
use crate::by_name::by_name;
use crate::normal::normal_quantile;
use crate::random::{Purpose, normalize, orthonormalize, standard_normals, stream};
use crate::{Error, Result};

/// How directions are spread. Each slice has the same law under every scheme; they differ in how slices depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Independent directions.
    #[default]
    Iid,
    /// Blocks of mutually orthogonal directions.
    Orthogonal,
    /// Scrambled Sobol points, 16 independent copies.
    Qmc,
}

by_name!(Scheme, "Scheme", ["iid", "orthogonal", "qmc"], "How directions are spread.");

impl Scheme {
    /// Every scheme, with the name that options use.
    pub const NAMES: [(&'static str, Scheme); 3] =
        [("iid", Scheme::Iid), ("orthogonal", Scheme::Orthogonal), ("qmc", Scheme::Qmc)];

    /// The scheme of that name.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme).ok_or_else(|| {
            Error::usage(format!("unknown scheme of directions '{name}'")).hint("one of: iid, orthogonal, qmc")
        })
    }

    /// The name that options use.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, scheme)| *scheme == self).expect("every scheme is named").0
    }
}

/// Independent copies of the Sobol sequence: enough for a standard error with 15 degrees of freedom.
const QMC_COPIES: usize = 16;

/// Orthogonal blocks are at most this long: a longer one costs more than it gains.
const LONGEST_BLOCK: usize = 64;

/// Hands out the random ingredients of one slice after the other.
///
/// Under the orthogonal scheme the main directions of a block are orthogonal, and with `paired` two neighbouring slices share
/// everything but the pair (w1, w2), which the second one turns by a right angle.
pub(super) struct Ingredients {
    seed: u64,
    scheme: Scheme,
    main_dim: usize,
    paired: bool,
    block: Option<Block>,
}

struct Block {
    index: usize,
    /// Each `main_dim` numbers are one direction.
    directions: Vec<f64>,
}

impl Ingredients {
    pub(super) fn new(seed: u64, scheme: Scheme, main_dim: usize, paired: bool) -> Self {
        Ingredients { seed, scheme, main_dim, paired, block: None }
    }

    /// The independent groups of slices under this scheme.
    pub(super) fn replicates(&self) -> Replicates {
        match self.scheme {
            Scheme::Iid => Replicates::Consecutive(1),
            Scheme::Orthogonal => Replicates::Consecutive(self.block_len() * if self.paired { 2 } else { 1 }),
            Scheme::Qmc => Replicates::Interleaved(QMC_COPIES),
        }
    }

    fn block_len(&self) -> usize {
        self.main_dim.min(LONGEST_BLOCK)
    }

    /// Calls `make` with the ingredients of each slice in turn.
    pub(super) fn for_each(&mut self, slices: Range<usize>, mut make: impl FnMut(&mut SliceIngredients)) {
        for l in slices {
            let mut ingredients = self.slice(l);
            make(&mut ingredients);
        }
    }

    fn slice(&mut self, l: usize) -> SliceIngredients {
        match self.scheme {
            Scheme::Iid => SliceIngredients {
                source: Source::Random(Box::new(stream(self.seed, Purpose::Slices, l as u64))),
                main: None,
                turned: false,
            },
            Scheme::Qmc => SliceIngredients {
                source: Source::Quasi {
                    index: (l / QMC_COPIES) as u32,
                    key: mix(mix(self.seed) ^ (l % QMC_COPIES) as u64),
                    dimension: 0,
                },
                main: None,
                turned: false,
            },
            Scheme::Orthogonal => {
                let number = if self.paired { l / 2 } else { l };
                let main = self.orthogonal_direction(number);
                SliceIngredients {
                    source: Source::Random(Box::new(stream(self.seed, Purpose::Slices, 1 << 48 | number as u64))),
                    main: Some(main),
                    turned: self.paired && l % 2 == 1,
                }
            }
        }
    }

    fn orthogonal_direction(&mut self, number: usize) -> Vec<f64> {
        let (m, length) = (self.main_dim, self.block_len());
        let index = number / length;
        if self.block.as_ref().is_none_or(|block| block.index != index) {
            let mut rng = stream(self.seed, Purpose::Slices, 2 << 48 | index as u64);
            let mut directions = vec![0.0; length * m];
            standard_normals(&mut rng, &mut directions);
            orthonormalize_rows(&mut directions, m);
            self.block = Some(Block { index, directions });
        }
        let block = self.block.as_ref().expect("just filled");
        block.directions[number % length * m..][..m].to_vec()
    }
}

/// Modified Gram-Schmidt over rows, twice for accuracy.
fn orthonormalize_rows(rows: &mut [f64], m: usize) {
    for _ in 0..2 {
        for i in 0..rows.len() / m {
            let (before, rest) = rows.split_at_mut(i * m);
            let row = &mut rest[..m];
            for other in before.chunks_exact(m) {
                let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
            }
            normalize(row);
        }
    }
}

/// A point of the unit sphere from m − 1 uniforms (one more when m is odd, for a sign), without a kink: quasi-Monte Carlo points keep
/// their evenness, which they would lose through normals scaled to length 1.
///
/// Two coordinates at a time: their squared length is Beta(1, (m − 2)/2), their angle is uniform, and the others are uniform on a smaller
/// sphere.
fn sphere_by_inversion(mut uniform: impl FnMut() -> f64, out: &mut [f64]) {
    let mut left = 1.0;
    let mut rest = out;
    while rest.len() > 1 {
        let (pair, others) = rest.split_at_mut(2);
        let kept = if others.is_empty() { 0.0 } else { libm::pow(uniform(), 2.0 / others.len() as f64) };
        let (radius, angle) = ((left * (1.0 - kept)).sqrt(), TAU * uniform());
        pair.copy_from_slice(&[radius * libm::cos(angle), radius * libm::sin(angle)]);
        left *= kept;
        rest = others;
    }
    if let [last] = rest {
        *last = if uniform() < 0.5 { -left.sqrt() } else { left.sqrt() };
    }
}

/// The random ingredients of one slice; every call takes the next ones.
pub(super) struct SliceIngredients {
    source: Source,
    main: Option<Vec<f64>>,
    turned: bool,
}

enum Source {
    Random(Box<ChaCha8Rng>),
    Quasi { index: u32, key: u64, dimension: usize },
}

impl Source {
    fn normals(&mut self, out: &mut [f64]) {
        match self {
            Source::Random(rng) => standard_normals(rng, out),
            Source::Quasi { .. } => out.fill_with(|| normal_quantile(self.uniform())),
        }
    }

    fn uniform(&mut self) -> f64 {
        match self {
            Source::Random(rng) => rng.random(),
            Source::Quasi { index, key, dimension } => {
                *dimension += 1;
                scrambled_sobol(*index, *dimension - 1, *key)
            }
        }
    }
}

impl SliceIngredients {
    /// The main direction of the slice, uniform on the sphere. To be asked for first, and once.
    pub(super) fn main_direction(&mut self, out: &mut [f64]) {
        match self.main.take() {
            Some(direction) => out.copy_from_slice(&direction),
            None => self.unit_vector(out),
        }
    }

    /// A further direction, uniform on the sphere.
    pub(super) fn unit_vector(&mut self, out: &mut [f64]) {
        if let Source::Quasi { .. } = self.source {
            return sphere_by_inversion(|| self.source.uniform(), out);
        }
        self.source.normals(out);
        if !normalize(out) {
            out[0] = 1.0;
        }
    }

    /// (w1, w2) uniform on the circle.
    pub(super) fn circle(&mut self) -> [f64; 2] {
        let angle = TAU * self.source.uniform() + if self.turned { PI / 2.0 } else { 0.0 };
        [libm::cos(angle), libm::sin(angle)]
    }

    /// A Haar-distributed orthogonal matrix.
    pub(super) fn orthogonal_matrix(&mut self, d: usize, out: &mut [f64]) {
        if let (Source::Quasi { .. }, 2) = (&self.source, d) {
            let angle = TAU * self.source.uniform();
            let side = if self.source.uniform() < 0.5 { -1.0 } else { 1.0 };
            let (sin, cos) = libm::sincos(angle);
            return out.copy_from_slice(&[cos, -side * sin, sin, side * cos]);
        }
        self.source.normals(out);
        orthonormalize(out, d);
    }
}
