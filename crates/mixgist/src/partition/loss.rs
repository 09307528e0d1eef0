//! The registry of partition losses: each a function of three sums over the contingency table of estimate and draw.

use std::fmt;

use super::contingency::{PairSums, Potential};
use crate::text::option;
use crate::{Error, Result, text};

/// A loss L(estimate, draw) between two partitions of n observations.
///
/// With counts n_ij of the contingency table (rows: estimate, columns: draw) and margins n_i., n_.j, every loss is a function of
/// three sums of φ, over the rows, the columns and the cells. φ(x) = x(x − 1) for `Binder` and `Omari`, φ(x) = x log₂ x for
/// the others. The formulas stand in [`REGISTRY`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PartitionLoss {
    /// Binder's loss; `a` in \[0, 2\] is the cost of separating a pair that belongs together, 2 − a that of the opposite mistake.
    Binder {
        /// Cost of separating a pair that belongs together; 1 is the plain loss.
        a: f64,
    },
    /// Variation of information in bits; `a` in \[0, 2\] as for Binder's loss.
    Vi {
        /// Cost of separating what belongs together; 1 is the plain loss.
        a: f64,
    },
    /// One minus the adjusted Rand index.
    Omari(OmariConvention),
    /// Normalized variation of information.
    Nvi,
    /// Information distance, in bits.
    Id,
    /// Normalized information distance.
    Nid,
}

/// What `omari` makes of 0/0: both partitions are one cluster, or both are all singletons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OmariConvention {
    /// Identical partitions have loss 0.
    #[default]
    Identical,
    /// As in the package `salso`: loss 1.
    Salso,
}

impl OmariConvention {
    /// Every convention, the default first.
    pub const ALL: [OmariConvention; 2] = [OmariConvention::Identical, OmariConvention::Salso];

    /// Its name in options, files and output.
    pub fn name(self) -> &'static str {
        match self {
            OmariConvention::Identical => "identical",
            OmariConvention::Salso => "salso",
        }
    }

    /// The convention of that name.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|convention| convention.name() == name)
            .ok_or_else(|| Error::usage(format!("omari convention is \"{name}\", expected \"identical\" or \"salso\"")))
    }
}

/// What the constructors of the registry may use.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LossOptions {
    /// Cost of separating what belongs together, in \[0, 2\]; the generalized losses need it.
    pub a: Option<f64>,
    /// What `omari` makes of 0/0.
    pub omari: OmariConvention,
}

impl LossOptions {
    /// From the options of a front; without a name the convention is the usual one.
    pub fn new(a: Option<f64>, omari: Option<&str>) -> Result<Self> {
        Ok(LossOptions { a, omari: omari.map_or(Ok(OmariConvention::default()), OmariConvention::from_name)? })
    }

    /// Every registered loss, with its name; the generalized ones when their cost was given.
    pub fn losses(&self) -> Result<Vec<(&'static str, PartitionLoss)>> {
        let entries = REGISTRY.iter().filter(|entry| !entry.takes_a || self.a.is_some());
        entries.map(|entry| Ok((entry.name, (entry.build)(self)?))).collect()
    }

    fn cost(&self) -> Result<f64> {
        let missing =
            || Error::usage("a generalized loss needs its cost").hint(text!["give it, such as ", option("a", 0.5)]);
        checked_cost(self.a.ok_or_else(missing)?)
    }
}

/// One line of the registry.
#[non_exhaustive]
pub struct LossEntry {
    /// Name in options, files and output.
    pub name: &'static str,
    /// One sentence for help texts.
    pub help: &'static str,
    /// The formula. N = n log₂ n; u, v, w are Σ n_i. log₂ n_i., Σ n_.j log₂ n_.j, ΣΣ n_ij log₂ n_ij; U, V, W are the same sums of
    /// x(x − 1); T = n(n − 1).
    pub formula: &'static str,
    /// Whether it uses [`LossOptions::a`].
    pub takes_a: bool,
    /// Its constructor; fails when an option makes no sense.
    pub build: fn(&LossOptions) -> Result<PartitionLoss>,
}

/// All losses, in the order in which tables print them.
pub const REGISTRY: &[LossEntry] = &[
    LossEntry {
        name: "binder",
        help: "share of ordered pairs that are together in one partition and apart in the other",
        formula: "(U + V - 2W) / n^2",
        takes_a: false,
        build: |_| Ok(PartitionLoss::Binder { a: 1.0 }),
    },
    LossEntry {
        name: "vi",
        help: "variation of information, in bits",
        formula: "(u + v - 2w) / n",
        takes_a: false,
        build: |_| Ok(PartitionLoss::Vi { a: 1.0 }),
    },
    LossEntry {
        name: "omari",
        help: "one minus the adjusted Rand index",
        formula: "1 - (W - UV/T) / ((U + V)/2 - UV/T); 0/0 is 0 (identical) or 1 (salso)",
        takes_a: false,
        build: |options| Ok(PartitionLoss::Omari(options.omari)),
    },
    LossEntry {
        name: "nvi",
        help: "variation of information as a share of the joint entropy",
        formula: "(u + v - 2w) / (N - w); 0/0 is 0",
        takes_a: false,
        build: |_| Ok(PartitionLoss::Nvi),
    },
    LossEntry {
        name: "id",
        help: "information distance: the larger entropy minus the mutual information, in bits",
        formula: "(max(u, v) - w) / n",
        takes_a: false,
        build: |_| Ok(PartitionLoss::Id),
    },
    LossEntry {
        name: "nid",
        help: "information distance as a share of the larger entropy",
        formula: "(max(u, v) - w) / (N - min(u, v)); 0/0 is 0",
        takes_a: false,
        build: |_| Ok(PartitionLoss::Nid),
    },
    LossEntry {
        name: "generalized-binder",
        help: "Binder's loss with cost a for separating a pair that belongs together and 2 - a for the opposite",
        formula: "((2 - a) U + a V - 2W) / n^2",
        takes_a: true,
        build: |options| Ok(PartitionLoss::Binder { a: options.cost()? }),
    },
    LossEntry {
        name: "generalized-vi",
        help: "variation of information with cost a for separating what belongs together and 2 - a for the opposite",
        formula: "((2 - a) u + a v - 2w) / n",
        takes_a: true,
        build: |options| Ok(PartitionLoss::Vi { a: options.cost()? }),
    },
];

fn checked_cost(a: f64) -> Result<f64> {
    if (0.0..=2.0).contains(&a) {
        return Ok(a);
    }
    Err(Error::usage(format!("cost a is {a}, must be between 0 and 2")).hint("a = 1 weighs both mistakes alike"))
}

impl PartitionLoss {
    /// The registered loss of that name.
    pub fn from_name(name: &str, options: &LossOptions) -> Result<Self> {
        let Some(entry) = REGISTRY.iter().find(|entry| entry.name == name) else {
            let names: Vec<&str> = REGISTRY.iter().map(|entry| entry.name).collect();
            return Err(
                Error::usage(format!("there is no loss \"{name}\"")).hint(format!("one of {}", names.join(", ")))
            );
        };
        (entry.build)(options)
    }

    /// Its name in the registry.
    pub fn name(&self) -> &'static str {
        match *self {
            PartitionLoss::Binder { a: 1.0 } => "binder",
            PartitionLoss::Binder { .. } => "generalized-binder",
            PartitionLoss::Vi { a: 1.0 } => "vi",
            PartitionLoss::Vi { .. } => "generalized-vi",
            PartitionLoss::Omari(_) => "omari",
            PartitionLoss::Nvi => "nvi",
            PartitionLoss::Id => "id",
            PartitionLoss::Nid => "nid",
        }
    }

    /// Whether it is a metric on partitions: Binder and VI with a = 1, NVI, ID, NID (Meilă 2007; Vinh, Epps & Bailey 2010).
    /// `omari` violates the triangle inequality, unequal costs the symmetry.
    pub fn is_metric(&self) -> bool {
        match *self {
            PartitionLoss::Binder { a } | PartitionLoss::Vi { a } => a == 1.0,
            PartitionLoss::Omari(_) => false,
            PartitionLoss::Nvi | PartitionLoss::Id | PartitionLoss::Nid => true,
        }
    }

    /// Fails on a cost outside \[0, 2\], which only a hand-made value can hold.
    pub(crate) fn check(&self) -> Result<()> {
        match *self {
            PartitionLoss::Binder { a } | PartitionLoss::Vi { a } => checked_cost(a).map(drop),
            _ => Ok(()),
        }
    }

    /// The φ whose sums it is made of.
    pub(crate) fn potential(&self) -> Potential {
        match self {
            PartitionLoss::Binder { .. } | PartitionLoss::Omari(_) => Potential::Pairs,
            PartitionLoss::Vi { .. } | PartitionLoss::Nvi | PartitionLoss::Id | PartitionLoss::Nid => {
                Potential::Entropy
            }
        }
    }

    /// The loss from the three sums of its own φ.
    ///
    /// Sums of pairs are whole numbers, and entropies here are n times those of one observation, of which the least positive
    /// exceeds 1 bit: a denominator below 1/2 is 0/0.
    #[inline(always)]
    pub(crate) fn of(&self, sums: PairSums, Scale { n, n_log_n }: Scale) -> f64 {
        let PairSums { estimate: u, draw: v, joint: w } = sums;
        match *self {
            PartitionLoss::Binder { a } => (((2.0 - a) * u + a * v - 2.0 * w) / (n * n)).max(0.0),
            PartitionLoss::Vi { a } => (((2.0 - a) * u + a * v - 2.0 * w) / n).max(0.0),
            PartitionLoss::Omari(convention) => {
                let chance = u * (v / (n * (n - 1.0)));
                let denominator = 0.5 * (u + v) - chance;
                // Written so that the NaN of n = 1 takes the convention, too.
                if denominator > 0.5 {
                    1.0 - (w - chance) / denominator
                } else {
                    match convention {
                        OmariConvention::Identical => 0.0,
                        OmariConvention::Salso => 1.0,
                    }
                }
            }
            PartitionLoss::Nvi => ratio(u + v - 2.0 * w, n_log_n - w),
            PartitionLoss::Id => ((u.max(v) - w) / n).max(0.0),
            PartitionLoss::Nid => ratio(u.max(v) - w, n_log_n - u.min(v)),
        }
    }
}

/// What losses need to know of n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    n: f64,
    n_log_n: f64,
}

impl Scale {
    pub(crate) fn new(n: usize) -> Self {
        let n = n as f64;
        Scale { n, n_log_n: n * n.log2() }
    }
}

#[inline(always)]
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.5 { (numerator / denominator).max(0.0) } else { 0.0 }
}

impl fmt::Display for PartitionLoss {
    /// The name with its parameters, such as `generalized-vi(a=0.5)` or `omari(0/0=identical)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PartitionLoss::Binder { a } | PartitionLoss::Vi { a } if a != 1.0 => write!(f, "{}(a={a})", self.name()),
            PartitionLoss::Omari(convention) => write!(f, "omari(0/0={})", convention.name()),
            _ => f.write_str(self.name()),
        }
    }
}
