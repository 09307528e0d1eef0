//! Balanced slices: groups whose slices are spread evenly, each group placed at random and independent of the others.
//!
//! What decides a transport cost most is of low order: squares of the direction v, and the angle of (w1, w2), in which costs have period π. An
//! orthonormal basis averages squares of v exactly, two pairs (w1, w2) at a right angle average squares of those exactly, and evenly spread
//! angles average more. In the plane directions are angles too, and the points of a lattice, shifted at random, spread all angles
//! of a slice at once. Every slice by itself has the distribution of its slicer, whatever the others are.

use std::f64::consts::{PI, TAU};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::random::{Purpose, stream};

/// What is spread evenly within a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// All angles of a slice, as points of a lattice: for distances with (w1, w2) in one and two dimensions.
    Lattice(Lattice),
    /// Orthonormal directions, for each as many pairs (w1, w2), evenly spread; distances without such a pair have one slice for each direction.
    Basis { directions: usize, pairs: usize },
}

impl Plan {
    /// For directions of `main_dim` numbers; `paired` distances have a pair (w1, w2).
    ///
    /// Sixteen points are as few as give most of the gain, in the plane for each of two right angles; other generators gave less.
    pub(super) fn new(main_dim: usize, paired: bool) -> Self {
        match (main_dim, paired) {
            (1, true) => Plan::Lattice(Lattice { points: 16, generator: 1, pairs: 1 }),
            (2, true) => Plan::Lattice(Lattice { points: 16, generator: 5, pairs: 2 }),
            _ => Plan::Basis { directions: main_dim.min(LONGEST_BASIS), pairs: if paired { 2 } else { 1 } },
        }
    }

    /// Slices in a group.
    pub(super) fn len(self) -> usize {
        match self {
            Plan::Lattice(lattice) => lattice.points * lattice.pairs,
            Plan::Basis { directions, pairs } => directions * pairs,
        }
    }
}

/// At most so many directions of a group are orthogonal: groups should not be few.
const LONGEST_BASIS: usize = 128;

/// The points k (1, z, z², …)/n mod 1, k = 0 … n − 1; n is a power of two. Slices of one point differ by right angles of (w1, w2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lattice {
    points: usize,
    generator: usize,
    pub(super) pairs: usize,
}

/// One point of a lattice: every call takes its next coordinate. All points of a group share the stream that their shifts come from.
pub(super) struct LatticePoint {
    lattice: Lattice,
    /// k z^c mod n for the next coordinate c.
    multiple: usize,
    shifts: Box<ChaCha8Rng>,
}

impl LatticePoint {
    /// Point `number` of the sequence of groups under a seed. The first points of a group are spread evenly, too.
    pub(super) fn new(lattice: Lattice, seed: u64, number: usize) -> Self {
        let (group, point) = (number / lattice.points, number % lattice.points);
        let shifts = Box::new(stream(seed, Purpose::Slices, 3 << 48 | group as u64));
        let multiple = point.reverse_bits() >> (usize::BITS - lattice.points.ilog2());
        LatticePoint { lattice, multiple, shifts }
    }

    fn next(&mut self) -> (f64, f64) {
        let Lattice { points, generator, .. } = self.lattice;
        let part = self.multiple as f64 / points as f64;
        self.multiple = self.multiple * generator % points;
        (part, self.shared())
    }

    /// A uniform number that all points of the group share.
    pub(super) fn shared(&mut self) -> f64 {
        self.shifts.random()
    }

    /// Uniform on (0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        let (part, shift) = self.next();
        (part + shift).fract()
    }

    /// A uniform angle of which costs are a function with period π.
    pub(super) fn half_turn(&mut self) -> f64 {
        let (part, shift) = self.next();
        PI * part + TAU * shift
    }
}
