//! Where directions come from: balanced groups, independent, in orthogonal blocks, or quasi-Monte Carlo; all from (seed, slice index) alone.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Replicates;
use super::balanced::{LatticePoint, Plan};
use super::quasi::{mix, scrambled_sobol};
use crate::by_name::named;
use crate::normal::normal_quantile;
use crate::random::{Purpose, normalize, orthonormalize, standard_normals, stream};

/// How directions are spread. Each slice has the same distribution under every scheme; they differ in how slices depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Groups that are spread evenly and independent of each other.
    #[default]
    Balanced,
    /// Independent directions.
    Iid,
    /// Blocks of mutually orthogonal directions.
    Orthogonal,
    /// Scrambled Sobol points, 16 independent copies.
    Qmc,
}

named!(Scheme, "Scheme", "scheme of directions", "How directions are spread.");

impl Scheme {
    /// Every scheme, with the name that options use.
    pub const NAMES: [(&'static str, Scheme); 4] = [
        ("balanced", Scheme::Balanced),
        ("iid", Scheme::Iid),
        ("orthogonal", Scheme::Orthogonal),
        ("qmc", Scheme::Qmc),
    ];
}

/// Independent copies of the Sobol sequence: enough for a standard error with 15 degrees of freedom.
const QMC_COPIES: usize = 16;

/// Orthogonal blocks are at most this long: a longer one costs more than it gains.
const LONGEST_BLOCK: usize = 64;

/// Hands out the random ingredients of one slice after the other.
///
/// Under the orthogonal scheme the main directions of a block are orthogonal, and with `paired` two neighbouring slices share
/// everything but the pair (w1, w2), which the second one turns by a right angle. What the balanced scheme does is told by its [`Plan`].
pub(super) struct Ingredients {
    seed: u64,
    scheme: Scheme,
    main_dim: usize,
    /// Length of the second direction; 0 for distances without one.
    second_dim: usize,
    paired: bool,
    block: Option<Block>,
}

/// What slices of a group share.
struct Block {
    index: usize,
    /// Each `main_dim` numbers are one direction.
    directions: Vec<f64>,
    /// Each `second_dim` numbers are one direction; under the balanced scheme only.
    second: Vec<f64>,
    /// Where the angles of (w1, w2) begin, in turns.
    start: f64,
}

impl Ingredients {
    pub(super) fn new(seed: u64, scheme: Scheme, main_dim: usize, second_dim: usize, paired: bool) -> Self {
        Ingredients { seed, scheme, main_dim, second_dim, paired, block: None }
    }

    /// The independent groups of slices under this scheme.
    pub(super) fn replicates(&self) -> Replicates {
        match self.scheme {
            Scheme::Balanced => Replicates::Consecutive(self.plan().len()),
            Scheme::Iid => Replicates::Consecutive(1),
            Scheme::Orthogonal => Replicates::Consecutive(self.block_len() * if self.paired { 2 } else { 1 }),
            Scheme::Qmc => Replicates::Interleaved(QMC_COPIES),
        }
    }

    fn block_len(&self) -> usize {
        self.main_dim.min(LONGEST_BLOCK)
    }

    fn plan(&self) -> Plan {
        Plan::new(self.main_dim, self.paired)
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
            Scheme::Balanced => self.balanced_slice(l),
            Scheme::Iid => SliceIngredients::from(Source::random(self.seed, l as u64)),
            Scheme::Qmc => SliceIngredients::from(Source::Quasi {
                index: (l / QMC_COPIES) as u32,
                key: mix(mix(self.seed) ^ (l % QMC_COPIES) as u64),
                dimension: 0,
            }),
            Scheme::Orthogonal => {
                let number = if self.paired { l / 2 } else { l };
                let (m, length) = (self.main_dim, self.block_len());
                let block = self.block(number / length, length, 2);
                let main = block.directions[number % length * m..][..m].to_vec();
                SliceIngredients {
                    main: Some(main),
                    turn: if self.paired && l % 2 == 1 { PI / 2.0 } else { 0.0 },
                    ..SliceIngredients::from(Source::random(self.seed, 1 << 48 | number as u64))
                }
            }
        }
    }

    fn balanced_slice(&mut self, l: usize) -> SliceIngredients {
        let (plan, seed, m, n) = (self.plan(), self.seed, self.main_dim, self.second_dim);
        match plan {
            Plan::Lattice(lattice) => SliceIngredients {
                turn: PI / lattice.pairs as f64 * (l % lattice.pairs) as f64,
                ..SliceIngredients::from(Source::Lattice(LatticePoint::new(lattice, seed, l / lattice.pairs)))
            },
            Plan::Basis { directions, pairs } => {
                let (group, number) = (l / plan.len(), l % plan.len() / pairs);
                let block = self.block(group, directions, 4);
                let turns = (number + l % pairs * directions) as f64 / plan.len() as f64;
                SliceIngredients {
                    main: Some(block.directions[number * m..][..m].to_vec()),
                    second: (n > 0).then(|| block.second[number * n..][..n].to_vec()),
                    angle: Some(TAU * block.start + PI * turns),
                    // What is left is shared by the group.
                    ..SliceIngredients::from(Source::random(seed, 5 << 48 | group as u64))
                }
            }
        }
    }

    /// The block of that index and length, whose stream is told apart by `purpose`.
    fn block(&mut self, index: usize, length: usize, purpose: u64) -> &Block {
        if self.block.as_ref().is_none_or(|block| block.index != index) {
            let mut rng = stream(self.seed, Purpose::Slices, purpose << 48 | index as u64);
            let mut rows = |count: usize, m: usize| {
                let mut rows = vec![0.0; count * m];
                standard_normals(&mut rng, &mut rows);
                orthonormalize_rows(&mut rows, m);
                rows
            };
            let directions = rows(length, self.main_dim);
            let balanced = self.scheme == Scheme::Balanced && self.second_dim > 0;
            let second = if balanced { rows(length, self.second_dim) } else { Vec::new() };
            self.block = Some(Block { index, directions, second, start: rng.random() });
        }
        self.block.as_ref().expect("just filled")
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
fn sphere_by_inversion(source: &mut Source, out: &mut [f64]) {
    let mut left = 1.0;
    let mut rest = out;
    while rest.len() > 1 {
        let (pair, others) = rest.split_at_mut(2);
        let kept = if others.is_empty() { 0.0 } else { libm::pow(source.uniform(), 2.0 / others.len() as f64) };
        let (radius, angle) = ((left * (1.0 - kept)).sqrt(), TAU * source.uniform());
        pair.copy_from_slice(&[radius * libm::cos(angle), radius * libm::sin(angle)]);
        left *= kept;
        rest = others;
    }
    if let [last] = rest {
        *last = source.sign() * left.sqrt();
    }
}

/// The random ingredients of one slice; every call takes the next ones.
pub(super) struct SliceIngredients {
    source: Source,
    /// Directions that were made with those of other slices.
    main: Option<Vec<f64>>,
    second: Option<Vec<f64>>,
    /// Angle of (w1, w2), if it was chosen with those of other slices.
    angle: Option<f64>,
    /// What is added to that angle.
    turn: f64,
}

impl From<Source> for SliceIngredients {
    fn from(source: Source) -> Self {
        SliceIngredients { source, main: None, second: None, angle: None, turn: 0.0 }
    }
}

enum Source {
    Random(Box<ChaCha8Rng>),
    Quasi { index: u32, key: u64, dimension: usize },
    Lattice(LatticePoint),
}

impl Source {
    fn random(seed: u64, index: u64) -> Self {
        Source::Random(Box::new(stream(seed, Purpose::Slices, index)))
    }

    fn normals(&mut self, out: &mut [f64]) {
        match self {
            Source::Random(rng) => standard_normals(rng, out),
            Source::Quasi { .. } | Source::Lattice(_) => out.fill_with(|| normal_quantile(self.uniform())),
        }
    }

    fn uniform(&mut self) -> f64 {
        match self {
            Source::Random(rng) => rng.random(),
            Source::Quasi { index, key, dimension } => {
                *dimension += 1;
                scrambled_sobol(*index, *dimension - 1, *key)
            }
            Source::Lattice(point) => point.uniform(),
        }
    }

    /// A uniform number that decides on a sign.
    fn sign(&mut self) -> f64 {
        let uniform = match self {
            // A lattice spreads angles; signs are shared by its points.
            Source::Lattice(point) => point.shared(),
            _ => self.uniform(),
        };
        if uniform < 0.5 { -1.0 } else { 1.0 }
    }

    /// A uniform angle of which costs are a function with period π.
    fn half_turn(&mut self) -> f64 {
        match self {
            Source::Lattice(point) => point.half_turn(),
            _ => TAU * self.uniform(),
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

    /// The second direction, uniform on the sphere. To be asked for once.
    pub(super) fn second_direction(&mut self, out: &mut [f64]) {
        match self.second.take() {
            Some(direction) => out.copy_from_slice(&direction),
            None => self.unit_vector(out),
        }
    }

    fn unit_vector(&mut self, out: &mut [f64]) {
        match self.source {
            Source::Random(_) => {
                self.source.normals(out);
                if !normalize(out) {
                    out[0] = 1.0;
                }
            }
            Source::Quasi { .. } | Source::Lattice(_) => sphere_by_inversion(&mut self.source, out),
        }
    }

    /// (w1, w2) uniform on the circle.
    pub(super) fn circle(&mut self) -> [f64; 2] {
        let angle = self.angle.unwrap_or_else(|| self.source.half_turn()) + self.turn;
        [libm::cos(angle), libm::sin(angle)]
    }

    /// A Haar-distributed orthogonal matrix.
    pub(super) fn orthogonal_matrix(&mut self, d: usize, out: &mut [f64]) {
        if let (Source::Quasi { .. } | Source::Lattice(_), 2) = (&self.source, d) {
            let (sin, cos) = libm::sincos(self.source.half_turn());
            let side = self.source.sign();
            return out.copy_from_slice(&[cos, -side * sin, sin, side * cos]);
        }
        self.source.normals(out);
        orthonormalize(out, d);
    }
}
